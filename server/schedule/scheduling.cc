// SPDX-License-Identifier: Apache-2.0

#include "server/schedule/scheduling.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>

namespace clearance::server {
namespace {

// The first version of Linux's struct sched_attr, whose header glibc's <sched.h> excludes.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;  // 0: the usual one
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  // ns; under the usual policy, the slice
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

constexpr std::uint64_t kSliceNanoseconds = 100'000;

}  // namespace

void RunInShortSlices() {
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0U) != 0) return;
  if (attributes.policy != 0) return;  // keeps another policy that was chosen
  attributes.runtime = kSliceNanoseconds;
  syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

void RunNicely(int niceness) {
  // On Linux the niceness is the thread's alone.
  const auto thread = static_cast<id_t>(syscall(SYS_gettid));
  if (niceness > getpriority(PRIO_PROCESS, thread)) setpriority(PRIO_PROCESS, thread, niceness);
}

absl::Duration ProcessorTimeOf(std::thread& thread) {
  clockid_t clock{};
  timespec time{};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) != 0) return absl::ZeroDuration();
  clock_gettime(clock, &time);
  return absl::DurationFromTimespec(time);
}

}  // namespace clearance::server
