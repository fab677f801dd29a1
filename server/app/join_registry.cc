// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "server/app/optional_parts.h"
#include "server/app/restore.h"
#include "server/app/shared_mirror.h"
#include "server/etcd/etcd_store.h"

namespace clearance::server {
namespace {

// Logs every second, while it lives, that the server waits for the shared store. Thread-safe.
class WaitingNotice {
 public:
  // `log` outlives this.
  WaitingNotice(std::string endpoints, Log* log)
      : endpoints_(std::move(endpoints)),
        log_(log),
        teller_([this](const std::stop_token& stopped) { Tell(stopped); }) {}

  // The last try came to nothing for this reason.
  void Failed(const absl::Status& reason) {
    const std::lock_guard lock(mutex_);
    reason_ = std::string(reason.message());
  }

 private:
  void Tell(const std::stop_token& stopped) {
    std::unique_lock lock(mutex_);
    for (int seconds = 1;; ++seconds) {
      ended_.wait_for(lock, stopped, std::chrono::seconds(1), [] { return false; });
      if (stopped.stop_requested()) return;
      log_->Warning("waiting for the shared store",
                    {{"endpoints", endpoints_}, {"seconds", seconds}, {"reason", reason_}});
    }
  }

  const std::string endpoints_;
  Log* const log_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::string reason_ = "no answer yet";
  std::jthread teller_;
};

absl::StatusOr<std::unique_ptr<EtcdStore>> OpenStore(const JoinParts& parts) {
  WaitingNotice notice(absl::StrJoin(parts.config.endpoints, ","), parts.log);
  return EtcdStore::Open(parts.config, &parts.metrics->store(), [&](const absl::Status& reason) {
    notice.Failed(reason);
    return !parts.is_ended();
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<SharedRegistry>> JoinRegistry(const JoinParts& parts) {
  absl::StatusOr<std::unique_ptr<EtcdStore>> store = OpenStore(parts);
  if (!store.ok()) return store.status();
  constexpr int kTries = 3;
  absl::Status status = absl::OutOfRangeError("not read");
  for (int tries = 0; absl::IsOutOfRange(status) && tries < kTries; ++tries) {
    status = RestoreShapes(parts.threads, store->get(), parts.shapes);
  }
  auto mirror = std::make_unique<SharedMirror>(parts.shapes, parts.scenes);
  if (status.ok()) status = RestoreScenes(store->get(), *parts.shapes, parts.scenes);
  if (absl::IsOutOfRange(status)) status = mirror->Reload(store->get());
  if (!status.ok()) return status;
  return std::make_unique<SharedRegistry>(SharedRegistry::Parts{.store = *std::move(store),
                                                                .mirror = std::move(mirror),
                                                                .patience = parts.config.patience,
                                                                .series = &parts.metrics->store(),
                                                                .log = parts.log});
}

}  // namespace clearance::server
