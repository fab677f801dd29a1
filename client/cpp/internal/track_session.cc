// SPDX-License-Identifier: Apache-2.0
#include "internal/track_session.h"

#include <cstdint>
#include <utility>
#include <variant>

#include "internal/scene_convert.h"
#include "internal/status_convert.h"

namespace clearance::client {
namespace {

// Whether rows follow in another response.
template <class Result>
bool IsPart(const Result& result) {
  return result.first_row() + result.count() < result.total_count();
}

bool IsPart(const v1::SessionResponse& response) {
  switch (response.kind_case()) {
    case v1::SessionResponse::kRay:
      return IsPart(response.ray());
    case v1::SessionResponse::kSweep:
      return IsPart(response.sweep());
    case v1::SessionResponse::kCheck:
      return IsPart(response.check());
    case v1::SessionResponse::kMinimumDistance:
      return IsPart(response.minimum_distance());
    default:
      return false;
  }
}

}  // namespace

TrackSession::TrackSession(const Client& client)
    : connection_(client.connection_),
      stream_(*connection_, absl::InfiniteDuration(), client.ids_) {
  stream_.Start();
}

TrackSession::~TrackSession() {
  if (has_ended_) return;
  stream_.Cancel();
  End().IgnoreError();
}

absl::Status TrackSession::End() {
  has_ended_ = true;
  absl::Status status = stream_.Finish();
  end_ = status.ok() ? absl::OutOfRangeError("the session has ended") : status;
  return status;
}

absl::StatusOr<v1::SessionResponse> TrackSession::Ask(v1::SessionRequest* request) {
  if (has_ended_) return end_;
  // A stream that broke says so when it is read.
  stream_.Write(*request);
  v1::SessionResponse answer;
  do {
    v1::SessionResponse part;
    if (!stream_.Read(&part)) {
      End().IgnoreError();
      return end_;
    }
    if (part.status().code() != 0) {
      absl::Status refusal = FromProto(part.status());
      AddIds(stream_.ids(), &refusal);
      return refusal;
    }
    // Columns come one after another; the counts are those of the last part.
    answer.MergeFrom(part);
  } while (IsPart(answer));
  return answer;
}

absl::Status TrackSession::Attach(const SceneChange& change, bool reset) {
  std::uint32_t slot = 0;
  for (const ShapeKey& shape : change.bodies.shapes) {
    v1::SessionRequest open;
    open.mutable_open()->set_slot(slot++);
    v1::ShapeReference& reference = *open.mutable_open()->mutable_shape();
    if (const auto* name = std::get_if<ByName>(&shape)) reference.set_name(name->name);
    if (const auto* digest = std::get_if<ByDigest>(&shape)) reference.set_digest(digest->digest);
    if (const auto opened = Ask(&open); !opened.ok()) return opened.status();
  }
  v1::SessionRequest request;
  v1::ChangeBodies& attach = *request.mutable_change_bodies();
  attach.set_reset(reset);
  ToProto(change, attach.mutable_change());
  attach.mutable_change()->mutable_bodies()->clear_shapes();
  return Ask(&request).status();
}

absl::Status TrackSession::Finish() {
  if (has_ended_) return end_;
  stream_.WritesDone();
  v1::SessionResponse none;
  while (stream_.Read(&none)) {
  }
  return End();
}

}  // namespace clearance::client
