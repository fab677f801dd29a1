// SPDX-License-Identifier: Apache-2.0

#include "server/fence/handover.h"

#include <utility>

#include "server/schedule/scheduling.h"

namespace clearance::server {

Handover::Handover(Handler handler) : handler_(std::move(handler)) {
  thread_ = std::thread([this] { Run(); });
}

Handover::~Handover() {
  Stop();
  thread_.join();
}

void Handover::Add(Descriptor connection) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ending_) waiting_.push_back(std::move(connection));
  }
  changed_.notify_one();
}

std::optional<int> Handover::HeldFor(absl::Duration processor_time) {
  const std::lock_guard lock(mutex_);
  if (!held_.has_value()) return std::nullopt;
  return ProcessorTimeOf(thread_) - held_since_ >= processor_time ? held_ : std::nullopt;
}

std::uint64_t Handover::turns() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty() && !held_.has_value()) ++turns_;
  return turns_;
}

void Handover::Stop() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    waiting_.clear();
  }
  changed_.notify_one();
}

bool Handover::is_idle() {
  const std::lock_guard lock(mutex_);
  return !held_.has_value();
}

void Handover::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !waiting_.empty() || is_ending_; });
    if (waiting_.empty()) return;
    Descriptor connection = std::move(waiting_.front());
    waiting_.pop_front();
    held_ = connection.number();
    held_since_ = ProcessorTimeOf(thread_);
    lock.unlock();
    handler_(std::move(connection));
    lock.lock();
    held_.reset();
    ++turns_;
  }
}

}  // namespace clearance::server
