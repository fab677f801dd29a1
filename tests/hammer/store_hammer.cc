// SPDX-License-Identifier: Apache-2.0
//
// Harms and kills the real server, again and again, while clients register, replace and delete
// shapes and make, change and delete scenes, and holds what is there after each restart against
// what was acknowledged. Every content that it finds is asked for once more with its shape, whose
// digest must be the name's, and every scene with its body.
//
//   store_hammer [--kind=kill] [--cycles=N] [--seed=S] [--ready_within=1s]
//                [--slowest_ready_within=1s]
//
// Of kinds that a server survives each life has several, and it is killed at its end all the same.
// Exits with 1 where an acknowledged change is lost, a store is refused at the start, the server
// does not serve again after a fault, or the middle of the times to get ready, or the longest, is
// longer than wanted.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "server/convert/shape_content.h"
#include "tests/hammer/process_faults.h"
#include "tests/hammer/ready_times.h"
#include "tests/hammer/registrar.h"
#include "tests/hammer/result_line.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/skip.h"

ABSL_FLAG(std::string, kind, "kill",
          "What happens to the server: kill, stop, descriptors, memory or disk.");
ABSL_FLAG(int, cycles, 1000, "How often the server is killed.");
ABSL_FLAG(std::uint64_t, seed, 1, "Of names, shapes and moments.");

namespace clearance::hammer {
namespace {

constexpr int kClients = 6;
constexpr int kMostCalls = 150;     // that are answered well before a fault
constexpr int kLongestFault = 60;   // milliseconds
constexpr int kFaultsOfALife = 10;  // of those that a server survives
constexpr absl::Duration kPatience = absl::Seconds(30);

struct Found {
  Listing listing;
  std::uint64_t revision = 0;
  std::string fault;
};

using ShapeStub = v1::ShapeService::Stub;
using SceneStub = v1::SceneService::Stub;

Found ListShapes(ShapeStub& stub) {
  Found found;
  v1::ListShapesRequest request;
  request.set_page_size(1000);
  do {
    grpc::ClientContext context;
    v1::ListShapesResponse page;
    const grpc::Status status = stub.ListShapes(&context, request, &page);
    if (!status.ok()) found.fault = "no listing: " + status.error_message();
    for (const v1::ShapeInfo& shape : page.shapes()) found.listing[shape.name()] = shape.digest();
    found.revision = page.revision();
    request.set_page_token(page.next_page_token());
  } while (found.fault.empty() && !request.page_token().empty());
  return found;
}

// Adds a scene as it is now.
void AddScene(SceneStub& stub, const std::string& name, Found* found) {
  v1::GetSceneRequest request;
  request.set_name(name);
  request.set_include_bodies(true);
  grpc::ClientContext context;
  v1::GetSceneResponse response;
  const grpc::Status status = stub.GetScene(&context, request, &response);
  if (!status.ok()) found->fault = name + ": " + status.error_message();
  found->listing[name + "@"] = TextOf(response.scene().revision(), response.content());
}

void AddScenes(SceneStub& stub, Found* found) {
  v1::ListScenesRequest request;
  request.set_page_size(1000);
  do {
    grpc::ClientContext context;
    v1::ListScenesResponse page;
    const grpc::Status status = stub.ListScenes(&context, request, &page);
    if (!status.ok()) found->fault = "no listing of scenes: " + status.error_message();
    for (const v1::SceneInfo& scene : page.scenes()) AddScene(stub, scene.name(), found);
    request.set_page_token(page.next_page_token());
  } while (found->fault.empty() && !request.page_token().empty());
}

// "" where the content is the one of the digest.
std::string FaultOfContent(ShapeStub& stub, const std::string& name, const std::string& digest) {
  v1::GetShapeRequest request;
  request.set_name(name);
  request.set_include_content(true);
  grpc::ClientContext context;
  v1::GetShapeResponse response;
  const grpc::Status status = stub.GetShape(&context, request, &response);
  if (!status.ok()) return name + ": " + status.error_message();
  if (server::DigestOf(response.shape()) == digest) return "";
  return name + " has not the content of its digest";
}

std::string FaultOf(const std::string& address, std::vector<Registrar>* clients, bool* has_lost) {
  const auto channel = grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
  const auto stub = v1::ShapeService::NewStub(channel);
  Found found = ListShapes(*stub);
  if (found.fault.empty()) AddScenes(*v1::SceneService::NewStub(channel), &found);
  std::string fault = found.fault;
  for (Registrar& client : *clients) {
    if (fault.empty()) fault = client.Judge(found.listing, found.revision);
  }
  *has_lost = found.fault.empty() && !fault.empty();
  for (const auto& [name, digest] : found.listing) {
    const bool is_scene = name.ends_with('@');
    if (fault.empty() && !is_scene) fault = FaultOfContent(*stub, name, digest);
  }
  return fault;
}

struct Run {
  ReadyTimes ready;  // from starts
  ReadyTimes again;  // from the ends of faults that were survived
  int faults = 0;
  int felt = 0;  // faults in which a new client was not served, or had to wait
  std::string fault;
  bool has_lost = false;  // the fault is that something acknowledged is not there
};

// Whether a new client finds the registrations served within the time.
bool IsServing(const test::ServerProcess& server, absl::Duration within) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto stub = grpc::health::v1::Health::NewStub(grpc::CreateCustomChannel(
      server.grpc_address(), grpc::InsecureChannelCredentials(), arguments));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + within));
  grpc::health::v1::HealthCheckRequest request;
  request.set_service("clearance.v1.ShapeService");
  grpc::health::v1::HealthCheckResponse response;
  return stub->Check(&context, request, &response).ok() &&
         response.status() == grpc::health::v1::HealthCheckResponse::SERVING;
}

// One fault that the server survives, and how long it takes until it serves again.
void HarmOnce(test::ServerProcess& server, testing::Random* random, ProcessFault* fault, Run* run) {
  constexpr absl::Duration kShort = absl::Milliseconds(30);
  fault->Begin(server);
  absl::SleepFor(absl::Milliseconds(1 + random->Below(kLongestFault)));
  run->felt += IsServing(server, kShort) ? 0 : 1;
  fault->End(server);
  const absl::Time ended = absl::Now();
  while (!IsServing(server, absl::Seconds(5)) && absl::Now() < ended + kPatience) {
  }
  const absl::Duration taken = absl::Now() - ended;
  if (taken >= kPatience) run->fault = "does not serve again: " + server.process().output();
  run->again.Add(taken);
  ++run->faults;
}

// Load, the fault, or several, once so many calls were answered well, and the server's end.
void HammerOnce(test::ServerProcess* server, testing::Random* random, ProcessFault* fault,
                std::vector<Registrar>* clients, Run* run) {
  Progress progress(kClients);
  std::vector<std::thread> threads;
  for (Registrar& client : *clients) {
    threads.emplace_back([&] { client.Run(server->grpc_address(), &progress); });
  }
  progress.AwaitMore(1 + random->Below(kMostCalls));
  const int survived = fault->is_survived() ? kFaultsOfALife : 0;
  for (int i = 0; i < survived && run->fault.empty(); ++i) {
    HarmOnce(*server, random, fault, run);
    progress.AwaitMore(1 + random->Below(kMostCalls / kFaultsOfALife));
  }
  if (survived == 0) {
    fault->Begin(*server);
    absl::SleepFor(absl::Milliseconds(1 + random->Below(kLongestFault)));
    ++run->faults;
    ++run->felt;
  }
  server->process().Signal(SIGKILL);
  server->process().WaitForExit();
  for (std::thread& thread : threads) thread.join();
}

Run Hammer(ProcessFault* fault, const std::string& path, testing::Random* random,
           std::vector<Registrar>* clients) {
  const std::string data_dir = "--data_dir=" + path;
  const int cycles = absl::GetFlag(FLAGS_cycles);
  Run run;
  // Once more than it is killed, to look at what the last one left.
  for (int cycle = 0; cycle <= cycles && run.fault.empty(); ++cycle) {
    const absl::Time began = absl::Now();
    test::ServerProcess server({data_dir});
    run.ready.Add(absl::Now() - began);
    run.fault = server.http_port() == 0 ? "no start: " + server.process().output()
                                        : FaultOf(server.grpc_address(), clients, &run.has_lost);
    if (run.fault.empty() && cycle < cycles) HammerOnce(&server, random, fault, clients, &run);
    if (!run.fault.empty()) run.fault = "cycle " + std::to_string(cycle) + ": " + run.fault;
  }
  return run;
}

bool IsWell(const Run& run, const std::vector<Registrar>& clients) {
  std::uint64_t acknowledged = 0, refused = 0;
  for (const Registrar& client : clients) {
    acknowledged += client.acknowledged();
    refused += client.refused();
  }
  std::printf(
      "%d faults (%d felt by a new client), %zu starts, %llu changes acknowledged, %llu refused\n",
      run.faults, run.felt, run.ready.count(), static_cast<unsigned long long>(acknowledged),
      static_cast<unsigned long long>(refused));
  if (!run.fault.empty()) std::printf("FAULT: %s\n", run.fault.c_str());
  if (acknowledged == 0) std::printf("FAULT: nothing was acknowledged\n");
  if (run.felt == 0) std::printf("FAULT: nobody noticed the faults\n");
  const bool is_ready = run.ready.Judge("ready from the start");
  const bool is_again = run.again.Judge("serving again");
  return run.fault.empty() && acknowledged > 0 && run.felt > 0 && is_ready && is_again;
}

int Main() {
  const std::string kind = absl::GetFlag(FLAGS_kind);
  std::printf("store_hammer: --kind=%s --cycles=%d --seed=%llu\n", kind.c_str(),
              absl::GetFlag(FLAGS_cycles),
              static_cast<unsigned long long>(absl::GetFlag(FLAGS_seed)));
  const test::TemporaryDirectory directory;
  const std::unique_ptr<ProcessFault> fault = MakeProcessFault(kind);
  if (fault == nullptr) {
    std::printf("no such kind\n");
    return 2;
  }
  if (!fault->Prepare(directory.File("data"))) {
    return test::Skip("needs the right to mount");
  }
  testing::Random random(absl::GetFlag(FLAGS_seed));
  std::vector<Registrar> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back("client" + std::to_string(i) + "/", random.Next());
  }
  const Run run = Hammer(fault.get(), directory.File("data"), &random, &clients);
  const bool is_well = IsWell(run, clients);
  PrintResult({.kind = kind.c_str(),
               .faults = static_cast<std::uint64_t>(run.faults),
               .wrong = run.fault.empty() || run.has_lost ? 0U : 1U,
               .lost = run.has_lost ? 1U : 0U,
               .slowest_ready_ms = std::max(run.ready.slowest_ms(), run.again.slowest_ms())});
  return is_well ? 0 : 1;
}

}  // namespace
}  // namespace clearance::hammer

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::hammer::Main();
}
