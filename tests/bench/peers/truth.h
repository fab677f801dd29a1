// SPDX-License-Identifier: Apache-2.0
//
// What the right answers to questions are, by which every library is judged: brackets that the core
// proved, after they were held against how the pairs were placed and, of a sample, against the
// exact oracle.

#ifndef CLEARANCE_TESTS_BENCH_PEERS_TRUTH_H_
#define CLEARANCE_TESTS_BENCH_PEERS_TRUTH_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tests/bench/peers/peer.h"
#include "tests/bench/workload.h"

namespace clearance::bench {

// The number that answers a question lies in between.
struct Truth {
  double lowest = 0;
  double highest = 0;
};

struct Truths {
  std::vector<Truth> of;  // each question
  std::string fault;      // of the core's own answers; empty: none
};

Truths ProveTruths(const Questions& questions, Regime regime, std::size_t sample);

// NaN is wrong.
std::size_t CountWrong(const std::vector<Truth>& truths, const std::vector<double>& answers,
                       double tolerance);

// How far from the truth an answer of another library may be: metres, of times of collision a share
// of the way. Yes and no have none.
double ToleranceOfPeers(Kind kind);

// As ToleranceOfPeers, for the core's own modes: what states are judged by, of bodies of a metre.
double OwnTolerance(Kind kind);

}  // namespace clearance::bench

#endif  // CLEARANCE_TESTS_BENCH_PEERS_TRUTH_H_
