// SPDX-License-Identifier: Apache-2.0

#include "server/engine/answer_check.h"

#include <initializer_list>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/proof/check_body.h"

namespace clearance::server {
namespace {

// Numbers to the last bit, so that a logged row can be asked again.
std::string Text(std::initializer_list<double> numbers) {
  return absl::StrJoin(numbers, " ", [](std::string* text, double number) {
    absl::StrAppendFormat(text, "%a", number);
  });
}

std::string Text(const Vec3d& v) { return Text({v.x, v.y, v.z}); }

std::string Text(const Pose& pose) {
  const Vec3d& p = pose.p_WS;
  const Quaternion& q = pose.q_WS;
  return Text({p.x, p.y, p.z, q.x, q.y, q.z, q.w});
}

std::string Text(const Motion& motion) {
  return absl::StrFormat("displacement %s rotation %s pivot %s", Text(motion.displacement),
                         Text(motion.rotation), Text(motion.pivot));
}

QueryKind KindOf(const DistanceAnswer&) { return QueryKind::kDistance; }
QueryKind KindOf(const IntersectionAnswer&) { return QueryKind::kIntersection; }
QueryKind KindOf(const TimeOfCollisionAnswer&) { return QueryKind::kTimeOfCollision; }

std::string QuestionText(const AskedDistance& asked) {
  return absl::StrFormat("distance max_distance %a tolerance %a exact %d",
                         asked.options.max_distance, asked.options.tolerance, asked.options.exact);
}

std::string QuestionText(const AskedIntersection& asked) {
  return absl::StrFormat("intersection exact %d", asked.options.exact);
}

std::string QuestionText(const AskedTimeOfCollision& asked) {
  return absl::StrFormat(
      "time_of_collision target_distance %a ignore_initial_contact %d motion_a %s motion_b %s",
      asked.options.target_distance, asked.options.ignore_initial_contact, Text(asked.motion_a),
      Text(asked.motion_b));
}

std::string AnswerText(const DistanceAnswer& answer) {
  return absl::StrFormat(
      "state %d lower %a upper %a distance %a tolerance %a normal %s point_a %s point_b %s "
      "pieces %d %d",
      answer.state, answer.bracket.lower, answer.bracket.upper, answer.distance, answer.tolerance,
      Text(answer.n_AB), Text(answer.p_AoA), Text(answer.p_AoB), answer.piece_a, answer.piece_b);
}

std::string AnswerText(const IntersectionAnswer& answer) {
  return absl::StrFormat("state %d lower %a upper %a", answer.state, answer.bracket.lower,
                         answer.bracket.upper);
}

std::string AnswerText(const TimeOfCollisionAnswer& answer) {
  return absl::StrFormat(
      "state %d t_free %a t_hit %a t_leave %a distance %a normal %s point_a %s point_b %s pieces "
      "%d %d",
      answer.state, answer.t_free, answer.t_hit, answer.t_leave, answer.distance, Text(answer.n_AB),
      Text(answer.p_WA), Text(answer.p_WB), answer.piece_a, answer.piece_b);
}

// Returns text_of(i) of the first query bodies i of a question about a scene, as many as a line of
// the log holds, and of those of the pair.
template <class TextOf>
std::string ToldText(const SceneFinding& finding, const IdPair& pair, const TextOf& text_of) {
  constexpr std::size_t kMostTold = 8;
  std::string text;
  for (std::size_t i = 0; i < finding.bodies.size(); ++i) {
    const BodyId id = finding.bodies[i].id;
    if (i < kMostTold || id == pair.a || (pair.is_self && id == pair.b))
      absl::StrAppendFormat(&text, "%s%d: %s", text.empty() ? "" : "; ", id, text_of(i));
  }
  return text;
}

bool IsTooLarge(const AskedPair& pair) {
  const std::uint64_t pieces_a = pair.a.pieces().size();
  const std::uint64_t pieces_b = pair.b.pieces().size();
  const std::uint64_t scan = pieces_b * pair.a.vertex_count() + pieces_a * pair.b.vertex_count();
  return pieces_a * pieces_b > AnswerChecker::kMaxPairs || scan > AnswerChecker::kMaxScan;
}

Check Prove(const AskedDistance& asked, const DistanceAnswer& answer) {
  return CheckDistance(asked.pair.PosedA(), asked.pair.PosedB(), asked.options, answer);
}

Check Prove(const AskedIntersection& asked, const IntersectionAnswer& answer) {
  return CheckIntersection(asked.pair.PosedA(), asked.pair.PosedB(), answer);
}

Check Prove(const AskedTimeOfCollision& asked, const TimeOfCollisionAnswer& answer) {
  MotionOptions options = asked.options;
  options.proof = nullptr;  // its intervals may take a million supports
  return CheckTimeOfCollision(asked.MovingA(), asked.MovingB(), options, answer);
}

}  // namespace

std::string ExactText(const Vec3d& v) { return Text(v); }

AnswerChecker::AnswerChecker(std::uint64_t one_in, Metrics& metrics, Log& log, Judges judges)
    : samplers_{
#define QUERY(name, field, service, label, states) RowSampler(one_in),
#include "proto/methods.def"
      },
      metrics_(metrics),
      log_(log),
      judges_(std::move(judges)) {
}

template <class Asked, class Answer>
void AnswerChecker::Check(const Asked& asked, const Answer& answer, const DigestPair& digests) {
  CheckSeries& series = metrics_.Checks(KindOf(answer));
  if (answer.reason != UndecidedReason::kNone) return series.unchecked_undecided->Increment();
  if (IsTooLarge(asked.pair)) return series.unchecked_too_large->Increment();
  const clearance::Check found = judges_.pair(Prove(asked, answer));
  series.checked->Increment();
  if (!found.contradiction) return;
  series.contradicted->Increment();
  const std::optional<std::uint64_t> held_back = allowance_.Take();
  if (!held_back) return;
  const auto [claim, claimed, proved] = *found.contradiction;
  log_.Error("an answer contradicts its proof", {{"claim", Name(claim)},
                                                 {"claimed", Text({claimed})},
                                                 {"proved", Text({proved})},
                                                 {"question", QuestionText(asked)},
                                                 {"shape_a", digests.a},
                                                 {"shape_b", digests.b},
                                                 {"pose_a", Text(asked.pair.X_WA)},
                                                 {"pose_b", Text(asked.pair.X_WB)},
                                                 {"answer", AnswerText(answer)},
                                                 {kRequestIdKey, digests.call.request_id},
                                                 {"trace_id", digests.call.trace_id},
                                                 {"held_back", *held_back}});
}

template void AnswerChecker::Check(const AskedDistance&, const DistanceAnswer&, const DigestPair&);
template void AnswerChecker::Check(const AskedIntersection&, const IntersectionAnswer&,
                                   const DigestPair&);
template void AnswerChecker::Check(const AskedTimeOfCollision&, const TimeOfCollisionAnswer&,
                                   const DigestPair&);

void AnswerChecker::Report(const SceneFinding& finding, const CallIds& call) {
  CheckSeries& series = metrics_.Checks(finding.kind);
  if (finding.reason != UndecidedReason::kNone) return series.unchecked_undecided->Increment();
  const MaybeSceneContradiction contradiction = judges_.scene(finding);
  if (!contradiction && finding.look.is_too_large) return series.unchecked_too_large->Increment();
  series.checked->Increment();
  if (!contradiction) return;
  series.contradicted->Increment();
  const std::optional<std::uint64_t> held_back = allowance_.Take();
  if (!held_back) return;
  const auto [pair, claim, claimed, found] = *contradiction;
  const auto pose_of = [&](std::size_t i) {
    return Text(finding.poses.empty() ? finding.bodies[i].X_WB : finding.poses[i]);
  };
  const auto motion_of = [&](std::size_t i) { return Text(finding.motions[i]); };
  log_.Error("an answer about a scene contradicts a pair",
             {{"claim", Name(claim)},
              {"claimed", Text({claimed})},
              {"found", Text({found})},
              {"question", finding.question},
              {"scene", finding.scene},
              {"scene_revision", finding.revision},
              {"row", finding.row},
              {"body_a", pair.a},
              {"body_b", pair.b},
              {"is_self", pair.is_self ? "yes" : "no"},
              {"poses", ToldText(finding, pair, pose_of)},
              {"motions", finding.motions.empty() ? "" : ToldText(finding, pair, motion_of)},
              {kRequestIdKey, call.request_id},
              {"trace_id", call.trace_id},
              {"held_back", *held_back}});
}

}  // namespace clearance::server
