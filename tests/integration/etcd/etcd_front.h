// SPDX-License-Identifier: Apache-2.0
//
// A proxy in front of one etcd member that acts like one, passes every call on, and loses the
// messages that it is told to lose.

#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "etcd/rpc.grpc.pb.h"

namespace clearance::test {

// The fate of one transaction. The client gets UNAVAILABLE for all but the first and the last.
enum class TxnFate {
  kPass,
  kLoseReply,    // it is made
  kLoseRequest,  // it is not
  kBeLate,       // it is made only once the next one was answered
  kBeSilent,     // it is not, and the client gets no reply until it gives up
};

class EtcdFront {
 public:
  explicit EtcdFront(const std::string& endpoint);
  ~EtcdFront();
  EtcdFront(const EtcdFront&) = delete;
  EtcdFront& operator=(const EtcdFront&) = delete;

  std::string endpoint() const { return "127.0.0.1:" + std::to_string(port_); }

  // Sets the fates of the next transactions, one each.
  void Expect(std::deque<TxnFate> fates);
  // Holds the messages of watches while `is_held`, and then lets them go on.
  void HoldWatches(bool is_held);
  // Ends all watches; new ones begin.
  void BreakWatches();
  int transactions();

 private:
  class Kv;
  class Watcher;

  TxnFate NextFate();
  bool IsBroken(int generation);
  // Waits while watches are held; returns false if this one is broken.
  bool MayTell(int generation, grpc::ServerContext* context);

  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<etcdserverpb::KV::Stub> kv_stub_;
  const std::unique_ptr<etcdserverpb::Watch::Stub> watch_stub_;
  std::unique_ptr<etcdserverpb::KV::Service> kv_;
  std::unique_ptr<etcdserverpb::Watch::Service> watch_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<TxnFate> fates_;
  std::deque<etcdserverpb::TxnRequest> late_;
  bool is_held_ = false;
  int generation_ = 0;
  int transactions_ = 0;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace clearance::test
