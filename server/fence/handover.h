// SPDX-License-Identifier: Apache-2.0
//
// Hands accepted connections over on a separate thread, one after another. gRPC's acceptor reads
// the bytes of a new connection before it returns, and continues for as long as there are more. A
// flood would hold the thread that accepts, which is also the one that could have cut it.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "absl/time/time.h"
#include "server/observe/descriptor.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// Thread-safe.
class Handover {
 public:
  using Handler = std::function<void(Descriptor connection)>;

  explicit Handover(Handler handler);
  // Closes connections not handed over yet, and waits for the one that is being handed over.
  ~Handover();
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  void Add(Descriptor connection);

  // Returns the descriptor that is with the handler and has cost it at least so much processor
  // time, if any. It may be closed by now. Time that the thread waited, for others or for a
  // processor, does not count: a new connection is not to blame for that.
  std::optional<int> HeldFor(absl::Duration processor_time);

  // Grows between two calls, unless a connection waited all the time or was with the handler.
  std::uint64_t turns();

  // Stops handing connections over.
  void Stop();
  // Returns true once no connection is with the handler.
  bool is_idle();

 private:
  void Run();

  const Handler handler_;
  std::mutex mutex_;  // guards the next six
  std::condition_variable changed_;
  std::deque<Descriptor> waiting_;
  std::optional<int> held_;
  absl::Duration held_since_;  // by the thread's processor time
  std::uint64_t turns_ = 0;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace clearance::server
