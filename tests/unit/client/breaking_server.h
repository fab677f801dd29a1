// SPDX-License-Identifier: Apache-2.0
//
// A server whose streams break where a test says. It keeps slots, so that a test sees whether a
// session was built again as it was: a row's distance is the x of its pose of B plus a thousand
// times the content of its slot of A.

#pragma once

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"

namespace clearance::client {

inline grpc::Status Drains() { return {grpc::StatusCode::UNAVAILABLE, "drains"}; }

// Where a stream ends.
struct Break {
  int responses = 1 << 30;  // after so many …
  bool reads_on = false;  // … unless in a message, when the next (or the half-close) is read too
  grpc::Status status = Drains();
};

class BreakingServer : public v1::ServerService::Service, public v1::QueryService::Service {
 public:
  static constexpr std::uint32_t kMaxBatchRows = 5;
  static constexpr std::uint32_t kRowsAPart = 2;
  static constexpr std::uint32_t kMaxSlots = 64;

  // The k-th stream ends at breaks[k], those beyond at `later`.
  explicit BreakingServer(std::vector<Break> breaks, Break later = {})
      : breaks_(std::move(breaks)), later_(std::move(later)) {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(static_cast<v1::ServerService::Service*>(this));
    builder.RegisterService(static_cast<v1::QueryService::Service*>(this));
    server_ = builder.BuildAndStart();
    address_ = "127.0.0.1:" + std::to_string(port);
  }

  ~BreakingServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  const std::string& address() const { return address_; }
  int streams() const {
    const std::lock_guard lock(mutex_);
    return streams_;
  }

  // Content 1 has the digest "digest-1", and so on; 0 takes the name away.
  void Register(const std::string& name, int content) {
    const std::lock_guard lock(mutex_);
    names_[name] = content;
    if (content != 0) contents_["digest-" + std::to_string(content)] = content;
  }
  // Gives the digest another content; 0: none.
  void Forge(const std::string& digest, int content) {
    const std::lock_guard lock(mutex_);
    contents_[digest] = content;
  }
  // The registry's, from now on; openings that ask for a later one are refused.
  void SetRevision(std::uint64_t revision) {
    const std::lock_guard lock(mutex_);
    revision_ = revision;
  }
  // The next so many openings are refused with this.
  void RefuseOpenings(int count, const google::rpc::Status& refusal) {
    const std::lock_guard lock(mutex_);
    openings_refused_ = count;
    refusal_ = refusal;
  }

 private:
  using Stream = grpc::ServerReaderWriter<v1::SessionResponse, v1::SessionRequest>;
  static constexpr int kInlineContent = 9;

  struct State {
    Stream* stream;
    int responses_left;
    std::map<std::uint32_t, int> slots = {};  // 0: refused
  };

  grpc::Status GetServerInfo(grpc::ServerContext*, const v1::GetServerInfoRequest*,
                             v1::GetServerInfoResponse* response) override {
    response->mutable_limits()->set_max_batch_rows(kMaxBatchRows);
    response->mutable_limits()->set_max_slots_per_session(kMaxSlots);
    response->mutable_limits()->set_max_request_bytes(1 << 30);
    return grpc::Status::OK;
  }

  Break NextBreak() {
    const std::lock_guard lock(mutex_);
    const auto stream = static_cast<std::size_t>(streams_++);
    return stream < breaks_.size() ? breaks_[stream] : later_;
  }

  grpc::Status Session(grpc::ServerContext*, Stream* stream) override {
    const Break end = NextBreak();
    State state{stream, end.responses};
    v1::SessionRequest request;
    while (state.responses_left > 0) {
      if (!stream->Read(&request)) return grpc::Status::OK;
      Answer(request, &state);
    }
    const bool is_cut_short = state.responses_left < 0;  // its client waits for the rest
    if (end.reads_on && !is_cut_short) stream->Read(&request);
    return end.status;
  }

  static void Write(const v1::SessionResponse& response, State* state) {
    if (state->responses_left-- > 0) state->stream->Write(response);
  }

  void Answer(const v1::SessionRequest& request, State* state) {
    v1::SessionResponse response;
    response.set_tag(request.tag());
    if (request.has_distance()) return AnswerRows(request.distance().pairs(), &response, state);
    if (request.has_open()) Open(request.open(), &response, state);
    if (request.has_close()) Close(request.close().slot(), &response, state);
    Write(response, state);
  }

  static void Refuse(int code, v1::SessionResponse* response) {
    response->mutable_status()->set_code(code);
    response->mutable_status()->set_message("refused");
  }

  void Open(const v1::OpenShape& open, v1::SessionResponse* response, State* state) {
    const std::lock_guard lock(mutex_);
    const v1::ShapeReference& shape = open.shape();
    std::string digest = shape.digest();
    if (shape.has_name()) digest = "digest-" + std::to_string(names_[shape.name()]);
    const int content = shape.has_inline_shape() ? kInlineContent : contents_[digest];
    state->slots[open.slot()] = 0;
    if (openings_refused_ > 0) {
      --openings_refused_;
      *response->mutable_status() = refusal_;
    } else if (open.min_revision() > revision_) {
      Refuse(9, response);
    } else if (content == 0) {
      Refuse(shape.reference_case() == v1::ShapeReference::REFERENCE_NOT_SET ? 3 : 5, response);
    } else {
      state->slots[open.slot()] = content;
      response->mutable_open()->set_slot(open.slot());
      response->mutable_open()->mutable_info()->set_digest("digest-" + std::to_string(content));
    }
  }

  static void Close(std::uint32_t slot, v1::SessionResponse* response, State* state) {
    if (state->slots.erase(slot) == 0) return Refuse(5, response);
    response->mutable_close()->set_slot(slot);
  }

  static void AnswerRows(const v1::PairColumns& pairs, v1::SessionResponse* response,
                         State* state) {
    const std::uint32_t slot = pairs.slots_a_size() > 0 ? pairs.slots_a(0) : 0;
    const int content = state->slots.count(slot) > 0 ? state->slots[slot] : 0;
    for (std::uint32_t first = 0; first < pairs.count(); first += kRowsAPart) {
      v1::DistanceBatchResult* part = response->mutable_distance();
      part->Clear();
      part->set_first_row(first);
      part->set_total_count(pairs.count());
      part->set_count(std::min(kRowsAPart, pairs.count() - first));
      for (std::uint32_t row = first; row < first + part->count(); ++row) {
        part->add_states(content == 0 ? v1::STATE_REFUSED : v1::STATE_SEPARATED);
        part->add_distances(content == 0 ? 0 : 1000.0 * content + pairs.poses_b(7 * row));
      }
      Write(*response, state);
    }
  }

  const std::vector<Break> breaks_;
  const Break later_;
  mutable std::mutex mutex_;  // guards those below
  int streams_ = 0;
  std::uint64_t revision_ = 0;
  std::map<std::string, int> names_;
  std::map<std::string, int> contents_;
  int openings_refused_ = 0;
  google::rpc::Status refusal_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace clearance::client
