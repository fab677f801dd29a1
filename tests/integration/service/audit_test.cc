// SPDX-License-Identifier: Apache-2.0
//
// The audit lines of changes, and the ids under which calls are found again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/integration/service/guarded_server.h"

namespace clearance::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";

Metadata CallerNamed(const std::string& id, const std::string& request_id) {
  Metadata metadata = AuthorizationOf(id);
  metadata.emplace_back("x-request-id", request_id);
  metadata.emplace_back("traceparent", std::string("00-") + kTrace + "-00f067aa0ba902b7-01");
  return metadata;
}

struct AuditedCall {
  std::string name;
  double radius = 1;
  bool replace = false;
  bool validate_only = false;
};

grpc::Status RegisterWith(const Metadata& metadata, TestServer& server, const AuditedCall& ask) {
  v1::RegisterShapeRequest request;
  v1::RegisterShapeResponse response;
  request.set_name(ask.name);
  request.set_replace(ask.replace);
  request.set_validate_only(ask.validate_only);
  *request.mutable_shape() = Sphere(ask.radius);
  return CallWith(metadata, *server.shapes, &v1::ShapeService::Stub::RegisterShape, request,
                  &response);
}

TEST(Audit, TellsOfEveryChangeWhoWhatAndWhatCameOfIt) {
  GuardedServer guarded;
  TestServer& server = guarded.server;
  EXPECT_TRUE(RegisterWith(CallerNamed("maker", "id-1"), server, {.name = "ball"}).ok());
  EXPECT_TRUE(RegisterWith(CallerNamed("maker", "id-2"), server, {.name = "ball"}).ok());
  RegisterWith(CallerNamed("maker", "id-3"), server, {.name = "ball", .radius = 2});
  RegisterWith(CallerNamed("arm", "id-4"), server, {.name = "ball", .radius = 2});
  RegisterWith(CallerNamed("owner", "id-5"), server, {.name = "new", .validate_only = true});
  EXPECT_TRUE(RegisterWith(CallerNamed("owner", "id-6"), server,
                           {.name = "ball", .radius = 2, .replace = true})
                  .ok());
  v1::DeleteShapeRequest request;
  v1::DeleteShapeResponse response;
  request.set_name("ball");
  EXPECT_TRUE(CallWith(CallerNamed("owner", "id-7"), *server.shapes,
                       &v1::ShapeService::Stub::DeleteShape, request, &response)
                  .ok());
  CallWith(CallerNamed("owner", "id-8"), *server.shapes, &v1::ShapeService::Stub::DeleteShape,
           request, &response);
  RegisterWith(CallerNamed("owner", "id-9"), server, {.name = "ball", .radius = -1});
  RegisterWith(CallerNamed("owner", "id-10"), server, {.name = "a ball"});
  server.grpc->Shutdown(absl::InfiniteDuration());

  std::vector<std::string> audit;
  for (const std::string& line : server.log_lines) {
    if (line.find(" AUDIT ") == std::string::npos) continue;
    EXPECT_THAT(line, HasSubstr(std::string("trace_id=") + kTrace));
    EXPECT_THAT(line, HasSubstr("peer=ipv4:127.0.0.1:"));
    audit.push_back(line);
  }
  const auto has = [](const std::string& what, const std::string& who) {
    return AllOf(HasSubstr(what), HasSubstr(who));
  };
  const std::string one = " name=ball digest=v1-sha256-";
  const std::string none = " name=ball digest=\"\" revision=0";  // nothing was changed
  EXPECT_THAT(
      audit, ElementsAre(AllOf(has("action=register outcome=changed" + one, "principal=maker"),
                               HasSubstr("revision=1 "), HasSubstr("request_id=id-1 ")),
                         AllOf(has("action=register outcome=unchanged" + one, "principal=maker"),
                               HasSubstr("revision=0 ")),
                         has("action=register outcome=ALREADY_EXISTS" + none, "request_id=id-3 "),
                         has("action=register outcome=PERMISSION_DENIED" + none, "principal=arm"),
                         AllOf(has("action=replace outcome=changed" + one, "principal=owner"),
                               HasSubstr("revision=2 ")),
                         AllOf(has("action=delete outcome=changed" + one, "principal=owner"),
                               HasSubstr("revision=3 "), HasSubstr("request_id=id-7 ")),
                         has("action=delete outcome=NOT_FOUND" + none, "id-8"),
                         has("action=register outcome=INVALID_ARGUMENT" + none, "id-9"),
                         has("action=register outcome=INVALID_ARGUMENT name=\"a ball\"", "id-10")));
}

// Returns the values that come back if a call has these under this key.
std::string Echoed(TestServer& server, const char* key, const std::vector<std::string>& values) {
  grpc::ClientContext context;
  context.set_deadline(HangGuard());
  for (const std::string& value : values) context.AddMetadata(key, value);
  v1::GetServerInfoResponse response;
  EXPECT_TRUE(server.info->GetServerInfo(&context, {}, &response).ok());
  const auto found = context.GetServerInitialMetadata().find(key);
  if (found == context.GetServerInitialMetadata().end()) return "";
  return {found->second.data(), found->second.size()};
}

std::string EchoedId(TestServer& server, const std::vector<std::string>& request_ids) {
  return Echoed(server, "x-request-id", request_ids);
}

TEST(TraceParent, IsEchoedIfWellFormedElseIgnored) {
  TestServer server;
  const auto echoed = [&server](const std::vector<std::string>& values) {
    return Echoed(server, "traceparent", values);
  };
  const std::string rest = "-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  EXPECT_EQ(echoed({"00" + rest}), "00" + rest);
  EXPECT_EQ(echoed({"01" + rest + "-more"}), "00" + rest);
  EXPECT_EQ(echoed({}), "");
  EXPECT_EQ(echoed({"00" + rest + "-more"}), "");
  EXPECT_EQ(echoed({"00" + rest, "00" + rest}), "");
}

TEST(RequestId, IsEchoedWhereItHasTheFormAndMadeOtherwise) {
  TestServer server;
  EXPECT_EQ(EchoedId(server, {"my-id.7"}), "my-id.7");
  const auto is_ours = MatchesRegex("[0-9a-f]+");
  EXPECT_THAT(EchoedId(server, {}), is_ours);
  EXPECT_THAT(EchoedId(server, {"has a blank"}), is_ours);
  EXPECT_THAT(EchoedId(server, {"one", "two"}), is_ours);
  EXPECT_NE(EchoedId(server, {}), EchoedId(server, {}));
}

TEST(RequestId, IsEchoedBySessionsToo) {
  TestServer server;
  TestSession session(*server.queries, {{"x-request-id", "session-1"}});
  session.Open(0, Sphere(1));
  const auto& metadata = session.context().GetServerInitialMetadata();
  ASSERT_EQ(metadata.count("x-request-id"), 1u);
  const auto echoed = metadata.find("x-request-id")->second;
  EXPECT_EQ(std::string(echoed.data(), echoed.size()), "session-1");
  EXPECT_TRUE(session.Finish().ok());
}

}  // namespace
}  // namespace clearance::testing
