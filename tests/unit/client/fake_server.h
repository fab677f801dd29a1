// SPDX-License-Identifier: Apache-2.0
//
// A server of scripted answers for tests of the client alone. It answers a row with the x of its
// pose of B as distance, so that a test sees which question an answer belongs to.

#pragma once

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"

namespace clearance::client {

// What the fake server does beside answering.
struct Script {
  std::uint32_t rows_a_part = 1 << 30;  // of an answer
  std::uint32_t max_batch_rows = 1 << 20;
  std::uint32_t refused_slot =
      99;  // a message that opens it, or whose first slot of A it is, gets an error
  int end_after = 1 << 30;       // messages, after which the stream ends …
  grpc::Status end_status = {};  // … with this
  std::uint64_t tag_shift = 0;   // added to every tag: a broken server
};

class FakeServer : public v1::ServerService::Service, public v1::QueryService::Service {
 public:
  // On a free port, or on this Unix socket.
  explicit FakeServer(const Script& script, const std::string& socket = "") : script_(script) {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(socket.empty() ? "127.0.0.1:0" : socket,
                             grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(static_cast<v1::ServerService::Service*>(this));
    builder.RegisterService(static_cast<v1::QueryService::Service*>(this));
    builder.SetMaxReceiveMessageSize(-1);
    server_ = builder.BuildAndStart();
    address_ = socket.empty() ? "127.0.0.1:" + std::to_string(port) : socket;
  }

  ~FakeServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  const std::string& address() const { return address_; }
  int messages() const { return messages_; }
  int largest_batch() const { return largest_batch_; }

 private:
  using Stream = grpc::ServerReaderWriter<v1::SessionResponse, v1::SessionRequest>;

  grpc::Status GetServerInfo(grpc::ServerContext*, const v1::GetServerInfoRequest*,
                             v1::GetServerInfoResponse* response) override {
    response->set_version("fake");
    response->mutable_limits()->set_max_batch_rows(script_.max_batch_rows);
    response->mutable_limits()->set_max_request_bytes(1 << 30);
    return grpc::Status::OK;
  }

  grpc::Status Session(grpc::ServerContext*, Stream* stream) override {
    v1::SessionRequest request;
    for (int i = 0; i < script_.end_after; ++i) {
      if (!stream->Read(&request)) return grpc::Status::OK;
      ++messages_;
      if (!Answer(request, stream)) return grpc::Status::CANCELLED;
    }
    return script_.end_status;
  }

  bool Answer(const v1::SessionRequest& request, Stream* stream) {
    if (request.has_time_of_collision()) return true;  // never answered
    v1::SessionResponse response;
    response.set_tag(request.tag() + script_.tag_shift);
    const v1::PairColumns& pairs = request.distance().pairs();
    if (request.open().slot() == script_.refused_slot ||
        (pairs.slots_a_size() > 0 && pairs.slots_a(0) == script_.refused_slot)) {
      response.mutable_status()->set_code(5);
      response.mutable_status()->set_message("refused");
      return stream->Write(response);
    }
    if (request.has_open()) response.mutable_open()->set_slot(request.open().slot());
    if (request.has_close()) response.mutable_close()->set_slot(request.close().slot());
    if (request.has_distance()) return AnswerRows(pairs, &response, stream);
    return stream->Write(response);
  }

  bool AnswerRows(const v1::PairColumns& pairs, v1::SessionResponse* response, Stream* stream) {
    largest_batch_ = std::max(largest_batch_.load(), static_cast<int>(pairs.count()));
    for (std::uint32_t first = 0; first < pairs.count(); first += script_.rows_a_part) {
      v1::DistanceBatchResult* part = response->mutable_distance();
      part->Clear();
      part->set_first_row(first);
      part->set_total_count(pairs.count());
      part->set_count(std::min(script_.rows_a_part, pairs.count() - first));
      for (std::uint32_t row = first; row < first + part->count(); ++row) {
        part->add_states(v1::STATE_SEPARATED);
        part->add_distances(pairs.poses_b(7 * row));
      }
      if (!stream->Write(*response)) return false;
    }
    return true;
  }

  const Script script_;
  std::atomic<int> messages_ = 0;
  std::atomic<int> largest_batch_ = 0;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace clearance::client
