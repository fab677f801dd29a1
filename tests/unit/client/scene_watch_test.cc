// SPDX-License-Identifier: Apache-2.0
//
// A watch of a scene against a server whose streams end where the test says.

#include "clearance/scene_watch.h"

#include <gmock/gmock.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "clearance/v1/scene_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"

namespace clearance::client {
namespace {

using ::testing::ElementsAre;

// What one stream says, and its end; without one it waits for the client to go.
struct WatchScript {
  std::vector<v1::WatchSceneResponse> responses;
  std::optional<grpc::Status> end;
};

class WatchServer : public v1::ServerService::Service, public v1::SceneService::Service {
 public:
  // The k-th stream follows scripts[k], later ones the last.
  explicit WatchServer(std::vector<WatchScript> scripts) : scripts_(std::move(scripts)) {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(static_cast<v1::ServerService::Service*>(this));
    builder.RegisterService(static_cast<v1::SceneService::Service*>(this));
    server_ = builder.BuildAndStart();
    address_ = "127.0.0.1:" + std::to_string(port);
  }
  ~WatchServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  std::unique_ptr<SceneWatch> Watch(const WatchOptions& options) const {
    const absl::StatusOr<Client> client = Client::Connect(address_);
    EXPECT_TRUE(client.ok()) << client.status();
    return SceneClient(*client).Watch("cell", options);
  }

  // "revision etag" of each stream so far.
  std::vector<std::string> begins() const {
    const std::lock_guard lock(mutex_);
    return begins_;
  }

 private:
  grpc::Status GetServerInfo(grpc::ServerContext*, const v1::GetServerInfoRequest*,
                             v1::GetServerInfoResponse*) override {
    return grpc::Status::OK;
  }

  grpc::Status WatchScene(grpc::ServerContext* context, const v1::WatchSceneRequest* request,
                          grpc::ServerWriter<v1::WatchSceneResponse>* writer) override {
    std::size_t stream = 0;
    {
      const std::lock_guard lock(mutex_);
      stream = std::min(begins_.size(), scripts_.size() - 1);
      begins_.push_back(std::to_string(request->from_revision()) + " " + request->etag());
    }
    for (const v1::WatchSceneResponse& response : scripts_[stream].responses)
      writer->Write(response);
    while (!scripts_[stream].end.has_value() && !context->IsCancelled()) std::this_thread::yield();
    return scripts_[stream].end.value_or(grpc::Status::CANCELLED);
  }

  const std::vector<WatchScript> scripts_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::string> begins_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

v1::WatchSceneResponse Told(std::uint64_t base, std::uint64_t revision) {
  v1::WatchSceneResponse response;
  response.mutable_scene()->set_name("cell");
  response.mutable_scene()->set_revision(revision);
  response.mutable_scene()->set_etag("e" + std::to_string(revision));
  response.set_base_revision(base);
  if (revision > base) response.mutable_change()->add_removed_bodies(7);
  return response;
}

v1::WatchSceneResponse Reload(std::uint64_t revision) {
  v1::WatchSceneResponse response = Told(0, revision);
  response.clear_change();
  response.set_is_reload(true);
  return response;
}

v1::WatchSceneResponse Ended(std::uint64_t revision) {
  v1::WatchSceneResponse response = Told(revision, revision);
  response.set_end(v1::SCENE_END_EXPIRED);
  return response;
}

grpc::Status Unavailable() { return {grpc::StatusCode::UNAVAILABLE, "drains"}; }
grpc::Status Crowded() { return {grpc::StatusCode::RESOURCE_EXHAUSTED, "too many watches"}; }

TEST(SceneWatch, GivesTheNewsAndTheEnd) {
  const WatchServer server({{{Told(3, 3), Told(3, 4), Ended(4)}, grpc::Status::OK}});
  const auto watch = server.Watch({.from_revision = 3, .etag = "e3"});
  const auto begin = watch->Next();
  ASSERT_TRUE(begin.ok()) << begin.status();
  EXPECT_EQ(begin->scene.revision, 3u);
  EXPECT_TRUE(begin->change.removed_bodies.empty());
  const auto news = watch->Next();
  ASSERT_TRUE(news.ok()) << news.status();
  EXPECT_EQ(news->scene.etag, "e4");
  EXPECT_EQ(news->base_revision, 3u);
  EXPECT_THAT(news->change.removed_bodies, ElementsAre(7));
  EXPECT_FALSE(news->end.has_value());
  EXPECT_EQ(watch->Next()->end, SceneEnd::kExpired);
  EXPECT_EQ(watch->Next().status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(watch->Next().status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(server.begins(), ElementsAre("3 e3"));
}

TEST(SceneWatch, BeginsAnewAtTheRevisionOfTheLastNews) {
  const WatchServer server({{{}, Unavailable()},
                            {{Reload(3)}, Unavailable()},
                            {{Told(3, 3), Told(3, 4)}, Unavailable()},
                            {{Told(4, 4)}, grpc::Status::CANCELLED},
                            {{Told(4, 5), Reload(9), Ended(9)}, grpc::Status::OK}});
  const auto watch = server.Watch({});
  std::vector<std::uint64_t> revisions;
  std::vector<bool> reloads;
  for (int i = 0; i < 5; ++i) {
    const auto news = watch->Next();
    ASSERT_TRUE(news.ok()) << news.status();
    revisions.push_back(news->scene.revision);
    reloads.push_back(news->is_reload);
  }
  // What a stream says first where there is nothing new is not told again.
  EXPECT_THAT(revisions, ElementsAre(3, 4, 5, 9, 9));
  EXPECT_THAT(reloads, ElementsAre(true, false, false, true, false));
  EXPECT_THAT(server.begins(), ElementsAre("0 ", "0 ", "3 e3", "4 e4", "4 e4"));
}

TEST(SceneWatch, EndsWithWhatTheServerRefuses) {
  const grpc::Status refusal(grpc::StatusCode::NOT_FOUND, "no such scene");
  const WatchServer server({{{Reload(3)}, Unavailable()}, {{}, refusal}});
  const auto watch = server.Watch({});
  EXPECT_TRUE(watch->Next().ok());
  EXPECT_EQ(watch->Next().status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(watch->Next().status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(server.begins().size(), 2u);
}

TEST(SceneWatch, OutlastsAServerThatStillCountsTheStreamThatBroke) {
  const WatchServer server({{{Reload(3)}, Unavailable()},
                            {{}, Crowded()},
                            {{}, Crowded()},
                            {{Told(3, 4), Ended(4)}, grpc::Status::OK}});
  const auto watch = server.Watch({});
  EXPECT_TRUE(watch->Next().ok());
  const auto news = watch->Next();
  ASSERT_TRUE(news.ok()) << news.status();
  EXPECT_EQ(news->scene.revision, 4u);
  EXPECT_THAT(server.begins(), ElementsAre("0 ", "3 e3", "3 e3", "3 e3"));
}

TEST(SceneWatch, EndsWhereTheServerIsTrulyFull) {
  // No stream broke before this one.
  const WatchServer full({{{}, Crowded()}});
  EXPECT_EQ(full.Watch({})->Next().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(full.begins().size(), 1u);
  // What counts was this stream itself.
  const WatchServer strict({{{Reload(3)}, Unavailable()}, {{Told(3, 4)}, Crowded()}});
  const auto watch = strict.Watch({});
  EXPECT_TRUE(watch->Next().ok());
  EXPECT_TRUE(watch->Next().ok());
  EXPECT_EQ(watch->Next().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(strict.begins().size(), 2u);
}

TEST(SceneWatch, GivesUpAtTheFirstBreakWhereItIsToldTo) {
  const WatchServer server({{{Reload(3)}, Unavailable()}});
  const auto watch = server.Watch({.reopen_within = absl::ZeroDuration()});
  EXPECT_TRUE(watch->Next().ok());
  EXPECT_EQ(watch->Next().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server.begins().size(), 1u);
}

TEST(SceneWatch, IsCancelledByAnotherThread) {
  const WatchServer server({{{Reload(3)}, std::nullopt}});
  const auto watch = server.Watch({});
  EXPECT_TRUE(watch->Next().ok());
  std::thread canceller([&watch] { watch->Cancel(); });
  EXPECT_EQ(watch->Next().status().code(), absl::StatusCode::kCancelled);
  canceller.join();
  EXPECT_EQ(server.begins().size(), 1u);
  // One that is let go of without having been read to its end.
  EXPECT_TRUE(server.Watch({})->Next().ok());
}

}  // namespace
}  // namespace clearance::client
