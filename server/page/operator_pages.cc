// SPDX-License-Identifier: Apache-2.0
#include "server/page/operator_pages.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/notification.h"
#include "clearance/v1/error.pb.h"
#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/server_service.pb.h"
#include "clearance/v1/shape_service.pb.h"
#include "google/rpc/status.pb.h"

namespace clearance::server {
namespace {

namespace fs = std::filesystem;

constexpr char kCalls[] = "/call/";

// At once: half of the HTTP server's threads, so that probes and scrapes are answered beside them.
constexpr int kMostCalls = 4;

constexpr std::size_t kMostFiles = 100;
constexpr std::size_t kMostBytes = 16 << 20;

constexpr std::pair<std::string_view, std::string_view> kContentTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".json", "application/json"},
};

absl::Status NoPage(const std::string& directory, absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("--page_dir=", directory, ": ", reason));
}

// Empty for an ending that is none of a page's.
std::string_view ContentTypeOf(const fs::path& file) {
  for (const auto& [ending, type] : kContentTypes) {
    if (file.extension() == ending) return type;
  }
  return {};
}

absl::StatusOr<std::string> Content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (!stream.is_open() || stream.bad())
    return absl::NotFoundError(absl::StrCat("cannot read ", file.string()));
  return content;
}

using google::protobuf::Message;

constexpr std::chrono::seconds kLongestCall(3);
constexpr char kJson[] = "application/json";

struct Method {
  absl::string_view name;  // Service/Method of clearance.v1
  const Message* request;  // any of its type
  const Message* response;
};

template <class Request, class Response>
Method MethodOf(absl::string_view name) {
  return {name, &Request::default_instance(), &Response::default_instance()};
}

// Returns null if the page may not call it. These methods change nothing and do not stream.
const Method* FindMethod(absl::string_view name) {
  static const std::array<Method, 7> kMethods = {
      MethodOf<v1::GetServerInfoRequest, v1::GetServerInfoResponse>("ServerService/GetServerInfo"),
      MethodOf<v1::ListShapesRequest, v1::ListShapesResponse>("ShapeService/ListShapes"),
      MethodOf<v1::GetShapeRequest, v1::GetShapeResponse>("ShapeService/GetShape"),
      MethodOf<v1::PairDistanceRequest, v1::PairDistanceResponse>("QueryService/PairDistance"),
      MethodOf<v1::DistanceRequest, v1::DistanceResponse>("QueryService/Distance"),
      MethodOf<v1::IntersectionRequest, v1::IntersectionResponse>("QueryService/Intersection"),
      MethodOf<v1::TimeOfCollisionRequest, v1::TimeOfCollisionResponse>(
          "QueryService/TimeOfCollision"),
  };
  const auto* const found = std::ranges::find(kMethods, name, &Method::name);
  return found == kMethods.end() ? nullptr : found;
}

int HttpStatusOf(grpc::StatusCode code) {
  constexpr std::pair<grpc::StatusCode, int> kStatuses[] = {
      {grpc::StatusCode::INVALID_ARGUMENT, 400}, {grpc::StatusCode::FAILED_PRECONDITION, 400},
      {grpc::StatusCode::UNAUTHENTICATED, 401},  {grpc::StatusCode::PERMISSION_DENIED, 403},
      {grpc::StatusCode::NOT_FOUND, 404},        {grpc::StatusCode::RESOURCE_EXHAUSTED, 429},
      {grpc::StatusCode::UNAVAILABLE, 503},      {grpc::StatusCode::DEADLINE_EXCEEDED, 504}};
  const auto* const found =
      std::ranges::find(kStatuses, code, &std::pair<grpc::StatusCode, int>::first);
  return found == std::end(kStatuses) ? 500 : found->second;
}

HttpReply RefusalWith(int status, const nlohmann::json& reasons) {
  return {.status = status,
          .content_type = kJson,
          // Bytes that are not UTF-8 (a caller's, in a message) are replaced.
          .body = reasons.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

HttpReply Refusal(int status, const std::string& message) {
  return RefusalWith(status, {{"message", message}});
}

HttpReply RefusalOf(const grpc::Status& status) {
  nlohmann::json reasons = {{"message", status.error_message()}};
  google::rpc::Status details;
  v1::Error error;
  if (details.ParseFromString(status.error_details()) && details.details_size() > 0 &&
      details.details(0).UnpackTo(&error)) {
    reasons.update({{"reason", error.reason()},
                    {"field", error.field()},
                    {"value", error.value()},
                    {"limit", error.limit()}});
  }
  return RefusalWith(HttpStatusOf(status.error_code()), reasons);
}

}  // namespace

absl::Status OperatorPages::ShowPage(const std::string& directory) {
  std::map<std::string, HttpReply, std::less<>> files;
  std::size_t bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(directory, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    if (!entry->is_regular_file(unknown)) continue;
    const std::string_view type = ContentTypeOf(entry->path());
    const std::string path = "/" + entry->path().lexically_relative(directory).generic_string();
    if (type.empty())
      return NoPage(directory, absl::StrCat(path, " has a type that a page does not use"));
    absl::StatusOr<std::string> content = Content(entry->path());
    if (!content.ok()) return content.status();
    bytes += content->size();
    files[path] = {.content_type = std::string(type), .body = *std::move(content)};
    if (files.size() > kMostFiles || bytes > kMostBytes)
      return NoPage(directory, "more than 100 files or 16 MiB");
  }
  if (error)
    return absl::NotFoundError(absl::StrCat("--page_dir=", directory, ": ", error.message()));
  const auto index = files.find("/index.html");
  if (index == files.end()) return NoPage(directory, "has no index.html");
  files["/"] = index->second;
  files_ = std::move(files);
  return absl::OkStatus();
}

bool OperatorPages::TakesBody(const std::string& path) const {
  return make_channel_ != nullptr && absl::StartsWith(path, kCalls);
}

HttpReply OperatorPages::Answer(const HttpRequest& request) {
  const std::string& path = request.path;
  // Probes of proxies name no host, and browsers always name one. Whether the server lives is no
  // secret.
  const bool is_probe = path == "/livez" || path == "/readyz";
  if (answers_addresses_only_ && !is_probe && !request.host.empty() && !NamesAddress(request))
    return {.status = 403, .body = "not under this name: ask by the address, or localhost\n"};
  if (TakesBody(path)) return AnswerCall(request);
  if (request.method == "POST") return {.status = 405, .body = "only GET and HEAD\n"};
  if (path == "/metrics") {
    liveness_->FindDead();  // for the series that tell of it
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_->Scrape()};
  }
  if (path == "/livez") {
    const std::optional<std::string> dead = liveness_->FindDead();
    return dead.has_value() ? HttpReply{.status = 503, .body = "not alive: " + *dead + "\n"}
                            : HttpReply{.body = "alive\n"};
  }
  if (path == "/readyz") {
    if (!ready_) return {.status = 503, .body = "not ready: starting or draining\n"};
    const bool is_ready = !is_ready_ || is_ready_();
    return is_ready ? HttpReply{.body = "ready\n"}
                    : HttpReply{.status = 503, .body = "not ready: the store does not answer\n"};
  }
  const auto file = files_.find(path);
  if (file != files_.end()) return file->second;
  return {.status = 404, .body = "not here: try /metrics, /livez or /readyz\n"};
}

HttpReply OperatorPages::AnswerCall(const HttpRequest& request) {
  if (!ready_) return Refusal(503, "not ready: starting or draining");
  const bool has_room = calls_.fetch_add(1) < kMostCalls;
  HttpReply reply = has_room
                        ? Call(absl::StripPrefix(request.path, kCalls), request)
                        : Refusal(429, "the server answers as many calls of its page as it will");
  calls_.fetch_sub(1);
  return reply;
}

HttpReply OperatorPages::Call(absl::string_view name, const HttpRequest& request) const {
  const Method* const method = FindMethod(name);
  if (method == nullptr) return Refusal(404, "the page may not call this");
  if (request.method != "POST") return Refusal(405, "only POST");
  if (request.content_type != kJson)
    return Refusal(415, "the content type must be application/json");
  // gRPC ends a process that would send other bytes as metadata.
  if (!absl::c_all_of(request.authorization, absl::ascii_isprint))
    return Refusal(401, "the authorization has characters that no token has");
  const bool is_vouched_for = checks_callers_ && !request.authorization.empty();
  if (!is_vouched_for && !NamesAddress(request))
    return Refusal(
        403, "without a token that is checked the page is asked by an address, not by a name");
  google::protobuf::Arena arena;
  Message* const question = method->request->New(&arena);
  const auto parsed = google::protobuf::util::JsonStringToMessage(request.body, question);
  if (!parsed.ok()) return Refusal(400, parsed.ToString());
  Message* const answer = method->response->New(&arena);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kLongestCall);
  if (!request.authorization.empty()) context.AddMetadata("authorization", request.authorization);
  grpc::Status status;
  absl::Notification done;
  grpc::TemplatedGenericStub<Message, Message> stub(make_channel_());
  stub.UnaryCall(&context, absl::StrCat("/clearance.v1.", name), {}, question, answer,
                 [&](grpc::Status ended) {
                   status = std::move(ended);
                   done.Notify();
                 });
  done.WaitForNotification();
  if (!status.ok()) return RefusalOf(status);
  HttpReply reply{.content_type = kJson, .body = {}};
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  const auto printed = google::protobuf::util::MessageToJsonString(*answer, &reply.body, options);
  return printed.ok() ? reply : Refusal(500, printed.ToString());
}

}  // namespace clearance::server
