// SPDX-License-Identifier: Apache-2.0
//
// The names under which a call is found again in logs: its request id, the caller's or one of ours,
// and the trace of the W3C's `traceparent` if the caller sent one. Names from a caller are only
// taken in their published form, so that no part of them can be mistaken for another part of a
// line.

#pragma once

#include <string>
#include <string_view>

namespace clearance::server {

inline constexpr char kRequestIdHeader[] = "x-request-id";
inline constexpr char kTraceParentHeader[] = "traceparent";

// Returns whether the text is 1 to 128 characters of letters, digits and `._:/+=-`.
bool IsRequestId(std::string_view text);

// Returns 32 random digits of 0-9 and a-f: enough never to meet twice, not a secret.
std::string MakeRequestId();

// Returns a `traceparent` as this server understands it, or an empty text if it does not have that
// form: "00-<32>-<16>-<2>" of lower case hexadecimal digits, ids not all 0. A version above 00 may
// be longer; it is read, and passed on, as version 00.
std::string TraceParentOf(std::string_view traceparent);

// Returns its trace-id, or an empty text if it does not have that form.
std::string TraceIdOf(std::string_view traceparent);

}  // namespace clearance::server
