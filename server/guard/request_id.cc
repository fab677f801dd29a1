// SPDX-License-Identifier: Apache-2.0

#include "server/guard/request_id.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/random/random.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace clearance::server {
namespace {

constexpr std::size_t kMaxRequestIdBytes = 128;

bool IsOfRequestId(char c) {
  constexpr std::string_view kMarks = "._:/+=-";
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || kMarks.find(c) != kMarks.npos;
}

bool IsTraceDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool AreHexDigits(std::string_view text) { return std::ranges::all_of(text, IsTraceDigit); }

bool IsNonZero(std::string_view digits) {
  return digits.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

bool IsRequestId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxRequestIdBytes &&
         std::ranges::all_of(text, IsOfRequestId);
}

std::string MakeRequestId() {
  thread_local absl::InsecureBitGen random;
  return absl::StrFormat("%016x%016x", absl::Uniform<std::uint64_t>(random),
                         absl::Uniform<std::uint64_t>(random));
}

std::string TraceParentOf(std::string_view traceparent) {
  constexpr std::size_t kSize = 55;
  if (traceparent.size() < kSize || traceparent[2] != '-' || traceparent[35] != '-' ||
      traceparent[52] != '-') {
    return "";
  }
  const std::string_view version = traceparent.substr(0, 2);
  const std::string_view trace_id = traceparent.substr(3, 32);
  const std::string_view parent_id = traceparent.substr(36, 16);
  const std::string_view flags = traceparent.substr(53, 2);
  const bool has_form = AreHexDigits(version) && AreHexDigits(trace_id) &&
                        AreHexDigits(parent_id) && AreHexDigits(flags) && version != "ff" &&
                        IsNonZero(trace_id) && IsNonZero(parent_id);
  const bool has_end =
      traceparent.size() == kSize || (version != "00" && traceparent[kSize] == '-');
  if (!has_form || !has_end) return "";
  return "00" + std::string(traceparent.substr(2, kSize - 2));
}

std::string TraceIdOf(std::string_view traceparent) {
  const std::string parent = TraceParentOf(traceparent);
  return parent.empty() ? "" : parent.substr(3, 32);
}

}  // namespace clearance::server
