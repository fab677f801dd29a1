// SPDX-License-Identifier: Apache-2.0
//
// A server and its clients on two ends of a link that loses, repeats and delays packets, and is cut
// for a while, on one way or both, while sessions ask and names are registered. What a session gets
// is held, byte for byte, against what it got over a clear link; what was acknowledged must be
// there at the end; and after each fault a new client must be served.
//
//   packet_faults [--faults=N] [--seed=S] [--ready_within=1s] [--slowest_ready_within=1s]
//
// A call ends well, with every answer right, or with UNAVAILABLE after some that are right. Exits
// with 1 where that is not so, where nothing went wrong with the packets, or where the middle of
// the times to serve a new client after a fault, or the longest, is longer than wanted; with 77
// where this user may not make network namespaces.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/hammer/conversation.h"
#include "tests/hammer/packet_link.h"
#include "tests/hammer/ready_times.h"
#include "tests/hammer/result_line.h"
#include "tests/hammer/wire_client.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/skip.h"

ABSL_FLAG(int, faults, 150, "How often the link is harmed.");
ABSL_FLAG(std::uint64_t, seed, 1, "Of questions, names, harms and packets.");

namespace clearance::hammer {
namespace {

constexpr int kSessions = 3;
constexpr int kRegistrars = 2;
constexpr int kCallsAConnection = 20;

// On a connection of its own, which it asks for a sign of life as client libraries do: a server
// that has given up on packets that nobody acknowledged for 20 s cannot tell its client so.
std::shared_ptr<grpc::Channel> ConnectTo(int port) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  return grpc::CreateCustomChannel(
      std::string(PacketLink::kAddresses[PacketLink::kServer]) + ":" + std::to_string(port),
      grpc::InsecureChannelCredentials(), arguments);
}

struct Kind {
  const char* name;
  Weather weather;
};
constexpr std::array<Kind, 7> kKinds = {{
    {"loss", {.lost = 50}},
    {"heavy loss", {.lost = 250}},
    {"doubled", {.doubled = 300}},
    {"out of order", {.late = 300}},
    {"all of these", {.lost = 100, .doubled = 200, .late = 200}},
    {"cut", {.is_cut = {true, true}}},
    {"cut one way", {.is_cut = {false, true}}},
}};

// What threads have found. Thread-safe.
class Findings {
 public:
  void Fail(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (fault_.empty()) fault_ = what;
  }
  std::string fault() const {
    const std::lock_guard lock(mutex_);
    return fault_;
  }

 private:
  mutable std::mutex mutex_;
  std::string fault_;  // the first
};

// Clients without pause, until they are told to stop.
class Load {
 public:
  Load(int port, const std::vector<v1::SessionRequest>& requests, Answers right)
      : port_(port), requests_(requests), right_(std::move(right)) {}

  void Start(testing::Random* random) {
    for (int i = 0; i < kSessions; ++i) threads_.emplace_back([this] { Ask(); });
    for (int i = 0; i < kRegistrars; ++i) {
      threads_.emplace_back([this, i, seed = random->Next()] {
        RegisterAll("client" + std::to_string(i) + "/n", seed);
      });
    }
  }
  void Stop() {
    is_ending_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

  std::shared_ptr<grpc::Channel> Connect() const { return ConnectTo(port_); }
  // One more client, which must get all answers.
  void AskOnce() {
    const std::string wrong = FaultOf(Converse(Connect(), requests_), right_, true);
    if (!wrong.empty()) findings_.Fail("a new client: " + wrong);
  }
  // Whether all that was acknowledged is there. Requires: Stop() was called.
  bool HasAll() {
    const auto channel = Connect();
    for (const auto& [name, shape] : acknowledged_) {
      if (IsThere(channel, name, shape)) continue;
      findings_.Fail(name + " was acknowledged and is not there");
      return false;
    }
    return true;
  }

  std::string fault() const { return findings_.fault(); }
  std::size_t acknowledged() const { return acknowledged_.size(); }
  int conversations() const { return conversations_; }

 private:
  void Ask() {
    while (!is_ending_) {
      const auto channel = Connect();
      for (int i = 0; i < kCallsAConnection && !is_ending_; ++i) {
        const std::string wrong = FaultOf(Converse(channel, requests_), right_, false);
        if (!wrong.empty()) findings_.Fail("a session: " + wrong);
        ++conversations_;
      }
    }
  }

  // Each name is asked for until it is acknowledged.
  void RegisterAll(const std::string& prefix, std::uint64_t seed) {
    testing::Random random(seed);
    int number = 0;
    while (!is_ending_) {
      const auto channel = Connect();
      for (int i = 0; i < kCallsAConnection && !is_ending_; ++i) {
        const std::string name = prefix + std::to_string(++number);
        const v1::Shape shape = AnyShape(&random);
        grpc::Status status;
        do {
          status = Register(channel, name, shape);
          if (!IsClean(status)) findings_.Fail("a registration: " + status.error_message());
        } while (!status.ok() && !is_ending_);
        if (status.ok()) Acknowledge(name, shape);
      }
    }
  }

  void Acknowledge(const std::string& name, const v1::Shape& shape) {
    const std::lock_guard lock(mutex_);
    acknowledged_.emplace_back(name, shape);
  }

  const int port_;
  const std::vector<v1::SessionRequest>& requests_;
  const Answers right_;
  std::atomic<bool> is_ending_ = false;
  std::atomic<int> conversations_ = 0;
  Findings findings_;
  std::mutex mutex_;  // guards the next
  std::vector<std::pair<std::string, v1::Shape>> acknowledged_;
  std::vector<std::thread> threads_;
};

// From 0.2 to 3 seconds.
absl::Duration AnyWhile(testing::Random* random) {
  return absl::Seconds(random->LogUniform(0.2, 3));
}

ReadyTimes Harm(PacketLink* link, Load* load, testing::Random* random) {
  ReadyTimes ready;
  const int faults = absl::GetFlag(FLAGS_faults);
  for (int i = 0; i < faults && load->fault().empty(); ++i) {
    link->Set(kKinds[static_cast<std::size_t>(i) % kKinds.size()].weather);
    absl::SleepFor(AnyWhile(random));
    link->Set({});
    const absl::Time ended = absl::Now();
    load->AskOnce();
    ready.Add(absl::Now() - ended);
  }
  return ready;
}

bool AllWereHarmed(const PacketLink::Counts& counts) {
  std::printf(
      "  packets: %llu passed, %llu lost, %llu doubled, %llu late, %llu not passed while cut\n",
      static_cast<unsigned long long>(counts.passed), static_cast<unsigned long long>(counts.lost),
      static_cast<unsigned long long>(counts.doubled), static_cast<unsigned long long>(counts.late),
      static_cast<unsigned long long>(counts.cut));
  return counts.lost > 0 && counts.doubled > 0 && counts.late > 0 && counts.cut > 0;
}

int Main() {
  const std::uint64_t seed = absl::GetFlag(FLAGS_seed);
  std::printf("packet_faults: --faults=%d --seed=%llu\n", absl::GetFlag(FLAGS_faults),
              static_cast<unsigned long long>(seed));
  PacketLink link;
  if (!link.Enter(PacketLink::kServer)) {
    return test::Skip("needs network namespaces");
  }
  const std::string listen =
      std::string("--listen=") + PacketLink::kAddresses[PacketLink::kServer] + ":0";
  test::ServerProcess server({listen});
  if (server.grpc_port() == 0 || !link.Enter(PacketLink::kClients)) {
    std::printf("FAULT: no start: %s\n", server.process().output().c_str());
    return 1;
  }
  testing::Random random(seed);
  link.Start(random.Next());
  const std::vector<v1::SessionRequest> requests = AnyConversation(9, 12, &random);
  const Answers right = Converse(ConnectTo(server.grpc_port()), requests);
  bool is_well = right.status.ok() && right.replies.size() == requests.size();
  if (!is_well) std::printf("FAULT: without a fault: %s\n", right.status.error_message().c_str());

  Load load(server.grpc_port(), requests, right);
  load.Start(&random);
  const ReadyTimes ready = Harm(&link, &load, &random);
  load.Stop();
  const bool has_all = load.HasAll();
  server.process().Signal(SIGTERM);
  const bool ends_well = server.process().WaitForExit() == 0;
  if (!ends_well) std::printf("FAULT: the server did not end well\n");
  const bool is_harmed = AllWereHarmed(link.counts());
  if (!is_harmed) std::printf("FAULT: some harm was never done\n");
  std::printf("  %d conversations, %zu registrations acknowledged\n", load.conversations(),
              load.acknowledged());
  const bool is_ready = ready.Judge("a new client served") && ready.count() > 0;
  is_well = is_ready && is_well && ends_well && is_harmed && load.fault().empty();
  if (!load.fault().empty()) std::printf("FAULT: %s\n", load.fault().c_str());
  PrintResult({.kind = "packets",
               .faults = ready.count(),
               .wrong = load.fault().empty() || !has_all ? 0U : 1U,
               .lost = has_all ? 0U : 1U,
               .slowest_ready_ms = ready.slowest_ms()});
  return is_well ? 0 : 1;
}

}  // namespace
}  // namespace clearance::hammer

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::hammer::Main();
}
