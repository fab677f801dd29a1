// SPDX-License-Identifier: Apache-2.0

#include "server/fence/connection_table.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>

#include "absl/strings/str_cat.h"
#include "server/observe/descriptor.h"

namespace clearance::server {
namespace {

constexpr std::size_t kIpv6NetBytes = 8;

bool LeadsTo(int descriptor, const WatchedConnection& connection) {
  struct stat found {};
  return fstat(descriptor, &found) == 0 && found.st_ino == connection.inode &&
         found.st_dev == connection.device;
}

// Returns a duplicate of the descriptor. The owner may close its own between a check and its use,
// and the number may then be another's. Not open if the number no longer leads to the connection.
Descriptor OwnDescriptor(const WatchedConnection& connection) {
  Descriptor own(fcntl(connection.descriptor, F_DUPFD_CLOEXEC, 0));
  return own.is_open() && LeadsTo(own.number(), connection) ? std::move(own) : Descriptor();
}

// Returns the bytes of an IP address, 4 or 16. An IPv4 peer of a socket for both families has 4.
// Empty for peers without an IP address (unix sockets).
std::string AddressBytes(const sockaddr_storage& peer) {
  if (peer.ss_family == AF_INET) {
    const auto& name = reinterpret_cast<const sockaddr_in&>(peer);
    return std::string(reinterpret_cast<const char*>(&name.sin_addr), sizeof(in_addr));
  }
  if (peer.ss_family != AF_INET6) return "";
  const in6_addr& address = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
  const std::string bytes(reinterpret_cast<const char*>(&address), sizeof address);
  return IN6_IS_ADDR_V4MAPPED(&address) ? bytes.substr(bytes.size() - sizeof(in_addr)) : bytes;
}

}  // namespace

std::string AddressKey(const sockaddr_storage& peer) {
  return AddressBytes(peer).substr(0, kIpv6NetBytes);
}

std::string PeerText(const std::string& address, int port) {
  const bool is_v4 = address.size() == sizeof(in_addr);
  if (!is_v4 && address.size() != sizeof(in6_addr)) return "unix:";
  std::array<char, INET6_ADDRSTRLEN> text = {};
  inet_ntop(is_v4 ? AF_INET : AF_INET6, address.data(), text.data(), text.size());
  return is_v4 ? absl::StrCat("ipv4:", text.data(), ":", port)
               : absl::StrCat("ipv6:%5B", text.data(), "%5D:", port);
}

std::string PeerText(const sockaddr_storage& peer) {
  // The ports of both families are at the same place.
  return PeerText(AddressBytes(peer), ntohs(reinterpret_cast<const sockaddr_in&>(peer).sin_port));
}

bool WatchedConnection::IsOpen() const { return LeadsTo(descriptor, *this); }

std::uint64_t WatchedConnection::BytesReceived() const {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return info.tcpi_bytes_received;
}

std::uint64_t WatchedConnection::BytesUnread() const {
  int unread = 0;
  return ioctl(descriptor, SIOCINQ, &unread) == 0 ? static_cast<std::uint64_t>(unread) : 0;
}

// Dissolves a TCP association, which resets the peer and drops received bytes that are not read
// yet. shutdown(2) would leave them to be read: megabytes of streams. Other sockets cannot be
// dissolved; some 200 kB wait in theirs.
bool WatchedConnection::Cut() {
  const Descriptor own = OwnDescriptor(*this);
  if (is_cut || !own.is_open()) return false;
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  is_cut =
      connect(own.number(), &nobody, sizeof nobody) == 0 || shutdown(own.number(), SHUT_RDWR) == 0;
  return is_cut;
}

bool WatchedConnection::End() const {
  const Descriptor own = OwnDescriptor(*this);
  return own.is_open() && shutdown(own.number(), SHUT_RDWR) == 0;
}

void ConnectionTable::Add(int descriptor, const sockaddr_storage& peer) {
  struct stat found {};
  if (fstat(descriptor, &found) != 0) return;
  const std::string address_key = AddressKey(peer);
  by_address_[address_key].push_back({.descriptor = descriptor,
                                      .device = found.st_dev,
                                      .inode = found.st_ino,
                                      .address_key = address_key,
                                      .peer = PeerText(peer),
                                      .opened = SteadyNow()});
  ++size_;
}

void ConnectionTable::Sweep(Connections* connections) {
  size_ -= std::erase_if(*connections,
                         [](const WatchedConnection& connection) { return !connection.IsOpen(); });
}

void ConnectionTable::Sweep() {
  for (auto& [address, connections] : by_address_) Sweep(&connections);
  absl::erase_if(by_address_, [](const auto& entry) { return entry.second.empty(); });
}

void ConnectionTable::Sweep(const std::string& address_key) {
  const auto found = by_address_.find(address_key);
  if (found != by_address_.end()) Sweep(&found->second);
}

std::size_t ConnectionTable::CountOf(const std::string& address_key) const {
  if (address_key.empty()) return 0;
  const auto found = by_address_.find(address_key);
  return found == by_address_.end() ? 0 : found->second.size();
}

}  // namespace clearance::server
