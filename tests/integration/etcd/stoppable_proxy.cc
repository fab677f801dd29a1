// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/etcd/stoppable_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "server/observe/descriptor.h"

namespace clearance::test {
namespace {

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

StoppableProxy::StoppableProxy(const std::string& sections, int port) {
  const std::string file = directory_.File("haproxy.cfg");
  std::ofstream(file) << "defaults\n"
                         "  mode tcp\n"
                         "  timeout connect 1s\n"
                         "  timeout client 1h\n"
                         "  timeout server 1h\n"
                      << sections;
  process_ = std::make_unique<ChildProcess>(std::vector<std::string>{"haproxy", "-db", "-f", file});
  // It listens at all of its ports, or at none and ends.
  while (!IsListening(port)) {
    if (process_->HasEnded())
      throw std::runtime_error("haproxy did not start: " + process_->output());
    std::this_thread::yield();
  }
}

}  // namespace clearance::test
