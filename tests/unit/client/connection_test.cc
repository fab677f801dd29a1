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

// While it lives the process can open no file.
class NoFiles {
 public:
  NoFiles() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit none = {.rlim_cur = 0, .rlim_max = before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoFiles() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }
  NoFiles(const NoFiles&) = delete;
  NoFiles& operator=(const NoFiles&) = delete;

 private:
  rlimit before_{};
};

void AwaitTrue(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

// gRPC's connect() must not be taken for one that failed: see connection.cc. The threads begin and
// end while there are files, as sanitizers need some then.
TEST(Connection, LeavesNoFileForMutexesToOpen) {
  const Connection connection({.address = "127.0.0.1:1"}, ClientOptions());
  absl::Mutex mutex;
  std::atomic<bool> has_begun = false, may_wait = false, is_about_to_wait = false,
                    has_waited = false;
  int left = 0;
  mutex.Lock();
  std::thread waiter([&] {
    has_begun = true;
    AwaitTrue(may_wait);
    errno = 0;
    is_about_to_wait = true;
    mutex.Lock();
    left = errno;
    mutex.Unlock();
    has_waited = true;
  });
  AwaitTrue(has_begun);
  {
    const NoFiles no_files;
    may_wait = true;
    AwaitTrue(is_about_to_wait);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    mutex.Unlock();
    AwaitTrue(has_waited);
  }
  waiter.join();
  EXPECT_NE(left, EMFILE);
}

}  // namespace
}  // namespace clearance::client
