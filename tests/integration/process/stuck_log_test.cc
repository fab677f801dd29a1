// SPDX-License-Identifier: Apache-2.0
//
// The log goes into a pipe that is not read for a while: every call is still answered, the server
// ends when it is told to, and no line about a change is lost.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "clearance/client.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/raw_http.h"

namespace clearance::test {
namespace {

using client::Client;
using ::testing::HasSubstr;

constexpr int kShapes = 500;

// A named pipe, as small as it may be.
class NamedPipe {
 public:
  explicit NamedPipe(std::string path) : path_(std::move(path)) {
    EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
    descriptor_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    fcntl(descriptor_, F_SETPIPE_SZ, 4096);
  }
  ~NamedPipe() { close(descriptor_); }
  NamedPipe(const NamedPipe&) = delete;
  NamedPipe& operator=(const NamedPipe&) = delete;

  const std::string& path() const { return path_; }

  std::string ReadUntil(const std::string& part) {
    std::string text;
    char byte = 0;
    while (text.find(part) == std::string::npos && read(descriptor_, &byte, 1) == 1) text += byte;
    return text;
  }

 private:
  const std::string path_;
  int descriptor_ = -1;
};

TEST(StuckLog, StopsNoCallAndLosesNoAuditLine) {
  const TemporaryDirectory directory;
  NamedPipe pipe(directory.File("log"));
  ChildProcess server({"sh", "-c",
                       "exec " CLEARANCE_SERVER_PROGRAM
                       " --listen=127.0.0.1:0 --http_listen=127.0.0.1:0 --port_file=" +
                           directory.File("ports.json") + " 2>" + pipe.path()});
  pipe.ReadUntil("serving");
  std::ifstream file(directory.File("ports.json"));
  const nlohmann::json ports = nlohmann::json::parse(file);
  const absl::StatusOr<Client> client =
      Client::Connect("127.0.0.1:" + std::to_string(ports["grpc_port"].get<int>()));
  ASSERT_TRUE(client.ok()) << client.status();

  for (int i = 0; i < kShapes; ++i) {
    ASSERT_TRUE(client->Register("ball" + std::to_string(i), {.kind = client::Sphere{1}}).ok());
  }
  EXPECT_TRUE(client
                  ->Distance({{client::ByName{"ball0"}, client::ByName{"ball1"}}},
                             {.pairs = {.count = 1, .poses_b = {9, 0, 0, 0, 0, 0, 1}}})
                  .ok());

  // Everything was kept, in its order.
  std::string said;
  for (int i = 0; i < kShapes; ++i) {
    said = pipe.ReadUntil("name=ball" + std::to_string(i) + " ");
    EXPECT_EQ(said.find("name="), said.rfind("name=")) << said;
  }
  EXPECT_TRUE(client->Delete("ball0").ok());
  pipe.ReadUntil("action=delete");

  for (int i = 0; i < kShapes; ++i) {
    ASSERT_TRUE(client->Register("more" + std::to_string(i), {.kind = client::Sphere{1}}).ok());
  }
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0);
}

}  // namespace
}  // namespace clearance::test
