// SPDX-License-Identifier: Apache-2.0
#include "client/cli/network.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace clearance::client {
namespace {

std::string SystemError() { return std::generic_category().message(errno); }

Place ParsePlace(absl::string_view text, absl::string_view default_port) {
  Place place = {.port = std::string(default_port)};
  if (absl::ConsumePrefix(&text, "[")) {
    const std::size_t end = text.find(']');
    place.host = std::string(text.substr(0, end));
    if (end != absl::string_view::npos) text.remove_prefix(end + 1);
    if (absl::ConsumePrefix(&text, ":")) place.port = std::string(text);
    return place;
  }
  const std::size_t colon = text.rfind(':');
  const bool is_bare_ipv6 = std::count(text.begin(), text.end(), ':') > 1;
  place.host = std::string(is_bare_ipv6 ? text : text.substr(0, colon));
  if (colon != absl::string_view::npos && !is_bare_ipv6) {
    place.port = std::string(text.substr(colon + 1));
  }
  return place;
}

absl::StatusOr<std::vector<Peer>> UnixPeer(const std::string& path) {
  Peer peer = {.text = path};
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::NotFoundError(absl::StrCat(path, ": too long for the path of a Unix socket"));
  }
  // A leading zero byte marks an abstract name.
  std::memcpy(address.sun_path, path.data(), path.size());
  peer.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  std::memcpy(&peer.address, &address, sizeof(address));
  return std::vector<Peer>{peer};
}

Peer ToPeer(const addrinfo& info) {
  Peer peer = {.size = info.ai_addrlen};
  std::memcpy(&peer.address, info.ai_addr, info.ai_addrlen);
  char host[NI_MAXHOST] = "";
  getnameinfo(info.ai_addr, info.ai_addrlen, host, sizeof(host), nullptr, 0, NI_NUMERICHOST);
  peer.text = host;
  return peer;
}

timeval SocketLimit(absl::Duration timeout) {
  // For a socket, 0 would mean no limit.
  return absl::ToTimeval(std::max(timeout, absl::Milliseconds(1)));
}

}  // namespace

std::vector<Place> PlacesOf(const std::string& address, absl::string_view default_port) {
  absl::string_view rest = address;
  if (absl::ConsumePrefix(&rest, "unix-abstract:")) {
    return {{.unix_path = absl::StrCat(absl::string_view("\0", 1), rest)}};
  }
  if (absl::ConsumePrefix(&rest, "unix:")) {
    absl::ConsumePrefix(&rest, "//");
    return {{.unix_path = std::string(rest)}};
  }
  if (absl::ConsumePrefix(&rest, "dns://")) {
    const std::size_t slash = rest.find('/');  // the authority stands before it
    if (slash != absl::string_view::npos) rest.remove_prefix(slash + 1);
  }
  for (const absl::string_view scheme : {"dns:", "ipv4:", "ipv6:"}) {
    if (absl::ConsumePrefix(&rest, scheme)) break;
  }
  std::vector<Place> places;
  for (const absl::string_view text : absl::StrSplit(rest, ',')) {
    places.push_back(ParsePlace(text, default_port));
  }
  return places;
}

std::string TextOf(const Place& place) {
  if (!place.unix_path.empty()) return place.unix_path;
  const bool is_ipv6 = absl::StrContains(place.host, ':');
  return is_ipv6 ? absl::StrCat("[", place.host, "]:", place.port)
                 : absl::StrCat(place.host, ":", place.port);
}

absl::StatusOr<std::vector<Peer>> Resolve(const Place& place) {
  if (!place.unix_path.empty()) return UnixPeer(place.unix_path);
  addrinfo hints = {};
  hints.ai_flags = AI_ADDRCONFIG;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(place.host.c_str(), place.port.c_str(), &hints, &found);
  if (error != 0) {
    return absl::NotFoundError(absl::StrCat(TextOf(place), ": ", gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  std::vector<Peer> peers;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    peers.push_back(ToPeer(*info));
  }
  return peers;
}

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::StatusOr<Socket> ConnectTo(const Peer& peer, absl::Duration timeout) {
  Socket made(socket(peer.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit = SocketLimit(timeout);
  // The send timeout also limits connecting.
  for (const int option : {SO_SNDTIMEO, SO_RCVTIMEO}) {
    setsockopt(made.descriptor(), SOL_SOCKET, option, &limit, sizeof(limit));
  }
  const auto* const address = reinterpret_cast<const sockaddr*>(&peer.address);
  if (made.descriptor() >= 0 && connect(made.descriptor(), address, peer.size) == 0) return made;
  const bool is_late = errno == EINPROGRESS || errno == EAGAIN;
  return absl::UnavailableError(absl::StrCat(
      peer.text, ": ",
      is_late ? absl::StrCat("no answer within ", absl::FormatDuration(timeout)) : SystemError()));
}

}  // namespace clearance::client
