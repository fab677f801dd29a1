// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a request of a unary method (the first byte says of which), to a server inside the
// process: answered as answer_faults.h has it, or refused with a code that the method names. A
// question is answered twice with the same bytes. What was registered or made goes again.

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/synchronization/notification.h"
#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/scene_query_service.pb.h"
#include "clearance/v1/scene_service.pb.h"
#include "clearance/v1/shape_service.pb.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/storage/shape_ledger.h"
#include "server/transport/grpc_server.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/quiet_protobuf.h"
#include "tests/hammer/answer_faults.h"
#include "tests/support/local_config.h"

namespace clearance::fuzz {
namespace {

using google::protobuf::Message;
using google::protobuf::MethodDescriptor;

constexpr std::array kMethods = {
#define QUERY(name, field, service, label, states) #service "." #name,
#include "proto/methods.def"
    "ShapeService.GetShape",    "ShapeService.ListShapes",    "SceneService.GetScene",
    "SceneService.ListScenes",  "ShapeService.RegisterShape", "ShapeService.BatchRegisterHulls",
    "SceneService.CreateScene", "QueryService.PairDistance"};
// The last four are asked once; those before them change nothing.
constexpr std::size_t kFirstChange = kMethods.size() - 4;

// Small, so that they are hit.
constexpr server::Limits kLimits = {.max_request_bytes = 8192,
                                    .max_reply_bytes = 32768,
                                    .max_batch_rows = 16,
                                    .max_batch_hulls = 8,
                                    .max_shape_vertices = 32,
                                    .max_slots_per_session = 4,
                                    .max_pieces_per_shape = 4,
                                    .max_scene_bodies = 8,
                                    .max_scene_rules = 8,
                                    .max_session_bodies = 4,
                                    .max_session_rules = 4,
                                    .max_row_pairs = 4};

const MethodDescriptor& MethodOf(std::size_t index) {
  const auto* const method = google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(
      std::string("clearance.v1.") + kMethods[index]);
  Require(method != nullptr, "there is the method");
  return *method;
}

// One for all inputs, which ends with the process.
class TheServer {
 public:
  TheServer() {
    server::ServerConfig config = server::LocalConfig(kLimits);
    config.worker_threads = 1;
    auto started =
        server::GrpcServer::Start({.config = config, .ledger = &ledger_}, registry_, metrics_);
    Require(started.ok(), "a server starts");
    server_ = *std::move(started);
    // A connection from inside ends when it is idle; the stub's next call makes it anew.
    channel_ = server_->ChannelToItself(std::uint64_t{1} << 20);
    PutShape();
    v1::CreateSceneRequest scene;
    scene.set_name("w");
    v1::BodyColumns* const bodies = scene.mutable_content()->mutable_bodies();
    bodies->set_count(2);
    bodies->add_ids(1);
    bodies->add_ids(2);
    bodies->add_shapes()->set_name("s");
    for (const double number : {0., 0., 0., 0., 0., 0., 1., 3., 0., 0., 0., 0., 0., 1.})
      bodies->add_poses(number);
    Require(Call("SceneService.CreateScene", scene).ok(), "a scene is made");
  }

  grpc::Status Ask(const MethodDescriptor& method, const std::string& request,
                   std::string* answer) {
    grpc::GenericStub stub(channel_);
    grpc::ClientContext context;
    const grpc::Slice slice(request);
    const grpc::ByteBuffer bytes(&slice, 1);
    grpc::ByteBuffer reply;
    grpc::Status status;
    absl::Notification done;
    stub.UnaryCall(&context, "/" + method.service()->full_name() + "/" + method.name(), {}, &bytes,
                   &reply, [&](grpc::Status result) {
                     status = std::move(result);
                     done.Notify();
                   });
    done.WaitForNotification();
    grpc::Slice whole;
    if (status.ok() && reply.Valid() && reply.DumpToSingleSlice(&whole).ok())
      answer->assign(reinterpret_cast<const char*>(whole.begin()), whole.size());
    return status;
  }

  // A valid request.
  grpc::Status Call(const std::string& method, const Message& request) {
    std::string answer;
    return Ask(*google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(
                   "clearance.v1." + method),
               request.SerializeAsString(), &answer);
  }

  void PutShape() {
    v1::RegisterShapeRequest shape;
    shape.set_name("s");
    shape.mutable_shape()->mutable_sphere()->set_radius(1);
    shape.set_replace(true);
    Require(Call("ShapeService.RegisterShape", shape).ok(), "a shape is registered");
  }

  // All shapes and scenes but those of the beginning.
  void TakeAwayTheRest() {
    for (const server::SceneState& state : scenes_.List("", "", SIZE_MAX).scenes) {
      v1::DeleteSceneRequest request;
      request.set_name(state.name);
      if (state.name != "w") Call("SceneService.DeleteScene", request);
    }
    PutShape();
    for (const server::NamedShape& named : registry_.List("", "", SIZE_MAX).shapes) {
      v1::DeleteShapeRequest request;
      request.set_name(named.name);
      if (named.name != "s") Call("ShapeService.DeleteShape", request);
    }
  }

 private:
  server::Metrics metrics_{"fuzz"};
  server::Registry registry_{kLimits, nullptr};
  server::SceneRegistry scenes_{kLimits, nullptr};
  server::ShapeLedger ledger_{{.registry = registry_, .store = nullptr, .scenes = scenes_}};
  std::unique_ptr<server::GrpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

// The request without its own time: what is answered within it is not the same twice.
std::string Timeless(const MethodDescriptor& method, const std::uint8_t* bytes, std::size_t size) {
  const std::unique_ptr<Message> request(google::protobuf::MessageFactory::generated_factory()
                                             ->GetPrototype(method.input_type())
                                             ->New());
  std::string given(bytes, bytes + size);
  if (!request->ParseFromString(given)) return given;
  const auto* const batch = method.input_type()->FindFieldByName("batch");
  if (batch == nullptr || !request->GetReflection()->HasField(*request, batch)) return given;
  Message* const message = request->GetReflection()->MutableMessage(request.get(), batch);
  const auto* const options = message->GetDescriptor()->FindFieldByName("options");
  if (options == nullptr || !message->GetReflection()->HasField(*message, options)) return given;
  auto* const limits = message->GetReflection()->MutableMessage(message, options);
  static_cast<v1::BatchOptions*>(limits)->clear_time_budget();
  return request->SerializeAsString();
}

void CheckAnswer(const MethodDescriptor& method, const grpc::Status& status,
                 const std::string& bytes) {
  if (!status.ok()) {
    Require(!status.error_message().empty(), "a refusal says why");
    return Require(hammer::NamesCode(method, status.error_code()), "a code that the method names");
  }
  const std::unique_ptr<Message> answer(google::protobuf::MessageFactory::generated_factory()
                                            ->GetPrototype(method.output_type())
                                            ->New());
  Require(answer->ParseFromString(bytes), "an answer is of its type");
  const std::string fault = hammer::FaultOfAnswer(*answer);
  Require(fault.empty(), fault.c_str());
}

void FuzzRequest(std::size_t index, const std::uint8_t* bytes, std::size_t size) {
  static TheServer& server = *new TheServer;
  const MethodDescriptor& method = MethodOf(index);
  const std::string request = Timeless(method, bytes, size);
  std::string answer;
  const grpc::Status status = server.Ask(method, request, &answer);
  CheckAnswer(method, status, answer);
  if (index >= kFirstChange) {
    if (status.ok()) server.TakeAwayTheRest();
    return;
  }
  std::string again;
  const grpc::Status second = server.Ask(method, request, &again);
  Require(second.error_code() == status.error_code() && again == answer,
          "the same question, the same bytes");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace clearance;  // NOLINT(google-build-using-namespace): outside of it by its linkage
  if (size == 0) return 0;
  fuzz::FuzzRequest(bytes[0] % fuzz::kMethods.size(), bytes + 1, size - 1);
  return 0;
}
