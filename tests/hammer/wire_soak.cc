// SPDX-License-Identifier: Apache-2.0
//
// A server at full load for long: sessions with questions of every kind, held byte for byte against
// what was answered at first, and registrations that come and go in a data directory.
//
//   wire_soak [--seconds=N] [--seed=S] [--sessions=N] [--max_slope=KB]
//
// Says how the resident memory went (the slope of the straight line with the least squares through
// the samples of the last two thirds) and how many descriptors there were. Exits with 1 where a
// call fails, an answer differs, a descriptor is left once the clients are gone, or memory grows by
// more than --max_slope kB an hour.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "tests/hammer/conversation.h"
#include "tests/hammer/result_line.h"
#include "tests/hammer/wire_client.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"

ABSL_FLAG(int, seconds, 1800, "How long the load lasts.");
ABSL_FLAG(int, sessions, 3, "How many clients ask at once.");
ABSL_FLAG(std::uint64_t, seed, 1, "Of questions and shapes.");
ABSL_FLAG(double, max_slope, std::numeric_limits<double>::infinity(),
          "kB an hour that the resident memory may grow by.");

namespace clearance::hammer {
namespace {

constexpr int kBatches = 30;
constexpr int kRows = 64;
constexpr int kNames = 200;

// What all clients tell.
struct Load {
  std::atomic<bool> is_over = false;
  std::atomic<std::uint64_t> sessions = 0;
  std::atomic<std::uint64_t> changes = 0;
  std::atomic<std::uint64_t> errors = 0;
  std::atomic<std::uint64_t> wrong = 0;
};

void KeepAsking(int port, std::uint64_t seed, Load* load) {
  testing::Random random(seed);
  const auto requests = AnyConversation(kBatches, kRows, &random);
  const auto channel = NewChannel(port);
  // Revisions go on with the registrations.
  const Answers first = Converse(channel, requests);
  load->errors += first.status.ok() && first.replies.size() >= requests.size() ? 0 : 1;
  while (!load->is_over) {
    const Answers again = Converse(channel, requests);
    ++load->sessions;
    load->errors += again.status.ok() ? 0 : 1;
    load->wrong += again.replies == first.replies ? 0 : 1;
  }
}

void KeepRegistering(int port, std::uint64_t seed, Load* load) {
  testing::Random random(seed);
  const auto stub = v1::ShapeService::NewStub(NewChannel(port));
  while (!load->is_over) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kHangGuard);
    const std::string name = "soak/" + std::to_string(random.Below(kNames));
    grpc::Status status;
    if (random.OneIn(4)) {
      v1::DeleteShapeRequest request;
      request.set_name(name);
      v1::DeleteShapeResponse response;
      status = stub->DeleteShape(&context, request, &response);
      if (status.error_code() == grpc::StatusCode::NOT_FOUND) status = grpc::Status::OK;
    } else {
      v1::RegisterShapeRequest request;
      request.set_name(name);
      *request.mutable_shape() = AnyShape(&random);
      request.set_replace(true);
      v1::RegisterShapeResponse response;
      status = stub->RegisterShape(&context, request, &response);
    }
    load->errors += status.ok() ? 0 : 1;
    ++load->changes;
  }
}

int DescriptorsOf(const test::ServerProcess& server) {
  const std::filesystem::directory_iterator all("/proc/" + std::to_string(server.pid()) + "/fd");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

struct Samples {
  std::vector<double> hours;
  std::vector<double> kilobytes;
  int descriptors_before = 0;
  int descriptors_most = 0;
  int descriptors_after = 0;
};

// kB an hour over the last two thirds: before that caches fill.
double SlopeOf(const Samples& samples) {
  const std::size_t first = samples.hours.size() / 3;
  const auto count = static_cast<double>(samples.hours.size() - first);
  double hours = 0, kilobytes = 0, products = 0, squares = 0;
  for (std::size_t i = first; i < samples.hours.size(); ++i) {
    hours += samples.hours[i] / count;
    kilobytes += samples.kilobytes[i] / count;
  }
  for (std::size_t i = first; i < samples.hours.size(); ++i) {
    products += (samples.hours[i] - hours) * (samples.kilobytes[i] - kilobytes);
    squares += (samples.hours[i] - hours) * (samples.hours[i] - hours);
  }
  return squares > 0 ? products / squares : 0;
}

void Watch(const test::ServerProcess& server, absl::Duration time, Samples* samples) {
  const absl::Time began = absl::Now();
  while (absl::Now() < began + time) {
    absl::SleepFor(absl::Seconds(1));
    samples->hours.push_back(absl::ToDoubleHours(absl::Now() - began));
    samples->kilobytes.push_back(test::ResidentBytes(server) / 1024);
    samples->descriptors_most = std::max(samples->descriptors_most, DescriptorsOf(server));
  }
}

// Waits until what the clients held is given back. (What is never given back is told by the wait's
// end.)
int DescriptorsAfter(const test::ServerProcess& server, int before) {
  const absl::Time patience = absl::Now() + absl::Seconds(30);
  while (DescriptorsOf(server) > before && absl::Now() < patience) {
    absl::SleepFor(absl::Milliseconds(50));
  }
  return DescriptorsOf(server);
}

Samples Soak(test::ServerProcess* server, Load* load) {
  Samples samples;
  testing::Random random(absl::GetFlag(FLAGS_seed));
  samples.kilobytes.push_back(test::ResidentBytes(*server) / 1024);
  samples.hours.push_back(0);
  samples.descriptors_before = DescriptorsOf(*server);
  std::vector<std::thread> clients;
  for (int i = 0; i < absl::GetFlag(FLAGS_sessions); ++i) {
    clients.emplace_back(KeepAsking, server->grpc_port(), random.Next(), load);
  }
  clients.emplace_back(KeepRegistering, server->grpc_port(), random.Next(), load);
  Watch(*server, absl::Seconds(absl::GetFlag(FLAGS_seconds)), &samples);
  load->is_over = true;
  for (std::thread& client : clients) client.join();
  samples.descriptors_after = DescriptorsAfter(*server, samples.descriptors_before);
  return samples;
}

int Main() {
  std::printf("wire_soak: --seconds=%d --seed=%llu --sessions=%d\n", absl::GetFlag(FLAGS_seconds),
              static_cast<unsigned long long>(absl::GetFlag(FLAGS_seed)),
              absl::GetFlag(FLAGS_sessions));
  std::fflush(stdout);
  const test::TemporaryDirectory directory;
  test::ServerProcess server({"--data_dir=" + directory.File("data"), "--check_sample=1000"});
  Load load;
  const Samples samples = Soak(&server, &load);
  const double slope = SlopeOf(samples);
  double contradictions = 0;
  for (const char* const kind : {"distance", "intersection", "time_of_collision"}) {
    contradictions += test::MetricOf(
        server, std::string("clearance_contradicted_answers_total{kind=\"") + kind + "\"}");
  }
  server.process().Signal(SIGTERM);
  const bool ended_well = server.process().WaitForExit() == 0;
  const bool leaks = samples.descriptors_after > samples.descriptors_before;
  std::printf("%llu sessions of %d messages, %llu changes of the registry, %llu errors\n",
              static_cast<unsigned long long>(load.sessions), kBatches + 3,
              static_cast<unsigned long long>(load.changes),
              static_cast<unsigned long long>(load.errors));
  std::printf("resident %.0f kB at first, %.0f kB at a third, %.0f kB at last: %+.0f kB an hour\n",
              samples.kilobytes.front(), samples.kilobytes[samples.kilobytes.size() / 3],
              samples.kilobytes.back(), slope);
  std::printf("descriptors %d at first, %d at most, %d at last\n", samples.descriptors_before,
              samples.descriptors_most, samples.descriptors_after);
  const bool is_well = load.errors == 0 && load.wrong == 0 && contradictions == 0 && !leaks &&
                       load.sessions > 0 && load.changes > 0 && ended_well &&
                       slope <= absl::GetFlag(FLAGS_max_slope);
  PrintResult({.kind = "soak", .wrong = load.wrong + (contradictions > 0 ? 1 : 0)});
  std::printf("%s\n", is_well ? "well" : "FAULT");
  return is_well ? 0 : 1;
}

}  // namespace
}  // namespace clearance::hammer

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::hammer::Main();
}
