// SPDX-License-Identifier: Apache-2.0
//
// The names under which a call is found again in logs: its request id, the caller's or one of ours,
// and the trace of the W3C's `traceparent` if the caller sent one. What comes from a caller is
// taken only in its published form, so that nothing of it can be mistaken for another part of a
// line.

#ifndef CLEARANCE_SERVER_GUARD_REQUEST_ID_H_
#define CLEARANCE_SERVER_GUARD_REQUEST_ID_H_

#include <string>
#include <string_view>

namespace clearance::server {

inline constexpr char kRequestIdHeader[] = "x-request-id";
inline constexpr char kTraceParentHeader[] = "traceparent";

// 1 to 128 characters of letters, digits and `._:/+=-`.
bool IsRequestId(std::string_view text);

// 32 random digits of 0-9 and a-f: enough never to meet twice, no secret.
std::string MakeRequestId();

// A `traceparent` as this server understands it, or empty where it has not that form:
// "00-<32>-<16>-<2>" of lower case hexadecimal digits, ids not all 0. Of a version above 00 more
// may follow; it is read, and passed on, as one of 00.
std::string TraceParentOf(std::string_view traceparent);

// Its trace-id, or empty likewise.
std::string TraceIdOf(std::string_view traceparent);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_GUARD_REQUEST_ID_H_
