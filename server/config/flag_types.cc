// SPDX-License-Identifier: Apache-2.0
#include "server/config/flag_types.h"

#include <array>
#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace clearance::server {
namespace {

struct Unit {
  const char* name;
  std::uint64_t bytes;
};
constexpr std::array<Unit, 4> kUnits = {{{"GiB", std::uint64_t{1} << 30},
                                         {"MiB", std::uint64_t{1} << 20},
                                         {"KiB", std::uint64_t{1} << 10},
                                         {"B", 1}}};

constexpr int kLargestPort = 65535;

constexpr absl::string_view kEtcdScheme = "etcd://";

// SimpleAtoi also takes signs and blanks.
bool ParseDigits(absl::string_view text, std::uint64_t* value) {
  return absl::c_all_of(text, absl::ascii_isdigit) && absl::SimpleAtoi(text, value);
}

bool IsHostPort(absl::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) return false;
  const absl::string_view host = text.substr(0, colon);
  const bool in_brackets = host.front() == '[' && host.back() == ']';
  if (!in_brackets && absl::StrContains(host, ':')) return false;
  std::uint64_t port = 0;
  return ParseDigits(text.substr(colon + 1), &port) && port <= kLargestPort;
}

template <class Enum, std::size_t kSize>
bool ParseName(absl::string_view text, const std::array<const char*, kSize>& names, Enum* value,
               std::string* error) {
  for (std::size_t i = 0; i < kSize; ++i) {
    if (text == names[i]) {
      *value = static_cast<Enum>(i);
      return true;
    }
  }
  *error = absl::StrCat("must be one of ", absl::StrJoin(names, ", "));
  return false;
}

constexpr std::array<const char*, 3> kReflectionNames = {"auto", "on", "off"};
constexpr std::array<const char*, 2> kFormatNames = {"human", "json"};
constexpr std::array<const char*, 4> kLevelNames = {"debug", "info", "warning", "error"};

}  // namespace

bool ParseCount(absl::string_view text, const Range& range, std::uint64_t* value,
                std::string* error) {
  if (ParseDigits(text, value) && *value >= range.smallest && *value <= range.largest) return true;
  *error = absl::StrCat("must be a whole number from ", range.smallest, " to ", range.largest);
  return false;
}

bool ParseBytes(absl::string_view text, const Range& range, std::uint64_t* value,
                std::string* error) {
  std::uint64_t unit_bytes = 1;
  for (const Unit& unit : kUnits) {
    if (absl::ConsumeSuffix(&text, unit.name)) {
      unit_bytes = unit.bytes;
      break;
    }
  }
  if (ParseDigits(text, value) && *value <= range.largest / unit_bytes) {
    *value *= unit_bytes;
    if (*value >= range.smallest) return true;
  }
  *error = absl::StrCat("must be a number of bytes (such as 16777216, 16384KiB, 16MiB) from ",
                        range.smallest, " to ", range.largest);
  return false;
}

std::string FormatBytes(std::uint64_t bytes) {
  for (const Unit& unit : kUnits) {
    if (bytes >= unit.bytes && bytes % unit.bytes == 0) {
      return absl::StrCat(bytes / unit.bytes, unit.bytes == 1 ? "" : unit.name);
    }
  }
  return "0";
}

bool AbslParseFlag(absl::string_view text, CoreCount* cores, std::string* error) {
  double value = 0;
  const bool is_plain =
      absl::c_all_of(text, [](char c) { return absl::ascii_isdigit(c) || c == '.'; });
  const bool is_number = is_plain && absl::SimpleAtod(text, &value);
  if (is_number && (value == 0 || (value >= kLeastCores && value <= kMostCores))) {
    cores->value = value;
    return true;
  }
  *error = absl::StrCat("must be 0 or a number from ", kLeastCores, " to ", kMostCores);
  return false;
}

std::string AbslUnparseFlag(CoreCount cores) { return absl::StrCat(cores.value); }

bool AbslParseFlag(absl::string_view text, WaitTime* wait, std::string* error) {
  if (absl::ParseDuration(text, &wait->value) && wait->value >= absl::ZeroDuration() &&
      wait->value <= absl::Hours(1)) {
    return true;
  }
  *error = "must be a time such as 500ms, 5s or 1m, from 0 to 1h";
  return false;
}

std::string AbslUnparseFlag(WaitTime wait) { return absl::FormatDuration(wait.value); }

bool AbslParseFlag(absl::string_view text, HttpAddress* address, std::string* error) {
  if (IsHostPort(text) && text.front() != '[') {
    address->value = std::string(text);
    return true;
  }
  *error = "must be host:port, such as 127.0.0.1:9464 (no IPv6 here); port 0 takes a free one";
  return false;
}

std::string AbslUnparseFlag(const HttpAddress& address) { return address.value; }

bool AbslParseFlag(absl::string_view text, GrpcAddress* address, std::string* error) {
  constexpr absl::string_view kUnix = "unix:";
  const bool is_unix = absl::StartsWith(text, kUnix) && text.size() > kUnix.size();
  if (is_unix || IsHostPort(text)) {
    address->value = std::string(text);
    return true;
  }
  *error = "must be host:port, such as 0.0.0.0:50051 or [::]:50051, or unix:path";
  return false;
}

std::string AbslUnparseFlag(const GrpcAddress& address) { return address.value; }

bool AbslParseFlag(absl::string_view text, StoreAddress* address, std::string* error) {
  address->endpoints.clear();
  if (text.empty()) return true;
  if (absl::ConsumePrefix(&text, kEtcdScheme)) {
    address->endpoints = absl::StrSplit(text, ',');
    if (absl::c_all_of(address->endpoints, IsHostPort)) return true;
  }
  *error = "must be etcd://host:port[,host:port...], such as etcd://10.0.0.1:2379,10.0.0.2:2379";
  return false;
}

std::string AbslUnparseFlag(const StoreAddress& address) {
  if (address.endpoints.empty()) return "";
  return absl::StrCat(kEtcdScheme, absl::StrJoin(address.endpoints, ","));
}

bool AbslParseFlag(absl::string_view text, Reflection* reflection, std::string* error) {
  return ParseName(text, kReflectionNames, reflection, error);
}

std::string AbslUnparseFlag(Reflection reflection) {
  return kReflectionNames[static_cast<std::size_t>(reflection)];
}

bool AbslParseFlag(absl::string_view text, LogFormat* format, std::string* error) {
  return ParseName(text, kFormatNames, format, error);
}

std::string AbslUnparseFlag(LogFormat format) {
  return kFormatNames[static_cast<std::size_t>(format)];
}

bool AbslParseFlag(absl::string_view text, LogLevel* level, std::string* error) {
  return ParseName(text, kLevelNames, level, error);
}

std::string AbslUnparseFlag(LogLevel level) { return kLevelNames[static_cast<std::size_t>(level)]; }

}  // namespace clearance::server
