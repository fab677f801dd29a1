// SPDX-License-Identifier: Apache-2.0
//
// One client that registers, replaces and deletes shapes and makes, changes and deletes kept scenes
// without pause, and remembers of each of its names what a server may say of it after a crash: what
// was acknowledged last, or what was asked since and not answered.

#pragma once

#include <grpcpp/support/status.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "clearance/v1/scene_service.grpc.pb.h"
#include "clearance/v1/shape.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "tests/support/random.h"

namespace clearance::hammer {

// How far clients have come, for whoever waits for it. Thread-safe.
class Progress {
 public:
  explicit Progress(int clients) : running_(clients) {}

  void Acknowledged();
  void Ended();
  // Until so many more changes are acknowledged, or no client is left.
  void AwaitMore(int changes);

 private:
  std::mutex mutex_;  // guards the next two
  std::condition_variable changed_;
  std::uint64_t acknowledged_ = 0;
  int running_;
};

// Of each name its digest; of a scene's, which has an @ behind it, its TextOf.
using Listing = std::map<std::string, std::string>;

// What tells the scene of a revision from all others that a registrar makes of it: the revision,
// and where its one body is.
std::string TextOf(std::uint64_t revision, const v1::SceneChange& content);

// Thread-compatible.
class Registrar {
 public:
  // Names begin with `prefix`.
  Registrar(std::string prefix, std::uint64_t seed) : prefix_(std::move(prefix)), random_(seed) {}

  // Goes on until a call fails, as all do once the server is killed. A change that the server
  // refuses because it cannot be stored is no failure.
  void Run(const std::string& address, Progress* progress);

  // What is wrong with what a server has of this one's names and with its revision; "" if nothing.
  // From here on what the server has is what is known.
  std::string Judge(const Listing& listing, std::uint64_t revision);

  std::uint64_t acknowledged() const { return acknowledged_; }
  std::uint64_t refused() const { return refused_; }

 private:
  // A digest, "" where the name is gone.
  struct Known {
    std::string acknowledged;
    std::set<std::string> asked;
  };
  using Stub = v1::ShapeService::Stub;
  using SceneStub = v1::SceneService::Stub;

  std::string AnyName();
  v1::Shape AnyHull();
  bool RegisterOne(Stub& stub);
  bool RegisterMany(Stub& stub);
  bool DeleteOne(Stub& stub);
  // The shape that all scenes have, which is never deleted.
  bool RegisterKept(Stub& stub);
  // Makes the scene where it is gone, else changes or deletes it.
  bool ChangeScene(SceneStub& stub);
  bool CreateScene(SceneStub& stub, const std::string& name);
  bool MoveScene(SceneStub& stub, const std::string& name);
  bool DeleteScene(SceneStub& stub, const std::string& name);
  // Of a call that failed: whether the server goes on.
  bool GoesOn(const grpc::Status& status);
  void Acknowledge(const std::string& name, const std::string& digest, std::uint64_t revision);

  const std::string prefix_;
  testing::Random random_;
  std::map<std::string, Known> names_;
  std::uint64_t revision_ = 0;  // the largest that was acknowledged
  std::uint64_t acknowledged_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace clearance::hammer
