// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>

#include "server/observe/periodic_thread.h"
#include "server/registry/scene_registry.h"

namespace clearance::server {

// Starts a thread that removes expired scenes, so that they hold no memory although no caller asks
// for them, and looks for detached things that are gone by now. It looks a few times a second,
// until the result ends. No thread waits for it: an expired scene is not found any more, whether it
// was removed or not. Both arguments outlive the result.
inline PeriodicThread ExpireScenes(SceneRegistry& scenes, Registry& shapes) {
  return PeriodicThread(std::chrono::milliseconds(250), [&scenes, &shapes](bool /*is_asked*/) {
    scenes.Expire();
    scenes.held().Look();
    shapes.LookAtDetached();
  });
}

}  // namespace clearance::server
