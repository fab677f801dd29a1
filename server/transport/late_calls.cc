// SPDX-License-Identifier: Apache-2.0

#include "server/transport/late_calls.h"

#include <chrono>

namespace clearance::server {
namespace {

// The longest time that a call may be forgotten.
constexpr std::chrono::milliseconds kInterval{50};

}  // namespace

LateCalls::~LateCalls() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LateCalls::EndThem(grpc::Server* server) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kInterval, [this] { return is_over_; })) {
    lock.unlock();
    server->InProcessChannel({});
    lock.lock();
  }
}

}  // namespace clearance::server
