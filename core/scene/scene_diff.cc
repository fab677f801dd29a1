// SPDX-License-Identifier: Apache-2.0

#include "core/scene/scene_diff.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/scene/scene_parts.h"

namespace clearance {
namespace {

constexpr std::size_t kPage = SceneParts::kPage;

bool IsSame(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool IsSame(const Pose& a, const Pose& b) {
  return IsSame(a.p_WS.x, b.p_WS.x) && IsSame(a.p_WS.y, b.p_WS.y) && IsSame(a.p_WS.z, b.p_WS.z) &&
         IsSame(a.q_WS.x, b.q_WS.x) && IsSame(a.q_WS.y, b.q_WS.y) && IsSame(a.q_WS.z, b.q_WS.z) &&
         IsSame(a.q_WS.w, b.q_WS.w);
}

// But for the pose.
bool IsSameBody(const SceneBody& a, const SceneBody& b) {
  return a.body == b.body && a.bits == b.bits && IsSame(a.margin, b.margin);
}

bool IsSame(const PairRule& a, const PairRule& b) {
  return a.is_allowed == b.is_allowed && (a.is_allowed || IsSame(a.margin, b.margin));
}

// Shows the indices in `scene` of all bodies whose page the other scene does not have at the same
// place. Every body that differs is among them in at least one of two scenes, and each that only
// one scene has is in that one.
// Ends early once `show` says no.
template <class Show>
void VisitUnshared(const Scene& scene, const Scene& other, Show&& show) {
  const SceneParts& parts = scene.parts();
  for (std::size_t first = 0; first < scene.size(); first += kPage) {
    const bool is_shared = parts.members.SharesPage(other.parts().members, first) &&
                           parts.poses.SharesPage(other.parts().poses, first);
    if (is_shared) continue;
    const std::size_t end = std::min(scene.size(), first + kPage);
    for (std::size_t i = first; i < end; ++i) {
      if (!show(i)) return;
    }
  }
}

void AddRules(const PairRules& before, const PairRules& after, std::size_t most, SceneDiff* diff) {
  if (&before == &after) return;
  for (const PairRule& rule : before.rules()) {
    if (diff->size() > most) return;
    if (after.Find(rule.a, rule.b) == nullptr) diff->removed_rules.push_back(rule);
  }
  for (const PairRule& rule : after.rules()) {
    if (diff->size() > most) return;
    const PairRule* const was = before.Find(rule.a, rule.b);
    if (was == nullptr || !IsSame(*was, rule)) diff->rules.push_back(rule);
  }
}

}  // namespace

std::optional<SceneDiff> DiffOf(const Scene& before, const Scene& after, std::size_t most) {
  SceneDiff diff;
  VisitUnshared(before, after, [&](std::size_t i) {
    const BodyId id = before.parts().members[i].id;
    if (!after.Contains(id)) diff.removed.push_back(id);
    return diff.size() <= most;
  });
  VisitUnshared(after, before, [&](std::size_t i) {
    SceneBody body = after.BodyAt(i);
    const std::optional<SceneBody> was = before.Find(body.id);
    if (!was.has_value() || !IsSameBody(*was, body)) {
      diff.put.push_back(std::move(body));
    } else if (!IsSame(was->X_WB, body.X_WB)) {
      diff.moved.push_back({body.id, body.X_WB});
    }
    return diff.size() <= most;
  });
  AddRules(before.rules(), after.rules(), most, &diff);
  if (diff.size() > most) return std::nullopt;
  std::ranges::sort(diff.removed);
  std::ranges::sort(diff.put, {}, &SceneBody::id);
  std::ranges::sort(diff.moved, {}, &BodyPose::id);
  return diff;
}

}  // namespace clearance
