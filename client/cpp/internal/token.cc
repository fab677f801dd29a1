// SPDX-License-Identifier: Apache-2.0
#include "internal/token.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace clearance::client {
namespace {

// host, host:port, [host] or [host]:port, without the port and the brackets.
absl::string_view HostOf(absl::string_view place) {
  if (absl::ConsumePrefix(&place, "[")) return place.substr(0, place.find(']'));
  const bool is_bare_ipv6 = std::count(place.begin(), place.end(), ':') > 1;
  return is_bare_ipv6 ? place : place.substr(0, place.find(':'));
}

// Four numbers, the first of them 127. A name that only begins like that is none.
bool IsLoopbackIpv4(absl::string_view host) {
  const std::vector<absl::string_view> numbers = absl::StrSplit(host, '.');
  return numbers.size() == 4 && numbers[0] == "127" &&
         std::all_of(numbers.begin(), numbers.end(), [](absl::string_view text) {
           int number = 0;
           return absl::SimpleAtoi(text, &number) && number >= 0 && number <= 255;
         });
}

bool IsLoopback(absl::string_view place) {
  const absl::string_view host = HostOf(place);
  return absl::EqualsIgnoreCase(host, "localhost") || host == "::1" || IsLoopbackIpv4(host);
}

}  // namespace

bool IsThisMachine(absl::string_view address) {
  for (const absl::string_view scheme : {"unix:", "unix-abstract:"}) {
    if (absl::StartsWith(address, scheme)) return true;
  }
  // With an authority in it (dns://server/name) somebody else says what a name is.
  for (const absl::string_view scheme : {"dns:///", "dns:", "ipv4:", "ipv6:"}) {
    if (absl::ConsumePrefix(&address, scheme)) break;
  }
  const std::vector<absl::string_view> places = absl::StrSplit(address, ',');
  return std::all_of(places.begin(), places.end(), [](absl::string_view place) {
    return IsLoopback(absl::StripAsciiWhitespace(place));
  });
}

absl::Status CheckToken(const ClientOptions& options, absl::string_view address) {
  if (!std::all_of(options.token.begin(), options.token.end(),
                   [](char c) { return absl::ascii_isgraph(static_cast<unsigned char>(c)); })) {
    return absl::InvalidArgumentError(
        "the token has blanks, line ends or characters beyond ASCII; give it as it was printed");
  }
  if (options.token.empty() || options.tls.has_value() || options.allow_token_in_plain_text ||
      IsThisMachine(address)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the token is not sent to ", address,
      " over plain text, where others could read it: use TLS, or allow it explicitly"));
}

}  // namespace clearance::client
