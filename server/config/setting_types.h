// SPDX-License-Identifier: Apache-2.0
//
// The kinds of settings. Each has
//     Value: the type of its field;
//     Parse: takes only allowed values, so that every kind of wrong value is reported with the
//         place at which it was written (command line, or file and line);
//     Print: what Parse reads as the same value;
//     Allowed: the allowed values, as "must be" is followed by.

#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/config/limits.h"

namespace clearance::server {

// Whether callers may ask which services and messages there are. Each who asks holds a thread.
enum class Reflection { kAuto, kOn, kOff };

// AUDIT is for what must be in the log whatever its level is.
enum class LogLevel { kDebug, kInfo, kWarning, kError, kAudit };
enum class LogFormat { kHuman, kJson };

namespace setting_types {

// Parses "100". SimpleAtoi also takes signs and blanks.
bool ParseDigits(absl::string_view text, std::uint64_t* value);
// Parses "16777216" or "16MiB" up to `largest`; units are B, KiB, MiB, GiB.
bool ParseBytes(absl::string_view text, std::uint64_t largest, std::uint64_t* value);
// Returns the same number in the largest unit that divides it.
std::string FormatBytes(std::uint64_t bytes);

// A whole number.
template <std::uint64_t kSmallest, std::uint64_t kLargest, class T = std::uint64_t>
struct Count {
  using Value = T;
  static bool Parse(absl::string_view text, Value* value) {
    std::uint64_t number = 0;
    if (!ParseDigits(text, &number) || number < kSmallest || number > kLargest) return false;
    *value = static_cast<Value>(number);
    return true;
  }
  static std::string Print(Value value) { return absl::StrCat(value); }
  static std::string Allowed() {
    return absl::StrCat("a whole number from ", kSmallest, " to ", kLargest);
  }
};

template <std::uint64_t kLargest, std::uint64_t kSmallest = 1>
struct ByteCount {
  using Value = std::uint64_t;
  static bool Parse(absl::string_view text, Value* value) {
    return ParseBytes(text, kLargest, value) && *value >= kSmallest;
  }
  static std::string Print(Value value) { return FormatBytes(value); }
  static std::string Allowed() {
    return absl::StrCat("a number of bytes (such as 16777216, 16384KiB, 16MiB) from ", kSmallest,
                        " to ", kLargest);
  }
};

// "0.5": processor seconds a second, 0 or from kLeastCores to kMostCores.
struct Cores {
  using Value = double;
  static bool Parse(absl::string_view text, Value* value);
  static std::string Print(Value value) { return absl::StrCat(value); }
  static std::string Allowed() {
    return absl::StrCat("0 or a number from ", kLeastCores, " to ", kMostCores);
  }
};

// "5s", from 0 to an hour: longer than any orchestrator waits.
struct WaitTime {
  using Value = absl::Duration;
  static bool Parse(absl::string_view text, Value* value);
  static std::string Print(Value value) { return absl::FormatDuration(value); }
  static std::string Allowed() { return "a time such as 500ms, 5s or 1m, from 0 to 1h"; }
};

struct Text {
  using Value = std::string;
  static bool Parse(absl::string_view text, Value* value) {
    *value = std::string(text);
    return true;
  }
  static std::string Print(const Value& value) { return value; }
  static std::string Allowed() { return "text"; }
};

// host:port. IPv4 only: brackets are refused here, before it is too late.
struct HttpAddress : Text {
  static bool Parse(absl::string_view text, Value* value);
  static std::string Allowed() {
    return "host:port, such as 127.0.0.1:9464 (no IPv6 here); port 0 takes a free one";
  }
};

// host:port, an IPv6 host in brackets, or unix:path.
struct GrpcAddress : Text {
  static bool Parse(absl::string_view text, Value* value);
  static std::string Allowed() {
    return "host:port, such as 0.0.0.0:50051 or [::]:50051, or unix:path";
  }
};

// etcd://host:port[,host:port…], or nothing.
struct StoreAddress {
  using Value = std::vector<std::string>;
  static bool Parse(absl::string_view text, Value* value);
  static std::string Print(const Value& value);
  static std::string Allowed() {
    return "etcd://host:port[,host:port...], such as etcd://10.0.0.1:2379,10.0.0.2:2379";
  }
};

struct Switch {
  using Value = bool;
  static bool Parse(absl::string_view text, Value* value) { return absl::SimpleAtob(text, value); }
  static std::string Print(Value value) { return value ? "true" : "false"; }
  static std::string Allowed() { return "true or false"; }
};

// One of the names, which are those of the first values of the type.
template <class Enum, const auto& kNames>
struct Choice {
  using Value = Enum;
  static bool Parse(absl::string_view text, Value* value) {
    const auto* const found = std::ranges::find(kNames, text);
    *value = static_cast<Enum>(found - kNames.begin());
    return found != kNames.end();
  }
  static std::string Print(Value value) {
    return std::string(kNames[static_cast<std::size_t>(value)]);
  }
  static std::string Allowed() { return absl::StrCat("one of ", absl::StrJoin(kNames, ", ")); }
};

// The value of a field that has no limit.
template <class T>
T NoLimitOf() {
  if constexpr (std::same_as<T, std::uint64_t>) return kNoLimit;
  if constexpr (std::same_as<T, double>) return kNoLimitOfCores;
  if constexpr (std::same_as<T, absl::Duration>) return absl::InfiniteDuration();
}

// A kind whose 0 stands for no limit.
template <class Kind>
struct ZeroIsNoLimit : Kind {
  using Value = typename Kind::Value;
  static bool Parse(absl::string_view text, Value* value) {
    if (!Kind::Parse(text, value)) return false;
    if (*value == Value{}) *value = NoLimitOf<Value>();
    return true;
  }
  static std::string Print(Value value) {
    return Kind::Print(value == NoLimitOf<Value>() ? Value{} : value);
  }
};

// gRPC takes the size of a message as an int; rows, slots and vertices are numbered with 32
// bits on the wire.
inline constexpr std::uint64_t kMostOfInt = std::numeric_limits<std::int32_t>::max();
inline constexpr std::uint64_t kMostOf32Bits = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t kMostOf64Bits = std::numeric_limits<std::int64_t>::max();

inline constexpr std::array<absl::string_view, 3> kReflectionNames = {"auto", "on", "off"};
inline constexpr std::array<absl::string_view, 2> kFormatNames = {"human", "json"};
inline constexpr std::array<absl::string_view, 4> kLevelNames = {"debug", "info", "warning",
                                                                 "error"};

using MessageBytes = ByteCount<kMostOfInt>;
using HeldBytes = ByteCount<kMostOf64Bits>;
using WireCount = Count<1, kMostOf32Bits>;
using AheadCount = Count<1, 2>;
using ThreadCount = Count<0, 1024, int>;
using Niceness = Count<0, 19, int>;
using PieceCount = Count<1, 65536>;
using PairCount = Count<1, 65536>;
using SampleCount = Count<0, kMostOf32Bits>;
using ConnectionCount = Count<1, 1'000'000>;
using WaitTimeOrNever = ZeroIsNoLimit<WaitTime>;
using SessionsOfOne = ZeroIsNoLimit<Count<0, kMostSessionsOfOne>>;
using CoresOfOne = ZeroIsNoLimit<Cores>;
using NamesOfOne = ZeroIsNoLimit<Count<0, kMostOf32Bits>>;
using BytesOfOne = ZeroIsNoLimit<ByteCount<kMostOf64Bits, 0>>;
using ReflectionChoice = Choice<Reflection, kReflectionNames>;
using LogFormatChoice = Choice<LogFormat, kFormatNames>;
using LogLevelChoice = Choice<LogLevel, kLevelNames>;

}  // namespace setting_types
}  // namespace clearance::server
