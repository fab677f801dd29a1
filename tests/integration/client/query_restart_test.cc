// SPDX-License-Identifier: Apache-2.0
//
// `clearance query` of rows that come one by one while the server goes away under it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "tests/integration/client/command_line.h"
#include "tests/support/local_config.h"

namespace clearance::client {
namespace {

using ::testing::HasSubstr;

// Comes back on its port, with nothing of what it had.
class ServerThatGoes {
 public:
  ServerThatGoes() { Start("127.0.0.1:0"); }

  std::string address() const { return address_; }

  void Kill() { running_.reset(); }
  void StartAgain() { Start(address_); }

 private:
  struct Running {
    ~Running() {
      if (server) server->Shutdown(absl::ZeroDuration());
    }

    server::Limits limits = {};
    server::Metrics metrics{"test"};
    server::Registry registry{limits, &metrics};
    std::unique_ptr<server::GrpcServer> server = {};
  };

  // Another program may have the port for a moment, as the near end of a connection.
  void Start(const std::string& listen_address) {
    running_ = std::make_unique<Running>();
    while (!running_->server) {
      server::ServerConfig config = server::LocalConfig(running_->limits);
      config.listen = listen_address;
      auto started =
          server::GrpcServer::Start({.config = config}, running_->registry, running_->metrics);
      if (started.ok()) {
        running_->server = *std::move(started);
      } else {
        absl::SleepFor(absl::Milliseconds(20));
      }
    }
    address_ = "127.0.0.1:" + std::to_string(running_->server->port());
  }

  std::string address_;
  std::unique_ptr<Running> running_;
};

// Row i has two balls of half a metre 2 + i metres apart. A row is a message, and some are ahead of
// the first answer.
class QueryRestart : public CommandLine {
 protected:
  static constexpr int kRowsForTwoAnswers = 6;

  void Begin(const std::string& options) {
    signal(SIGPIPE, SIG_IGN);  // where the command ends before it has read all rows
    const std::string questions = File("questions");
    ASSERT_EQ(mkfifo(questions.c_str(), 0600), 0);
    const std::string command = CLEARANCE_CLI " --json --addr " + server_.address() + " " +
                                options + " query distance --from jsonl --rows 1 - " + kBall +
                                kBall + "<" + questions + " 2>" + File("stderr");
    answers_ = popen(command.c_str(), "r");
    ASSERT_NE(answers_, nullptr);
    questions_.open(questions);
    WriteRows(kRowsForTwoAnswers);
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(TakeAnswer());
  }

  void WriteRows(int count) {
    for (int i = 0; i < count; ++i) {
      questions_ << R"({"pose_b": [)" << 2 + written_++ << ", 0, 0, 0, 0, 0, 1]}" << std::endl;
    }
  }

  // False after the last; each is that of the row after the one before it.
  bool TakeAnswer() {
    char line[4096];
    if (std::fgets(line, sizeof(line), answers_) == nullptr) return false;
    const Json answer = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(answer.is_object()) << line;
    EXPECT_EQ(answer.value("row", -1), taken_) << line;
    EXPECT_EQ(answer.value("distance", -1.0), 1.0 + taken_) << line;
    ++taken_;
    return true;
  }

  // After the last row: what is still to come, and the exit code.
  int End() {
    questions_.close();
    while (TakeAnswer()) {
    }
    return test::ExitCodeOf(pclose(answers_));
  }

  std::string Errors() const {
    std::ifstream file(File("stderr"));
    std::string errors;
    std::getline(file, errors, '\0');
    return errors;
  }

  ServerThatGoes server_;
  FILE* answers_ = nullptr;
  std::ofstream questions_;
  int written_ = 0;
  int taken_ = 0;
};

TEST_F(QueryRestart, AnswersAllRowsWhereTheServerComesBackInTime) {
  Begin("--timeout 120");
  server_.Kill();
  WriteRows(3);
  server_.StartAgain();
  WriteRows(3);
  EXPECT_EQ(End(), 0) << Errors();
  EXPECT_EQ(taken_, kRowsForTwoAnswers + 6);
  EXPECT_EQ(Errors(), "");
}

TEST_F(QueryRestart, SaysWhatItDoesNotKnowWhereTheServerStaysAway) {
  Begin("--timeout 5");
  server_.Kill();
  WriteRows(1);
  EXPECT_EQ(End(), 2);
  EXPECT_GE(taken_, 2);
  EXPECT_LE(taken_, kRowsForTwoAnswers);  // the row after them was asked of nobody
  EXPECT_THAT(Errors(), HasSubstr("error: UNAVAILABLE: "));
  EXPECT_THAT(Errors(),
              HasSubstr("-: line " + std::to_string(taken_ + 1) + ": nothing is known of row " +
                        std::to_string(taken_) + " and of those after it"));
}

}  // namespace
}  // namespace clearance::client
