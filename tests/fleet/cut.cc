// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/cut.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/observe/descriptor.h"
#include "tests/support/raw_http.h"

namespace clearance::fleet {
namespace {

constexpr std::chrono::seconds kLongestStart{10};

bool IsListening(int port) {
  const server::Descriptor descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect(descriptor.number(), reinterpret_cast<const sockaddr*>(&address),
                 sizeof address) == 0;
}

}  // namespace

bool Cut::IsPossible() { return std::system("command -v haproxy >/dev/null") == 0; }

Cut::Cut(const std::vector<std::string>& members) {
  const std::string file = directory_.File("cut.cfg");
  std::ofstream config(file);
  config
      << "defaults\n  mode tcp\n  timeout connect 1s\n  timeout client 1h\n  timeout server 1h\n";
  int port = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    port = test::FindFreePort();
    ends_.push_back(absl::StrCat("127.0.0.1:", port));
    config << "listen m" << i << "\n  bind " << ends_.back() << "\n  server it " << members[i]
           << "\n";
  }
  config.close();
  proxy_ =
      std::make_unique<test::ChildProcess>(std::vector<std::string>{"haproxy", "-db", "-f", file});
  // It listens at all of them, or at none and ends.
  const auto end = std::chrono::steady_clock::now() + kLongestStart;
  while (!IsListening(port)) {
    if (std::chrono::steady_clock::now() < end) continue;
    std::fprintf(stderr, "FOUND: haproxy does not start: %s\n", proxy_->output().c_str());
    std::abort();
  }
}

std::string Cut::StoreFlag() const {
  return absl::StrCat("--store=etcd://", absl::StrJoin(ends_, ","));
}

void Cut::CutOff() { proxy_->Signal(SIGSTOP); }
void Cut::Join() { proxy_->Signal(SIGCONT); }

}  // namespace clearance::fleet
