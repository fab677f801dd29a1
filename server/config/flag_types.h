// SPDX-License-Identifier: Apache-2.0
//
// Types of flags that parse only allowed values, so that every kind of wrong value is reported with
// the place at which it was written (command line, or file and line).

#ifndef CLEARANCE_SERVER_CONFIG_FLAG_TYPES_H_
#define CLEARANCE_SERVER_CONFIG_FLAG_TYPES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/config/server_config.h"
#include "server/observe/log.h"

namespace clearance::server {

struct Range {
  std::uint64_t smallest;
  std::uint64_t largest;
};

// Parses "100000". On failure `error` names the allowed values; the same applies to all below.
bool ParseCount(absl::string_view text, const Range& range, std::uint64_t* value,
                std::string* error);
// Parses "16777216" or "16MiB"; units are B, KiB, MiB, GiB.
bool ParseBytes(absl::string_view text, const Range& range, std::uint64_t* value,
                std::string* error);
// Returns the same number in the largest unit that divides it.
std::string FormatBytes(std::uint64_t bytes);

template <std::uint64_t kSmallest, std::uint64_t kLargest>
struct Count {
  std::uint64_t value;

  friend bool AbslParseFlag(absl::string_view text, Count* count, std::string* error) {
    return ParseCount(text, {kSmallest, kLargest}, &count->value, error);
  }
  friend std::string AbslUnparseFlag(Count count) { return std::to_string(count.value); }
};

template <std::uint64_t kLargest, std::uint64_t kSmallest = 1>
struct ByteCount {
  std::uint64_t value;

  friend bool AbslParseFlag(absl::string_view text, ByteCount* count, std::string* error) {
    return ParseBytes(text, {kSmallest, kLargest}, &count->value, error);
  }
  friend std::string AbslUnparseFlag(ByteCount count) { return FormatBytes(count.value); }
};

// "0.5": processor seconds a second, 0 or from kLeastCores to kMostCores.
struct CoreCount {
  double value;
};
bool AbslParseFlag(absl::string_view text, CoreCount* cores, std::string* error);
std::string AbslUnparseFlag(CoreCount cores);

// "5s", from 0 to an hour: longer than any orchestrator waits.
struct WaitTime {
  absl::Duration value;
};
bool AbslParseFlag(absl::string_view text, WaitTime* wait, std::string* error);
std::string AbslUnparseFlag(WaitTime wait);

// host:port. IPv4 only: brackets are refused here, before it is too late.
struct HttpAddress {
  std::string value;
};
bool AbslParseFlag(absl::string_view text, HttpAddress* address, std::string* error);
std::string AbslUnparseFlag(const HttpAddress& address);

// host:port, an IPv6 host in brackets, or unix:path.
struct GrpcAddress {
  std::string value;
};
bool AbslParseFlag(absl::string_view text, GrpcAddress* address, std::string* error);
std::string AbslUnparseFlag(const GrpcAddress& address);

// etcd://host:port[,host:port…], or nothing.
struct StoreAddress {
  std::vector<std::string> endpoints;
};
bool AbslParseFlag(absl::string_view text, StoreAddress* address, std::string* error);
std::string AbslUnparseFlag(const StoreAddress& address);

bool AbslParseFlag(absl::string_view text, Reflection* reflection, std::string* error);
std::string AbslUnparseFlag(Reflection reflection);

bool AbslParseFlag(absl::string_view text, LogFormat* format, std::string* error);
std::string AbslUnparseFlag(LogFormat format);
bool AbslParseFlag(absl::string_view text, LogLevel* level, std::string* error);
std::string AbslUnparseFlag(LogLevel level);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONFIG_FLAG_TYPES_H_
