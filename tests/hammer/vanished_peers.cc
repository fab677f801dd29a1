// SPDX-License-Identifier: Apache-2.0
//
// Clients that vanish without a word: the link between them and a server passes no packet any more,
// while the server has replies on their way that nobody acknowledges, or nothing at all to send.
// TCP's and gRPC's time for that is real time, so this takes minutes.
//
//   vanished_peers [--faults=N] [--seed=S]
//
// Exits with 1 where the server does not give up in time the connections whose replies nobody
// acknowledges (20 s), and those of idle clients (a ping a minute, and 20 s), or holds anything of
// them afterwards, or does not serve a new client; with 77 where this user may not make network
// namespaces.

#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <sched.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "clearance/v1/query_service.grpc.pb.h"
#include "server/observe/descriptor.h"
#include "tests/hammer/conversation.h"
#include "tests/hammer/packet_link.h"
#include "tests/hammer/ready_times.h"
#include "tests/hammer/result_line.h"
#include "tests/hammer/wire_client.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"
#include "tests/support/skip.h"

ABSL_FLAG(int, faults, 3, "How often clients vanish.");
ABSL_FLAG(std::uint64_t, seed, 1, "Of questions.");

namespace clearance::hammer {
namespace {

constexpr int kAsking = 5;  // have replies on their way
constexpr int kIdle = 2;
// What the server waits for, and for machines that are busy.
constexpr absl::Duration kAskingPatience = absl::Seconds(20 + 10);
constexpr absl::Duration kIdlePatience = absl::Seconds(60 + 20 + 20);
constexpr absl::Duration kPatience = absl::Seconds(30);

constexpr char kConnections[] = "clearance_connections";
constexpr char kReplies[] =
    R"(grpc_server_msg_sent_total{grpc_method="Session",grpc_service="clearance.v1.QueryService",)"
    R"(grpc_type="bidi_stream"})";

std::shared_ptr<grpc::Channel> ConnectTo(int port) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  return grpc::CreateCustomChannel(
      std::string(PacketLink::kAddresses[PacketLink::kServer]) + ":" + std::to_string(port),
      grpc::InsecureChannelCredentials(), arguments);
}

// A session that has opened its slots.
class Peer {
 public:
  Peer(int port, const std::vector<v1::SessionRequest>& opens)
      : stub_(v1::QueryService::NewStub(ConnectTo(port))), stream_(stub_->Session(&context_)) {
    v1::SessionResponse response;
    for (const v1::SessionRequest& open : opens) {
      is_open_ =
          is_open_ && stream_->Write(open) && stream_->Read(&response) && response.has_open();
    }
  }
  ~Peer() {
    context_.TryCancel();
    v1::SessionResponse response;
    while (stream_->Read(&response)) continue;
    stream_->Finish();
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  bool is_open() const { return is_open_; }
  void Ask(const v1::SessionRequest& request) { stream_->Write(request); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<v1::QueryService::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream_;
  bool is_open_ = true;
};

// The network that this thread is in.
server::Descriptor ThisNetwork() {
  return server::Descriptor(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

// A server, and on the other end of a link the thread that made it.
class Stand {
 public:
  // False where that is not permitted here.
  bool Enter() {
    if (!link_.Enter(PacketLink::kServer)) return false;
    network_of_server_ = ThisNetwork();
    const std::string address = PacketLink::kAddresses[PacketLink::kServer];
    server_ = std::make_unique<test::ServerProcess>(
        std::vector<std::string>{"--listen=" + address + ":0"});
    if (!link_.Enter(PacketLink::kClients)) return false;
    network_of_clients_ = ThisNetwork();
    link_.Start(/*seed=*/0);
    return true;
  }

  PacketLink& link() { return link_; }
  test::ServerProcess& server() { return *server_; }

  // Asked on the server's own loopback, whatever the link does.
  double MetricOf(const std::string& series) const {
    setns(network_of_server_.number(), CLONE_NEWNET);
    const double value = test::MetricOf(*server_, series);
    setns(network_of_clients_.number(), CLONE_NEWNET);
    return value;
  }
  // How long it took until the series was at most that; no less than `patience`: it is not.
  absl::Duration AwaitFall(const std::string& series, double most, absl::Duration patience) const {
    return Await([&] { return MetricOf(series) <= most; }, patience);
  }
  // Whether it came to be at least that.
  bool Reaches(const std::string& series, double least) const {
    return Await([&] { return MetricOf(series) >= least; }, kPatience) < kPatience;
  }

 private:
  template <class Condition>
  static absl::Duration Await(const Condition& is_met, absl::Duration patience) {
    const absl::Time began = absl::Now();
    while (!is_met() && absl::Now() - began < patience) absl::SleepFor(absl::Milliseconds(50));
    return absl::Now() - began;
  }

  PacketLink link_;
  server::Descriptor network_of_server_;
  server::Descriptor network_of_clients_;
  std::unique_ptr<test::ServerProcess> server_;
};

using Peers = std::vector<std::unique_ptr<Peer>>;

// "" where the peers are there, and the server has sent `kAsking` of them replies that never come.
std::string Vanish(Stand* stand, const std::vector<v1::SessionRequest>& requests, Peers* peers) {
  const std::vector<v1::SessionRequest> opens(requests.begin(), requests.begin() + 3);
  const int port = stand->server().grpc_port();
  for (int i = 0; i < kAsking + kIdle; ++i) {
    peers->push_back(std::make_unique<Peer>(port, opens));
    if (!peers->back()->is_open()) return "a session did not open";
  }
  if (!stand->Reaches(kConnections, kAsking + kIdle)) return "not so many connections";
  const double replies = stand->MetricOf(kReplies);
  // Questions still arrive; neither replies nor acknowledgements do.
  stand->link().Set({.is_cut = {false, true}});
  for (int i = 0; i < kAsking; ++i) (*peers)[static_cast<std::size_t>(i)]->Ask(requests[3]);
  if (!stand->Reaches(kReplies, replies + kAsking)) return "questions did not come";
  stand->link().Set({.is_cut = {true, true}});
  return "";
}

// "" where the server gave up all of them in time.
std::string FaultOfEnds(const Stand& stand) {
  const absl::Duration asking = stand.AwaitFall(kConnections, kIdle, kAskingPatience);
  std::printf("  %d connections with replies that nobody took ended after %.1f s\n", kAsking,
              absl::ToDoubleSeconds(asking));
  if (asking >= kAskingPatience) return "replies that nobody takes keep connections open";
  const absl::Duration idle = asking + stand.AwaitFall(kConnections, 0, kIdlePatience - asking);
  std::printf("  %d idle ones after %.1f s\n", kIdle, absl::ToDoubleSeconds(idle));
  std::fflush(stdout);
  if (idle >= kIdlePatience) return "idle connections stay open";
  for (const char* const series :
       {"clearance_sessions_open", "clearance_messages_in_flight", "clearance_in_flight_bytes",
        "clearance_total_in_flight_bytes"}) {
    if (stand.AwaitFall(series, 0, kPatience) >= kPatience)
      return std::string(series) + " does not fall to 0";
  }
  return "";
}

std::string HarmOnce(Stand* stand, const std::vector<v1::SessionRequest>& requests,
                     ReadyTimes* ready) {
  std::string fault;
  {
    Peers peers;
    fault = Vanish(stand, requests, &peers);
    if (fault.empty()) fault = FaultOfEnds(*stand);
  }
  stand->link().Set({});
  const absl::Time ended = absl::Now();
  const Answers answers = Converse(ConnectTo(stand->server().grpc_port()), requests);
  ready->Add(absl::Now() - ended);
  if (fault.empty() && answers.replies.size() != requests.size()) fault = "does not serve again";
  return fault;
}

int Main() {
  const int faults = absl::GetFlag(FLAGS_faults);
  const std::uint64_t seed = absl::GetFlag(FLAGS_seed);
  std::printf("vanished_peers: --faults=%d --seed=%llu\n", faults,
              static_cast<unsigned long long>(seed));
  Stand stand;
  if (!stand.Enter()) {
    return test::Skip("needs network namespaces");
  }
  testing::Random random(seed);
  const std::vector<v1::SessionRequest> requests = AnyConversation(3, 100, &random);
  std::string fault;
  ReadyTimes ready;
  for (int i = 0; i < faults && fault.empty(); ++i) fault = HarmOnce(&stand, requests, &ready);
  stand.server().process().Signal(SIGTERM);
  if (stand.server().process().WaitForExit() != 0 && fault.empty()) fault = "did not end well";
  if (!fault.empty()) std::printf("FAULT: %s\n", fault.c_str());
  const bool is_ready = ready.Judge("a new client served");
  PrintResult({.kind = "vanished",
               .faults = ready.count(),
               .wrong = fault.empty() ? 0U : 1U,
               .slowest_ready_ms = ready.slowest_ms()});
  return fault.empty() && is_ready ? 0 : 1;
}

}  // namespace
}  // namespace clearance::hammer

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::hammer::Main();
}
