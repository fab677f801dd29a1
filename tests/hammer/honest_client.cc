// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/honest_client.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

namespace clearance::test {
namespace {

using Clock = std::chrono::steady_clock;

// Ends only what hangs.
constexpr std::chrono::minutes kHangGuard(10);

bool IsRight(const v1::DistanceBatchResult& result) {
  return result.distances_size() == 1 && result.distances(0) == 1;
}

}  // namespace

HonestClient::HonestClient(int port, bool repeats, std::string token)
    : stub_(v1::QueryService::NewStub(grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                                          grpc::InsecureChannelCredentials()))),
      repeats_(repeats),
      token_(std::move(token)) {
  for (int i = 0; i < 2; ++i) {
    auto* const half =
        request_.add_shapes()->mutable_inline_shape()->mutable_box()->mutable_half_extents();
    half->set_x(1);
    half->set_y(1);
    half->set_z(1);
  }
  request_.mutable_batch()->mutable_pairs()->set_count(1);
  for (const double number : {3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) {
    request_.mutable_batch()->mutable_pairs()->add_poses_b(number);
  }
  request_.mutable_batch()->mutable_detail()->set_distances(true);
}

bool HonestClient::Ask(std::chrono::milliseconds within) {
  const auto began = Clock::now();
  const auto left = [&] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(began + within - Clock::now());
  };
  bool is_answered = AskOnce(within);
  for (; !is_answered && repeats_ && is_unavailable_ && left().count() > 0; ++repeated_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    is_answered = AskOnce(left());
  }
  const auto taken = Clock::now() - began;
  milliseconds_.push_back(std::chrono::duration<double, std::milli>(taken).count());
  return is_answered && taken <= within;
}

double HonestClient::Percentile99() {
  if (milliseconds_.empty()) return 0;
  std::sort(milliseconds_.begin(), milliseconds_.end());
  return milliseconds_[milliseconds_.size() * 99 / 100];
}

double HonestClient::Longest() const {
  return milliseconds_.empty() ? 0 : *std::max_element(milliseconds_.begin(), milliseconds_.end());
}

bool HonestClient::AskOnce(std::chrono::milliseconds within) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + within);
  Introduce(&context);
  v1::DistanceResponse response;
  const grpc::Status status = stub_->Distance(&context, request_, &response);
  return Note(status, IsRight(response.result()));
}

void HonestClient::Introduce(grpc::ClientContext* context) const {
  if (!token_.empty()) context->AddMetadata("authorization", "Bearer " + token_);
}

bool HonestClient::Note(const grpc::Status& status, bool is_right) {
  is_unavailable_ = status.error_code() == grpc::StatusCode::UNAVAILABLE;
  if (status.ok() && is_right) return true;
  fault_ = status.ok() ? "a wrong answer"
                       : std::to_string(status.error_code()) + ": " + status.error_message();
  return false;
}

bool HonestSession::AskOnce(std::chrono::milliseconds /*within*/) {
  if (call_ == nullptr && !Begin()) return Note(End(), false);
  v1::SessionRequest request;
  *request.mutable_distance() = request_.batch();
  v1::SessionResponse response;
  if (Exchange(request, &response)) return Note(grpc::Status::OK, IsRight(response.distance()));
  return Note(End(), false);
}

bool HonestSession::Begin() {
  call_ = std::make_unique<Call>();
  call_->context.set_deadline(std::chrono::system_clock::now() + kHangGuard);
  Introduce(&call_->context);
  call_->stream = stub_->Session(&call_->context);
  bool is_open = true;
  for (int slot = 0; slot < request_.shapes_size(); ++slot) {
    v1::SessionRequest open;
    open.mutable_open()->set_slot(static_cast<std::uint32_t>(slot));
    *open.mutable_open()->mutable_shape() = request_.shapes(slot);
    v1::SessionResponse response;
    is_open = is_open && Exchange(open, &response) && response.has_open();
  }
  return is_open;
}

bool HonestSession::Exchange(const v1::SessionRequest& request, v1::SessionResponse* response) {
  return call_->stream->Write(request) && call_->stream->Read(response);
}

// What it had ended with, if it had.
grpc::Status HonestSession::End() {
  if (call_ == nullptr) return grpc::Status::OK;
  call_->context.TryCancel();
  v1::SessionResponse response;
  while (call_->stream->Read(&response)) continue;
  grpc::Status status = call_->stream->Finish();
  call_.reset();
  return status;
}

}  // namespace clearance::test
