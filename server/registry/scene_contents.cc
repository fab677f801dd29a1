// SPDX-License-Identifier: Apache-2.0

#include "server/registry/scene_contents.h"

#include <algorithm>
#include <utility>

namespace clearance::server {

RigidBodyPtr SceneContents::Share(const ShapeContentPtr& content) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const ShapeContentPtr> use = by_digest_[content->digest].lock();
  if (use == nullptr) {
    use = std::make_shared<const ShapeContentPtr>(content);
    by_digest_[content->digest] = use;
    by_body_[content->body.get()] = use;
    if (by_body_.size() >= size_to_clean_at_) DropUnused();
  }
  const RigidBody* const body = (*use)->body.get();
  return RigidBodyPtr(std::move(use), body);
}

const RigidBody* SceneContents::FindBody(std::string_view digest) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_digest_.find(absl::string_view(digest.data(), digest.size()));
  const auto content = found == by_digest_.end() ? nullptr : ContentOf(found->second);
  return content == nullptr ? nullptr : content->body.get();
}

ShapeContentPtr SceneContents::Of(const RigidBody& body) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_body_.find(&body);
  return found == by_body_.end() ? nullptr : ContentOf(found->second);
}

ShapeContentPtr SceneContents::ContentOf(const Use& use) {
  const std::shared_ptr<const ShapeContentPtr> content = use.lock();
  return content == nullptr ? nullptr : *content;
}

// The size may double before the next time, so an insertion costs the same on average.
void SceneContents::DropUnused() {
  absl::erase_if(by_digest_, [](const auto& entry) { return entry.second.expired(); });
  absl::erase_if(by_body_, [](const auto& entry) { return entry.second.expired(); });
  size_to_clean_at_ = std::max(size_to_clean_at_, 2 * by_body_.size());
}

}  // namespace clearance::server
