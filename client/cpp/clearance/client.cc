// SPDX-License-Identifier: Apache-2.0
#include "clearance/client.h"

#include <google/protobuf/wrappers.pb.h>
#include <grpcpp/generic/generic_stub.h>

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "clearance/session.h"
#include "internal/backoff.h"
#include "internal/columns.h"
#include "internal/connection.h"
#include "internal/poll_channel.h"
#include "internal/query_convert.h"
#include "internal/server_info_convert.h"
#include "internal/session_impl.h"
#include "internal/shape_convert.h"
#include "internal/status_convert.h"
#include "internal/target.h"
#include "internal/token.h"
#include "internal/unary_method.h"
#include "internal/unreachable.h"

namespace clearance::client {
namespace {

// The unary queries differ in their types only.
template <class Request, class Batch>
Request MakeQuery(const ShapeTable& shapes, const Batch& batch, const ClientOptions& options) {
  Request request;
  for (const ShapeReference& shape : shapes.shapes) ToProto(shape, request.add_shapes());
  ToProto(batch, {0, batch.pairs.count}, request.mutable_batch());
  SetReplyLimit(options, request.mutable_batch());
  request.set_min_revision(shapes.min_revision);
  return request;
}

// Asks a new connection's server who it is.
absl::StatusOr<v1::GetServerInfoResponse> Greet(const Connection& connection) {
  const ClientOptions& options = connection.options;
  const Method get_info{&v1::ServerService::Stub::GetServerInfo};
  Backoff backoff(options.wait);
  while (true) {
    auto response = get_info.Once(connection, {}, {options.timeout, {}});
    if (!absl::IsUnavailable(response.status())) return response;
    const std::optional<absl::Duration> pause = backoff.AfterFailure(SteadyNow());
    if (!pause) return response;
    PollChannelUntil(SteadyNow() + *pause, *connection.channel, [] { return false; });
  }
}

}  // namespace

Client::Client(std::shared_ptr<const Connection> connection, absl::Duration timeout, CallIds ids)
    : connection_(std::move(connection)), timeout_(timeout), ids_(std::move(ids)) {}

absl::StatusOr<Client> Client::Connect(const std::string& address, const ClientOptions& options) {
  if (absl::Status status = CheckToken(options, address); !status.ok()) return status;
  const absl::StatusOr<Target> target = ToTarget(address, options);
  if (!target.ok()) return Unreachable(target.status(), address);
  auto connection = std::make_shared<Connection>(*target, options);
  const auto response = Greet(*connection);
  if (!response.ok()) return Unreachable(response.status(), address);
  connection->limits = FromProto(*response).limits;
  return Client(std::move(connection), options.timeout);
}

absl::StatusOr<Health> Client::HealthOf(const std::string& address, ClientOptions options,
                                        const std::string& service) {
  options.token.clear();
  const absl::StatusOr<Target> target = ToTarget(address, options);
  if (!target.ok()) return target.status();
  const absl::Duration timeout = options.timeout;
  return Client(std::make_shared<const Connection>(*target, std::move(options)), timeout)
      .CheckHealth(service);
}

Client Client::WithTimeout(absl::Duration timeout) const {
  return Client(connection_, timeout, ids_);
}

Client Client::WithIds(CallIds ids) const { return Client(connection_, timeout_, std::move(ids)); }

absl::StatusOr<Registration> Client::Register(const std::string& name, const Shape& shape,
                                              const RegisterOptions& options) const {
  v1::RegisterShapeRequest request;
  request.set_name(name);
  ToProto(shape, request.mutable_shape());
  request.set_replace(options.replace);
  request.set_validate_only(options.validate_only);
  const auto response =
      Method{&v1::ShapeService::Stub::RegisterShape}(*connection_, request, {timeout_, ids_});
  if (!response.ok()) return response.status();
  return Registration{FromProto(response->info()), response->revision(), response->created()};
}

absl::StatusOr<BatchRegistration> Client::BatchRegisterHulls(const HullColumns& hulls) const {
  v1::BatchRegisterHullsRequest request;
  for (const std::string& name : hulls.names) request.add_names(name);
  Assign(hulls.vertex_counts, request.mutable_vertex_counts());
  Assign(hulls.vertices, request.mutable_vertices());
  Assign(hulls.swept_sphere_radii, request.mutable_swept_sphere_radii());
  request.set_replace(hulls.replace);
  const auto response =
      Method{&v1::ShapeService::Stub::BatchRegisterHulls}(*connection_, request, {timeout_, ids_});
  if (!response.ok()) return response.status();
  BatchRegistration result;
  result.digests.assign(response->digests().begin(), response->digests().end());
  for (const v1::Error& error : response->errors()) result.errors.push_back(FromProto(error));
  result.revision = response->revision();
  return result;
}

absl::StatusOr<FoundShape> Client::Get(const ShapeKey& key, bool include_content) const {
  v1::GetShapeRequest request;
  if (const auto* name = std::get_if<ByName>(&key)) request.set_name(name->name);
  if (const auto* digest = std::get_if<ByDigest>(&key)) request.set_digest(digest->digest);
  request.set_include_content(include_content);
  const auto response =
      Method{&v1::ShapeService::Stub::GetShape}(*connection_, request, {timeout_, ids_});
  if (!response.ok()) return response.status();
  FoundShape found{FromProto(response->info()), std::nullopt, response->revision()};
  if (!response->has_shape()) return found;
  absl::StatusOr<Shape> content = FromProto(response->shape());
  if (!content.ok()) return content.status();
  found.content = *std::move(content);
  return found;
}

absl::StatusOr<ShapePage> Client::ListPage(const ListOptions& options) const {
  v1::ListShapesRequest request;
  request.set_prefix(options.prefix);
  request.set_page_size(options.page_size);
  request.set_page_token(options.page_token);
  const auto response =
      Method{&v1::ShapeService::Stub::ListShapes}(*connection_, request, {timeout_, ids_});
  if (!response.ok()) return response.status();
  ShapePage page{{}, response->next_page_token(), response->revision()};
  for (const v1::ShapeInfo& info : response->shapes()) page.shapes.push_back(FromProto(info));
  return page;
}

absl::StatusOr<std::vector<ShapeInfo>> Client::List(const std::string& prefix) const {
  constexpr int kLargestPage = 1000;
  std::vector<ShapeInfo> shapes;
  ListOptions options{.prefix = prefix, .page_size = kLargestPage, .page_token = ""};
  do {
    absl::StatusOr<ShapePage> page = ListPage(options);
    if (!page.ok()) return page.status();
    shapes.insert(shapes.end(), std::make_move_iterator(page->shapes.begin()),
                  std::make_move_iterator(page->shapes.end()));
    options.page_token = page->next_page_token;
  } while (!options.page_token.empty());
  return shapes;
}

absl::StatusOr<std::uint64_t> Client::Delete(const std::string& name,
                                             const std::string& etag) const {
  v1::DeleteShapeRequest request;
  request.set_name(name);
  request.set_etag(etag);
  const auto response =
      Method{&v1::ShapeService::Stub::DeleteShape}.Once(*connection_, request, {timeout_, ids_});
  if (!response.ok()) return response.status();
  return response->revision();
}

absl::StatusOr<PairDistance> Client::Distance(const ShapeReference& shape_a, const Pose& pose_a,
                                              const ShapeReference& shape_b,
                                              const Pose& pose_b) const {
  v1::PairDistanceRequest request;
  ToProto(shape_a, request.mutable_a()->mutable_shape());
  ToProto(pose_a, request.mutable_a()->mutable_pose());
  ToProto(shape_b, request.mutable_b()->mutable_shape());
  ToProto(pose_b, request.mutable_b()->mutable_pose());
  const auto response =
      Method{&v1::QueryService::Stub::PairDistance}(*connection_, request, {timeout_, ids_});
  if (!response.ok()) return response.status();
  return FromProto(*response);
}

// The calls of the kinds about pairs.
#define CALL_SceneQueryService(name)
#define CALL_QueryService(name)                                                             \
  absl::StatusOr<name##Batch::Result> Client::name(const ShapeTable& shapes,                \
                                                   const name##Batch& batch) const {        \
    const auto request = MakeQuery<v1::name##Request>(shapes, batch, connection_->options); \
    return TakeResult<name##Batch>(                                                         \
        Method{&v1::QueryService::Stub::name}(*connection_, request, {timeout_, ids_}));    \
  }
#define QUERY(name, field, service, label, states) CALL_##service(name)
#include "proto/methods.def"
#undef CALL_QueryService
#undef CALL_SceneQueryService

std::unique_ptr<Session> Client::OpenSession(const SessionOptions& options) const {
  return std::unique_ptr<Session>(
      new Session(std::make_unique<Session::Impl>(connection_, options)));
}

absl::StatusOr<ServerInfo> Client::GetServerInfo() const {
  const auto response =
      Method{&v1::ServerService::Stub::GetServerInfo}(*connection_, {}, {timeout_, ids_});
  if (!response.ok()) return response.status();
  return FromProto(*response);
}

absl::StatusOr<Health> Client::CheckHealth(const std::string& service) const {
  // grpc.health.v1.HealthCheckRequest {string service = 1} and HealthCheckResponse {enum status =
  // 1} are these two on the wire, which spares every user of the library a generated copy.
  google::protobuf::StringValue request;
  google::protobuf::Int32Value response;
  request.set_value(service);
  grpc::ClientContext context;
  connection_->Prepare(timeout_, ids_, &context);
  grpc::TemplatedGenericStub<google::protobuf::StringValue, google::protobuf::Int32Value> stub(
      connection_->channel);
  grpc::Status status;
  absl::Notification done;
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", {}, &request, &response,
                 [&](grpc::Status result) {
                   status = std::move(result);
                   done.Notify();
                 });
  done.WaitForNotification();
  if (!status.ok()) return FromGrpc(status, context);
  switch (response.value()) {
    case 1:
      return Health::kServing;
    case 2:
      return Health::kNotServing;
    default:
      return Health::kUnknown;
  }
}

}  // namespace clearance::client
