// SPDX-License-Identifier: Apache-2.0
#include "internal/target.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace clearance::client {
namespace {

constexpr int kLargestPort = 65535;
constexpr char kDefaultPort[] = "50051";  // the server's own

// One server of a list.
struct ListedPlace {
  std::string text;
  std::string host;
  std::string port;
};

// One address in numbers.
struct Numbers {
  bool is_ipv6;
  std::string host;
  std::string port;

  bool operator==(const Numbers&) const = default;
};

bool HasScheme(absl::string_view address) {
  constexpr absl::string_view kSchemes[] = {
      "dns:", "ipv4:", "ipv6:", "unix:", "unix-abstract:", "vsock:", "xds:"};
  return std::any_of(std::begin(kSchemes), std::end(kSchemes),
                     [&](absl::string_view scheme) { return absl::StartsWith(address, scheme); });
}

// Returns the place with a port. gRPC would take 443 for a missing one.
std::string WithPort(absl::string_view place) {
  const auto colons = std::count(place.begin(), place.end(), ':');
  const bool ends_in_host = absl::EndsWith(place, "]") || absl::EndsWith(place, "%5D");
  if (colons == 0 || ends_in_host) return absl::StrCat(place, ":", kDefaultPort);
  const bool is_in_brackets = absl::StartsWith(place, "[") || absl::StartsWith(place, "%5B");
  return colons == 1 || is_in_brackets ? std::string(place)
                                       : absl::StrCat("[", place, "]:", kDefaultPort);
}

// Returns one of gRPC's own addresses with ports.
std::string WithPorts(absl::string_view address) {
  const bool is_name = absl::StartsWith(address, "dns:");
  if (!is_name && !absl::StartsWith(address, "ipv4:") && !absl::StartsWith(address, "ipv6:"))
    return std::string(address);
  // A name may have the server that resolves it before it: dns://1.2.3.4/name.
  const std::size_t slash = is_name ? address.rfind('/') : absl::string_view::npos;
  const std::size_t begin = 1 + (slash == absl::string_view::npos ? address.find(':') : slash);
  std::vector<std::string> places;
  for (const absl::string_view place : absl::StrSplit(address.substr(begin), ','))
    places.push_back(WithPort(place));
  return absl::StrCat(address.substr(0, begin), absl::StrJoin(places, ","));
}

// Returns whether one of gRPC's own addresses may mean several servers. The number of servers of a
// name is unknown: they come and go.
bool MayBeSeveral(absl::string_view address) {
  if (absl::StartsWith(address, "dns:") || absl::StartsWith(address, "xds:")) return true;
  const bool is_of_numbers =
      absl::StartsWith(address, "ipv4:") || absl::StartsWith(address, "ipv6:");
  return is_of_numbers && absl::StrContains(address, ',');
}

// `given` as it was written.
absl::StatusOr<ListedPlace> ParseListedPlace(absl::string_view given) {
  const std::string text = WithPort(given);
  const std::size_t colon = text.rfind(':');
  absl::string_view host = absl::string_view(text).substr(0, colon);
  const absl::string_view port = absl::string_view(text).substr(colon + 1);
  if (absl::ConsumePrefix(&host, "[") && !absl::ConsumeSuffix(&host, "]")) host = "";
  int number = 0;
  const bool is_port = absl::SimpleAtoi(port, &number) && number > 0 && number <= kLargestPort;
  if (host.empty() || absl::StrContains(host, '/') || !is_port) {
    return absl::InvalidArgumentError(
        absl::StrCat("invalid address '", given,
                     "': must be a host and a port, such as 127.0.0.1:50051, without http://"));
  }
  return ListedPlace{text, std::string(host), std::string(port)};
}

absl::StatusOr<std::vector<ListedPlace>> ParseList(const std::string& address) {
  std::vector<ListedPlace> places;
  for (const absl::string_view text : absl::StrSplit(address, ',')) {
    absl::StatusOr<ListedPlace> place = ParseListedPlace(absl::StripAsciiWhitespace(text));
    if (!place.ok()) return place.status();
    places.push_back(*std::move(place));
  }
  return places;
}

// Resolves the place on this machine and appends its addresses. Returns why it fails, or "".
std::string Resolve(const ListedPlace& place, std::vector<Numbers>* addresses) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(place.host.c_str(), place.port.c_str(), &hints, &found);
  if (error != 0) return absl::StrCat(place.text, ": ", gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    char host[NI_MAXHOST] = {};
    if (getnameinfo(info->ai_addr, info->ai_addrlen, host, sizeof(host), nullptr, 0,
                    NI_NUMERICHOST) != 0) {
      continue;
    }
    Numbers numbers{info->ai_family == AF_INET6, host, place.port};
    if (std::find(addresses->begin(), addresses->end(), numbers) == addresses->end()) {
      addresses->push_back(std::move(numbers));
    }
  }
  return "";
}

// gRPC's lists have addresses of one family only; an IPv4 address is an IPv6 address too.
std::string ToGrpcList(const std::vector<Numbers>& addresses) {
  const bool has_ipv6 = std::any_of(addresses.begin(), addresses.end(),
                                    [](const Numbers& numbers) { return numbers.is_ipv6; });
  const auto append = [&](std::string* text, const Numbers& numbers) {
    if (!has_ipv6) return absl::StrAppend(text, numbers.host, ":", numbers.port);
    const absl::string_view prefix = numbers.is_ipv6 ? "" : "::ffff:";
    absl::StrAppend(text, "%5B", prefix, numbers.host, "%5D:", numbers.port);  // of [ and ]
  };
  return absl::StrCat(has_ipv6 ? "ipv6:" : "ipv4:", absl::StrJoin(addresses, ",", append));
}

// Returns the authority of a list. gRPC would make one authority of all its places, which proxies
// refuse.
absl::StatusOr<std::string> AuthorityOf(const std::vector<ListedPlace>& places,
                                        const ClientOptions& options) {
  if (!options.tls) return places.front().text;
  if (!options.tls->server_name.empty()) return options.tls->server_name;
  for (const ListedPlace& place : places) {
    if (place.host == places.front().host) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("over TLS several servers need a server_name that the certificates of all are "
                     "for; ",
                     places.front().host, " and ", place.host, " are different ones"));
  }
  return places.front().host;
}

}  // namespace

absl::StatusOr<Target> ToTarget(const std::string& address, const ClientOptions& options) {
  if (HasScheme(address))
    return Target{.address = WithPorts(address), .may_be_several = MayBeSeveral(address)};
  const absl::StatusOr<std::vector<ListedPlace>> places = ParseList(address);
  if (!places.ok()) return places.status();
  if (places->size() == 1) return Target{.address = places->front().text};
  absl::StatusOr<std::string> authority = AuthorityOf(*places, options);
  if (!authority.ok()) return authority.status();
  std::vector<Numbers> addresses;
  std::vector<std::string> failures;
  for (const ListedPlace& place : *places) {
    const std::string failure = Resolve(place, &addresses);
    if (!failure.empty()) failures.push_back(failure);
  }
  if (addresses.empty()) return absl::UnavailableError(absl::StrJoin(failures, "; "));
  return Target{
      .address = ToGrpcList(addresses), .authority = *std::move(authority), .may_be_several = true};
}

}  // namespace clearance::client
