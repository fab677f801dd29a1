// SPDX-License-Identifier: Apache-2.0

#include "server/registry/held_revisions.h"

#include <algorithm>
#include <iterator>

#include "server/guard/refusal.h"
#include "server/guard/share_ledger.h"

namespace clearance::server {
namespace {

constexpr Resource kOldRevisions = {
    .limit = "max_scene_bytes",
    .advice = "close slots of old revisions, or open newer revisions in them"};

}  // namespace

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
