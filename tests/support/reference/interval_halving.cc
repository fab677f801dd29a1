// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/interval_halving.h"

#include "tests/support/reference/gjk_loop.h"
#include "tests/support/reference/signed_volumes.h"
#include "tests/support/reference/sub_solvers.h"

namespace clearance::reference {
namespace {

class Search {
 public:
  Search(const Translation& motion, Start start) : motion_(motion), start_(start) {}

  HalvingResult Run() {
    Look(0, 1);
    return result_;
  }

 private:
  // True once the first hit is found.
  bool Look(double from, double to) {
    if (IsFree(from, to)) return false;
    if (to - from <= kShortest) {
      result_.hits = true;
      result_.t_low = from;
      result_.t_high = to;
      return true;
    }
    const double middle = 0.5 * (from + to);
    return Look(from, middle) || Look(middle, to);
  }

  bool IsFree(double from, double to) {
    const DifferenceSets sets = SweptBetween(motion_, from, to);
    const bool is_warm = start_ == Start::kWarm && last_.size > 0;
    LoopResult loop =
        RunGjk(sets, NearestBySignedVolumes, is_warm ? BeginWarm(sets, last_) : BeginCold(sets, 1));
    ++result_.queries;
    result_.iterations += loop.iterations;
    for (const SubSolver& solver : kSubSolvers) {
      if (IsDecided(loop)) break;
      loop = RunGjk(sets, solver.solve, BeginCold(sets, 4));
      result_.iterations += loop.iterations;
    }
    last_ = loop.q;
    return loop.lower > motion_.target;
  }

  // Short sweeps make slivers of simplices, on which a solver may stall.
  bool IsDecided(const LoopResult& loop) const {
    return loop.lower > motion_.target || loop.upper <= motion_.target ||
           loop.end != LoopEnd::kStalled;
  }

  const Translation& motion_;
  const Start start_;
  Simplex last_;
  HalvingResult result_;
};

}  // namespace

DifferenceSets SweptBetween(const Translation& motion, double from, double to) {
  DifferenceSets sets = motion.sets;
  for (Vec3d& p : sets.b) p = p + from * motion.displacement;
  sets.sweep = (to - from) * motion.displacement;
  return sets;
}

double DistanceAt(const Translation& motion, double t) {
  const DifferenceSets sets = SweptBetween(motion, t, t);
  return RunGjk(sets, NearestBySignedVolumes, BeginCold(sets, 1)).upper;
}

HalvingResult HitByHalving(const Translation& motion, Start start) {
  return Search(motion, start).Run();
}

}  // namespace clearance::reference
