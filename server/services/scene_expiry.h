// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "server/registry/scene_registry.h"

namespace clearance::server {

// Starts a thread that removes expired scenes, so that they hold no memory although no caller asks
// for them, and looks for detached things that are gone by now. It looks a few times a second,
// until the result ends. No thread waits for it: an expired scene is not found any more, whether it
// was removed or not. Both arguments outlive the result.
inline std::jthread ExpireScenes(SceneRegistry& scenes, Registry& shapes) {
  return std::jthread([&scenes, &shapes](const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kInterval{250};
    std::mutex mutex;
    std::condition_variable_any ending;
    std::unique_lock lock(mutex);
    while (!ending.wait_for(lock, stop, kInterval, [&] { return stop.stop_requested(); })) {
      scenes.Expire();
      scenes.held().Look();
      shapes.LookAtDetached();
    }
  });
}

}  // namespace clearance::server
