// SPDX-License-Identifier: Apache-2.0
#include "tests/hammer/proxy_before.h"

#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/raw_http.h"
#include "tests/support/raw_http2.h"

namespace clearance::test {
namespace {

struct Change {
  const char* what;  // a regular expression
  std::string with;
};

// A change that finds nothing would leave a limit untried: that ends the program.
std::string Changed(const std::string& path, const std::vector<Change>& changes) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const Change& change : changes) {
    const std::regex what(change.what);
    if (!std::regex_search(text, what)) {
      std::cerr << path << " has no " << change.what << '\n';
      std::exit(EXIT_FAILURE);
    }
    text = std::regex_replace(text, what, change.with);
  }
  return text;
}

}  // namespace

ProxyBefore::ProxyBefore(const ServerProcess& server, const std::string& program)
    : port_(FindFreePort()) {
  const std::string address = "127.0.0.1:" + std::to_string(port_);
  const std::string folder = CLEARANCE_PROXY_FILES;
  const std::string file = directory_.File("configuration");
  std::vector<std::string> command;
  if (program == "haproxy") {
    std::ofstream(file) << Changed(folder + "/haproxy.cfg", {{" ssl crt .*", " proto h2"}});
    command = {"env",
               "PROXY_BIND=" + address,
               "CLEARANCE_1=" + server.grpc_address(),
               "CLEARANCE_HTTP_1=" + std::to_string(server.http_port()),
               "CLEARANCE_2=127.0.0.1:1",
               "CLEARANCE_HTTP_2=1",
               "CLEARANCE_3=127.0.0.1:1",
               "CLEARANCE_HTTP_3=1",
               "haproxy",
               "-db",
               "-f",
               file};
  } else {
    std::ofstream(file) << Changed(folder + "/nginx.conf",
                                   {{"0\\.0\\.0\\.0:443 ssl", address},
                                    {"\n *ssl_[^\n]*", ""},
                                    {"127\\.0\\.0\\.1:50051", server.grpc_address()},
                                    {"\n *server 127\\.0\\.0\\.1:50052[^\n]*", ""},
                                    {"/tmp/clearance-nginx", directory_.File("nginx")}});
    command = {"nginx", "-g", "daemon off; master_process off;", "-c", file};
  }
  process_ = std::make_unique<ChildProcess>(command);
  // In truth it has a machine of its own, like the honest client (attack.cc). As root.
  setpriority(PRIO_PROCESS, static_cast<id_t>(process_->pid()), -20);
  if (program == "haproxy") {
    // Until then it tries them, a second each, and may give up.
    process_->WaitForLine("clearance/two is DOWN");
    process_->WaitForLine("clearance/three is DOWN");
  }
  while (!IsTaken(RawConnection(port_))) {
    if (process_->HasEnded()) throw std::runtime_error("no proxy: " + process_->output());
    std::this_thread::yield();
  }
}

}  // namespace clearance::test
