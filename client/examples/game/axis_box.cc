// SPDX-License-Identifier: Apache-2.0
#include "axis_box.h"

#include <algorithm>
#include <limits>

namespace game {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The times at which the point is between the faces of every axis that was cut to so far.
struct Interval {
  double first = 0;
  double last = 1;
};

struct Slab {
  double low;
  double high;
};

void CutTo(const Slab& slab, double from, double move, Interval* interval) {
  if (move == 0) {
    if (from < slab.low || from > slab.high) interval->last = -kInfinity;
    return;
  }
  const double at_low = (slab.low - from) / move;
  const double at_high = (slab.high - from) / move;
  interval->first = std::max(interval->first, std::min(at_low, at_high));
  interval->last = std::min(interval->last, std::max(at_low, at_high));
}

// The times at which a body is met by the moving box, by a slightly larger one, and by a slightly
// smaller one; infinity: never.
struct Meeting {
  double larger = kInfinity;
  double exact = kInfinity;
  double smaller = kInfinity;
};

Meeting MeetingWith(const AxisBox& box, const BoxQuestion& question) {
  const Vec3 doubt = {question.doubt, question.doubt, question.doubt};
  const auto time = [&](const Vec3& half_size) {
    return EntryTime(Grown(box, half_size), question.way).value_or(kInfinity);
  };
  Meeting meeting;
  meeting.larger = time(question.half_size + doubt);
  if (meeting.larger == kInfinity) return meeting;
  meeting.exact = time(question.half_size);
  meeting.smaller = time(question.half_size - doubt);
  return meeting;
}

}  // namespace

AxisBox Grown(const AxisBox& box, const Vec3& by) { return {box.low - by, box.high + by}; }

std::optional<double> EntryTime(const AxisBox& box, const Way& way) {
  Interval inside;
  CutTo({box.low.x, box.high.x}, way.from.x, way.move.x, &inside);
  CutTo({box.low.y, box.high.y}, way.from.y, way.move.y, &inside);
  CutTo({box.low.z, box.high.z}, way.from.z, way.move.z, &inside);
  if (inside.first > inside.last) return std::nullopt;
  return inside.first;
}

Expectation Expect(const std::vector<BoxBody>& bodies, bool is_whole, const BoxQuestion& question) {
  std::vector<Meeting> meetings;
  double first_sure = kInfinity;
  double first = kInfinity;
  for (const BoxBody& body : bodies) {
    meetings.push_back(MeetingWith(body.box, question));
    first_sure = std::min(first_sure, meetings.back().smaller);
    first = std::min(first, meetings.back().exact);
  }
  if (!is_whole) {
    if (first_sure == kInfinity) return {};
    return {Expectation::Kind::kStoppedNotAfter, first_sure};
  }
  Expectation expectation{Expectation::Kind::kStopped, first};
  bool is_free = true;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Meeting& meeting = meetings[i];
    if (meeting.larger == kInfinity) continue;
    is_free = false;
    if (meeting.larger <= first_sure && meeting.smaller == kInfinity) return {};
    if (meeting.exact <= first + kTimeSlack) expectation.bodies.push_back(bodies[i].id);
  }
  if (is_free) return {Expectation::Kind::kFree};
  return expectation;
}

}  // namespace game
