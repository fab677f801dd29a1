// SPDX-License-Identifier: Apache-2.0
#include "internal/scene_watch_impl.h"

#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "internal/poll_channel.h"
#include "internal/scene_convert.h"
#include "internal/status_convert.h"
#include "internal/steady_clock.h"

namespace clearance::client {
namespace {

std::optional<SceneEnd> FromProto(v1::SceneEnd end) {
  switch (end) {
    case v1::SCENE_END_DELETED:
      return SceneEnd::kDeleted;
    case v1::SCENE_END_EXPIRED:
      return SceneEnd::kExpired;
    default:
      return std::nullopt;
  }
}

absl::Status Cancelled() { return absl::CancelledError("the watch was cancelled"); }

}  // namespace

SceneWatch::Impl::Impl(std::shared_ptr<const Connection> connection, CallIds ids,
                       const std::string& name, const WatchOptions& options)
    : connection_(std::move(connection)), ids_(std::move(ids)), backoff_(options.reopen_within) {
  request_.set_name(name);
  request_.set_from_revision(options.from_revision);
  request_.set_etag(options.etag);
}

SceneWatch::Impl::~Impl() {
  if (reader_ == nullptr) return;
  context_->TryCancel();
  reader_->Finish();
}

absl::StatusOr<SceneNews> SceneWatch::Impl::Next() {
  while (end_.ok()) {
    if (reader_ == nullptr && !Open()) {
      end_ = Cancelled();
      break;
    }
    v1::WatchSceneResponse response;
    absl::Status status;
    if (Read(&response, &status)) {
      is_answering_ = true;
      backoff_.AfterSuccess();
      if (!IsKnown(response)) return Take(response);
    } else if (!AwaitReopening(status)) {
      const std::lock_guard lock(mutex_);
      end_ = is_cancelled_ ? Cancelled() : std::move(status);
    }
  }
  return end_;
}

void SceneWatch::Impl::Cancel() {
  const std::lock_guard lock(mutex_);
  is_cancelled_ = true;
  if (context_ != nullptr) context_->TryCancel();
}

bool SceneWatch::Impl::Open() {
  grpc::ClientContext* context = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (is_cancelled_) return false;
    context_ = std::make_unique<grpc::ClientContext>();
    connection_->Prepare(absl::InfiniteDuration(), ids_, context_.get());
    context = context_.get();
  }
  reader_ = connection_->scenes->WatchScene(context, request_);
  is_answering_ = false;
  return true;
}

bool SceneWatch::Impl::Read(v1::WatchSceneResponse* response, absl::Status* status) {
  if (reader_->Read(response)) return true;
  const grpc::Status ended = reader_->Finish();
  const std::lock_guard lock(mutex_);
  // An end that the server says nothing of is none that it should have.
  *status = ended.ok() ? absl::InternalError("the stream ended before the scene did")
                       : FromGrpc(ended, *context_);
  reader_.reset();
  context_.reset();
  return false;
}

bool SceneWatch::Impl::AwaitReopening(const absl::Status& status) {
  // A server that has not noticed yet that a stream broke still counts it.
  const bool is_crowded_out = absl::IsResourceExhausted(status) && has_told_ && !is_answering_;
  if (!is_crowded_out && !IsWorthRepeating(status)) return false;
  const std::optional<absl::Duration> wait = backoff_.AfterFailure(SteadyNow());
  if (!wait.has_value()) return false;
  const auto is_cancelled = [this] {
    const std::lock_guard lock(mutex_);
    return is_cancelled_;
  };
  PollChannelUntil(SteadyNow() + *wait, *connection_->channel, is_cancelled);
  return !is_cancelled();
}

bool SceneWatch::Impl::IsKnown(const v1::WatchSceneResponse& response) const {
  return has_told_ && !response.is_reload() && response.end() == v1::SCENE_END_UNSPECIFIED &&
         response.scene().revision() == request_.from_revision();
}

absl::StatusOr<SceneNews> SceneWatch::Impl::Take(const v1::WatchSceneResponse& response) {
  SceneNews news = {.scene = client::FromProto(response.scene()),
                    .base_revision = response.base_revision(),
                    .change = {},
                    .is_reload = response.is_reload(),
                    .end = FromProto(response.end())};
  absl::StatusOr<SceneChange> change = client::FromProto(response.change());
  if (!change.ok()) return end_ = change.status();
  news.change = *std::move(change);
  has_told_ = true;
  request_.set_from_revision(news.scene.revision);
  request_.set_etag(news.scene.etag);
  if (news.end.has_value()) end_ = absl::OutOfRangeError("the scene is no more");
  return news;
}

}  // namespace clearance::client
