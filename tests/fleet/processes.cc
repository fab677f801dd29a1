// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/processes.h"

#include <array>
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

bool Processes::ArePossible() {
  return test::EtcdCluster::IsInstalled() && test::StoppableProxy::IsInstalled();
}

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

const char* Processes::Kill(int number) {
  constexpr std::array<Way, 3> kWays = {&Processes::KillServer, &Processes::KillMember,
                                        &Processes::KillBoth};
  const auto turn = static_cast<std::size_t>(number);
  return (this->*kWays[turn % kWays.size()])(turn / kWays.size() % kMembers);
}

const char* Processes::Disturb(int number) {
  constexpr std::array<Way, 4> kWays = {&Processes::SilenceMember, &Processes::SilenceServer,
                                        &Processes::CutOffServer, &Processes::PartMember};
  const auto turn = static_cast<std::size_t>(number);
  return (this->*kWays[turn % kWays.size()])(turn / kWays.size() % kMembers);
}

const char* Processes::KillServer(std::size_t index) {
  servers_[index].End(SIGKILL);
  std::this_thread::sleep_for(kAbsence);
  StartAgain(index);
  return "kill -9 of a server";
}

const char* Processes::KillMember(std::size_t index) {
  etcd_.Kill(index);
  std::this_thread::sleep_for(kAbsence);
  etcd_.Start(index);
  AwaitQuorum();
  return "kill -9 of a member";
}

const char* Processes::SilenceMember(std::size_t index) {
  etcd_.Signal(index, SIGSTOP);
  std::this_thread::sleep_for(kStop);
  etcd_.Signal(index, SIGCONT);
  AwaitQuorum();
  return "a silent member";
}

// Its callers wait for it: nothing says that it is gone.
const char* Processes::SilenceServer(std::size_t index) {
  servers_[index].Signal(SIGSTOP);
  std::this_thread::sleep_for(kStop);
  servers_[index].Signal(SIGCONT);
  return "a silent server";
}

const char* Processes::KillBoth(std::size_t index) {
  servers_[index].End(SIGKILL);
  etcd_.Kill(index);
  std::this_thread::sleep_for(kAbsence);
  etcd_.Start(index);
  StartAgain(index);
  AwaitQuorum();
  return "kill -9 of both";
}

const char* Processes::CutOffServer(std::size_t index) {
  cuts_[index]->CutOff();
  std::this_thread::sleep_for(kStop);
  cuts_[index]->Join();
  return "a server cut off from etcd";
}

// Those of its clients that do not turn to another are answered by nobody.
const char* Processes::PartMember(std::size_t index) {
  etcd_.Part(index);
  std::this_thread::sleep_for(kStop);
  etcd_.Join(index);
  AwaitQuorum();
  return "a member parted from the others";
}

void Processes::StartAgain(std::size_t index) {
  servers_[index].StartAgain();
  sites_.Set(index, servers_[index].address());
}

void Processes::AwaitQuorum() const {
  if (etcd_.AwaitQuorum()) return;
  std::fprintf(stderr, "FOUND: etcd has no quorum a minute after all members are back\n");
  std::abort();
}

}  // namespace clearance::fleet
