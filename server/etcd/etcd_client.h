// SPDX-License-Identifier: Apache-2.0
//
// Calls of etcd with a deadline. Each goes to one member, and to the next if that one does not
// answer. They block, so they are for threads that may.

#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
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
  // Reads the files; asks nothing of etcd yet. FAILED_PRECONDITION if a file cannot be read.
  // `series` may be null.
  static absl::StatusOr<std::unique_ptr<EtcdClient>> Open(const EtcdConfig& config,
                                                          StoreSeries* series);

  // Time limits of one member and of all tries together. Once all members took that long, each gets
  // twice as long, and so on: a slow member is heard, and a silent one does not delay the others. A
  // member that refuses immediately, as all do during an election, does not lengthen the limit.
  struct Patience {
    absl::Duration of_member;
    absl::Duration in_all;
  };
  // Ask other members again while there is time: doing these once or twice is the same.
  absl::StatusOr<etcdserverpb::RangeResponse> Range(const etcdserverpb::RangeRequest& request,
                                                    const Patience& patience);
  // Ranges over one key, as of an etcd revision; 0: as of now.
  absl::StatusOr<etcdserverpb::RangeResponse> Get(const std::string& key, const Patience& patience,
                                                  std::int64_t revision = 0);
  absl::Status Put(const etcdserverpb::PutRequest& request, const Patience& patience);

  // Asks once. After some failures it is unknown whether the transaction was done (IsInDoubt). The
  // next call asks another member.
  absl::StatusOr<etcdserverpb::TxnResponse> Txn(const etcdserverpb::TxnRequest& request,
                                                absl::Duration patience);
  // Asks again after each failure for which `is_worth_a_try` returns true, while there is time.
  using IsWorthATry = absl::FunctionRef<bool(const absl::Status& failure)>;
  absl::StatusOr<etcdserverpb::TxnResponse> Txn(const etcdserverpb::TxnRequest& request,
                                                const Patience& patience,
                                                IsWorthATry is_worth_a_try);
  // Then the next member may know better.
  static bool IsInDoubt(const absl::Status& status);

  // Passes the responses of a watch to `take`, until that returns false, the watch ends or
  // Interrupt(). One thread at a time.
  using Take = std::function<bool(etcdserverpb::WatchResponse*)>;
  absl::Status Watch(const etcdserverpb::WatchCreateRequest& request, const Take& take);
  // Ends the running watch, if there is one. The next watch asks another member.
  void InterruptWatch();

 private:
  struct Member {
    std::unique_ptr<etcdserverpb::KV::Stub> kv;
    std::unique_ptr<etcdserverpb::Watch::Stub> watch;
    std::unique_ptr<etcdserverpb::Auth::Stub> auth;
  };
  template <class Request, class Response>
  using Method = grpc::Status (etcdserverpb::KV::Stub::*)(grpc::ClientContext*, const Request&,
                                                          Response*);

  EtcdClient(const EtcdConfig& config, StoreSeries* series) : config_(config), series_(series) {}

  std::size_t member() const { return current_.load() % members_.size(); }
  // Moves all calls, and the watch, from a member that does not answer to the next one. Keeps the
  // current member if it is already another one.
  void Leave(std::size_t member);
  absl::Status Prepare(const Member& member, absl::Duration patience, grpc::ClientContext* context);
  absl::StatusOr<std::string> Token(const Member& member, absl::Duration patience);
  // Calls the current member, and once more if it only no longer knew the token.
  template <class Request, class Response>
  absl::StatusOr<Response> Try(Method<Request, Response> method, const Request& request,
                               absl::Duration patience);
  template <class Request, class Response>
  absl::StatusOr<Response> Repeat(Method<Request, Response> method, const Request& request,
                                  const Patience& patience, IsWorthATry is_worth_a_try = IsInDoubt);

  const EtcdConfig config_;
  StoreSeries* const series_;
  std::vector<Member> members_;
  std::atomic<std::size_t> current_ = 0;

  std::mutex mutex_;  // guards the members below
  std::string token_;
  SteadyTime token_since_;
  grpc::ClientContext* watching_ = nullptr;
  std::size_t watched_ = 0;  // the member, while there is a watch
};

}  // namespace clearance::server
