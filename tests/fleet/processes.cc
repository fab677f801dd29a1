// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/processes.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "absl/strings/str_join.h"

namespace clearance::fleet {
namespace {

// How long a process is gone, and how long one is silent: longer than an election.
constexpr std::chrono::milliseconds kAbsence{500};
constexpr std::chrono::milliseconds kStop{2000};

}  // namespace

Processes::Processes()
    : etcd_(static_cast<int>(kMembers), test::EtcdCluster::Ways::kThatPart), sites_(kServers) {
  for (std::size_t i = 0; i < kServers; ++i) {
    cuts_.push_back(std::make_unique<Cut>(etcd_.endpoints()));
    servers_.emplace_back(std::vector<std::string>{cuts_[i]->StoreFlag(), "--drain_timeout=60s"});
    sites_.Set(i, servers_[i].address());
  }
}

std::string Processes::addresses() const {
  std::vector<std::string> each;
  for (const test::RestartedServer& server : servers_) each.push_back(server.address());
  return absl::StrJoin(each, ",");
}

const std::vector<Processes::Harm>& Processes::Kills() {
  static const std::vector<Harm> kKinds = {{"kill -9 of a server", &Processes::KillServer},
                                           {"kill -9 of a member", &Processes::KillMember},
                                           {"kill -9 of both", &Processes::KillBoth}};
  return kKinds;
}

const std::vector<Processes::Harm>& Processes::Stoppages() {
  static const std::vector<Harm> kKinds = {
      {"a silent member", &Processes::SilenceMember},
      {"a silent server", &Processes::SilenceServer},
      {"a server cut off from etcd", &Processes::CutOffServer},
      {"a member parted from the others", &Processes::PartMember}};
  return kKinds;
}

void Processes::KillServer(std::size_t index) {
  servers_[index].End(SIGKILL);
  std::this_thread::sleep_for(kAbsence);
  StartAgain(index);
}

void Processes::KillMember(std::size_t index) {
  etcd_.Kill(index);
  std::this_thread::sleep_for(kAbsence);
  etcd_.Start(index);
  AwaitQuorum();
}

void Processes::SilenceMember(std::size_t index) {
  etcd_.Signal(index, SIGSTOP);
  std::this_thread::sleep_for(kStop);
  etcd_.Signal(index, SIGCONT);
  AwaitQuorum();
}

// Its callers wait for it: nothing says that it is gone.
void Processes::SilenceServer(std::size_t index) {
  servers_[index].Signal(SIGSTOP);
  std::this_thread::sleep_for(kStop);
  servers_[index].Signal(SIGCONT);
}

void Processes::KillBoth(std::size_t index) {
  servers_[index].End(SIGKILL);
  etcd_.Kill(index);
  std::this_thread::sleep_for(kAbsence);
  etcd_.Start(index);
  StartAgain(index);
  AwaitQuorum();
}

void Processes::CutOffServer(std::size_t index) {
  cuts_[index]->CutOff();
  std::this_thread::sleep_for(kStop);
  cuts_[index]->Join();
}

// Those of its clients that do not turn to another are answered by nobody.
void Processes::PartMember(std::size_t index) {
  etcd_.Part(index);
  std::this_thread::sleep_for(kStop);
  etcd_.Join(index);
  AwaitQuorum();
}

void Processes::StartAgain(std::size_t index) {
  const auto began = Clock::now();
  servers_[index].StartAgain();
  starts_.push_back(std::chrono::duration<double>(Clock::now() - began).count());
}

void Processes::AwaitQuorum() const {
  if (etcd_.AwaitQuorum()) return;
  std::fprintf(stderr, "FOUND: etcd has no quorum a minute after all members are back\n");
  std::abort();
}

}  // namespace clearance::fleet
