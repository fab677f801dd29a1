// SPDX-License-Identifier: Apache-2.0

#include "server/registry/shape_holders.h"

#include <algorithm>
#include <cstddef>

namespace clearance::server {
namespace {

void AddIfDetached(const RigidBody* body, const DetachedMap& detached, BodySet* bodies) {
  if (detached.contains(body)) bodies->insert(body);
}

}  // namespace

ShapeHolders::Session::Session(ShapeHolders* all, std::string holder, std::function<void()> tell)
    : all_(all), holder_(std::move(holder)), tell_(std::move(tell)) {
  const std::lock_guard lock(all_->mutex_);
  all_->sessions_.insert(this);
}

ShapeHolders::Session::~Session() {
  const std::lock_guard lock(all_->mutex_);
  all_->sessions_.erase(this);
}

void ShapeHolders::Session::PutOwn(std::shared_ptr<const std::vector<SceneBody>> bodies) {
  const std::lock_guard lock(all_->mutex_);
  own_ = std::move(bodies);
}

BodySet ShapeHolders::Session::DetachedBodies(const DetachedMap& detached,
                                              SceneBodies* of_scenes) const {
  BodySet bodies;
  for (const auto& [slot, body] : shapes_) AddIfDetached(body.get(), detached, &bodies);
  for (const auto& [slot, scene] : scenes_) {
    const auto [entry, is_new] = of_scenes->try_emplace(scene.get());
    for (std::size_t i = 0; is_new && i < scene->size(); ++i)
      AddIfDetached(scene->BodyAt(i).body.get(), detached, &entry->second);
    bodies.insert(entry->second.begin(), entry->second.end());
  }
  if (own_ == nullptr) return bodies;
  for (const SceneBody& own : *own_) AddIfDetached(own.body.get(), detached, &bodies);
  return bodies;
}

std::uint64_t ShapeHolders::TellToGo(const DetachedMap& detached, std::uint64_t most_bytes) {
  struct Stay {
    Session* session;
    BodySet bodies;
    std::uint64_t bytes = 0;
  };
  const std::lock_guard lock(mutex_);
  std::vector<Stay> stay, told;
  SceneBodies of_scenes;
  absl::flat_hash_map<const void*, std::size_t> holders;      // of a body: how many sessions
  absl::flat_hash_map<std::string, std::uint64_t> of_holder;  // of a body once for each session
  for (Session* const session : sessions_) {
    Stay one = {session, session->DetachedBodies(detached, &of_scenes)};
    for (const void* const body : one.bodies) {
      one.bytes += detached.at(body);
      ++holders[body];
    }
    if (!session->is_told_) of_holder[session->holder_] += one.bytes;
    (session->is_told_ ? told : stay).push_back(std::move(one));
  }
  std::uint64_t left = 0;  // the detached bytes if all sessions stay that were not told
  for (const auto& [body, bytes] : detached) left += bytes;
  const auto tell = [&](const Stay& one) {
    one.session->tell_();
    for (const void* const body : one.bodies) {
      if (--holders.at(body) == 0) left -= detached.at(body);
    }
  };
  for (const Stay& one : told) tell(one);
  const auto has_less = [&](const Stay& a, const Stay& b) {
    return std::pair(of_holder.at(a.session->holder_), a.bytes) <
           std::pair(of_holder.at(b.session->holder_), b.bytes);
  };
  while (left > most_bytes && !stay.empty()) {
    const auto most = std::max_element(stay.begin(), stay.end(), has_less);
    if (most->bytes == 0) break;
    most->session->is_told_ = true;
    tell(*most);
    of_holder.at(most->session->holder_) -= most->bytes;
    std::swap(*most, stay.back());
    stay.pop_back();
  }
  return left;
}

}  // namespace clearance::server
