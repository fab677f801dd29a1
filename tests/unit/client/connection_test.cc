// SPDX-License-Identifier: Apache-2.0
#include "internal/connection.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "absl/synchronization/mutex.h"

namespace clearance::client {
namespace {

// In a thread of its own, which has to wait for the mutex: what it leaves in errno.
int ErrnoAfterWaitingForAMutex() {
  absl::Mutex mutex;
  std::atomic<bool> is_about_to_wait = false;
  int left = 0;
  mutex.Lock();
  std::thread waiter([&] {
    errno = 0;
    is_about_to_wait = true;
    mutex.Lock();
    left = errno;
    mutex.Unlock();
  });
  while (!is_about_to_wait) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  mutex.Unlock();
  waiter.join();
  return left;
}

// gRPC's connect() must not be taken for one that failed: see connection.cc.
TEST(Connection, LeavesNoFileForMutexesToOpen) {
  const Connection connection({.address = "127.0.0.1:1"}, ClientOptions());
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const int left = ErrnoAfterWaitingForAMutex();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_NE(left, EMFILE);
}

}  // namespace
}  // namespace clearance::client
