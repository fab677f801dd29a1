// SPDX-License-Identifier: Apache-2.0
//
// Every allocation of the building of shapes fails once, each kind of shape in turn: a refusal that
// says so, nothing left behind that changes what is built next.
//
//   allocation_faults [--rounds=N] [--seed=S]
//
// Exits with 1 where a shape is refused with another status, or is another one afterwards.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "server/convert/shape_content.h"
#include "server/storage/body_codec.h"
#include "tests/hammer/conversation.h"
#include "tests/hammer/result_line.h"
#include "tests/support/random.h"

ABSL_FLAG(int, rounds, 100, "How many shapes are built.");
ABSL_FLAG(std::uint64_t, seed, 1, "Of shapes.");

namespace {

// Allocations from now on until one fails; never where it is negative.
std::atomic<long> left_until_failure = -1;

void* Allocate(std::size_t size) {
  if (left_until_failure.load(std::memory_order_relaxed) >= 0 && left_until_failure-- == 0) {
    throw std::bad_alloc();
  }
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace clearance::hammer {
namespace {

// One in four of two pieces.
v1::Shape AnyBody(testing::Random* random) {
  if (!random->OneIn(4)) return AnyShape(random);
  v1::Shape shape;
  for (int i = 0; i < 2; ++i) {
    *shape.mutable_compound()->add_pieces()->mutable_shape() = AnyShape(random);
  }
  return shape;
}

// "" where every fault in the building of the shape is answered as it may be.
std::string FaultOf(const v1::Shape& shape, std::uint64_t* faults) {
  const server::Limits limits;
  const server::Registry registry(limits, nullptr);
  const auto right = server::BuildContent(shape, limits, registry);
  if (!right.ok()) return "without a fault: " + right.status().ToString();
  for (long n = 0;; ++n) {
    left_until_failure = n;
    const auto built = server::BuildContent(shape, limits, registry);
    const bool has_struck = left_until_failure < 0;
    left_until_failure = -1;
    if (!has_struck) return "";
    ++*faults;
    if (built.ok()) return "built without memory";
    if (built.status().code() != absl::StatusCode::kResourceExhausted) {
      return "allocation " + std::to_string(n) + ": " + built.status().ToString();
    }
    const auto again = server::BuildContent(shape, limits, registry);
    if (!again.ok() || (*again)->digest != (*right)->digest ||
        server::EncodeBody(*(*again)->body) != server::EncodeBody(*(*right)->body)) {
      return "allocation " + std::to_string(n) + ": another shape afterwards";
    }
  }
}

int Main() {
  std::printf("allocation_faults: --rounds=%d --seed=%llu\n", absl::GetFlag(FLAGS_rounds),
              static_cast<unsigned long long>(absl::GetFlag(FLAGS_seed)));
  testing::Random random(absl::GetFlag(FLAGS_seed));
  Result result = {.kind = "allocation"};
  std::string fault;
  for (int i = 0; i < absl::GetFlag(FLAGS_rounds) && fault.empty(); ++i) {
    fault = FaultOf(AnyBody(&random), &result.faults);
  }
  if (!fault.empty()) {
    std::printf("FAULT: %s\n", fault.c_str());
    result.wrong = 1;
  }
  std::printf("%llu allocations failed\n", static_cast<unsigned long long>(result.faults));
  PrintResult(result);
  return fault.empty() && result.faults > 0 ? 0 : 1;
}

}  // namespace
}  // namespace clearance::hammer

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::hammer::Main();
}
