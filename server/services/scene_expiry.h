// SPDX-License-Identifier: Apache-2.0
//
// Removes expired scenes, so that they hold no memory although no caller asks for them, and looks
// for detached things that are gone by now.

#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "server/registry/scene_registry.h"

namespace clearance::server {

// Looks a few times a second, as long as it lives. No thread waits for it: an expired scene is not
// found any more, whether it was removed or not.
class SceneExpiry {
 public:
  // Both outlive this.
  SceneExpiry(SceneRegistry& scenes, Registry& shapes)
      : thread_([this, &scenes, &shapes] { Run(scenes, shapes); }) {}
  ~SceneExpiry();
  SceneExpiry(const SceneExpiry&) = delete;
  SceneExpiry& operator=(const SceneExpiry&) = delete;

 private:
  void Run(SceneRegistry& scenes, Registry& shapes);

  std::mutex mutex_;
  std::condition_variable ending_;
  bool is_ending_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace clearance::server
