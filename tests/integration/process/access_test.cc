// SPDX-License-Identifier: Apache-2.0
//
// The program with a policy, as an operator sets it up: makes a token, lets its owner in, takes the
// token away again while it runs.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"

namespace clearance::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kPolicy[] = R"({"principals": {"planner": {"role": "query"}}})";

// As an operator should: a new file takes the place of the old one.
void Write(const std::string& path, const std::string& text) {
  std::ofstream(path + ".new") << text;
  std::filesystem::rename(path + ".new", path);
}

grpc::StatusCode AskWith(ServerProcess& server, const std::string& token) {
  const auto stub = v1::ServerService::NewStub(
      grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + token);
  v1::GetServerInfoResponse response;
  return stub->GetServerInfo(&context, {}, &response).error_code();
}

// A session, which says nothing once it has begun.
class IdleSession {
 public:
  IdleSession(ServerProcess& server, const std::string& token)
      : stub_(v1::QueryService::NewStub(
            grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials()))) {
    context_.AddMetadata("authorization", "Bearer " + token);
    stream_ = stub_->Session(&context_);
    v1::SessionResponse response;
    EXPECT_TRUE(stream_->Write({}));
    EXPECT_TRUE(stream_->Read(&response));
  }

  grpc::StatusCode AwaitEnd() {
    v1::SessionResponse response;
    EXPECT_FALSE(stream_->Read(&response));
    return stream_->Finish().error_code();
  }

 private:
  const std::unique_ptr<v1::QueryService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream_;
};

// The files of a policy with one principal, who has a token.
struct PlannersFiles {
  PlannersFiles() {
    Write(directory.File("policy"), kPolicy);
    Write(directory.File("tokens"), made.line + "\n");
  }
  std::vector<std::string> Flags() const {
    return {"--policy_file=" + directory.File("policy"),
            "--token_file=" + directory.File("tokens")};
  }

  const TemporaryDirectory directory;
  const NewToken made = MakeToken("planner");
};

TEST(NewToken, IsPrintedWithItsLineAndNeedsAPrincipalsName) {
  const NewToken made = MakeToken("planner");
  EXPECT_THAT(made.token, testing::MatchesRegex("clearance_[A-Za-z0-9_-]+"));
  EXPECT_THAT(made.line, testing::MatchesRegex("planner sha256:[0-9a-f]+"));
  EXPECT_NE(MakeToken("planner").token, made.token);
  for (const char* id : {"--new_token=Planner 1", "--new_token"}) {
    const Completed run = RunServerProgram({id});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.output, HasSubstr("must name a principal"));
  }
}

TEST(Access, FollowsItsFilesWhileTheServerRuns) {
  const PlannersFiles files;
  const auto& [directory, made] = files;
  ServerProcess server(files.Flags());
  EXPECT_TRUE(server.process().WaitForLine(" callers=policy "));
  EXPECT_EQ(AskWith(server, made.token), grpc::StatusCode::OK);
  EXPECT_EQ(AskWith(server, MakeToken("planner").token), grpc::StatusCode::UNAUTHENTICATED);
  IdleSession session(server, made.token);
  const Completed health = RunServerProgram({"--health_check=" + server.grpc_address()});
  EXPECT_EQ(health.output, "SERVING\n");

  Write(directory.File("policy"), "{");
  ASSERT_TRUE(server.process().WaitForLine("policy reload failed; keeping previous rules"));
  EXPECT_EQ(AskWith(server, made.token), grpc::StatusCode::OK);
  Write(directory.File("policy"), kPolicy);
  Write(directory.File("tokens"), "# nobody\n");
  EXPECT_EQ(session.AwaitEnd(), grpc::StatusCode::UNAUTHENTICATED);
  while (AskWith(server, made.token) == grpc::StatusCode::OK) {
  }
  EXPECT_EQ(AskWith(server, made.token), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(server.process().output(), Not(HasSubstr(made.token)));
}

TEST(Access, IsReadAgainAtAHangup) {
  const PlannersFiles files;
  ServerProcess server(files.Flags());
  server.process().Signal(SIGHUP);
  EXPECT_TRUE(server.process().WaitForLine("SIGHUP: reading policy, tokens and certificates"));
  EXPECT_TRUE(server.process().WaitForLine("policy reloaded"));
  EXPECT_EQ(AskWith(server, files.made.token), grpc::StatusCode::OK);
  server.process().Signal(SIGTERM);
  EXPECT_EQ(server.process().WaitForExit(), 0);
}

// As of a terminal that is closed.
TEST(Hangup, EndsNoServer) {
  ServerProcess server;
  server.process().Signal(SIGHUP);
  EXPECT_TRUE(server.process().WaitForLine("SIGHUP"));
  EXPECT_EQ(AskWith(server, ""), grpc::StatusCode::OK);
  server.process().Signal(SIGTERM);
  EXPECT_EQ(server.process().WaitForExit(), 0);
}

TEST(Access, ThatIsWrongEndsTheStart) {
  const TemporaryDirectory directory;
  Write(directory.File("policy"), R"({"principals": {"planner": {"role": "boss"}}})");
  const Completed run = RunServerProgram({"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0",
                                          "--policy_file=" + directory.File("policy")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("policy: principals.planner.role: must be query"));
}

}  // namespace
}  // namespace clearance::test
