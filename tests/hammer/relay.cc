// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <utility>

namespace clearance::hammer {
namespace {

// How long a relay that is to end may take to notice.
constexpr int kPollMilliseconds = 20;
constexpr std::chrono::milliseconds kStall(15);
constexpr int kBytesOneByOne = 3000;

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

server::Descriptor NewSocket() {
  return server::Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

void SendAtOnce(const server::Descriptor& descriptor) {
  const int on = 1;
  setsockopt(descriptor.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void ResetAtClose(const server::Descriptor& descriptor) {
  const linger at_once = {.l_onoff = 1, .l_linger = 0};
  setsockopt(descriptor.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

bool SendAll(const server::Descriptor& to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(to.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

Relay::Relay(int server_port, const NetworkFault& fault)
    : server_port_(server_port), fault_(fault), listener_(NewSocket()) {
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  bind(listener_.number(), reinterpret_cast<const sockaddr*>(&address), size);
  listen(listener_.number(), SOMAXCONN);
  getsockname(listener_.number(), reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Run(); });
}

Relay::~Relay() {
  is_ending_ = true;
  thread_.join();
}

void Relay::Run() {
  NetworkFault fault = fault_;
  while (!is_ending_) {
    pollfd waiting = {.fd = listener_.number(), .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, kPollMilliseconds) <= 0) continue;
    Pair pair;
    pair.sides[0] = server::Descriptor(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    pair.sides[1] = NewSocket();
    const sockaddr_in server = Loopback(server_port_);
    if (connect(pair.sides[1].number(), reinterpret_cast<const sockaddr*>(&server),
                sizeof server) != 0) {
      continue;
    }
    for (const server::Descriptor& side : pair.sides) SendAtOnce(side);
    Serve(&pair, &fault);
    // Only the first connection is harmed.
    fault.harm = Harm::kNone;
  }
}

void Relay::Serve(Pair* pair, NetworkFault* fault) {
  while (!is_ending_) {
    std::array<pollfd, 2> waiting{};
    for (std::size_t i = 0; i < 2; ++i) {
      waiting[i].fd = pair->has_ended[i] ? -1 : pair->sides[i].number();
      waiting[i].events = POLLIN;
    }
    if (poll(waiting.data(), waiting.size(), kPollMilliseconds) <= 0) continue;
    for (int from = 0; from < 2; ++from) {
      if (waiting[static_cast<std::size_t>(from)].revents == 0) continue;
      if (!Pass(from, pair, fault)) return;
    }
    if (pair->has_ended[0] && pair->has_ended[1]) return;
  }
}

bool Relay::Pass(int from, Pair* pair, NetworkFault* fault) {
  const auto side = static_cast<std::size_t>(from);
  std::array<char, 16384> buffer;
  const ssize_t size = recv(pair->sides[side].number(), buffer.data(), buffer.size(), 0);
  if (size <= 0) {
    pair->has_ended[side] = true;
    shutdown(pair->sides[1 - side].number(), SHUT_WR);
    return size == 0;
  }
  std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
  const bool is_its_way = fault->is_of_replies == (from == 1);
  const std::uint64_t until = fault->at - pair->passed[side];
  if (fault->harm == Harm::kNone || !is_its_way || until >= bytes.size()) {
    return Forward(from, bytes, pair);
  }
  if (!Forward(from, bytes.substr(0, until), pair)) return false;
  has_struck_ = true;
  if (!DoHarm(from, pair, fault)) return false;
  return pair->has_ended[side] || Forward(from, bytes.substr(until), pair);
}

bool Relay::Forward(int from, std::string_view bytes, Pair* pair) {
  const auto side = static_cast<std::size_t>(from);
  pair->passed[side] += bytes.size();
  bytes_[side] += bytes.size();
  const server::Descriptor& to = pair->sides[1 - side];
  for (; pair->bytes_one_by_one > 0 && !bytes.empty(); --pair->bytes_one_by_one) {
    if (!SendAll(to, bytes.substr(0, 1))) return false;
    bytes.remove_prefix(1);
  }
  return SendAll(to, bytes);
}

// False where that was the connection's end.
bool Relay::DoHarm(int from, Pair* pair, NetworkFault* fault) {
  const auto side = static_cast<std::size_t>(from);
  switch (std::exchange(fault->harm, Harm::kNone)) {
    case Harm::kNone:
      return true;
    case Harm::kCut:
      for (const server::Descriptor& each : pair->sides) shutdown(each.number(), SHUT_RDWR);
      return false;
    case Harm::kReset:
      for (const server::Descriptor& each : pair->sides) ResetAtClose(each);
      return false;
    case Harm::kStall:
      std::this_thread::sleep_for(kStall);
      return true;
    case Harm::kBytewise:
      pair->bytes_one_by_one = kBytesOneByOne;
      return true;
    case Harm::kHalfClose:
      pair->has_ended[side] = true;
      shutdown(pair->sides[1 - side].number(), SHUT_WR);
      return true;
  }
  return true;
}

}  // namespace clearance::hammer
