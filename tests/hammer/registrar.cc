// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/registrar.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "server/convert/shape_content.h"

namespace clearance::hammer {
namespace {

constexpr int kNames = 200;
constexpr int kMostItems = 40;
constexpr int kMostPoints = 64;
constexpr int kScenes = 20;
constexpr int kPlaces = 1000;

constexpr char kKept[] = "kept";

// Of what TextOf said of the scene as it is; of one that is gone 1.
std::uint64_t NextRevision(const std::string& text) {
  return text.empty() ? 1 : std::stoull(text) + 1;
}

template <class Poses>
void PutAt(int place, Poses* poses) {
  poses->set_count(1);
  poses->add_ids(1);
  for (const double number : {static_cast<double>(place), 0., 0., 0., 0., 0., 1.})
    poses->add_poses(number);
}

std::string Say(const std::string& digest) { return digest.empty() ? "nothing" : digest; }

}  // namespace

std::string TextOf(std::uint64_t revision, const v1::SceneChange& content) {
  const auto& poses =
      content.bodies().count() > 0 ? content.bodies().poses() : content.poses().poses();
  return std::to_string(revision) + " at " + (poses.empty() ? "?" : std::to_string(poses[0]));
}

std::string Registrar::AnyName() { return prefix_ + std::to_string(random_.Below(kNames)); }

v1::Shape Registrar::AnyHull() {
  v1::Shape shape;
  const int points = 4 + random_.Below(kMostPoints - 3);
  for (int i = 0; i < points; ++i) {
    const Vec3d p = random_.Direction();
    for (const double number : {p.x, p.y, p.z}) shape.mutable_hull()->add_vertices(number);
  }
  return shape;
}

void Progress::Acknowledged() {
  const std::lock_guard lock(mutex_);
  ++acknowledged_;
  changed_.notify_all();
}

void Progress::Ended() {
  const std::lock_guard lock(mutex_);
  --running_;
  changed_.notify_all();
}

void Progress::AwaitMore(int changes) {
  std::unique_lock lock(mutex_);
  const std::uint64_t goal = acknowledged_ + static_cast<std::uint64_t>(changes);
  changed_.wait(lock, [&] { return acknowledged_ >= goal || running_ == 0; });
}

void Registrar::Run(const std::string& address, Progress* progress) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto channel =
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  const auto stub = v1::ShapeService::NewStub(channel);
  const auto scenes = v1::SceneService::NewStub(channel);
  bool goes_on = RegisterKept(*stub);
  while (goes_on) {
    const int what = random_.Below(10);
    const std::uint64_t before = acknowledged_;
    if (what == 0) {
      goes_on = RegisterMany(*stub);
    } else if (what <= 2) {
      goes_on = DeleteOne(*stub);
    } else {
      goes_on = what <= 5 ? ChangeScene(*scenes) : RegisterOne(*stub);
    }
    if (acknowledged_ > before) progress->Acknowledged();
  }
  progress->Ended();
}

bool Registrar::RegisterOne(Stub& stub) {
  v1::RegisterShapeRequest request;
  request.set_name(AnyName());
  *request.mutable_shape() = AnyHull();
  request.set_replace(true);
  names_[request.name()].asked.insert(server::DigestOf(request.shape()));
  grpc::ClientContext context;
  v1::RegisterShapeResponse response;
  const grpc::Status status = stub.RegisterShape(&context, request, &response);
  if (!status.ok()) return GoesOn(status);
  Acknowledge(request.name(), response.info().digest(), response.revision());
  return true;
}

bool Registrar::RegisterMany(Stub& stub) {
  v1::BatchRegisterHullsRequest request;
  request.set_replace(true);
  std::set<std::string> names;
  for (int i = random_.Below(kMostItems); i >= 0; --i) names.insert(AnyName());
  for (const std::string& name : names) {
    const v1::Shape shape = AnyHull();
    request.add_names(name);
    request.add_vertex_counts(static_cast<std::uint32_t>(shape.hull().vertices_size() / 3));
    request.mutable_vertices()->Add(shape.hull().vertices().begin(), shape.hull().vertices().end());
    names_[name].asked.insert(server::DigestOf(shape));
  }
  grpc::ClientContext context;
  v1::BatchRegisterHullsResponse response;
  const grpc::Status status = stub.BatchRegisterHulls(&context, request, &response);
  if (!status.ok()) return GoesOn(status);
  // A batch is stored as a whole.
  if (response.errors_size() > 0) {
    ++refused_;
    return true;
  }
  for (int i = 0; i < request.names_size(); ++i) {
    Acknowledge(request.names(i), response.digests(i), response.revision());
  }
  return true;
}

bool Registrar::DeleteOne(Stub& stub) {
  v1::DeleteShapeRequest request;
  request.set_name(AnyName());
  const auto known = names_.find(request.name());
  if (known == names_.end() || known->second.acknowledged.empty()) return true;
  known->second.asked.insert("");
  grpc::ClientContext context;
  v1::DeleteShapeResponse response;
  const grpc::Status status = stub.DeleteShape(&context, request, &response);
  if (!status.ok()) return GoesOn(status);
  Acknowledge(request.name(), "", response.revision());
  return true;
}

bool Registrar::RegisterKept(Stub& stub) {
  v1::RegisterShapeRequest request;
  request.set_name(prefix_ + kKept);
  request.mutable_shape()->mutable_sphere()->set_radius(1);
  names_[request.name()].asked.insert(server::DigestOf(request.shape()));
  grpc::ClientContext context;
  v1::RegisterShapeResponse response;
  const grpc::Status status = stub.RegisterShape(&context, request, &response);
  if (!status.ok()) return GoesOn(status);
  Acknowledge(request.name(), response.info().digest(), response.revision());
  return true;
}

bool Registrar::ChangeScene(SceneStub& stub) {
  const std::string name = prefix_ + "scene" + std::to_string(random_.Below(kScenes));
  if (names_[name + "@"].acknowledged.empty()) return CreateScene(stub, name);
  return random_.OneIn(4) ? DeleteScene(stub, name) : MoveScene(stub, name);
}

bool Registrar::CreateScene(SceneStub& stub, const std::string& name) {
  v1::CreateSceneRequest request;
  request.set_name(name);
  request.mutable_content()->mutable_bodies()->add_shapes()->set_name(prefix_ + kKept);
  PutAt(random_.Below(kPlaces), request.mutable_content()->mutable_bodies());
  names_[name + "@"].asked.insert(TextOf(1, request.content()));
  grpc::ClientContext context;
  v1::CreateSceneResponse response;
  const grpc::Status status = stub.CreateScene(&context, request, &response);
  if (!status.ok()) return GoesOn(status);
  Acknowledge(name + "@", TextOf(response.scene().revision(), request.content()), 0);
  return true;
}

bool Registrar::MoveScene(SceneStub& stub, const std::string& name) {
  v1::UpdateSceneRequest request;
  request.set_name(name);
  PutAt(random_.Below(kPlaces), request.mutable_change()->mutable_poses());
  Known& known = names_[name + "@"];
  known.asked.insert(TextOf(NextRevision(known.acknowledged), request.change()));
  grpc::ClientContext context;
  v1::UpdateSceneResponse response;
  const grpc::Status status = stub.UpdateScene(&context, request, &response);
  if (!status.ok()) return GoesOn(status);
  Acknowledge(name + "@", TextOf(response.scene().revision(), request.change()), 0);
  return true;
}

bool Registrar::DeleteScene(SceneStub& stub, const std::string& name) {
  v1::DeleteSceneRequest request;
  request.set_name(name);
  names_[name + "@"].asked.insert("");
  grpc::ClientContext context;
  v1::DeleteSceneResponse response;
  const grpc::Status status = stub.DeleteScene(&context, request, &response);
  if (!status.ok()) return GoesOn(status);
  Acknowledge(name + "@", "", 0);
  return true;
}

// Only a server that lives says which field it is about.
bool Registrar::GoesOn(const grpc::Status& status) {
  const bool is_refused = !status.error_details().empty();
  refused_ += is_refused ? 1 : 0;
  return is_refused;
}

void Registrar::Acknowledge(const std::string& name, const std::string& digest,
                            std::uint64_t revision) {
  names_[name] = {digest, {}};
  revision_ = std::max(revision_, revision);
  ++acknowledged_;
}

std::string Registrar::Judge(const Listing& listing, std::uint64_t revision) {
  if (revision < revision_) {
    return "revision " + std::to_string(revision) + " after " + std::to_string(revision_);
  }
  for (auto& [name, known] : names_) {
    const auto found = listing.find(name);
    const std::string digest = found == listing.end() ? "" : found->second;
    if (digest != known.acknowledged && !known.asked.contains(digest)) {
      return name + " has " + Say(digest) + ", acknowledged was " + Say(known.acknowledged);
    }
    known = {digest, {}};
  }
  for (const auto& [name, digest] : listing) {
    if (name.starts_with(prefix_) && !names_.contains(name)) return name + " was never asked for";
  }
  return "";
}

}  // namespace clearance::hammer
