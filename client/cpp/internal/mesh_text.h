// SPDX-License-Identifier: Apache-2.0
//
// Lines, words and numbers of mesh files, read alike by the Python client (_mesh_text.py).

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace clearance::client::internal {

// A fault in the content of a mesh file, and its place. Functions that fill one return false.
class MeshFault {
 public:
  bool Set(std::string text) {
    text_ = std::move(text);
    return false;
  }
  bool AtLine(std::uint64_t line, absl::string_view what);
  bool AtByte(std::uint64_t byte, absl::string_view what);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// `is_whole`: a line end follows, so that its last word is not cut.
struct MeshLine {
  std::uint64_t number = 0;
  std::vector<absl::string_view> words;
  bool is_whole = false;
};

// The lines that have words. They end with LF, CR LF or CR; a byte order mark is left out. Words
// are valid until the next call. Thread-compatible.
class MeshLines {
 public:
  // The content outlives this.
  explicit MeshLines(absl::string_view content);

  // False at the end.
  bool Next(MeshLine* line);

  // As Next(), without comments, which begin with a word that begins with a #. (1.#INF is none.) A
  // backslash at the end of a line goes on with the next one, if the line begins with a word of
  // `continued` and has no #.
  bool NextStatement(absl::Span<const absl::string_view> continued, MeshLine* line);

 private:
  struct Row {
    absl::string_view text;
    bool is_whole = false;
  };
  bool NextRow(Row* row);
  // Returns a row that ends with a backslash, with the rows that it goes on in.
  absl::string_view Join(Row* row);

  absl::string_view rest_;
  bool is_at_end_ = false;
  std::uint64_t number_ = 0;
  std::string joined_;
};

// The words of a line that has no line end in it.
std::vector<absl::string_view> SplitWords(absl::string_view text);

// For a message: at most 32 bytes, those that are not printable as \x and two digits.
std::string QuotedWord(absl::string_view word);

// One to 18 digits behind a sign.
bool ParseWhole(absl::string_view word, std::int64_t* number);

// Digits with or without a point and an exponent, correctly rounded. False of what is not finite.
bool ParseReal(absl::string_view word, double* number);

// The same of a word of a line; what is none is a fault.
bool ReadWhole(const MeshLine& line, absl::string_view word, std::int64_t* number,
               MeshFault* fault);
bool ReadReal(const MeshLine& line, absl::string_view word, double* number, MeshFault* fault);
// A whole number that is not negative.
bool ReadCount(const MeshLine& line, absl::string_view word, std::uint64_t* count,
               MeshFault* fault);

// A fault of a line whose last number may be cut.
bool RequireWhole(const MeshLine& line, MeshFault* fault);
// The same where the last word names one of `count` points, unless no longer number could.
bool RequireWholeIndex(const MeshLine& line, std::int64_t index, std::uint64_t count,
                       MeshFault* fault);

}  // namespace clearance::client::internal
