// SPDX-License-Identifier: Apache-2.0
//
// Sessions and registrations over connections that are cut, reset, held up, taken apart into bytes
// or closed on one side, at any byte of what they send and receive. What a client gets is held,
// byte for byte, against an undisturbed server, and what was acknowledged must be there.
//
//   network_faults [--faults=N] [--seed=S] [--ready_within=1s] [--slowest_ready_within=1s]
//
// A call either ends well with every answer right, or with UNAVAILABLE after some that are right;
// of a connection that is only slow it ends well. Exits with 1 where that is not so, where a client
// on a new connection is not served within the times that are wanted, or where the server keeps a
// session.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <array>
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
#include "tests/hammer/conversation.h"
#include "tests/hammer/ready_times.h"
#include "tests/hammer/relay.h"
#include "tests/hammer/result_line.h"
#include "tests/hammer/wire_client.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"

ABSL_FLAG(int, faults, 1000, "How many connections are harmed.");
ABSL_FLAG(std::uint64_t, seed, 1, "Of questions, harms and places.");

namespace clearance::hammer {
namespace {

constexpr const char* kNames[] = {"none", "cut", "reset", "stall", "byte by byte", "half-closed"};
constexpr int kHarms = 5;

bool OnlySlows(Harm harm) { return harm == Harm::kStall || harm == Harm::kBytewise; }

struct Tally {
  std::vector<int> struck = std::vector<int>(kHarms + 1);
  std::vector<int> whole = std::vector<int>(kHarms + 1);
  ReadyTimes again;
  std::string fault;
  bool has_lost = false;
};

class Network {
 public:
  explicit Network(std::uint64_t seed) : random_(seed) {
    requests_ = AnyConversation(9, 12, &random_);
    const test::ServerProcess undisturbed;
    right_ = Converse(NewChannel(undisturbed.grpc_port()), requests_);
    Relay relay(server_.grpc_port(), {});
    Try(0, &relay, Harm::kNone);
    bytes_ = relay.bytes();
  }

  // Every message is answered.
  bool is_undisturbed_well() const {
    return right_.status.ok() && right_.replies.size() == requests_.size() && tally_.fault.empty();
  }

  // Of fault number `i`.
  void HarmOnce(int i) {
    NetworkFault fault;
    fault.harm = static_cast<Harm>(1 + i % kHarms);
    fault.is_of_replies = random_.OneIn(2);
    fault.at = random_.Next() % bytes_[fault.is_of_replies ? 1 : 0];
    Relay relay(server_.grpc_port(), fault);
    Try(i + 1, &relay, fault.harm);
    const absl::Time ended = absl::Now();
    const Answers again = Converse(NewChannel(relay.port()), requests_);
    tally_.again.Add(absl::Now() - ended);
    const std::string wrong = FaultOf(again, right_, /*has_to_be_whole=*/true);
    if (!wrong.empty()) Fail(i, std::string("on a new connection: ") + wrong);
    tally_.struck[static_cast<std::size_t>(fault.harm)] += relay.has_struck() ? 1 : 0;
  }

  // What was acknowledged is there, and no session is left.
  void Conclude() {
    const auto channel = NewChannel(server_.grpc_port());
    for (const auto& [name, shape] : acknowledged_) {
      if (IsThere(channel, name, shape)) continue;
      Fail(0, name + " was acknowledged and is not there");
      tally_.has_lost = true;
    }
    test::AwaitMetric(server_, "clearance_sessions_open", 0);
    test::AwaitMetric(server_, "clearance_messages_in_flight", 0);
    server_.process().Signal(SIGTERM);
    if (server_.process().WaitForExit() != 0) Fail(0, "the server did not end well");
  }

  const Tally& tally() const { return tally_; }
  std::size_t acknowledged() const { return acknowledged_.size(); }

 private:
  void Try(int number, Relay* relay, Harm harm) {
    const auto channel = NewChannel(relay->port());
    const std::string name = "n" + std::to_string(number);
    const v1::Shape shape = AnyShape(&random_);
    const grpc::Status registered = Register(channel, name, shape);
    if (registered.ok()) acknowledged_.emplace_back(name, shape);
    if (!IsClean(registered) || (OnlySlows(harm) && !registered.ok())) {
      Fail(number, "registration: " + registered.error_message());
    }
    const Answers answers = Converse(channel, requests_);
    const std::string wrong = FaultOf(answers, right_, OnlySlows(harm));
    if (!wrong.empty()) Fail(number, wrong);
    tally_.whole[static_cast<std::size_t>(harm)] += answers.status.ok() ? 1 : 0;
  }

  void Fail(int number, const std::string& what) {
    if (tally_.fault.empty()) tally_.fault = "fault " + std::to_string(number) + ": " + what;
  }

  testing::Random random_;
  test::ServerProcess server_;
  std::vector<v1::SessionRequest> requests_;
  Answers right_;
  std::array<std::uint64_t, 2> bytes_ = {0, 0};
  std::vector<std::pair<std::string, v1::Shape>> acknowledged_;
  Tally tally_;
};

int Main() {
  const int faults = absl::GetFlag(FLAGS_faults);
  std::printf("network_faults: --faults=%d --seed=%llu\n", faults,
              static_cast<unsigned long long>(absl::GetFlag(FLAGS_seed)));
  Network network(absl::GetFlag(FLAGS_seed));
  bool is_well = network.is_undisturbed_well();
  if (!is_well) std::printf("FAULT: without a fault: %s\n", network.tally().fault.c_str());
  for (int i = 0; is_well && i < faults && network.tally().fault.empty(); ++i) network.HarmOnce(i);
  network.Conclude();
  const Tally& tally = network.tally();
  for (std::size_t harm = 1; harm <= kHarms; ++harm) {
    std::printf("  %-14s %6d struck, %6d sessions whole\n", kNames[harm], tally.struck[harm],
                tally.whole[harm]);
    is_well = is_well && tally.struck[harm] > 0;
  }
  std::printf("%zu registrations acknowledged\n", network.acknowledged());
  is_well = tally.again.Judge("a session afterwards whole") && is_well;
  if (!tally.fault.empty()) std::printf("FAULT: %s\n", tally.fault.c_str());
  std::uint64_t struck = 0;
  for (const int each : tally.struck) struck += static_cast<std::uint64_t>(each);
  PrintResult({.kind = "network",
               .faults = struck,
               .wrong = tally.fault.empty() || tally.has_lost ? 0U : 1U,
               .lost = tally.has_lost ? 1U : 0U,
               .slowest_ready_ms = tally.again.slowest_ms()});
  return is_well && tally.fault.empty() ? 0 : 1;
}

}  // namespace
}  // namespace clearance::hammer

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::hammer::Main();
}
