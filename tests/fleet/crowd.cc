// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/crowd.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"

namespace clearance::fleet {
namespace {

// Whose connections no other shares.
std::shared_ptr<grpc::Channel> ChannelOfItsOwn(const std::string& servers) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetLoadBalancingPolicyName("round_robin");
  return grpc::CreateCustomChannel(servers, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

struct Crowd::Round {
  const std::vector<v1::SessionRequest>& messages;
  std::size_t count;
  Judge judge;
  absl::BlockingCounter left;
  std::atomic<std::size_t> sent = 0;
  std::atomic<bool> is_bad = false;
};

// One session, of which one message is under way at a time. gRPC says in either order that it was
// written and that its answer was read.
class Crowd::Client : public grpc::ClientBidiReactor<v1::SessionRequest, v1::SessionResponse> {
 public:
  Client(Crowd* crowd, v1::QueryService::Stub* stub) : crowd_(crowd) {
    stub->async()->Session(&context_, this);
    AddHold();
    StartCall();
  }

  // False, and nothing sent, where the last message is still under way.
  bool Send(const v1::SessionRequest& message, std::size_t i) {
    if (is_busy_.exchange(true)) return false;
    i_ = i;
    open_steps_ = 2;
    StartRead(&reply_);
    StartWrite(&message);
    return true;
  }

  // Nothing may be under way. Whether it ended well.
  bool End() {
    is_busy_ = true;
    open_steps_ = 0;
    StartRead(&reply_);
    StartWritesDone();
    RemoveHold();
    over_.WaitForNotification();
    return status_.ok();
  }

  void OnWriteDone(bool is_ok) override { FinishStep(is_ok); }
  void OnReadDone(bool is_ok) override {
    if (open_steps_ > 0) FinishStep(is_ok);
  }
  void OnDone(const grpc::Status& status) override {
    status_ = status;
    over_.Notify();
  }

 private:
  void FinishStep(bool is_ok) {
    Round* const round = crowd_->round_;
    if (!is_ok) round->is_bad = true;
    if (open_steps_.fetch_sub(1) != 1) return;
    if (!round->is_bad && !round->judge(i_, reply_)) round->is_bad = true;
    is_busy_ = false;
    crowd_->SendNext();
    round->left.DecrementCount();
  }

  Crowd* const crowd_;
  grpc::ClientContext context_;
  std::atomic<bool> is_busy_ = false;
  std::atomic<int> open_steps_ = 0;  // of the write and the read
  std::size_t i_ = 0;                // the message's
  v1::SessionResponse reply_;
  grpc::Status status_;
  absl::Notification over_;
};

Crowd::Crowd(const Setup& setup) : in_flight_(std::min(setup.in_flight, setup.clients)) {
  for (std::size_t i = 0; i < setup.channels; ++i)
    stubs_.push_back(v1::QueryService::NewStub(ChannelOfItsOwn(setup.servers)));
  for (std::size_t i = 0; i < setup.clients; ++i)
    clients_.push_back(std::make_unique<Client>(this, stubs_[i % stubs_.size()].get()));
  const auto is_open = [](std::size_t, const v1::SessionResponse& reply) {
    return reply.has_open();
  };
  for (const v1::SessionRequest& open : setup.opens) {
    Round round{.messages = setup.opens,
                .count = 0,
                .judge = is_open,
                .left = absl::BlockingCounter(static_cast<int>(clients_.size()))};
    round_ = &round;
    for (const std::unique_ptr<Client>& client : clients_) client->Send(open, 0);
    round.left.Wait();
    if (round.is_bad) throw std::runtime_error("a client of the crowd cannot open its shapes");
  }
}

Crowd::~Crowd() {
  for (const std::unique_ptr<Client>& client : clients_) client->End();
}

void Crowd::Ask(const std::vector<v1::SessionRequest>& messages, std::size_t count, Judge judge) {
  Round round{messages, count, judge, absl::BlockingCounter(static_cast<int>(count))};
  round_ = &round;
  for (std::size_t i = 0; i < in_flight_; ++i) SendNext();
  round.left.Wait();
  if (round.is_bad) throw std::runtime_error("an answer to the crowd is missing or not right");
}

void Crowd::SendNext() {
  const std::size_t i = round_->sent++;
  if (i >= round_->count) return;
  const std::size_t message = i % round_->messages.size();
  while (!clients_[turn_++ % clients_.size()]->Send(round_->messages[message], message)) continue;
}

void Crowd::End() {
  std::vector<std::unique_ptr<Client>> clients = std::move(clients_);
  clients_.clear();
  for (const std::unique_ptr<Client>& client : clients) {
    if (!client->End()) throw std::runtime_error("a session of the crowd broke");
  }
}

}  // namespace clearance::fleet
