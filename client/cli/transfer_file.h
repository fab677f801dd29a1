// SPDX-License-Identifier: Apache-2.0
//
// A file of registered shapes and of scenes: a first line that says so, then one JSON object a
// line, first the shapes, then the scenes,
//     {"name": …, "digest": …, "shape": the bytes of a clearance.v1.Shape in base64}
//     {"scene": …, "content": the bytes of a clearance.v1.SceneChange in base64, which makes the
//      scene of an empty one and names shapes by digest}
// The bytes, not the JSON form, because JSON has no -0.0 that every reader keeps, and the digest is
// of every bit. Version 1 of the file had no scenes.

#ifndef CLEARANCE_CLIENT_CLI_TRANSFER_FILE_H_
#define CLEARANCE_CLIENT_CLI_TRANSFER_FILE_H_

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

// Writes beside the file, and gives it its name once all is there; what is not finished is taken
// away again. Thread-compatible.
class TransferWriter {
 public:
  // Begins the file, as status() tells.
  explicit TransferWriter(std::string path);
  ~TransferWriter();
  TransferWriter(const TransferWriter&) = delete;
  TransferWriter& operator=(const TransferWriter&) = delete;

  void Write(const TransferShape& shape);
  void Write(const TransferScene& scene);
  // Returns status().
  absl::Status Finish();

  // The first error. INVALID_ARGUMENT where what has the name, or that of the unfinished file, is
  // no regular file, as it would be replaced; UNAVAILABLE where something cannot be written.
  const absl::Status& status() const { return status_; }

 private:
  void WriteLine(const std::string& line);
  // Of what was done last, by errno.
  void TakeError(bool has_failed);

  const std::string path_;
  std::ofstream file_;
  bool is_there_ = false;  // the unfinished file
  absl::Status status_;
};

// Thread-compatible.
class TransferReader {
 public:
  // NOT_FOUND where the file cannot be read, INVALID_ARGUMENT where it is no such file.
  static absl::StatusOr<TransferReader> Open(const std::string& path);

  // OUT_OF_RANGE after the last item, INVALID_ARGUMENT naming the line of one that is malformed.
  absl::StatusOr<TransferItem> Next();

  // Of the whole file, 0 where nobody knows, and of the items that were read.
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

#endif  // CLEARANCE_CLIENT_CLI_TRANSFER_FILE_H_
