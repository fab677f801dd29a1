// SPDX-License-Identifier: Apache-2.0
#include "server/config/setting_types.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace clearance::server::setting_types {
namespace {

struct Unit {
  const char* name;
  std::uint64_t bytes;
};
constexpr Unit kUnits[] = {{"GiB", std::uint64_t{1} << 30},
                           {"MiB", std::uint64_t{1} << 20},
                           {"KiB", std::uint64_t{1} << 10},
                           {"B", 1}};

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
  for (const Unit& unit : kUnits) {
    if (absl::ConsumeSuffix(&text, unit.name)) {
      unit_bytes = unit.bytes;
      break;
    }
  }
  if (!ParseDigits(text, value) || *value > largest / unit_bytes) return false;
  *value *= unit_bytes;
  return true;
}

std::string FormatBytes(std::uint64_t bytes) {
  for (const Unit& unit : kUnits) {
    if (bytes >= unit.bytes && bytes % unit.bytes == 0) {
      return absl::StrCat(bytes / unit.bytes, unit.bytes == 1 ? "" : unit.name);
    }
  }
  return "0";
}

bool Cores::Parse(absl::string_view text, Value* value) {
  const bool is_plain =
      absl::c_all_of(text, [](char c) { return absl::ascii_isdigit(c) || c == '.'; });
  return is_plain && absl::SimpleAtod(text, value) &&
         (*value == 0 || (*value >= kLeastCores && *value <= kMostCores));
}

std::string Cores::Allowed() {
  return absl::StrCat("0 or a number from ", kLeastCores, " to ", kMostCores);
}

bool WaitTime::Parse(absl::string_view text, Value* value) {
  return absl::ParseDuration(text, value) && *value >= absl::ZeroDuration() &&
         *value <= absl::Hours(1);
}

bool Text::Parse(absl::string_view text, Value* value) {
  *value = std::string(text);
  return true;
}

bool HttpAddress::Parse(absl::string_view text, Value* value) {
  return IsHostPort(text) && text.front() != '[' && Text::Parse(text, value);
}

std::string HttpAddress::Allowed() {
  return "host:port, such as 127.0.0.1:9464 (no IPv6 here); port 0 takes a free one";
}

bool GrpcAddress::Parse(absl::string_view text, Value* value) {
  constexpr absl::string_view kUnix = "unix:";
  const bool is_unix = absl::StartsWith(text, kUnix) && text.size() > kUnix.size();
  return (is_unix || IsHostPort(text)) && Text::Parse(text, value);
}

std::string GrpcAddress::Allowed() {
  return "host:port, such as 0.0.0.0:50051 or [::]:50051, or unix:path";
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

std::string StoreAddress::Allowed() {
  return "etcd://host:port[,host:port...], such as etcd://10.0.0.1:2379,10.0.0.2:2379";
}

bool Switch::Parse(absl::string_view text, Value* value) { return absl::SimpleAtob(text, value); }

}  // namespace clearance::server::setting_types
