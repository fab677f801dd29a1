// SPDX-License-Identifier: Apache-2.0

#include "server/registry/holders.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "server/guard/refusal.h"
#include "server/guard/share_ledger.h"

namespace clearance::server {
namespace {

constexpr Resource kOldRevisions = {
    .limit = "max_scene_bytes",
    .advice = "close slots of old revisions, or open newer revisions in them"};

void AddIfDetached(const RigidBody* body, const DetachedMap& detached, BodySet* bodies) {
  if (detached.contains(body)) bodies->insert(body);
}

}  // namespace

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

absl::StatusOr<HeldPtr> HeldRevisions::Take(const HeldRevision& revision, std::string_view holder) {
  const Key key = {revision.progress.get(), revision.revision};
  std::string name(holder);
  {
    const std::lock_guard lock(mutex_);
    if (absl::Status status = CheckRoom(revision, name); !status.ok()) return status;
    Pinned& pinned = pinned_.try_emplace(key, Pinned{revision, 0, {}}).first->second;
    // Bytes that are left behind already also count for a new holder.
    if (++pinned.of[name] == 1) AddTo(name, 0, pinned.bytes);
  }
  return HeldPtr(this, [this, key, name = std::move(name)](const void*) { LetGo(key, name); });
}

std::uint64_t HeldRevisions::Look() {
  const std::lock_guard lock(mutex_);
  for (auto next = pinned_.begin(); next != pinned_.end(); ++next) {
    const std::uint64_t before = next->second.bytes;
    const std::uint64_t after = BytesOf(next);
    if (after == before) continue;
    bytes_ = bytes_ - before + after;
    for (const auto& [holder, times] : next->second.of) AddTo(holder, before, after);
    next->second.bytes = after;
  }
  if (gauge_ != nullptr) gauge_->Set(static_cast<double>(bytes_));
  return bytes_;
}

// No revision lives between this one and the next that is held. So only this one has the earlier
// state of what changed in between.
std::uint64_t HeldRevisions::BytesOf(PinnedMap::const_iterator pinned) const {
  const HeldRevision& held = pinned->second.revision;
  const SceneProgress& scene = *held.progress;
  const bool is_gone = scene.is_gone.load();
  if (!is_gone && held.revision >= scene.oldest_revision.load()) return 0;
  const auto next = std::next(pinned);
  const bool is_last = next == pinned_.end() || next->first.first != pinned->first.first;
  if (is_last && is_gone) return held.byte_size;
  const std::uint64_t changed =
      is_last ? scene.changed_bytes.load() : next->second.revision.changed_bytes;
  return std::min(held.byte_size, changed - held.changed_bytes);
}

absl::Status HeldRevisions::CheckRoom(const HeldRevision& revision,
                                      const std::string& holder) const {
  const auto found = of_holder_.find(holder);
  const std::uint64_t held = found == of_holder_.end() ? 0 : found->second;
  const std::uint64_t to_come =
      revision.is_newest ? 0
                         : std::min(revision.byte_size, revision.progress->changed_bytes.load() -
                                                            revision.changed_bytes);
  const std::uint64_t left = LeftBeside(bytes_, most_bytes_);
  if (IsFair(held, to_come, left)) return absl::OkStatus();
  return RefuseMore(kOldRevisions, {.verdict = left == 0 ? Verdict::kFull : Verdict::kShare,
                                    .given = FormatNumber(held + to_come) + " of one caller, " +
                                             FormatNumber(bytes_ + to_come) + " of all",
                                    .most = most_bytes_,
                                    .field = "revision"});
}

void HeldRevisions::AddTo(const std::string& holder, std::uint64_t before, std::uint64_t after) {
  if (before == after) return;
  std::uint64_t& bytes = of_holder_[holder];
  bytes = bytes - before + after;
  if (bytes == 0) of_holder_.erase(holder);
}

void HeldRevisions::LetGo(const Key& key, const std::string& holder) {
  const std::lock_guard lock(mutex_);
  const auto pinned = pinned_.find(key);
  auto& of = pinned->second.of;
  const auto held = of.find(holder);
  if (--held->second > 0) return;
  of.erase(held);
  AddTo(holder, pinned->second.bytes, 0);
  if (!of.empty()) return;
  bytes_ -= pinned->second.bytes;
  pinned_.erase(pinned);
  if (gauge_ != nullptr) gauge_->Set(static_cast<double>(bytes_));
}

}  // namespace clearance::server
