// SPDX-License-Identifier: Apache-2.0
//
// Servers that take no call at all, each shut down amid a flood of calls. Without LateCalls one
// Shutdown() in some waits for a call of which nobody is told, and the test hangs.

#include "server/transport/late_calls.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "clearance/v1/server_service.grpc.pb.h"

namespace clearance::server {
namespace {

constexpr int kServers = 100;
// Before it is shut down.
constexpr int kCallsBefore = 50;
constexpr int kMostUnderWay = 1000;

struct Server {
  Server() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service);
    queue = builder.AddCompletionQueue();
    server = builder.BuildAndStart();
    poller = std::thread([this] {
      void* tag = nullptr;
      bool ok = false;
      while (queue->Next(&tag, &ok)) {
      }
    });
  }
  ~Server() {
    queue->Shutdown();
    poller.join();
  }

  v1::ServerService::AsyncService service;
  std::unique_ptr<grpc::ServerCompletionQueue> queue;
  std::unique_ptr<grpc::Server> server;
  std::thread poller;
  int port = 0;
};

// Calls without end, and without a deadline.
class Flood {
 public:
  explicit Flood(int port)
      : stub_(v1::ServerService::NewStub(grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                                             grpc::InsecureChannelCredentials()))),
        caller_([this] { CallOn(); }),
        taker_([this] { TakeAll(); }) {}
  ~Flood() {
    is_over_ = true;
    caller_.join();
    queue_.Shutdown();
    taker_.join();
  }

  // Until so many were begun.
  void Await(int calls) const {
    for (int begun = begun_; begun < calls; begun = begun_) begun_.wait(begun);
  }
  int served() const { return served_; }

 private:
  struct Call {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientAsyncResponseReader<v1::GetServerInfoResponse>> reader;
    v1::GetServerInfoResponse response;
    grpc::Status status;
  };

  void CallOn() {
    while (!is_over_) {
      if (under_way_ >= kMostUnderWay) {
        std::this_thread::yield();
        continue;
      }
      ++under_way_;
      const std::scoped_lock handing_over(handed_over_);
      auto* const call = new Call;
      call->reader = stub_->AsyncGetServerInfo(&call->context, {}, &queue_);
      call->reader->Finish(&call->response, &call->status, call);
      ++begun_;
      begun_.notify_all();
    }
  }
  void TakeAll() {
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
      { const std::scoped_lock taking_over(handed_over_); }
      const std::unique_ptr<Call> call(static_cast<Call*>(tag));
      if (call->status.ok()) ++served_;
      --under_way_;
    }
  }

  const std::unique_ptr<v1::ServerService::Stub> stub_;
  grpc::CompletionQueue queue_;
  // Held while a call is begun and before one is taken: gRPC passes calls on under locks of its
  // own, which the thread sanitizer does not see.
  std::mutex handed_over_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> under_way_ = 0;
  std::atomic<int> begun_ = 0;
  std::atomic<int> served_ = 0;
  std::thread caller_;
  std::thread taker_;
};

TEST(LateCalls, AreEndedWhileAServerShutsDown) {
  for (int i = 0; i < kServers; ++i) {
    Server server;
    Flood flood(server.port);
    // Amid them, at another moment each time.
    flood.Await(kCallsBefore + i);
    {
      const LateCalls late_calls(server.server.get());
      server.server->Shutdown(std::chrono::system_clock::now() + std::chrono::hours(1));
    }
    EXPECT_EQ(flood.served(), 0);
  }
}

}  // namespace
}  // namespace clearance::server
