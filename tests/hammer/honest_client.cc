// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/honest_client.h"

#include <algorithm>
#include <string>

namespace clearance::test {
namespace {

using Clock = std::chrono::steady_clock;

// Ends only what hangs.
constexpr std::chrono::minutes kHangGuard(10);

bool IsRight(const v1::DistanceBatchResult& result) {
  return result.distances_size() == 1 && result.distances(0) == 1;
}

}  // namespace

HonestClient::HonestClient(int port)
    : stub_(v1::QueryService::NewStub(grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                                          grpc::InsecureChannelCredentials()))) {
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
  const bool is_answered = AskOnce(within);
  const auto taken = Clock::now() - began;
  milliseconds_.push_back(std::chrono::duration<double, std::milli>(taken).count());
  return is_answered && taken <= within;
}

double HonestClient::Percentile99() {
  if (milliseconds_.empty()) return 0;
  std::sort(milliseconds_.begin(), milliseconds_.end());
  return milliseconds_[milliseconds_.size() * 99 / 100];
}

bool HonestClient::AskOnce(std::chrono::milliseconds within) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + within);
  v1::DistanceResponse response;
  return stub_->Distance(&context, request_, &response).ok() && IsRight(response.result());
}

bool HonestSession::AskOnce(std::chrono::milliseconds /*within*/) {
  if (call_ == nullptr && !Begin()) return false;
  v1::SessionRequest request;
  *request.mutable_distance() = request_.batch();
  v1::SessionResponse response;
  if (Exchange(request, &response)) return IsRight(response.distance());
  End();
  return false;
}

bool HonestSession::Begin() {
  call_ = std::make_unique<Call>();
  call_->context.set_deadline(std::chrono::system_clock::now() + kHangGuard);
  call_->stream = stub_->Session(&call_->context);
  bool is_open = true;
  for (int slot = 0; slot < request_.shapes_size(); ++slot) {
    v1::SessionRequest open;
    open.mutable_open()->set_slot(static_cast<std::uint32_t>(slot));
    *open.mutable_open()->mutable_shape() = request_.shapes(slot);
    v1::SessionResponse response;
    is_open = is_open && Exchange(open, &response) && response.has_open();
  }
  if (!is_open) End();
  return is_open;
}

bool HonestSession::Exchange(const v1::SessionRequest& request, v1::SessionResponse* response) {
  return call_->stream->Write(request) && call_->stream->Read(response);
}

void HonestSession::End() {
  if (call_ == nullptr) return;
  call_->context.TryCancel();
  v1::SessionResponse response;
  while (call_->stream->Read(&response)) continue;
  call_->stream->Finish();
  call_.reset();
}

}  // namespace clearance::test
