// SPDX-License-Identifier: Apache-2.0
//
// Stands between a client and a server on this machine, passes their bytes on, and harms the first
// connection once, at a byte that it is told.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <thread>

#include "server/observe/descriptor.h"

namespace clearance::hammer {

enum class Harm {
  kNone,
  kCut,        // both ends see the connection's end
  kReset,      // both ends see a reset
  kStall,      // nothing goes on for some milliseconds
  kBytewise,   // the next bytes go one by one
  kHalfClose,  // nothing more this way, and the receiver sees the end; the other way goes on
};

struct NetworkFault {
  Harm harm = Harm::kNone;
  bool is_of_replies = false;  // else of the bytes to the server
  std::uint64_t at = 0;        // after so many of them
};

class Relay {
 public:
  Relay(int server_port, const NetworkFault& fault);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  int port() const { return port_; }
  bool has_struck() const { return has_struck_; }
  // Of all connections, to the server and back.
  std::array<std::uint64_t, 2> bytes() const { return {bytes_[0], bytes_[1]}; }

 private:
  // One connection: what came from side i goes to side 1 - i.
  struct Pair {
    std::array<server::Descriptor, 2> sides;
    std::array<bool, 2> has_ended = {false, false};
    std::array<std::uint64_t, 2> passed = {0, 0};
    int bytes_one_by_one = 0;
  };

  void Run();
  void Serve(Pair* pair, NetworkFault* fault);
  // False at the connection's end.
  bool Pass(int from, Pair* pair, NetworkFault* fault);
  bool Forward(int from, std::string_view bytes, Pair* pair);
  bool DoHarm(int from, Pair* pair, NetworkFault* fault);

  const int server_port_;
  const NetworkFault fault_;
  server::Descriptor listener_;
  int port_ = 0;
  std::atomic<bool> is_ending_ = false;
  std::atomic<bool> has_struck_ = false;
  std::array<std::atomic<std::uint64_t>, 2> bytes_ = {0, 0};
  std::thread thread_;
};

}  // namespace clearance::hammer
