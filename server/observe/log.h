// SPDX-License-Identifier: Apache-2.0
//
// One line a record: for people ("2026-01-01T00:00:00.000Z INFO message key=value") or one JSON
// object. Abseil's own log is not in the version that Debian 12 ships. Strings are always escaped,
// since some of them come from peers.

#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/config/setting_types.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// One key=value of a record. Borrows its strings; lives no longer than the call that it is handed
// to.
class LogField {
 public:
  using Value = std::variant<absl::string_view, bool, std::int64_t, std::uint64_t, double>;

  template <class T>
  LogField(absl::string_view key, const T& value) : key_(key) {
    if constexpr (std::is_convertible_v<const T&, absl::string_view>) {
      value_ = absl::string_view(value);
    } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double>) {
      value_ = value;
    } else if constexpr (std::signed_integral<T>) {
      value_ = std::int64_t{value};
    } else {
      value_ = std::uint64_t{value};
    }
  }

  absl::string_view key() const { return key_; }
  const Value& value() const { return value_; }

 private:
  absl::string_view key_;
  Value value_;
};

// The key under which every record about one call carries the call's id.
inline constexpr absl::string_view kRequestIdKey = "request_id";

class LogWriter;

// Thread-safe. Lines are written one after the other, so they never mix.
class Log {
 public:
  using Fields = std::initializer_list<LogField>;
  using Sink = std::function<void(absl::string_view line)>;  // gets the line with its '\n'

  // Writes records of `level` and above to `writer`, which outlives this, or to `sink`.
  Log(LogFormat format, LogLevel level, LogWriter* writer)
      : format_(format), level_(level), writer_(writer) {}
  Log(LogFormat format, LogLevel level, Sink sink)
      : format_(format), level_(level), sink_(std::move(sink)) {}

  void Debug(absl::string_view message, Fields fields = {}) {
    Write(LogLevel::kDebug, message, fields);
  }
  void Info(absl::string_view message, Fields fields = {}) {
    Write(LogLevel::kInfo, message, fields);
  }
  void Warning(absl::string_view message, Fields fields = {}) {
    Write(LogLevel::kWarning, message, fields);
  }
  void Error(absl::string_view message, Fields fields = {}) {
    Write(LogLevel::kError, message, fields);
  }

  void Write(LogLevel level, absl::string_view message, absl::Span<const LogField> fields);

 private:
  const LogFormat format_;
  const LogLevel level_;
  // The standard library's, since the thread sanitizer sees through it; through Debian's
  // absl::Mutex it does not.
  std::mutex mutex_;
  const Sink sink_;  // called with mutex_ held; where it is null, the next is not
  LogWriter* const writer_ = nullptr;
};

struct LogRecord {
  absl::Time when;
  LogLevel level;
  absl::string_view message;
  absl::Span<const LogField> fields;
};

// The line of one record without its '\n', as Log writes it; the time is UTC, to milliseconds.
std::string FormatLogRecord(LogFormat format, const LogRecord& record);

// Lets so many records an hour into the log and no more: what goes wrong a thousand times a second
// must not fill a disk. Thread-safe.
class LogAllowance {
 public:
  explicit LogAllowance(std::uint64_t records_an_hour, SteadyClock clock = SteadyNow)
      : records_an_hour_(records_an_hour), clock_(std::move(clock)) {}

  // Returns the number of records that were held back since the last one that was let through, or
  // nullopt if this one must be held back too.
  std::optional<std::uint64_t> Take() {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = clock_();
    if (now - began_ >= absl::Hours(1)) {
      began_ = now;
      taken_ = 0;
    }
    if (taken_ == records_an_hour_) {
      ++held_back_;
      return std::nullopt;
    }
    ++taken_;
    return std::exchange(held_back_, 0);
  }

 private:
  const std::uint64_t records_an_hour_;
  const SteadyClock clock_;
  std::mutex mutex_;  // guards the next three
  SteadyTime began_;
  std::uint64_t taken_ = 0;
  std::uint64_t held_back_ = 0;
};

}  // namespace clearance::server
