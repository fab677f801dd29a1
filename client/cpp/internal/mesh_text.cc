// SPDX-License-Identifier: Apache-2.0
#include "internal/mesh_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace clearance::client::internal {
namespace {

constexpr std::size_t kMostDigits = 18;
constexpr std::size_t kLongestQuote = 32;

// Takes the digits that a text begins with, and says how many.
std::size_t TakeDigits(absl::string_view* text) {
  const auto* const end = std::find_if_not(text->begin(), text->end(),
                                           [](unsigned char c) { return absl::ascii_isdigit(c); });
  const auto count = static_cast<std::size_t>(end - text->begin());
  text->remove_prefix(count);
  return count;
}

bool TakeAny(absl::string_view characters, absl::string_view* text) {
  if (text->empty() || !absl::StrContains(characters, text->front())) return false;
  text->remove_prefix(1);
  return true;
}

bool IsReal(absl::string_view word) {
  TakeAny("+-", &word);
  std::size_t digits = TakeDigits(&word);
  if (TakeAny(".", &word)) digits += TakeDigits(&word);
  if (digits == 0) return false;
  if (TakeAny("eE", &word)) {
    TakeAny("+-", &word);
    if (TakeDigits(&word) == 0) return false;
  }
  return word.empty();
}

}  // namespace

bool MeshFault::AtLine(std::uint64_t line, absl::string_view what) {
  return Set(absl::StrCat("line ", line, ": ", what));
}

bool MeshFault::AtByte(std::uint64_t byte, absl::string_view what) {
  return Set(absl::StrCat("byte ", byte, ": ", what));
}

MeshLines::MeshLines(absl::string_view content)
    : rest_(absl::StripPrefix(content, "\xef\xbb\xbf")) {}

bool MeshLines::NextRow(Row* row) {
  if (is_at_end_) return false;
  ++number_;
  const std::size_t end = rest_.find_first_of("\r\n");
  is_at_end_ = end == absl::string_view::npos;
  *row = {rest_.substr(0, end), !is_at_end_};
  if (is_at_end_) return true;
  const bool is_pair = absl::StartsWith(rest_.substr(end), "\r\n");
  rest_.remove_prefix(end + (is_pair ? 2 : 1));
  return true;
}

bool MeshLines::Next(MeshLine* line) {
  for (Row row; NextRow(&row);) {
    *line = {number_, SplitWords(row.text), row.is_whole};
    if (!line->words.empty()) return true;
  }
  return false;
}

bool MeshLines::NextStatement(absl::Span<const absl::string_view> continued, MeshLine* line) {
  for (Row row; NextRow(&row);) {
    const std::uint64_t number = number_;
    absl::string_view text = row.text;
    if (absl::EndsWith(text, "\\")) {
      const absl::string_view first = SplitWords(text).front();
      const bool is_continued =
          std::find(continued.begin(), continued.end(), first) != continued.end();
      if (is_continued) text = Join(&row);
    }
    *line = {number, SplitWords(text), row.is_whole};
    const auto comment = std::find_if(line->words.begin(), line->words.end(),
                                      [](absl::string_view word) { return word[0] == '#'; });
    line->words.erase(comment, line->words.end());
    if (!line->words.empty()) return true;
  }
  return false;
}

absl::string_view MeshLines::Join(Row* row) {
  joined_.clear();
  while (!absl::StrContains(row->text, '#') && absl::EndsWith(row->text, "\\") && row->is_whole) {
    absl::StrAppend(&joined_, row->text.substr(0, row->text.size() - 1), " ");
    NextRow(row);
  }
  absl::StrAppend(&joined_, row->text);
  return joined_;
}

std::vector<absl::string_view> SplitWords(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t\v\f\r\n"), absl::SkipEmpty());
}

std::string QuotedWord(absl::string_view word) {
  std::string quoted = "'";
  for (const unsigned char c : word.substr(0, kLongestQuote)) {
    if (absl::ascii_isprint(c) && c != '\'' && c != '\\') {
      quoted += static_cast<char>(c);
    } else {
      absl::StrAppend(&quoted, "\\x", absl::Hex(c, absl::kZeroPad2));
    }
  }
  return absl::StrCat(quoted, word.size() > kLongestQuote ? "'..." : "'");
}

bool ParseWhole(absl::string_view word, std::int64_t* number) {
  absl::string_view digits = word;
  TakeAny("+-", &digits);
  if (digits.empty() || digits.size() > kMostDigits || TakeDigits(&digits) == 0) return false;
  return digits.empty() && absl::SimpleAtoi(word, number);
}

bool ParseReal(absl::string_view word, double* number) {
  return IsReal(word) && absl::SimpleAtod(word, number) && std::isfinite(*number);
}

bool ReadWhole(const MeshLine& line, absl::string_view word, std::int64_t* number,
               MeshFault* fault) {
  return ParseWhole(word, number) ||
         fault->AtLine(line.number, absl::StrCat(QuotedWord(word), " must be a whole number"));
}

bool ReadReal(const MeshLine& line, absl::string_view word, double* number, MeshFault* fault) {
  return ParseReal(word, number) ||
         fault->AtLine(line.number, absl::StrCat(QuotedWord(word), " must be a finite number"));
}

bool ReadCount(const MeshLine& line, absl::string_view word, std::uint64_t* count,
               MeshFault* fault) {
  std::int64_t number = 0;
  if (!ReadWhole(line, word, &number, fault)) return false;
  if (number < 0) {
    return fault->AtLine(line.number, absl::StrCat(QuotedWord(word), " must be a count"));
  }
  *count = static_cast<std::uint64_t>(number);
  return true;
}

bool RequireWhole(const MeshLine& line, MeshFault* fault) {
  return line.is_whole || fault->AtLine(line.number,
                                        "the file may be cut within its last number: end it with a "
                                        "line end if it is whole");
}

bool RequireWholeIndex(const MeshLine& line, std::int64_t index, std::uint64_t count,
                       MeshFault* fault) {
  const auto size = static_cast<std::uint64_t>(std::abs(index));
  return size == 0 || size > count / 10 || RequireWhole(line, fault);
}

}  // namespace clearance::client::internal
