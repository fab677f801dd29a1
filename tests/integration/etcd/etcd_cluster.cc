// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/etcd/etcd_cluster.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace clearance::test {
namespace {

// Free ports: all are held until the last is found, so that no two are the same.
std::vector<int> FreePorts(std::size_t count) {
  std::vector<int> sockets;
  std::vector<int> ports;
  for (std::size_t i = 0; i < count; ++i) {
    sockets.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    bind(sockets.back(), reinterpret_cast<sockaddr*>(&address), size);
    getsockname(sockets.back(), reinterpret_cast<sockaddr*>(&address), &size);
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int descriptor : sockets) close(descriptor);
  return ports;
}

}  // namespace

EtcdCluster::EtcdCluster(int members, std::vector<std::string> flags, std::string scheme)
    : flags_(std::move(flags)), scheme_(std::move(scheme)) {
  const auto count = static_cast<std::size_t>(members);
  const std::vector<int> ports = FreePorts(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    endpoints_.push_back(absl::StrCat("127.0.0.1:", ports[2 * i]));
    listening_.push_back(absl::StrCat("http://127.0.0.1:", ports[2 * i + 1]));
    told_.push_back(absl::StrCat("m", i, "=", listening_.back()));
  }
  StartAll();
}

// As in server/guide/shared_registry.md and docker/compose.fleet.yaml. Without a pre-vote, which is
// etcd 3.5's default, a member that returns ends the leader's term.
EtcdCluster::EtcdCluster(int members, Ways /*ways*/)
    : flags_({"--pre-vote", "--heartbeat-interval=50", "--election-timeout=500"}), scheme_("http") {
  const auto count = static_cast<std::size_t>(members);
  const std::vector<int> ports = FreePorts(4 * count);
  std::vector<PeerWays::Ports> peers;
  for (std::size_t i = 0; i < count; ++i) {
    const int* const own = &ports[4 * i];
    endpoints_.push_back(absl::StrCat("127.0.0.1:", own[0]));
    peers.push_back({.listening = own[1], .told = own[2], .outward = own[3]});
    listening_.push_back(absl::StrCat("http://127.0.0.1:", own[1]));
    told_.push_back(absl::StrCat("m", i, "=", PeerWays::Told(peers.back())));
    environment_.push_back(PeerWays::Outward(peers.back()));
  }
  ways_ = std::make_unique<PeerWays>(peers);
  StartAll();
}

void EtcdCluster::StartAll() {
  members_.resize(endpoints_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) Start(i);
  for (const auto& member : members_) {
    if (!member->WaitForLine("ready to serve client requests"))
      throw std::runtime_error("etcd did not start: " + member->output());
  }
}

std::string EtcdCluster::StoreFlag() const {
  return absl::StrCat("--store=etcd://", absl::StrJoin(endpoints_, ","));
}

server::EtcdConfig EtcdCluster::Config() const {
  server::EtcdConfig config;
  config.endpoints = endpoints_;
  return config;
}

std::vector<std::string> EtcdCluster::CommandOf(std::size_t member) const {
  const std::string client = absl::StrCat(scheme_, "://", endpoints_[member]);
  std::vector<std::string> command = {"env"};
  if (!environment_.empty()) command.push_back(environment_[member]);
  const std::vector<std::string> arguments = {"etcd",
                                              "--name",
                                              absl::StrCat("m", member),
                                              "--data-dir",
                                              directory_.File(absl::StrCat("m", member)),
                                              "--listen-client-urls",
                                              client,
                                              "--advertise-client-urls",
                                              client,
                                              "--listen-peer-urls",
                                              listening_[member],
                                              "--initial-advertise-peer-urls",
                                              told_[member].substr(told_[member].find('=') + 1),
                                              "--initial-cluster",
                                              absl::StrJoin(told_, ",")};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), flags_.begin(), flags_.end());
  return command;
}

void EtcdCluster::Kill(std::size_t member) {
  members_[member]->Signal(SIGKILL);
  members_[member]->WaitForExit();
}

void EtcdCluster::Start(std::size_t member) {
  members_[member] = std::make_unique<ChildProcess>(CommandOf(member));
}

bool EtcdCluster::AwaitQuorum() const {
  constexpr int kTries = 60;  // of a second each
  for (int i = 0; i < kTries; ++i) {
    const Completed asked =
        RunProgram({"env", "ETCDCTL_API=3", "etcdctl", "--endpoints",
                    absl::StrJoin(endpoints_, ","), "--command-timeout=1s", "get", "nothing"});
    if (asked.exit_code == 0) return true;
  }
  return false;
}

std::string EtcdCluster::Control(std::vector<std::string> arguments) const {
  std::vector<std::string> command = {"env", "ETCDCTL_API=3", "etcdctl", "--endpoints",
                                      absl::StrJoin(endpoints_, ",")};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Completed completed = RunProgram(command);
  EXPECT_EQ(completed.exit_code, 0) << absl::StrJoin(command, " ") << ": " << completed.output;
  return completed.output;
}

}  // namespace clearance::test
