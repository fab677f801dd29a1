// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/load/session_client.h"

#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"

namespace clearance::bench {

// Messages sent and not yet answered. Thread-safe.
class SessionClient::Window {
 public:
  explicit Window(std::uint64_t size) : size_(size) {}

  // Blocks until there is room; false once the reader gave up.
  bool AwaitRoom() {
    const absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &Window::HasRoomOrStopped));
    if (is_stopped_) return false;
    ++sent_;
    return true;
  }
  void EndOfMessages() {
    const absl::MutexLock lock(&mutex_);
    is_complete_ = true;
  }

  // Blocks until a reply is due; false if none will be.
  bool AwaitDue() {
    const absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &Window::IsDueOrComplete));
    return received_ < sent_;
  }
  void Received() {
    const absl::MutexLock lock(&mutex_);
    ++received_;
  }
  void Stop() {
    const absl::MutexLock lock(&mutex_);
    is_stopped_ = true;
  }
  std::uint64_t received() const {
    const absl::MutexLock lock(&mutex_);
    return received_;
  }

 private:
  bool HasRoomOrStopped() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return sent_ - received_ < size_ || is_stopped_;
  }
  bool IsDueOrComplete() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return received_ < sent_ || is_complete_;
  }

  const std::uint64_t size_;
  mutable absl::Mutex mutex_;
  std::uint64_t sent_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t received_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_complete_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

SessionClient::SessionClient(const std::string& address)
    : stub_(v1::QueryService::NewStub(
          grpc::CreateChannel(address, grpc::InsecureChannelCredentials()))),
      stream_(stub_->Session(&context_)) {}

SessionClient::~SessionClient() {
  context_.TryCancel();
  stream_->Finish();
}

std::uint64_t SessionClient::Run(const Load& load, Judge judge) {
  Window window(static_cast<std::uint64_t>(load.window));
  std::thread writer([&] { WriteAll(load, window); });
  const bool is_right = ReadAll(load, window, judge);
  if (!is_right) {
    window.Stop();
    context_.TryCancel();  // a write that waits for the server ends
  }
  writer.join();
  return is_right ? window.received() : 0;
}

void SessionClient::WriteAll(const Load& load, Window& window) {
  const absl::Time end = absl::Now() + load.duration;
  const std::size_t count = load.messages.size();
  for (std::size_t i = 0; i < count || absl::Now() < end; ++i) {
    if (!window.AwaitRoom() || !stream_->Write(load.messages[i % count])) break;
  }
  window.EndOfMessages();
}

bool SessionClient::ReadAll(const Load& load, Window& window, Judge judge) {
  v1::SessionResponse reply;
  for (std::size_t i = 0; window.AwaitDue(); i = (i + 1) % load.messages.size()) {
    if (!stream_->Read(&reply) || reply.tag() != i || !judge(i, reply)) return false;
    window.Received();
  }
  return true;
}

bool SessionClient::Ask(const v1::SessionRequest& message, v1::SessionResponse* reply) {
  return stream_->Write(message) && stream_->Read(reply) && reply->tag() == message.tag();
}

}  // namespace clearance::bench
