// SPDX-License-Identifier: Apache-2.0
//
// Asks the core the questions of one cell of peer_bench's tables, each once, for a profiler:
// everything between the questions' first and last instruction is in AskAll.
//
//   core_cell KIND REGIME SIZE      such as: core_cell depth shallow 64

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tests/bench/peers/peer.h"
#include "tests/bench/workload.h"

namespace clearance::bench {

namespace {

// Must stay a function that the profiler can find.
[[gnu::noinline]] void AskAll(Peer* peer, std::vector<double>* answers) { peer->Answer(answers); }

// A profiler takes fifty times as long as a processor.
constexpr int kMostShapes = 50;
constexpr int kPairs = 200;

template <class T, std::size_t kCount>
std::optional<T> Named(const std::array<T, kCount>& all, std::string_view name) {
  for (const T& one : all) {
    if (Name(one) == name) return one;
  }
  return std::nullopt;
}

std::optional<Size> SizeNamed(std::string_view name) {
  for (const Size& size : kSizes) {
    if (size.name == name) return size;
  }
  return std::nullopt;
}

void Ask(Kind kind, Regime regime, const Size& size) {
  testing::Random random = RandomOf(size);
  const Pool pool = MakePool(size, std::min(size.shapes, kMostShapes), random);
  testing::Random random_pairs = RandomOf(size, regime);
  const std::vector<Pair> pairs = MakePairs(pool, regime, kPairs, random_pairs);
  std::vector<Motion> approaches;
  for (const Pair& pair : pairs) approaches.push_back(MakeApproach(pair, random_pairs));
  // The mode that the tables of README.md beside this show.
  const std::unique_ptr<Peer> peer = MakeOursBatch();
  peer->Load(pool);
  peer->Prepare({kind, pool, pairs, approaches, TracksOf(pairs.size())});
  std::vector<double> answers(pairs.size());
  AskAll(peer.get(), &answers);
  std::printf("%zu queries\n", pairs.size());
}

int Run(const std::vector<std::string_view>& arguments) {
  constexpr std::array kKinds = {Kind::kDistance, Kind::kWarmDistance, Kind::kIntersection,
                                 Kind::kDepth, Kind::kTimeOfCollision};
  constexpr std::array kRegimes = {Regime::kFar, Regime::kNear, Regime::kShallow, Regime::kDeep,
                                   Regime::kCoherent};
  if (arguments.size() != 3) return 2;
  const auto kind = Named(kKinds, arguments[0]);
  const auto regime = Named(kRegimes, arguments[1]);
  const auto size = SizeNamed(arguments[2]);
  if (!kind || !regime || !size) return 2;
  Ask(*kind, *regime, *size);
  return 0;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  const int end = clearance::bench::Run({argv + 1, argv + argc});
  if (end != 0) std::fprintf(stderr, "usage: core_cell KIND REGIME SIZE\n");
  return end;
}
