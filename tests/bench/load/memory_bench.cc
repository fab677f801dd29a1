// SPDX-License-Identifier: Apache-2.0
//
// The memory of clearance-server with 10,000 registered hulls of 64 vertices and 1,000 open
// sessions, each of which has asked once and is idle: resident set, read from outside. Fails where
// it is more than 300 MB.
//
//   memory_bench [--csv=FILE]

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "tests/bench/load/target.h"
#include "tests/bench/report.h"
#include "tests/support/random.h"

ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");

namespace clearance::bench {
namespace {

constexpr int kShapes = 10'000;
constexpr int kVertices = 64;
constexpr int kShapesAMessage = 500;
constexpr int kSessions = 1'000;
constexpr int kSessionsAConnection = 50;
constexpr double kMostBytes = 300e6;

double ResidentBytes(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/statm"));
  double size = 0, resident = 0;
  if (!(file >> size >> resident)) Fail("the server's memory cannot be read");
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::string NameOf(int shape) { return absl::StrCat("hull-", shape); }

// Every point of a sphere is a vertex.
void RegisterShapes(const std::string& address, testing::Random& random) {
  const auto stub =
      v1::ShapeService::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  for (int first = 0; first < kShapes; first += kShapesAMessage) {
    v1::BatchRegisterHullsRequest request;
    for (int i = first; i < first + kShapesAMessage; ++i) {
      request.add_names(NameOf(i));
      request.add_vertex_counts(kVertices);
      for (int k = 0; k < kVertices; ++k) {
        const Vec3d p = random.Direction();
        for (const double number : {p.x, p.y, p.z}) request.add_vertices(number);
      }
    }
    v1::BatchRegisterHullsResponse response;
    grpc::ClientContext context;
    const grpc::Status status = stub->BatchRegisterHulls(&context, request, &response);
    if (!status.ok()) Fail("no registration: " + status.error_message());
  }
}

// A session that has asked how far apart two shapes are.
class IdleSession {
 public:
  IdleSession(const std::shared_ptr<grpc::Channel>& channel, int number)
      : stub_(v1::QueryService::NewStub(channel)), stream_(stub_->Session(&context_)) {
    for (const std::uint32_t slot : {0U, 1U}) {
      v1::SessionRequest open;
      open.mutable_open()->set_slot(slot);
      open.mutable_open()->mutable_shape()->set_name(
          NameOf((number + static_cast<int>(slot)) % kShapes));
      Ask(open);
    }
    v1::SessionRequest question;
    question.mutable_distance()->set_warm_start(true);
    v1::PairColumns& pairs = *question.mutable_distance()->mutable_pairs();
    pairs.set_count(1);
    pairs.add_slots_a(0);
    pairs.add_slots_b(1);
    for (const double number_of_pose : {3., 0., 0., 0., 0., 0., 1.})
      pairs.add_poses_b(number_of_pose);
    Ask(question);
  }

 private:
  void Ask(const v1::SessionRequest& request) {
    v1::SessionResponse response;
    if (!stream_->Write(request) || !stream_->Read(&response) || response.has_status())
      Fail("a session has no answer");
  }

  grpc::ClientContext context_;
  std::unique_ptr<v1::QueryService::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream_;
};

std::vector<std::unique_ptr<IdleSession>> OpenSessions(const std::string& address) {
  std::vector<std::unique_ptr<IdleSession>> sessions;
  std::shared_ptr<grpc::Channel> channel;
  for (int i = 0; i < kSessions; ++i) {
    if (i % kSessionsAConnection == 0) {
      grpc::ChannelArguments arguments;  // of its own, or the connection would be shared
      arguments.SetInt("memory_bench.connection", i);
      channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
    }
    sessions.push_back(std::make_unique<IdleSession>(channel, i));
  }
  return sessions;
}

int Main() {
  // One caller may have as many sessions as all others leave free.
  BenchServer server({"--max_sessions=" + std::to_string(2 * kSessions)});
  const pid_t pid = server.pid();
  testing::Random random(64);
  Report report;
  const double empty = ResidentBytes(pid);
  RegisterShapes(server.address(), random);
  const double with_shapes = ResidentBytes(pid);
  {
    const auto sessions = OpenSessions(server.address());
    const double all = ResidentBytes(pid);
    report.Add("memory", "empty_bytes", empty);
    report.Add("memory", "bytes_per_vertex", (with_shapes - empty) / kShapes / kVertices);
    report.Add("memory", "bytes_per_idle_session", (all - with_shapes) / kSessions);
    report.Add("memory", "total_bytes", all);
  }
  std::printf("the server, empty                      %8.1f MB\n", empty / 1e6);
  std::printf("a vertex of 10,000 hulls of 64         %8.0f bytes\n",
              report.Median("memory", "bytes_per_vertex"));
  std::printf("an idle session, of 1,000              %8.0f bytes\n",
              report.Median("memory", "bytes_per_idle_session"));
  const double total = report.Median("memory", "total_bytes");
  std::printf("together                               %8.1f MB, at most %.0f\n", total / 1e6,
              kMostBytes / 1e6);
  server.End();
  WriteCsv(report, absl::GetFlag(FLAGS_csv));
  return total <= kMostBytes ? 0 : 1;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::bench::RunBench("memory_bench", clearance::bench::Main);
}
