// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/packet_link.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace clearance::hammer {
namespace {

constexpr char kDevice[] = "link";
constexpr char kNetmask[] = "255.255.255.0";
constexpr std::size_t kMostPacketBytes = 1 << 16;
constexpr int kLongestDelay = 20;  // milliseconds
constexpr int kLookEvery = 20;     // milliseconds, for the end

ifreq NamedRequest(const char* device) {
  ifreq request = {};
  std::strncpy(request.ifr_name, device, IFNAMSIZ - 1);
  return request;
}

sockaddr AddressOf(const char* text) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, text, &address.sin_addr);
  sockaddr result = {};
  std::memcpy(&result, &address, sizeof result);
  return result;
}

bool BringUp(const server::Descriptor& socket, const char* device) {
  ifreq request = NamedRequest(device);
  if (ioctl(socket.number(), SIOCGIFFLAGS, &request) != 0) return false;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP | IFF_RUNNING);
  return ioctl(socket.number(), SIOCSIFFLAGS, &request) == 0;
}

// Of this namespace.
bool Configure(const char* address) {
  const server::Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request = NamedRequest(kDevice);
  request.ifr_addr = AddressOf(address);
  if (ioctl(socket.number(), SIOCSIFADDR, &request) != 0) return false;
  request.ifr_netmask = AddressOf(kNetmask);
  if (ioctl(socket.number(), SIOCSIFNETMASK, &request) != 0) return false;
  return BringUp(socket, kDevice) && BringUp(socket, "lo");
}

}  // namespace

PacketLink::~PacketLink() {
  is_ending_ = true;
  if (thread_.joinable()) thread_.join();
}

bool PacketLink::Enter(Side side) {
  if (unshare(CLONE_NEWNET) != 0) return false;
  server::Descriptor end(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!end.is_open()) return false;
  ifreq request = NamedRequest(kDevice);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl(end.number(), TUNSETIFF, &request) != 0) return false;
  ends_[side] = std::move(end);
  return Configure(kAddresses[side]);
}

void PacketLink::Start(std::uint64_t seed) {
  random_ = testing::Random(seed);
  thread_ = std::thread([this] { Run(); });
}

void PacketLink::Set(const Weather& weather) {
  const std::lock_guard lock(mutex_);
  weather_ = weather;
}

PacketLink::Counts PacketLink::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void PacketLink::Run() {
  while (!is_ending_) {
    std::array<pollfd, 2> awaited = {{{.fd = ends_[0].number(), .events = POLLIN, .revents = 0},
                                      {.fd = ends_[1].number(), .events = POLLIN, .revents = 0}}};
    poll(awaited.data(), awaited.size(), late_.empty() ? kLookEvery : 1);
    SendLate();
    for (std::size_t from = 0; from < awaited.size(); ++from) {
      if (awaited[from].revents != 0) Take(from);
    }
  }
}

// One packet, and what becomes of it.
void PacketLink::Take(std::size_t from) {
  std::array<char, kMostPacketBytes> buffer;
  const ssize_t size = read(ends_[from].number(), buffer.data(), buffer.size());
  if (size <= 0) return;
  const std::string_view packet(buffer.data(), static_cast<std::size_t>(size));
  const std::size_t to = 1 - from;
  const auto is_hit = [this](int in_a_thousand) { return random_.Below(1000) < in_a_thousand; };
  const std::lock_guard lock(mutex_);
  if (weather_.is_cut[to]) {
    ++counts_.cut;
  } else if (is_hit(weather_.lost)) {
    ++counts_.lost;
  } else if (is_hit(weather_.late)) {
    ++counts_.late;
    const auto delay = absl::Milliseconds(1 + random_.Below(kLongestDelay));
    late_.push_back({server::SteadyNow() + delay, to, std::string(packet)});
  } else {
    const int times = is_hit(weather_.doubled) ? 2 : 1;
    counts_.doubled += times == 2 ? 1 : 0;
    ++counts_.passed;
    for (int i = 0; i < times; ++i) Pass(to, packet);
  }
}

// A device that takes nothing more has lost the packet.
void PacketLink::Pass(std::size_t to, std::string_view packet) {
  [[maybe_unused]] const ssize_t written = write(ends_[to].number(), packet.data(), packet.size());
}

void PacketLink::SendLate() {
  const server::SteadyTime now = server::SteadyNow();
  std::erase_if(late_, [&](const Late& late) {
    if (late.due > now) return false;
    Pass(late.to, late.packet);
    return true;
  });
}

}  // namespace clearance::hammer
