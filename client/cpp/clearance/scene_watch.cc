// SPDX-License-Identifier: Apache-2.0
#include "clearance/scene_watch.h"

#include <utility>

#include "internal/scene_watch_impl.h"

namespace clearance::client {

SceneWatch::SceneWatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

SceneWatch::~SceneWatch() = default;

absl::StatusOr<SceneNews> SceneWatch::Next() { return impl_->Next(); }

void SceneWatch::Cancel() { impl_->Cancel(); }

std::unique_ptr<SceneWatch> SceneClient::Watch(const std::string& name,
                                               const WatchOptions& options) const {
  return std::unique_ptr<SceneWatch>(new SceneWatch(
      std::make_unique<SceneWatch::Impl>(client_.connection_, client_.ids_, name, options)));
}

}  // namespace clearance::client
