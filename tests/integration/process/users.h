// SPDX-License-Identifier: Apache-2.0
//
// Users of the client library, by unary calls and by sessions with many messages on their way. They
// compare every answer with that of an undisturbed server. The test decides how their own server is
// disturbed.

#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clearance/client.h"
#include "tests/integration/process/server_process.h"

namespace clearance::test {

inline constexpr int kSessionThreads = 3;
inline constexpr int kUnaryThreads = 2;

// The series of /metrics that count the users' sessions and unary questions.
inline constexpr char kSessionsSeries[] =
    R"(grpc_server_started_total{grpc_method="Session",grpc_service="clearance.v1.QueryService",grpc_type="bidi_stream"})";
inline constexpr char kCallsSeries[] =
    R"(grpc_server_started_total{grpc_method="Distance",grpc_service="clearance.v1.QueryService",grpc_type="unary"})";

// Registers the shapes that the users ask about; every server of theirs must have them.
void RegisterShapes(const client::Client& client);

// Returns the answers of an undisturbed server, by the question's number.
std::vector<std::string> ExpectedAnswers();

// A server on the same two ports that comes back after each end. Without flags it keeps one data
// directory.
class RestartedServer {
 public:
  explicit RestartedServer(std::vector<std::string> flags = {}) : flags_(std::move(flags)) {
    if (flags_.empty()) flags_ = {"--data_dir=" + directory_.File("data"), "--drain_timeout=60s"};
    Start(0, 0);
  }

  std::string address() const { return server_->grpc_address(); }

  const ServerProcess& process() const { return *server_; }

  void Signal(int signal) { server_->process().Signal(signal); }

  // Returns the exit code of the server that was ended.
  int End(int signal) {
    server_->process().Signal(signal);
    return server_->process().WaitForExit();
  }

  void StartAgain() {
    const int grpc_port = server_->grpc_port();
    const int http_port = server_->http_port();
    // Another program may have a port for a moment, as the near end of a connection.
    do {
      Start(grpc_port, http_port);
    } while (server_->grpc_port() == 0 &&
             server_->process().output().find("Address already in use") != std::string::npos);
    EXPECT_NE(server_->grpc_port(), 0) << server_->process().output();
  }

 private:
  void Start(int grpc_port, int http_port) {
    std::vector<std::string> flags = flags_;
    flags.push_back("--listen=127.0.0.1:" + std::to_string(grpc_port));
    flags.push_back("--http_listen=127.0.0.1:" + std::to_string(http_port));
    server_.reset();
    server_ = std::make_unique<ServerProcess>(flags);
  }

  TemporaryDirectory directory_;
  std::vector<std::string> flags_;
  std::unique_ptr<ServerProcess> server_;
};

struct Users {
  const client::Client& client;
  const std::vector<std::string>& expected;
  bool registers = false;  // wants one registry, whichever server it asks
  std::atomic<bool> is_over = false;
  std::vector<std::atomic<int>> answers =
      std::vector<std::atomic<int>>(kSessionThreads + kUnaryThreads);
};

// Runs the users while `disturb` disturbs their servers, and until each has seen some answers more.
// A call that fails, and an answer that is wrong, missing or given twice, fails the test.
void UseWhile(Users* users, const std::function<void()>& disturb);

// Waits until each has seen some answers more, so that none of them misses the next disturbance.
void AwaitAnswers(const Users& users);

// Returns a client that outlasts restarts.
absl::StatusOr<client::Client> PatientClient(const std::string& address,
                                             client::ClientOptions options = {});

}  // namespace clearance::test
