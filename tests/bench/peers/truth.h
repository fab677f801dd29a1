// SPDX-License-Identifier: Apache-2.0
//
// The right answers to questions, by which every library is judged: brackets that the core proved,
// compared with the placing of the pairs and, for a sample, with the exact oracle.

#pragma once

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

// Returns the largest allowed error of an answer of another library: metres, for times of collision
// a share of the path. Yes and no have none.
double ToleranceOfPeers(Kind kind);

// Returns the same for the core's own modes: the tolerance by which states are judged, for bodies
// of a metre.
double OwnTolerance(Kind kind);

}  // namespace clearance::bench
