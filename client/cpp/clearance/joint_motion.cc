// SPDX-License-Identifier: Apache-2.0
#include "clearance/joint_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace clearance::client {
namespace {

// A share of what a free radius proves, so that rounding of times never counts as proved.
constexpr double kShare = 1 - 1e-9;

// A part of a motion that nothing is proved of yet.
struct Part {
  std::uint32_t motion = 0;
  double low = 0;
  double high = 1;

  double middle() const { return (low + high) / 2; }
};

bool AreFinite(absl::Span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

absl::Status CheckArguments(const JointMotions& motions) {
  const std::size_t joints = motions.joint_count;
  const bool fits = joints > 0 && motions.starts.size() == motions.ends.size() &&
                    motions.starts.size() % joints == 0 && !motions.reaches.empty() &&
                    motions.reaches.size() % joints == 0;
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat(
        "starts, ends and reaches have ", motions.starts.size(), ", ", motions.ends.size(), " and ",
        motions.reaches.size(), " numbers: must be rows of joint_count = ", joints));
  }
  const bool is_negative = std::any_of(motions.reaches.begin(), motions.reaches.end(),
                                       [](double reach) { return reach < 0; });
  if (is_negative || !AreFinite(motions.reaches) || !AreFinite(motions.starts) ||
      !AreFinite(motions.ends)) {
    return absl::InvalidArgumentError(
        "starts, ends and reaches must be finite, and reaches at least 0");
  }
  return absl::OkStatus();
}

class Prover {
 public:
  Prover(Session* session, const ForwardKinematics& kinematics, const JointMotions& motions)
      : session_(*session), kinematics_(kinematics), motions_(motions) {
    const std::size_t count = motions.starts.size() / motions.joint_count;
    proof_.verdicts.assign(count, Verdict::kFree);
    proof_.times.assign(count, std::numeric_limits<double>::quiet_NaN());
    for (std::uint32_t i = 0; i < count; ++i) {
      parts_.push_back({.motion = i});
      speeds_.push_back(SpeedOf(i));
    }
  }

  absl::StatusOr<JointMotionProof> Run() {
    while (!parts_.empty()) {
      const absl::StatusOr<CheckResult> result = session_.Ask(Batch());
      if (!result.ok()) return result.status();
      if (!result->errors.empty()) {
        const Error& error = result->errors.front();
        return absl::InvalidArgumentError(absl::StrCat("a configuration was refused: ", error.field,
                                                       " = ", error.value, ": ", error.message));
      }
      Divide(*result);
    }
    return std::move(proof_);
  }

 private:
  // Metres that any point of any body moves while the motion goes on by 1, at most.
  double SpeedOf(std::uint32_t motion) const {
    const std::size_t joints = motions_.joint_count;
    double fastest = 0;
    for (std::size_t body = 0; body < motions_.reaches.size(); body += joints) {
      double speed = 0;
      for (std::size_t k = 0; k < joints; ++k) {
        const double way =
            motions_.ends[motion * joints + k] - motions_.starts[motion * joints + k];
        speed += std::fabs(way) * motions_.reaches[body + k];
      }
      fastest = std::max(fastest, speed);
    }
    return fastest;
  }

  // The middles of all parts.
  CheckBatch Batch() {
    const std::size_t joints = motions_.joint_count;
    CheckBatch batch = {.configurations = motions_.configurations};
    batch.detail.free_radii = true;
    batch.configurations.count = static_cast<std::uint32_t>(parts_.size());
    batch.configurations.body_count = static_cast<std::uint32_t>(motions_.reaches.size() / joints);
    std::vector<double> at(joints);
    for (const Part& part : parts_) {
      for (std::size_t k = 0; k < joints; ++k) {
        const double start = motions_.starts[part.motion * joints + k];
        at[k] = start + part.middle() * (motions_.ends[part.motion * joints + k] - start);
      }
      kinematics_(at, &batch.configurations.poses);
    }
    proof_.checks += parts_.size();
    return batch;
  }

  void Divide(const CheckResult& result) {
    const std::vector<Part> parts = std::exchange(parts_, {});
    for (std::size_t i = 0; i < parts.size(); ++i) DivideOne(parts[i], result, i);
    // A motion may have ended by another of its parts.
    std::erase_if(parts_, [this](const Part& part) {
      return proof_.verdicts[part.motion] != Verdict::kFree;
    });
  }

  // Keeps what is left of the part on both sides of what row i proves.
  void DivideOne(const Part& part, const CheckResult& result, std::size_t i) {
    const double radius =
        result.verdicts[i] == Verdict::kFree ? result.free_radii[i] - motions_.pose_error : 0;
    if (!(radius > 0)) return End(part, result.verdicts[i]);
    const double speed = speeds_[part.motion];
    const double half = speed > 0 ? kShare * (radius / speed) : HUGE_VAL;
    const double width = part.high - part.low;
    if (half >= width / 2) return;
    if (width <= motions_.narrowest) return End(part, Verdict::kUndecided);
    parts_.push_back({part.motion, part.low, part.middle() - half});
    parts_.push_back({part.motion, part.middle() + half, part.high});
  }

  // One that touches comes before one undecided.
  void End(const Part& part, Verdict verdict) {
    if (proof_.verdicts[part.motion] == Verdict::kTouching) return;
    proof_.verdicts[part.motion] =
        verdict == Verdict::kTouching ? Verdict::kTouching : Verdict::kUndecided;
    proof_.times[part.motion] = part.middle();
  }

  Session& session_;
  const ForwardKinematics& kinematics_;
  const JointMotions& motions_;
  std::vector<Part> parts_;
  std::vector<double> speeds_;  // of each motion
  JointMotionProof proof_;
};

}  // namespace

absl::StatusOr<JointMotionProof> ProveJointMotions(Session* session,
                                                   const ForwardKinematics& kinematics,
                                                   const JointMotions& motions) {
  if (absl::Status status = CheckArguments(motions); !status.ok()) return status;
  return Prover(session, kinematics, motions).Run();
}

}  // namespace clearance::client
