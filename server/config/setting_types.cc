// SPDX-License-Identifier: Apache-2.0
#include "server/config/setting_types.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace clearance::server::setting_types {
namespace {

constexpr std::pair<const char*, std::uint64_t> kUnits[] = {
    {"GiB", kGibibyte}, {"MiB", kMebibyte}, {"KiB", 1024}, {"B", 1}};

constexpr int kLargestPort = 65535;

constexpr absl::string_view kEtcdScheme = "etcd://";

bool IsHostPort(absl::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) return false;
  const absl::string_view host = text.substr(0, colon);
  const bool in_brackets = host.front() == '[' && host.back() == ']';
  if (!in_brackets && absl::StrContains(host, ':')) return false;
  std::uint64_t port = 0;
  return ParseDigits(text.substr(colon + 1), &port) && port <= kLargestPort;
}

}  // namespace

bool ParseDigits(absl::string_view text, std::uint64_t* value) {
  return absl::c_all_of(text, absl::ascii_isdigit) && absl::SimpleAtoi(text, value);
}

bool ParseBytes(absl::string_view text, std::uint64_t largest, std::uint64_t* value) {
  std::uint64_t unit_bytes = 1;
  for (const auto& [name, bytes] : kUnits) {
    if (absl::ConsumeSuffix(&text, name)) {
      unit_bytes = bytes;
      break;
    }
  }
  if (!ParseDigits(text, value) || *value > largest / unit_bytes) return false;
  *value *= unit_bytes;
  return true;
}

std::string FormatBytes(std::uint64_t bytes) {
  for (const auto& [name, unit_bytes] : kUnits) {
    if (bytes >= unit_bytes && bytes % unit_bytes == 0)
      return absl::StrCat(bytes / unit_bytes, unit_bytes == 1 ? "" : name);
  }
  return "0";
}

bool Cores::Parse(absl::string_view text, Value* value) {
  const bool is_plain =
      absl::c_all_of(text, [](char c) { return absl::ascii_isdigit(c) || c == '.'; });
  return is_plain && absl::SimpleAtod(text, value) &&
         (*value == 0 || (*value >= kLeastCores && *value <= kMostCores));
}

bool WaitTime::Parse(absl::string_view text, Value* value) {
  return absl::ParseDuration(text, value) && *value >= absl::ZeroDuration() &&
         *value <= absl::Hours(1);
}

bool HttpAddress::Parse(absl::string_view text, Value* value) {
  return IsHostPort(text) && text.front() != '[' && Text::Parse(text, value);
}

bool GrpcAddress::Parse(absl::string_view text, Value* value) {
  constexpr absl::string_view kUnix = "unix:";
  const bool is_unix = absl::StartsWith(text, kUnix) && text.size() > kUnix.size();
  return (is_unix || IsHostPort(text)) && Text::Parse(text, value);
}

bool StoreAddress::Parse(absl::string_view text, Value* value) {
  value->clear();
  if (text.empty()) return true;
  if (!absl::ConsumePrefix(&text, kEtcdScheme)) return false;
  *value = absl::StrSplit(text, ',');
  return absl::c_all_of(*value, IsHostPort);
}

std::string StoreAddress::Print(const Value& value) {
  return value.empty() ? "" : absl::StrCat(kEtcdScheme, absl::StrJoin(value, ","));
}

}  // namespace clearance::server::setting_types
