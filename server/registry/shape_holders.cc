// SPDX-License-Identifier: Apache-2.0

#include "server/registry/shape_holders.h"

#include <algorithm>
#include <cstddef>

namespace clearance::server {
namespace {

using Bodies = absl::flat_hash_set<const void*>;

void AddIfDetached(const RigidBody* body, const DetachedMap& detached, Bodies* bodies) {
  if (detached.contains(body)) bodies->insert(body);
}

std::uint64_t BytesOf(const Bodies& bodies, const DetachedMap& detached) {
  std::uint64_t bytes = 0;
  for (const void* const body : bodies) bytes += detached.at(body);
  return bytes;
}

// Finds the detached bodies of scenes, looking at each scene once however many sessions hold it.
class DetachedInScenes {
 public:
  explicit DetachedInScenes(const DetachedMap& detached) : detached_(detached) {}

  const Bodies& Of(const Scene& scene) {
    const auto [entry, is_new] = found_.try_emplace(&scene);
    if (is_new) {
      for (std::size_t i = 0; i < scene.size(); ++i)
        AddIfDetached(scene.BodyAt(i).body.get(), detached_, &entry->second);
    }
    return entry->second;
  }

 private:
  const DetachedMap& detached_;
  absl::flat_hash_map<const Scene*, Bodies> found_;
};

// Chooses the sessions that must go, from the detached bodies of each.
template <class Session>
class Choice {
 public:
  explicit Choice(const DetachedMap& detached) : detached_(detached) {
    for (const auto& [body, bytes] : detached) left_ += bytes;
  }

  void Add(Session* session, Bodies bodies, const std::string& holder) {
    const std::uint64_t bytes = BytesOf(bodies, detached_);
    if (bytes == 0) return;
    for (const void* const body : bodies) ++held_by_[body];
    of_holder_[holder] += bytes;
    stay_.push_back({session, holder, std::move(bodies), bytes});
  }
  // The bodies of sessions that were told before go with them, unless others hold them.
  void AddTold(const Bodies& bodies) { going_.insert(bodies.begin(), bodies.end()); }
  // Requires: all were added.
  void CountTold() {
    for (const void* const body : going_) {
      if (!held_by_.contains(body)) left_ -= detached_.at(body);
    }
  }

  // Returns the detached bytes that stay if all sessions that were not taken stay.
  std::uint64_t left() const { return left_; }

  // Returns null if no session is left that holds any.
  Session* TakeMost() {
    const auto most =
        std::max_element(stay_.begin(), stay_.end(), [this](const auto& a, const auto& b) {
          return std::pair(of_holder_.at(a.holder), a.bytes) <
                 std::pair(of_holder_.at(b.holder), b.bytes);
        });
    if (most == stay_.end()) return nullptr;
    Session* const session = most->session;
    of_holder_.at(most->holder) -= most->bytes;
    for (const void* const body : most->bodies) {
      if (--held_by_.at(body) == 0) left_ -= detached_.at(body);
    }
    *most = std::move(stay_.back());
    stay_.pop_back();
    return session;
  }

 private:
  struct Stay {
    Session* session;
    std::string holder;
    Bodies bodies;
    std::uint64_t bytes;
  };

  const DetachedMap& detached_;
  std::uint64_t left_ = 0;
  std::vector<Stay> stay_;
  absl::flat_hash_map<const void*, std::size_t> held_by_;
  absl::flat_hash_map<std::string, std::uint64_t> of_holder_;  // of a body once for each session
  Bodies going_;
};

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

void ShapeHolders::Session::PutShape(std::uint32_t slot, RigidBodyPtr body) {
  const std::lock_guard lock(all_->mutex_);
  if (body == nullptr) {
    shapes_.erase(slot);
  } else {
    shapes_.insert_or_assign(slot, std::move(body));
  }
}

void ShapeHolders::Session::PutScene(std::uint32_t slot, ScenePtr scene) {
  const std::lock_guard lock(all_->mutex_);
  if (scene == nullptr) {
    scenes_.erase(slot);
  } else {
    scenes_.insert_or_assign(slot, std::move(scene));
  }
}

void ShapeHolders::Session::PutOwn(std::shared_ptr<const std::vector<SceneBody>> bodies) {
  const std::lock_guard lock(all_->mutex_);
  own_ = std::move(bodies);
}

std::uint64_t ShapeHolders::TellToGo(const DetachedMap& detached, std::uint64_t most_bytes) {
  const std::lock_guard lock(mutex_);
  DetachedInScenes in_scenes(detached);
  Choice<Session> choice(detached);
  for (Session* const session : sessions_) {
    Bodies bodies;
    for (const auto& [slot, body] : session->shapes_) AddIfDetached(body.get(), detached, &bodies);
    for (const auto& [slot, scene] : session->scenes_) {
      const Bodies& of_scene = in_scenes.Of(*scene);
      bodies.insert(of_scene.begin(), of_scene.end());
    }
    if (session->own_ != nullptr) {
      for (const SceneBody& own : *session->own_) AddIfDetached(own.body.get(), detached, &bodies);
    }
    if (session->is_told_) {
      choice.AddTold(bodies);
      session->tell_();
    } else {
      choice.Add(session, std::move(bodies), session->holder_);
    }
  }
  choice.CountTold();
  while (choice.left() > most_bytes) {
    Session* const session = choice.TakeMost();
    if (session == nullptr) break;
    session->is_told_ = true;
    session->tell_();
  }
  return choice.left();
}

}  // namespace clearance::server
