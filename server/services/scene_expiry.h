// SPDX-License-Identifier: Apache-2.0
//
// Takes scenes away whose time is over, so that they hold no memory though nobody asks for them,
// and looks at what was detached and is gone by now.

#ifndef CLEARANCE_SERVER_SERVICES_SCENE_EXPIRY_H_
#define CLEARANCE_SERVER_SERVICES_SCENE_EXPIRY_H_

#include <condition_variable>
#include <mutex>
#include <thread>

#include "server/registry/scene_registry.h"

namespace clearance::server {

// Looks a few times a second, as long as it lives. Nobody waits for it: a scene whose time is over
// is not found any more, whether it was taken away or not.
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

#endif  // CLEARANCE_SERVER_SERVICES_SCENE_EXPIRY_H_
