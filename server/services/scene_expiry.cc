// SPDX-License-Identifier: Apache-2.0

#include "server/services/scene_expiry.h"

#include <chrono>

namespace clearance::server {
namespace {

constexpr std::chrono::milliseconds kInterval{250};

}  // namespace

SceneExpiry::~SceneExpiry() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ending_.notify_all();
  thread_.join();
}

void SceneExpiry::Run(SceneRegistry& scenes, Registry& shapes) {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kInterval, [this] { return is_ending_; })) {
    scenes.Expire();
    scenes.held().Look();
    shapes.LookAtDetached();
  }
}

}  // namespace clearance::server
