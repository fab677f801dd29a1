// SPDX-License-Identifier: Apache-2.0
//
// Prints the digests of blocks of answers, a line each, for comparison with
// tests/golden/digests:
//   golden_digest [--blocks N] [--threads N] [--backwards]
// The last line is that of scenes. The lines do not depend on the threads nor on the order in which
// the blocks are answered.

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/golden/golden_cases.h"
#include "tests/golden/golden_scenes.h"

namespace clearance::golden {
namespace {

struct Arguments {
  std::uint32_t blocks = 40;
  std::uint32_t threads = 1;
  bool backwards = false;
};

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--backwards") {
      arguments.backwards = true;
    } else if (word == "--blocks" && i + 1 < argc) {
      arguments.blocks = static_cast<std::uint32_t>(std::atoi(argv[++i]));
    } else if (word == "--threads" && i + 1 < argc) {
      arguments.threads = static_cast<std::uint32_t>(std::atoi(argv[++i]));
    } else {
      std::fprintf(stderr, "usage: golden_digest [--blocks N] [--threads N] [--backwards]\n");
      std::exit(2);
    }
  }
  return arguments;
}

std::vector<std::uint64_t> Digests(const Arguments& arguments) {
  const std::vector<ConvexShapePtr> pool = MakePool();
  std::vector<std::uint64_t> digests(arguments.blocks + 1);
  std::atomic<std::uint32_t> next = 0;
  const auto work = [&] {
    for (std::uint32_t i = next++; i <= arguments.blocks; i = next++) {
      const std::uint32_t line = arguments.backwards ? arguments.blocks - i : i;
      digests[line] = line == arguments.blocks ? SceneDigest(pool) : BlockDigest(pool, line);
    }
  };
  std::vector<std::thread> threads;
  for (std::uint32_t i = 1; i < arguments.threads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return digests;
}

}  // namespace
}  // namespace clearance::golden

int main(int argc, char** argv) {
  const auto arguments = clearance::golden::Parse(argc, argv);
  for (const std::uint64_t digest : clearance::golden::Digests(arguments)) {
    std::printf("%016" PRIx64 "\n", digest);
  }
  return 0;
}
