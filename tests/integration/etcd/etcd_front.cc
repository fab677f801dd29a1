// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/etcd/etcd_front.h"

#include <chrono>
#include <thread>
#include <utility>

namespace clearance::test {

class EtcdFront::Kv final : public etcdserverpb::KV::Service {
 public:
  explicit Kv(EtcdFront* front) : front_(front) {}

  grpc::Status Range(grpc::ServerContext* /*context*/, const etcdserverpb::RangeRequest* request,
                     etcdserverpb::RangeResponse* response) override {
    grpc::ClientContext onward;
    return front_->kv_stub_->Range(&onward, *request, response);
  }

  grpc::Status Put(grpc::ServerContext* /*context*/, const etcdserverpb::PutRequest* request,
                   etcdserverpb::PutResponse* response) override {
    grpc::ClientContext onward;
    return front_->kv_stub_->Put(&onward, *request, response);
  }

  grpc::Status Txn(grpc::ServerContext* context, const etcdserverpb::TxnRequest* request,
                   etcdserverpb::TxnResponse* response) override {
    const grpc::Status lost(grpc::StatusCode::UNAVAILABLE, "lost on the way");
    const TxnFate fate = front_->NextFate();
    if (fate == TxnFate::kLoseRequest) return lost;
    if (fate == TxnFate::kBeSilent) return AwaitEnd(context);
    if (fate == TxnFate::kBeLate) {
      const std::lock_guard lock(front_->mutex_);
      front_->late_.push_back(*request);
      return lost;
    }
    grpc::Status status = Pass(*request, response);
    std::deque<etcdserverpb::TxnRequest> late;
    {
      const std::lock_guard lock(front_->mutex_);
      late.swap(front_->late_);
    }
    for (const etcdserverpb::TxnRequest& one : late) {
      etcdserverpb::TxnResponse nobodys;
      Pass(one, &nobodys);
    }
    return fate == TxnFate::kLoseReply ? lost : status;
  }

 private:
  static grpc::Status AwaitEnd(grpc::ServerContext* context) {
    while (!context->IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return grpc::Status::CANCELLED;
  }

  grpc::Status Pass(const etcdserverpb::TxnRequest& request, etcdserverpb::TxnResponse* response) {
    grpc::ClientContext onward;
    return front_->kv_stub_->Txn(&onward, request, response);
  }

  EtcdFront* const front_;
};

class EtcdFront::Watcher final : public etcdserverpb::Watch::Service {
 public:
  explicit Watcher(EtcdFront* front) : front_(front) {}

  // One request, and then what is told until somebody ends it.
  grpc::Status Watch(grpc::ServerContext* context,
                     grpc::ServerReaderWriter<etcdserverpb::WatchResponse,
                                              etcdserverpb::WatchRequest>* stream) override {
    int generation = 0;
    {
      const std::lock_guard lock(front_->mutex_);
      generation = front_->generation_;
    }
    etcdserverpb::WatchRequest request;
    if (!stream->Read(&request)) return grpc::Status::OK;
    grpc::ClientContext onward;
    const auto source = front_->watch_stub_->Watch(&onward);
    source->Write(request);
    std::thread teller([&] {
      etcdserverpb::WatchResponse response;
      while (source->Read(&response) && front_->MayTell(generation, context)) {
        if (!stream->Write(response)) break;
      }
    });
    while (!context->IsCancelled() && !front_->IsBroken(generation))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    onward.TryCancel();
    teller.join();
    source->Finish();
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "the watch is broken");
  }

 private:
  EtcdFront* const front_;
};

EtcdFront::EtcdFront(const std::string& endpoint)
    : channel_(grpc::CreateChannel(endpoint, grpc::InsecureChannelCredentials())),
      kv_stub_(etcdserverpb::KV::NewStub(channel_)),
      watch_stub_(etcdserverpb::Watch::NewStub(channel_)),
      kv_(std::make_unique<Kv>(this)),
      watch_(std::make_unique<Watcher>(this)) {
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(-1);
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(kv_.get());
  builder.RegisterService(watch_.get());
  server_ = builder.BuildAndStart();
}

EtcdFront::~EtcdFront() {
  HoldWatches(false);
  BreakWatches();
  server_->Shutdown(std::chrono::system_clock::now());
}

void EtcdFront::Expect(std::deque<TxnFate> fates) {
  const std::lock_guard lock(mutex_);
  fates_ = std::move(fates);
}

void EtcdFront::HoldWatches(bool is_held) {
  const std::lock_guard lock(mutex_);
  is_held_ = is_held;
  changed_.notify_all();
}

void EtcdFront::BreakWatches() {
  const std::lock_guard lock(mutex_);
  ++generation_;
  changed_.notify_all();
}

int EtcdFront::transactions() {
  const std::lock_guard lock(mutex_);
  return transactions_;
}

TxnFate EtcdFront::NextFate() {
  const std::lock_guard lock(mutex_);
  ++transactions_;
  if (fates_.empty()) return TxnFate::kPass;
  const TxnFate fate = fates_.front();
  fates_.pop_front();
  return fate;
}

bool EtcdFront::IsBroken(int generation) {
  const std::lock_guard lock(mutex_);
  return generation != generation_;
}

bool EtcdFront::MayTell(int generation, grpc::ServerContext* context) {
  std::unique_lock lock(mutex_);
  while (is_held_ && generation == generation_ && !context->IsCancelled())
    changed_.wait_for(lock, std::chrono::milliseconds(2));
  return generation == generation_ && !context->IsCancelled();
}

}  // namespace clearance::test
