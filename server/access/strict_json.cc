// SPDX-License-Identifier: Apache-2.0

#include "server/access/strict_json.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace clearance::server {
namespace {

using nlohmann::json;

// Nothing that is read here nests deeper.
constexpr std::size_t kMaxJsonDepth = 32;

// "line 3, column 5" of the byte before `position`.
std::string PlaceOf(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column =
      before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1);
  return absl::StrCat("line ", lines + 1, ", column ", column);
}

// Looks through the text once and keeps the first thing that is wrong with it.
class Inspector final : public nlohmann::json_sax<json> {
 public:
  explicit Inspector(std::string_view text) : text_(text) {}

  const absl::Status& status() const { return status_; }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return Enter(); }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    status_ = absl::InvalidArgumentError(absl::StrCat("the key \"", name, "\" stands twice"));
    return false;
  }
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t /*size*/) override { return Enter(); }
  bool end_array() override { return Leave(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    status_ =
        absl::InvalidArgumentError(absl::StrCat(PlaceOf(text_, position), ": malformed JSON"));
    return false;
  }

 private:
  bool Enter() {
    keys_.emplace_back();
    if (keys_.size() <= kMaxJsonDepth) return true;
    status_ = absl::InvalidArgumentError(absl::StrCat("nests deeper than ", kMaxJsonDepth));
    return false;
  }
  bool Leave() {
    keys_.pop_back();
    return true;
  }

  const std::string_view text_;
  std::vector<std::set<std::string>> keys_;  // of each object that is open
  absl::Status status_;
};

}  // namespace

absl::StatusOr<json> ParseStrictJson(std::string_view text) {
  Inspector inspector(text);
  const bool is_whole = json::sax_parse(text, &inspector);
  if (!inspector.status().ok()) return inspector.status();
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!is_whole || value.is_discarded()) return absl::InvalidArgumentError("malformed JSON");
  return value;
}

}  // namespace clearance::server
