// SPDX-License-Identifier: Apache-2.0

#include "server/registry/shape_holders.h"

#include <algorithm>
#include <cstddef>

namespace clearance::server {
namespace {

using Bodies = absl::flat_hash_set<const void*>;

// Gathers the detached bodies of a session. Looks at each scene once, however many sessions hold
// it.
class DetachedBodies {
 public:
  explicit DetachedBodies(const DetachedMap& detached) : detached_(detached) {}

  void Add(const RigidBody* body, Bodies* bodies) const {
    if (detached_.contains(body)) bodies->insert(body);
  }
  void Add(const Scene& scene, Bodies* bodies) {
    const auto [entry, is_new] = of_scene_.try_emplace(&scene);
    for (std::size_t i = 0; is_new && i < scene.size(); ++i)
      Add(scene.BodyAt(i).body.get(), &entry->second);
    bodies->insert(entry->second.begin(), entry->second.end());
  }

 private:
  const DetachedMap& detached_;
  absl::flat_hash_map<const Scene*, Bodies> of_scene_;
};

// Counts the detached bytes while the sessions that hold them leave.
class Departures {
 public:
  explicit Departures(const DetachedMap& detached) : detached_(detached) {
    for (const auto& [body, bytes] : detached) left_ += bytes;
  }

  // Returns the bytes of the bodies of one more session.
  std::uint64_t Add(const Bodies& bodies) {
    std::uint64_t bytes = 0;
    for (const void* const body : bodies) {
      bytes += detached_.at(body);
      ++holders_[body];
    }
    return bytes;
  }
  // Requires: the session was added.
  void Leave(const Bodies& bodies) {
    for (const void* const body : bodies) {
      if (--holders_.at(body) == 0) left_ -= detached_.at(body);
    }
  }
  // Returns the detached bytes that stay if all other sessions stay.
  std::uint64_t left() const { return left_; }

 private:
  const DetachedMap& detached_;
  std::uint64_t left_ = 0;
  absl::flat_hash_map<const void*, std::size_t> holders_;
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

void ShapeHolders::Session::PutOwn(std::shared_ptr<const std::vector<SceneBody>> bodies) {
  const std::lock_guard lock(all_->mutex_);
  own_ = std::move(bodies);
}

std::uint64_t ShapeHolders::TellToGo(const DetachedMap& detached, std::uint64_t most_bytes) {
  struct Stay {
    Session* session;
    Bodies bodies;
    std::uint64_t bytes;
  };
  const std::lock_guard lock(mutex_);
  DetachedBodies gather(detached);
  Departures departures(detached);
  std::vector<Stay> stay;
  std::vector<Bodies> told;
  absl::flat_hash_map<std::string, std::uint64_t> of_holder;  // of a body once for each session
  for (Session* const session : sessions_) {
    Bodies bodies;
    for (const auto& [slot, body] : session->shapes_) gather.Add(body.get(), &bodies);
    for (const auto& [slot, scene] : session->scenes_) gather.Add(*scene, &bodies);
    if (session->own_ != nullptr) {
      for (const SceneBody& own : *session->own_) gather.Add(own.body.get(), &bodies);
    }
    const std::uint64_t bytes = departures.Add(bodies);
    if (session->is_told_) {
      session->tell_();
      told.push_back(std::move(bodies));
    } else if (bytes > 0) {
      of_holder[session->holder_] += bytes;
      stay.push_back({session, std::move(bodies), bytes});
    }
  }
  for (const Bodies& bodies : told) departures.Leave(bodies);
  const auto has_less = [&](const Stay& a, const Stay& b) {
    return std::pair(of_holder.at(a.session->holder_), a.bytes) <
           std::pair(of_holder.at(b.session->holder_), b.bytes);
  };
  while (departures.left() > most_bytes && !stay.empty()) {
    const auto most = std::max_element(stay.begin(), stay.end(), has_less);
    most->session->is_told_ = true;
    most->session->tell_();
    of_holder.at(most->session->holder_) -= most->bytes;
    departures.Leave(most->bodies);
    std::swap(*most, stay.back());
    stay.pop_back();
  }
  return departures.left();
}

}  // namespace clearance::server
