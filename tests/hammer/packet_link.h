// SPDX-License-Identifier: Apache-2.0
//
// Two network namespaces of the kernel, joined by a link that loses, repeats and delays packets, or
// passes none, as it is told. The link is a TUN device in each and a thread between them: it needs
// neither netem, which not every kernel has, nor a packet filter, and its chances come from a seed.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "server/observe/descriptor.h"
#include "server/observe/steady_clock.h"
#include "tests/support/random.h"

namespace clearance::hammer {

// What becomes of packets: so many in a thousand of each, both ways.
struct Weather {
  int lost = 0;
  int doubled = 0;
  int late = 0;  // by some milliseconds, so that others overtake them
  std::array<bool, 2> is_cut = {false, false};  // none passes to the server, or to the clients
};

class PacketLink {
 public:
  enum Side { kServer, kClients };
  static constexpr std::array<const char*, 2> kAddresses = {"10.9.0.1", "10.9.0.2"};

  PacketLink() = default;
  ~PacketLink();
  PacketLink(const PacketLink&) = delete;
  PacketLink& operator=(const PacketLink&) = delete;

  // Moves the calling thread, and all that it starts from now on, to a new namespace with this end
  // of the link and a loopback. False where that is not permitted here.
  bool Enter(Side side);

  // Requires: both ends were entered.
  void Start(std::uint64_t seed);

  void Set(const Weather& weather);

  // Packets so far.
  struct Counts {
    std::uint64_t passed = 0, lost = 0, doubled = 0, late = 0, cut = 0;
  };
  Counts counts() const;

 private:
  struct Late {
    server::SteadyTime due;
    std::size_t to;
    std::string packet;
  };

  void Run();
  void Take(std::size_t from);
  void Pass(std::size_t to, std::string_view packet);
  void SendLate();

  std::array<server::Descriptor, 2> ends_;
  mutable std::mutex mutex_;  // guards the next two
  Weather weather_;
  Counts counts_;
  testing::Random random_{0};
  std::vector<Late> late_;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;
};

}  // namespace clearance::hammer
