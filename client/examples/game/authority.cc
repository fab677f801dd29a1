// SPDX-License-Identifier: Apache-2.0
#include "authority.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace game {
namespace {

using clearance::client::AppendPose;
using clearance::client::AppendVec3;
using clearance::client::MotionState;
using clearance::client::PairScope;
using clearance::client::SweepBatch;
using clearance::client::SweepPairs;
using clearance::client::SweepResult;

constexpr std::uint32_t kPlayerSlot = 0;
constexpr std::uint32_t kLevelSlot = 0;  // scenes have separate slots
constexpr std::uint32_t kEmptySlot = 1;

std::string EmptyName(const AuthorityOptions& options) { return options.scene + "/empty"; }

// Sets only the fields that have a meaning in this state, so that equal verdicts are equal bits.
Verdict MakeVerdict(MotionState state, double t_free, double t_hit, std::uint32_t body) {
  Verdict verdict;
  verdict.state = state;
  if (state != MotionState::kInitiallyOverlapping) verdict.t_free = t_free;
  if (state == MotionState::kHit) verdict.t_hit = t_hit;
  if (state != MotionState::kFree && state != MotionState::kRefused) verdict.body = body;
  return verdict;
}

std::vector<Verdict> VerdictsOfRows(const SweepResult& result) {
  std::vector<Verdict> verdicts;
  for (std::size_t row = 0; row < result.states.size(); ++row) {
    verdicts.push_back(MakeVerdict(result.states[row], result.t_free[row], result.t_hit[row],
                                   result.pairs.bodies_b[row]));
  }
  return verdicts;
}

// Returns the first of a player's contacts, which are the pairs [first, last) of a list, by the
// rules of a row. A start in a wall comes before all else. An undecided contact counts if it may
// come before all that is hit.
Verdict FirstContact(const SweepPairs& pairs, std::size_t first, std::size_t last) {
  const auto rank = [&](std::size_t i) {
    return std::tuple(pairs.t_hit[i], pairs.t_free[i], pairs.ids.bodies_b[i]);
  };
  std::optional<std::size_t> hit;
  std::optional<std::size_t> undecided;
  double hits_free_until = std::numeric_limits<double>::infinity();
  for (std::size_t i = first; i < last; ++i) {
    if (pairs.states[i] == MotionState::kHit) {
      if (!hit || rank(i) < rank(*hit)) hit = i;
      hits_free_until = std::min(hits_free_until, pairs.t_free[i]);
    } else if (pairs.states[i] == MotionState::kUndecided) {
      if (!undecided || pairs.t_free[i] < pairs.t_free[*undecided]) undecided = i;
    } else if (pairs.states[i] == MotionState::kInitiallyOverlapping) {
      return MakeVerdict(pairs.states[i], 0, 0, pairs.ids.bodies_b[i]);
    } else {  // no contact has another
      return MakeVerdict(MotionState::kRefused, 0, 0, 0);
    }
  }
  if (undecided && pairs.t_free[*undecided] < hits_free_until) {
    return MakeVerdict(MotionState::kUndecided, pairs.t_free[*undecided], 0,
                       pairs.ids.bodies_b[*undecided]);
  }
  if (!hit) return MakeVerdict(MotionState::kFree, 1, 0, 0);
  return MakeVerdict(MotionState::kHit, hits_free_until, pairs.t_hit[*hit],
                     pairs.ids.bodies_b[*hit]);
}

}  // namespace

std::vector<Verdict> VerdictsOfBodies(const SweepResult& result, std::size_t player_count) {
  std::vector<Verdict> verdicts;
  const SweepPairs& pairs = result.hits;
  const bool is_row_judged = result.states.size() == 1 && result.errors.empty();
  const bool is_cut = !is_row_judged || pairs.truncated.at(0);
  std::size_t last = 0;
  while (is_row_judged && verdicts.size() < player_count) {
    const std::uint32_t player = PlayerId(verdicts.size());
    const std::size_t first = last;
    while (last < pairs.states.size() && pairs.ids.bodies_a[last] == player) ++last;
    if (is_cut && last == pairs.states.size()) break;
    verdicts.push_back(FirstContact(pairs, first, last));
  }
  // Pairs that belong to no player, or are out of order: a player without pairs may have some
  // there.
  if (last < pairs.states.size()) verdicts.clear();
  verdicts.resize(player_count, MakeVerdict(MotionState::kRefused, 0, 0, 0));
  return verdicts;
}

Authority::Authority(const clearance::client::Client& client, const AuthorityOptions& options)
    : client_(client), scenes_(client), options_(options) {}

absl::StatusOr<std::unique_ptr<Authority>> Authority::Start(const clearance::client::Client& client,
                                                            const Level& level,
                                                            const AuthorityOptions& options) {
  auto authority = std::unique_ptr<Authority>(new Authority(client, options));
  const auto info = client.GetServerInfo();
  if (!info.ok()) return info.status();
  authority->max_row_pairs_ = static_cast<std::uint32_t>(info->limits.max_row_pairs);
  absl::Status status = authority->Register(level);
  if (status.ok()) status = authority->MakeScenes(level);
  if (status.ok()) status = authority->OpenSession();
  if (!status.ok()) return status;
  return authority;
}

Authority::~Authority() {
  for (const std::string& name : {options_.scene, EmptyName(options_)}) {
    scenes_.Delete(name).IgnoreError();  // some may never have been made, or have gone
  }
}

absl::Status Authority::Register(const Level& level) {
  clearance::client::HullColumns hulls;
  hulls.replace = true;  // a level that was edited since
  for (std::size_t i = 0; i < level.bodies.size(); ++i) {
    const std::vector<double>& vertices = level.bodies[i].vertices;
    hulls.names.push_back(absl::StrCat("game/", level.name, "/", i));
    hulls.vertex_counts.push_back(static_cast<std::uint32_t>(vertices.size() / 3));
    hulls.vertices.insert(hulls.vertices.end(), vertices.begin(), vertices.end());
  }
  const auto registered = client_.BatchRegisterHulls(hulls);
  if (!registered.ok()) return registered.status();
  if (!registered->errors.empty()) {
    const clearance::client::Error& error = registered->errors.front();
    return {error.code, absl::StrCat(hulls.names.at(error.index), ": ", error.message)};
  }
  for (const std::string& digest : registered->digests) {
    level_shapes_.emplace_back(clearance::client::ByDigest{digest});
  }
  const auto player =
      client_.Register(absl::StrCat("game/", level.name, "/player"),
                       {clearance::client::Box{level.player_half_size}}, {.replace = true});
  if (!player.ok()) return player.status();
  player_.digest = player->info.digest;
  return absl::OkStatus();
}

absl::Status Authority::MakeScenes(const Level& level) {
  clearance::client::SceneChange content;
  for (std::uint32_t id = 0; id < level.bodies.size(); ++id) {
    content.bodies.ids.push_back(id);
    content.bodies.shape_slots.push_back(id);
  }
  content.bodies.shapes = level_shapes_;
  content.bodies.count = static_cast<std::uint32_t>(level.bodies.size());
  clearance::client::SceneClient::Ttl ttl = absl::Minutes(10);
  if (options_.is_stored) ttl.reset();
  absl::Status status = scenes_.Create(options_.scene, content, ttl).status();
  if (status.ok()) status = scenes_.Create(EmptyName(options_), {}, absl::Minutes(10)).status();
  return status;
}

absl::Status Authority::OpenSession() {
  session_ = client_.OpenSession();
  absl::Status status = session_->Open(kPlayerSlot, player_).status();
  using clearance::client::OpenScene;
  status.Update(
      session_->Open(OpenScene{.scene_slot = kLevelSlot, .name = options_.scene}).status());
  status.Update(
      session_->Open(OpenScene{.scene_slot = kEmptySlot, .name = EmptyName(options_)}).status());
  clearance::client::ChangeBodies bodies;
  bodies.change.bodies.count = options_.form == Form::kRows ? 1 : options_.player_count;
  bodies.change.bodies.shape_slots = {kPlayerSlot};
  for (std::size_t i = 0; i < bodies.change.bodies.count; ++i) {
    bodies.change.bodies.ids.push_back(PlayerId(i));
  }
  status.Update(session_->Change(bodies).status());
  return status;
}

absl::StatusOr<SweepResult> Authority::Ask(absl::Span<const Way> claims, std::uint32_t scene_slot) {
  SweepBatch batch;
  const bool are_rows = options_.form == Form::kRows;
  batch.configurations.count = are_rows ? static_cast<std::uint32_t>(claims.size()) : 1;
  batch.configurations.body_count = are_rows ? 1 : static_cast<std::uint32_t>(claims.size());
  batch.configurations.scene_slot = scene_slot;
  batch.configurations.pair_scope = PairScope::kScene;  // players do not block each other
  for (const Way& claim : claims) {
    AppendPose({.x = claim.from.x, .y = claim.from.y, .z = claim.from.z},
               &batch.configurations.poses);
    AppendVec3(claim.move, &batch.displacements);
  }
  batch.detail = {.times = true, .pairs = are_rows};
  if (!are_rows) batch.max_pairs = max_row_pairs_;
  return session_->Ask(batch);
}

absl::StatusOr<std::vector<Verdict>> Authority::Judge(absl::Span<const Way> claims) {
  const absl::StatusOr<SweepResult> result = Ask(claims, kLevelSlot);
  if (!result.ok()) return result.status();
  if (options_.form == Form::kBodies) return VerdictsOfBodies(*result, claims.size());
  return VerdictsOfRows(*result);
}

absl::Status Authority::AskEmptyScene(absl::Span<const Way> claims) {
  return Ask(claims, kEmptySlot).status();
}

}  // namespace game
