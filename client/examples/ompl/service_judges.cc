// SPDX-License-Identifier: Apache-2.0

#include "client/examples/ompl/service_judges.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/statusor.h"

namespace clearance::plan {
namespace {

// More in one gap would mostly be wasted where one of them is not free.
constexpr std::size_t kMostInGap = 16;
// A way that needs more messages hardly gets on.
constexpr int kMostMessages = 64;

}  // namespace

bool StatesJudge::AreFree(const std::vector<JointVector>& rows) {
  counts_.checks += rows.size();
  ++counts_.calls;
  const absl::StatusOr<std::vector<bool>> free = asker_->AreFree(rows);
  status_.Update(free.status());
  return status_.ok() && std::find(free->begin(), free->end(), false) == free->end();
}

bool StatesJudge::DoIsFreeBetween(const JointVector& from, const JointVector& to) {
  const std::size_t count = StateCount(from, to);
  std::vector<JointVector> rows;
  for (std::size_t i = 1; i <= count; ++i)
    rows.push_back(Between(from, to, static_cast<double>(i) / static_cast<double>(count)));
  return AreFree(rows);
}

std::vector<Surroundings> ProofJudge::FreeSurroundings(const std::vector<JointVector>& rows) {
  counts_.checks += rows.size();
  ++counts_.calls;
  absl::StatusOr<std::vector<Surroundings>> found = asker_->Near(rows, kMaxDistance);
  status_.Update(found.status());
  if (!status_.ok()) return {};
  const bool are_free = std::all_of(found->begin(), found->end(),
                                    [](const Surroundings& row) { return row.is_free; });
  return are_free ? *std::move(found) : std::vector<Surroundings>{};
}

bool ProofJudge::IsFree(const JointVector& joints) {
  if (ends_.contains(joints)) return true;
  std::vector<Surroundings> found = FreeSurroundings({joints});
  if (found.empty()) return false;
  ends_[joints] = std::move(found.front());
  return true;
}

double ProofJudge::HalfWidth(const Way& way, const Surroundings& around) const {
  double least = (kMaxDistance - kRoundingSlack) / robot_.MotionBound(way.turn);
  for (const NearPair& pair : around.pairs) {
    const double bound = pair.is_self ? robot_.MotionBound(pair.body, pair.other, way.turn)
                                      : robot_.MotionBound(pair.body, way.turn);
    if (bound == 0) continue;
    if (pair.lower_bound < kLeastDistance) return 0;
    least = std::fmin(least, (pair.lower_bound - kRoundingSlack) / bound);
  }
  return least;
}

bool ProofJudge::Cover(double t, const Surroundings& around, Way* way) {
  const double half_width = HalfWidth(*way, around);
  if (half_width > 0) {
    way->proved.Add(t, half_width);
    return true;
  }
  ++counts_.too_near;
  return false;
}

bool ProofJudge::AskAt(const std::vector<double>& times, Way* way) {
  std::vector<JointVector> rows;
  rows.reserve(times.size());
  for (const double t : times) rows.push_back(Between(way->from, way->to, t));
  std::vector<Surroundings> found = FreeSurroundings(rows);
  if (found.empty()) return false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!Cover(times[i], found[i], way)) return false;
    if (times[i] == 1) ends_[way->to] = std::move(found[i]);
  }
  return true;
}

bool ProofJudge::DoIsFreeBetween(const JointVector& from, const JointVector& to) {
  Way way = {from, to, TurnBetween(from, to)};
  if (!(robot_.MotionBound(way.turn) > 0)) return IsFree(to);
  const auto begin = ends_.find(from);
  if (begin != ends_.end() && !Cover(0, begin->second, &way)) return false;
  const auto end = ends_.find(to);
  if (end != ends_.end() && !Cover(1, end->second, &way)) return false;
  std::vector<double> times = way.proved.NextTimes(kMostInGap);
  if (end == ends_.end()) times.push_back(1);
  for (int messages = 0; messages < kMostMessages; ++messages) {
    if (times.empty()) return true;
    if (!AskAt(times, &way)) return false;
    times = way.proved.NextTimes(kMostInGap);
  }
  ++counts_.too_near;
  return false;
}

}  // namespace clearance::plan
