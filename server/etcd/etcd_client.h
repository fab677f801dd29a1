// SPDX-License-Identifier: Apache-2.0
//
// Calls of etcd: at one member at a time, at the next where that one does not answer, with a
// deadline. They block; they are for threads that may.

#ifndef CLEARANCE_SERVER_ETCD_ETCD_CLIENT_H_
#define CLEARANCE_SERVER_ETCD_ETCD_CLIENT_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "etcd/rpc.grpc.pb.h"
#include "server/config/server_config.h"
#include "server/observe/metrics.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// Thread-safe. Codes are those of etcd.
class EtcdClient {
 public:
  // Reads the files; asks nothing of etcd yet. FAILED_PRECONDITION where a file cannot be read.
  // `series` may be null.
  static absl::StatusOr<std::unique_ptr<EtcdClient>> Open(const EtcdConfig& config,
                                                          StoreSeries* series);

  EtcdClient(const EtcdClient&) = delete;
  EtcdClient& operator=(const EtcdClient&) = delete;

  // How long one member may take, and all tries together. Once all members took so long, each has
  // twice as long, and so on: who is slow is heard, and who is silent does not hold the others up.
  // Who says at once that he cannot help, as all do while they elect a leader, is not slow: nobody
  // has longer for that.
  struct Patience {
    absl::Duration of_member;
    absl::Duration in_all;
  };
  // What a member has after so many silences, where it had so long at the first try.
  absl::Duration Grown(absl::Duration of_member, std::size_t silences) const;

  // Asked again of other members as long as there is time: of these once or twice is the same.
  absl::Status Range(const etcdserverpb::RangeRequest& request, const Patience& patience,
                     etcdserverpb::RangeResponse* response);
  absl::Status Put(const etcdserverpb::PutRequest& request, const Patience& patience);

  // Once. Of some failures nobody knows whether it was done (IsInDoubt); the next call asks another
  // member.
  absl::Status Txn(const etcdserverpb::TxnRequest& request, absl::Duration patience,
                   etcdserverpb::TxnResponse* response);
  static bool IsInDoubt(const absl::Status& status);
  // Whether the member has said nothing for as long as it had.
  static bool IsSilence(const absl::Status& status) { return absl::IsDeadlineExceeded(status); }

  // Takes what a watch tells, until `take` says false, the watch ends or Interrupt(). One thread
  // at a time.
  using Take = std::function<bool(etcdserverpb::WatchResponse*)>;
  absl::Status Watch(const etcdserverpb::WatchCreateRequest& request, const Take& take);
  // Ends the watch that is under way, if there is one; the next one is another member's.
  void InterruptWatch();

 private:
  struct Member {
    std::unique_ptr<etcdserverpb::KV::Stub> kv;
    std::unique_ptr<etcdserverpb::Watch::Stub> watch;
    std::unique_ptr<etcdserverpb::Auth::Stub> auth;
  };
  using Call = std::function<grpc::Status(const Member&, grpc::ClientContext*)>;

  explicit EtcdClient(const EtcdConfig& config) : config_(config) {}

  std::size_t member() const { return current_.load() % members_.size(); }
  // Whoever finds a member silent leads all to the next, the watch as well.
  void Leave(std::size_t member);
  absl::Status Prepare(const Member& member, absl::Duration patience, grpc::ClientContext* context);
  absl::StatusOr<std::string> Token(const Member& member, absl::Duration patience);
  // At the current member; once more where it only did not know the token any more.
  absl::Status Try(const Call& call, absl::Duration patience);
  absl::Status Repeat(const Call& call, const Patience& patience);

  const EtcdConfig config_;
  StoreSeries* series_ = nullptr;
  std::vector<Member> members_;
  std::atomic<std::size_t> current_ = 0;

  std::mutex mutex_;  // guards what follows
  std::string token_;
  SteadyTime token_since_;
  grpc::ClientContext* watching_ = nullptr;
  std::size_t watched_ = 0;  // the member, while there is a watch
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ETCD_ETCD_CLIENT_H_
