// SPDX-License-Identifier: Apache-2.0
#include "server/observe/log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "server/observe/log_writer.h"

namespace clearance::server {
namespace {

const char* NameOf(LogLevel level) {
  constexpr std::array kNames = {"DEBUG", "INFO", "WARNING", "ERROR", "AUDIT"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string TimeText(absl::Time when) {
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%E3SZ", when, absl::UTCTimeZone());
}

bool NeedsQuotes(absl::string_view text) {
  return text.empty() || std::ranges::any_of(text, [](unsigned char c) {
           return !absl::ascii_isgraph(c) || c == '"' || c == '\\' || c == '=';
         });
}

// As in C, but for apostrophes, which a reader would stumble over.
std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(absl::CEscape(text), {{"\\\\", "\\\\"}, {"\\'", "'"}});
}

struct HumanText {
  std::string operator()(absl::string_view text) const {
    return NeedsQuotes(text) ? absl::StrCat("\"", Escaped(text), "\"") : std::string(text);
  }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  // The shortest text that reads back as the same number.
  std::string operator()(double value) const {
    std::array<char, 32> buffer;
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
  }
  template <std::integral T>
  std::string operator()(T value) const {
    return absl::StrCat(value);
  }
};

nlohmann::ordered_json JsonOf(absl::string_view text) { return std::string(text); }
template <class T>
nlohmann::ordered_json JsonOf(T value) {
  return value;
}

std::string FormatHuman(const LogRecord& record) {
  std::string line =
      absl::StrCat(TimeText(record.when), " ", NameOf(record.level), " ", Escaped(record.message));
  for (const LogField& field : record.fields) {
    absl::StrAppend(&line, " ", absl::CEscape(field.key()), "=",
                    std::visit(HumanText(), field.value()));
  }
  return line;
}

std::string FormatJson(const LogRecord& record) {
  nlohmann::ordered_json object;
  object["time"] = TimeText(record.when);
  object["level"] = NameOf(record.level);
  object["message"] = std::string(record.message);
  for (const LogField& field : record.fields) {
    object[std::string(field.key())] =
        std::visit([](auto value) { return JsonOf(value); }, field.value());
  }
  // ASCII only, and what is no UTF-8 is replaced: whatever a peer sent, the line stays one valid
  // object.
  return object.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void Log::Write(LogLevel level, absl::string_view message, absl::Span<const LogField> fields) {
  if (level < level_) return;
  std::string line = FormatLogRecord(format_, {absl::Now(), level, message, fields});
  line += '\n';
  if (writer_ != nullptr) return writer_->Write(level, std::move(line));
  const std::lock_guard lock(mutex_);
  sink_(line);
}

std::string FormatLogRecord(LogFormat format, const LogRecord& record) {
  return format == LogFormat::kJson ? FormatJson(record) : FormatHuman(record);
}

}  // namespace clearance::server
