// SPDX-License-Identifier: Apache-2.0
//
// How fast clearance-server takes hulls of 64 vertices that it stores before it answers, in batches
// and one by one, and how soon it is ready again after kill -9. Every shape must be there then.
//
//   store_bench [--short] [--csv=FILE]
//
// Fails below kLeastShapesPerSecond in batches, unless it is short.

#include <grpcpp/grpcpp.h>
#include <time.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "tests/bench/load/target.h"
#include "tests/bench/report.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/random.h"
#include "tests/support/raw_http.h"

ABSL_FLAG(bool, short, false, "A fiftieth of everything: checks, measures nothing.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");

namespace clearance::bench {
namespace {

constexpr int kVertices = 64;
constexpr int kBatchClients = 4;
constexpr int kSingleClients = 64;
// For batches; on two busy cores 5,800 to 7,600 were seen.
constexpr double kLeastShapesPerSecond = 5000;

struct Scale {
  int batches;  // in all
  int items;    // of one batch
  int singles;  // registrations one by one, in all
};

Scale WantedScale() {
  if (absl::GetFlag(FLAGS_short)) return {.batches = 8, .items = 250, .singles = 200};
  return {.batches = 100, .items = 1000, .singles = 10'000};
}

using Stub = v1::ShapeService::Stub;

std::unique_ptr<Stub> StubOf(const std::string& address) {
  grpc::ChannelArguments arguments;  // a separate connection
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return v1::ShapeService::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
}

// Every point of a sphere is a vertex.
template <class AddNumber>
void AddSphere(testing::Random& random, AddNumber add) {
  for (int k = 0; k < kVertices; ++k) {
    const Vec3d p = random.Direction();
    for (const double number : {p.x, p.y, p.z}) add(number);
  }
}

v1::BatchRegisterHullsRequest Batch(int number, int items) {
  testing::Random random(static_cast<std::uint64_t>(number));
  v1::BatchRegisterHullsRequest request;
  for (int i = 0; i < items; ++i) {
    request.add_names(absl::StrCat("batch-", number, "/", i));
    request.add_vertex_counts(kVertices);
    AddSphere(random, [&](double number_of_point) { request.add_vertices(number_of_point); });
  }
  return request;
}

v1::RegisterShapeRequest Single(int number) {
  testing::Random random(~static_cast<std::uint64_t>(number));
  v1::RegisterShapeRequest request;
  request.set_name(absl::StrCat("single/", number));
  AddSphere(random, [&](double number_of_point) {
    request.mutable_shape()->mutable_hull()->add_vertices(number_of_point);
  });
  return request;
}

// Runs work(0) .. work(count - 1) on so many clients; returns seconds.
template <class Work>
double TimeOf(int count, int clients, const std::string& address, Work work) {
  std::atomic<int> next = 0;
  std::atomic<bool> failed = false;
  std::vector<std::unique_ptr<Stub>> stubs;
  for (int i = 0; i < clients; ++i) stubs.push_back(StubOf(address));
  const absl::Time began = absl::Now();
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      for (int k = next++; k < count && !failed; k = next++) {
        const grpc::Status status = work(*stubs[i], k);
        if (status.ok()) continue;
        failed = true;
        std::fprintf(stderr, "refused: %d %s\n", static_cast<int>(status.error_code()),
                     status.error_message().c_str());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failed) Fail("a registration was refused");
  return absl::ToDoubleSeconds(absl::Now() - began);
}

double TimeOfBatches(const Scale& scale, const std::string& address) {
  std::vector<v1::BatchRegisterHullsRequest> requests;
  for (int i = 0; i < scale.batches; ++i) requests.push_back(Batch(i, scale.items));
  return TimeOf(scale.batches, kBatchClients, address, [&](Stub& stub, int i) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);  // connecting is not measured
    v1::BatchRegisterHullsResponse response;
    const grpc::Status status = stub.BatchRegisterHulls(&context, requests[i], &response);
    if (!status.ok() || response.errors().empty()) return status;
    return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, response.errors(0).message());
  });
}

double TimeOfSingles(const Scale& scale, const std::string& address) {
  std::vector<v1::RegisterShapeRequest> requests;
  for (int i = 0; i < scale.singles; ++i) requests.push_back(Single(i));
  return TimeOf(scale.singles, kSingleClients, address, [&](Stub& stub, int i) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    v1::RegisterShapeResponse response;
    return stub.RegisterShape(&context, requests[i], &response);
  });
}

// Names in the registry, by its pages.
int CountShapes(const std::string& address) {
  const auto stub = StubOf(address);
  int shapes = 0;
  v1::ListShapesRequest request;
  request.set_page_size(1000);
  do {
    grpc::ClientContext context;
    v1::ListShapesResponse page;
    if (!stub->ListShapes(&context, request, &page).ok()) Fail("no listing");
    shapes += page.shapes_size();
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return shapes;
}

double CpuMicroseconds(test::ServerProcess& server) {
  clockid_t clock{};
  if (clock_getcpuclockid(server.process().pid(), &clock) != 0) Fail("no clock of the server");
  return Nanoseconds(clock) / 1e3;
}

// Commits of the server so far; each syncs the log once.
double Commits(const test::ServerProcess& server) {
  constexpr const char* kSeries = "\nclearance_store_commits_total ";
  const std::string page = test::HttpGet(server.http_port(), "/metrics");
  const std::size_t at = page.find(kSeries);
  if (at == std::string::npos) Fail("no count of the commits");
  return std::strtod(page.c_str() + at + std::strlen(kSeries), nullptr);
}

// Runs the registrations, `shapes` of them in as many seconds as `run` says, to metrics that begin
// with `kind`.
template <class Run>
void Measure(const std::string& kind, int shapes, test::ServerProcess& server, Run run,
             Report* report) {
  const double cpu = CpuMicroseconds(server), commits = Commits(server);
  const double seconds = run();
  report->Add("store", kind + "_shapes_per_second", shapes / seconds);
  report->Add("store", "server_cpu_us_per_" + kind + "_shape",
              (CpuMicroseconds(server) - cpu) / shapes);
  report->Add("store", kind + "_commits_per_second", (Commits(server) - commits) / seconds);
}

void Print(const Report& report, const std::string& kind) {
  std::printf("%8.0f shapes/s, %4.0f us of the server's processors each, %6.1f commits/s\n",
              report.Median("store", kind + "_shapes_per_second"),
              report.Median("store", "server_cpu_us_per_" + kind + "_shape"),
              report.Median("store", kind + "_commits_per_second"));
}

int Main() {
  const Scale scale = WantedScale();
  const int batched = scale.batches * scale.items;
  const test::TemporaryDirectory directory;
  const std::string flag = "--data_dir=" + directory.File("data");
  Report report;
  {
    test::ServerProcess server({flag});
    if (server.http_port() == 0) Fail("the server does not start");
    const std::string address = server.grpc_address();
    Measure(
        "batched", batched, server, [&] { return TimeOfBatches(scale, address); }, &report);
    Measure(
        "single", scale.singles, server, [&] { return TimeOfSingles(scale, address); }, &report);
    server.process().Signal(SIGKILL);
    server.process().WaitForExit();
  }
  const absl::Time began = absl::Now();
  test::ServerProcess server({flag});
  report.Add("store", "restart_seconds", absl::ToDoubleSeconds(absl::Now() - began));
  report.Add("store", "restart_cpu_seconds", CpuMicroseconds(server) / 1e6);
  if (CountShapes(server.grpc_address()) != batched + scale.singles) Fail("shapes are missing");
  std::printf("hulls of 64 vertices, stored before the answer; a commit syncs once\n");
  std::printf("  in batches of %5d, %2d clients  ", scale.items, kBatchClients);
  Print(report, "batched");
  std::printf("  one by one, %2d clients          ", kSingleClients);
  Print(report, "single");
  std::printf("ready after kill -9 with %6d     %8.2f s, %.2f s of the server's processors\n",
              batched + scale.singles, report.Median("store", "restart_seconds"),
              report.Median("store", "restart_cpu_seconds"));
  WriteCsv(report, absl::GetFlag(FLAGS_csv));
  const bool is_slow = report.Median("store", "batched_shapes_per_second") < kLeastShapesPerSecond;
  if (absl::GetFlag(FLAGS_short) || !is_slow) return EXIT_SUCCESS;
  std::printf("FAULT: fewer than %.0f shapes a second in batches\n", kLeastShapesPerSecond);
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::bench::RunBench("store_bench", clearance::bench::Main);
}
