// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/samples.h"

#include <cstdlib>
#include <utility>

#include "clearance/v1/scene_query_service.pb.h"
#include "clearance/v1/scene_service.pb.h"
#include "clearance/v1/server_service.pb.h"
#include "clearance/v1/shape_service.pb.h"
#include "tests/hammer/conversation.h"
#include "tests/hammer/scene_samples.h"

namespace clearance::hammer {
namespace {

constexpr int kRows = 3;

// `name` as in "ShapeService.GetShape".
template <class Request>
Sample MakeSample(const char* name, Request request) {
  const auto* const method = google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(
      std::string("clearance.v1.") + name);
  if (method == nullptr) std::abort();
  return {method, std::make_unique<Request>(std::move(request))};
}

// Collects samples.
class Collection {
 public:
  explicit Collection(testing::Random* random) : random_(random) {}

  template <class Request>
  void Add(const char* name, Request request) {
    samples_.push_back(MakeSample(name, std::move(request)));
  }

  // A message of a session whose kind `set` fills.
  template <class Set>
  void AddMessage(Set set) {
    v1::SessionRequest message;
    message.set_tag(random_->Next());
    set(&message);
    Add("QueryService.Session", std::move(message));
  }

  testing::Random* random() const { return random_; }
  std::vector<Sample> Take() { return std::move(samples_); }

 private:
  testing::Random* const random_;
  std::vector<Sample> samples_;
};

std::string AnyName(const char* prefix, testing::Random* random) {
  return prefix + std::to_string(random->Below(20));
}

// A question of a kind, with as much of shapes, a scene and query bodies as the request may have.
template <class Request>
Request AnyQuery(testing::Random* random) {
  Request request;
  FillBatch(kRows, random, request.mutable_batch());
  if constexpr (requires { request.add_shapes(); }) {
    for (int i = 0; i < 3; ++i) *request.add_shapes()->mutable_inline_shape() = AnyShape(random);
  }
  if constexpr (requires { request.mutable_open_scene(); })
    *request.mutable_open_scene() = AnyOpenScene(random);
  if constexpr (requires { request.mutable_change_bodies(); })
    *request.mutable_change_bodies() = AnyQueryBodies(0, random);
  return request;
}

v1::RegisterShapeRequest AnyRegistration(testing::Random* random) {
  v1::RegisterShapeRequest request;
  request.set_name(AnyName("m", random));
  *request.mutable_shape() = AnyShape(random);
  request.set_replace(true);
  request.set_validate_only(random->OneIn(2));
  return request;
}

v1::BatchRegisterHullsRequest AnyBatchRegistration(testing::Random* random) {
  v1::BatchRegisterHullsRequest request;
  request.set_replace(true);
  for (int i = 0; i < 2; ++i) {
    constexpr int kPoints = 5;
    request.add_names(AnyName("m", random));
    request.add_vertex_counts(kPoints);
    for (int k = 0; k < 3 * kPoints; ++k) request.add_vertices(random->Uniform(-1, 1));
  }
  return request;
}

void AddShapes(Collection* to) {
  v1::GetShapeRequest get;
  get.set_name(to->random()->OneIn(2) ? BaseName(to->random()) : AnyName("m", to->random()));
  get.set_include_content(true);
  v1::ListShapesRequest list;
  list.set_prefix("m");
  list.set_page_size(3);
  v1::DeleteShapeRequest remove;
  remove.set_name(AnyName("m", to->random()));
  to->Add("ShapeService.RegisterShape", AnyRegistration(to->random()));
  to->Add("ShapeService.BatchRegisterHulls", AnyBatchRegistration(to->random()));
  to->Add("ShapeService.GetShape", get);
  to->Add("ShapeService.ListShapes", list);
  to->Add("ShapeService.DeleteShape", remove);
}

// Half of those that are made live in memory alone.
v1::CreateSceneRequest AnyScene(std::string name, testing::Random* random) {
  v1::CreateSceneRequest request;
  request.set_name(std::move(name));
  *request.mutable_content() = AnySceneContent(random);
  if (random->OneIn(2)) request.mutable_ttl()->set_seconds(60);
  return request;
}

void AddSceneReads(Collection* to) {
  v1::GetSceneRequest get;
  get.set_name(to->random()->OneIn(5) ? AnyName("s", to->random()) : BaseName(to->random()));
  get.set_include_bodies(true);
  get.set_include_rules(true);
  get.set_page_size(3);
  v1::ListScenesRequest list;
  list.set_prefix("s");
  list.set_page_size(3);
  v1::WatchSceneRequest watch;
  watch.set_name(BaseName(to->random()));
  watch.set_from_revision(static_cast<std::uint64_t>(to->random()->Below(3)));
  to->Add("SceneService.GetScene", get);
  to->Add("SceneService.ListScenes", list);
  to->Add("SceneService.WatchScene", watch);
}

void AddSceneWrites(Collection* to) {
  testing::Random* const random = to->random();
  v1::UpdateSceneRequest update;
  update.set_name(random->OneIn(5) ? AnyName("s", random) : BaseName(random));
  *update.mutable_change() = AnySceneChange(random);
  v1::ForkSceneRequest fork;
  fork.set_name(AnyName("s", random));
  fork.set_source(BaseName(random));
  if (random->OneIn(2)) fork.mutable_ttl()->set_seconds(60);
  v1::DeleteSceneRequest remove;
  remove.set_name(AnyName("s", random));
  to->Add("SceneService.CreateScene", AnyScene(AnyName("s", random), random));
  to->Add("SceneService.UpdateScene", update);
  to->Add("SceneService.ForkScene", fork);
  to->Add("SceneService.DeleteScene", remove);
}

v1::PairDistanceRequest AnyPair(testing::Random* random) {
  v1::PairDistanceRequest request;
  for (v1::PosedShape* const posed : {request.mutable_a(), request.mutable_b()}) {
    *posed->mutable_shape()->mutable_inline_shape() = AnyShape(random);
    posed->mutable_pose()->mutable_translation()->set_x(random->Uniform(-2, 2));
    posed->mutable_pose()->mutable_rotation()->set_w(1);
  }
  return request;
}

void AddQuestions(Collection* to) {
  testing::Random* const random = to->random();
  to->Add("QueryService.PairDistance", AnyPair(random));
#define QUERY(name, field, service, label, states) \
  to->Add(#service "." #name, AnyQuery<v1::name##Request>(random));
#include "proto/methods.def"
  to->Add("ServerService.GetServerInfo", v1::GetServerInfoRequest());
}

void AddMessages(Collection* to) {
  testing::Random* const random = to->random();
  for (v1::SessionRequest& request : AnyConversation(0, kRows, random)) {
    to->Add("QueryService.Session", std::move(request));
  }
  using Request = v1::SessionRequest*;
#define QUERY(name, field, service, label, states) \
  to->AddMessage([&](Request m) { FillBatch(kRows, random, m->mutable_##field()); });
#include "proto/methods.def"
  to->AddMessage([&](Request m) { *m->mutable_publish_tick() = AnyTick(random); });
  to->AddMessage([&](Request m) { *m->mutable_rewind_track() = AnyRewind(random); });
  to->AddMessage([&](Request m) { *m->mutable_open_track() = AnyOpenTrack(random); });
  to->AddMessage([&](Request m) { m->mutable_close_track(); });
  to->AddMessage([&](Request m) { *m->mutable_open_scene() = AnyOpenScene(random); });
  to->AddMessage([&](Request m) {
    *m->mutable_change_bodies() = AnyQueryBodies(random->OneIn(2) ? 0 : kFirstNamedSlot, random);
  });
  to->AddMessage([&](Request m) { m->mutable_close_scene()->set_scene_slot(1); });
  to->AddMessage([&](Request m) {
    m->mutable_close()->set_slot(static_cast<std::uint32_t>(random->Below(6)));
  });
}

}  // namespace

std::string PathOf(const google::protobuf::MethodDescriptor& method) {
  return "/" + method.service()->full_name() + "/" + method.name();
}

std::vector<Sample> AnySamples(testing::Random* random) {
  Collection samples(random);
  AddQuestions(&samples);
  AddShapes(&samples);
  AddSceneReads(&samples);
  AddSceneWrites(&samples);
  AddMessages(&samples);
  return samples.Take();
}

std::vector<Sample> BaseSamples(testing::Random* random) {
  Collection samples(random);
  for (const char* const name : {"base0", "base1", "base2", "base3"}) {
    v1::RegisterShapeRequest request;
    request.set_name(name);
    *request.mutable_shape() = AnyShape(random);
    samples.Add("ShapeService.RegisterShape", std::move(request));
  }
  for (const char* const name : {"base0", "base1", "base2", "base3"}) {
    v1::CreateSceneRequest request = AnyScene(name, random);
    request.clear_ttl();
    samples.Add("SceneService.CreateScene", std::move(request));
  }
  return samples.Take();
}

std::vector<v1::SessionRequest> AnyGreeting(testing::Random* random) {
  std::vector<v1::SessionRequest> messages = AnyConversation(0, kRows, random);
  for (std::uint32_t i = 0; i < kQueryBodies; ++i) {
    v1::OpenShape* const open = messages.emplace_back().mutable_open();
    open->set_slot(kFirstNamedSlot + i);
    open->mutable_shape()->set_name(BaseName(random));
  }
  v1::OpenScene* const open = messages.emplace_back().mutable_open_scene();
  open->set_name(BaseName(random));
  *messages.emplace_back().mutable_change_bodies() = AnyQueryBodies(kFirstNamedSlot, random);
  *messages.emplace_back().mutable_open_track() = AnyOpenTrack(random);
  for (const std::uint64_t tick : {1, 2}) {
    v1::PublishTick* const publish = messages.emplace_back().mutable_publish_tick();
    *publish = AnyTick(random);
    publish->set_tick(tick);
  }
  return messages;
}

}  // namespace clearance::hammer
