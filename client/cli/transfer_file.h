// SPDX-License-Identifier: Apache-2.0
//
// A file of registered shapes and of scenes: a first line that says so, then one JSON object a
// line, first the shapes, then the scenes,
//     {"name": …, "digest": …, "shape": the bytes of a clearance.v1.Shape in base64}
//     {"scene": …, "content": the bytes of a clearance.v1.SceneChange in base64, which makes the
//      scene of an empty one and names shapes by digest}
// The bytes, not the JSON form, because JSON has no -0.0 that every reader keeps, and the digest is
// of every bit. Version 1 of the file had no scenes.

#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/scene.h"
#include "clearance/shape.h"

namespace clearance::client {

struct TransferShape {
  std::string name;
  std::string digest;
  Shape shape;
};

struct TransferScene {
  std::string name;
  SceneChange content;
};

using TransferItem = std::variant<TransferShape, TransferScene>;

// Writes to a second file beside the target, and renames it once all is there. An unfinished file
// is removed. Thread-compatible.
class TransferWriter {
 public:
  // Begins the file; status() has the result.
  explicit TransferWriter(std::string path);
  ~TransferWriter();
  TransferWriter(const TransferWriter&) = delete;
  TransferWriter& operator=(const TransferWriter&) = delete;

  void Write(const TransferShape& shape);
  void Write(const TransferScene& scene);
  // Returns status().
  absl::Status Finish();

  // Returns the first error. INVALID_ARGUMENT if the target, or the unfinished file, exists and is
  // not a regular file, as it would be replaced; UNAVAILABLE if writing fails.
  const absl::Status& status() const { return status_; }

 private:
  void WriteLine(const std::string& line);
  // Sets status() from errno if the last operation failed and there was no earlier error.
  void TakeError(bool has_failed);

  const std::string path_;
  std::ofstream file_;
  bool is_there_ = false;  // the unfinished file
  absl::Status status_;
};

// Thread-compatible.
class TransferReader {
 public:
  // Opens a file. NOT_FOUND if it cannot be read, INVALID_ARGUMENT if it is not such a file.
  static absl::StatusOr<TransferReader> Open(const std::string& path);

  // Returns the next item. OUT_OF_RANGE after the last item; INVALID_ARGUMENT names a malformed
  // line.
  absl::StatusOr<TransferItem> Next();

  // The size of the whole file, 0 if unknown, and the size of the items read so far.
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  TransferReader(std::string path, std::ifstream file);

  std::string path_;
  std::ifstream file_;
  int line_ = 1;
  std::uint64_t bytes_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace clearance::client
