// SPDX-License-Identifier: Apache-2.0
#include "server/observe/log_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/observe/metrics.h"

namespace clearance::server {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// A log into a pipe that is read only where the test says so.
class LogWriterTest : public testing::Test {
 protected:
  LogWriterTest() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0);
    pipe_bytes_ = static_cast<std::size_t>(fcntl(ends_[1], F_SETPIPE_SZ, 4096));
  }
  ~LogWriterTest() override {
    writer_.reset();
    for (const int end : ends_) close(end);
  }

  LogWriter& Start(LogRoom room = {}) {
    return writer_.emplace(
        ends_[1], LogFormat::kHuman,
        LostLines{.audit = metrics_.audit_lines_lost(), .other = metrics_.log_lines_lost()}, room);
  }
  // Until it is full.
  std::string Fill() {
    std::string filled(pipe_bytes_, '-');
    filled.back() = '\n';
    writer_->Write(LogLevel::kInfo, filled);
    return filled;
  }
  std::string Read(std::size_t bytes) {
    std::string text(bytes, '\0');
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t count = read(ends_[0], text.data() + done, bytes - done);
      if (count <= 0) return text.substr(0, done);
      done += static_cast<std::size_t>(count);
    }
    return text;
  }
  std::string ReadLine() {
    std::string line;
    do line += Read(1);
    while (line.back() != '\n');
    return line;
  }

  std::array<int, 2> ends_{};
  std::size_t pipe_bytes_ = 0;
  Metrics metrics_{"test"};
  std::optional<LogWriter> writer_;
};

TEST_F(LogWriterTest, HasWrittenWhatTheReaderTakesBeforeItsCallerGoesOn) {
  LogWriter& writer = Start();
  fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  writer.Write(LogLevel::kInfo, "one\n");
  EXPECT_EQ(Read(4), "one\n");
}

TEST_F(LogWriterTest, NeverWaitsForAReaderAndGivesItAllInOrderLater) {
  LogWriter& writer = Start();
  std::string written = Fill();
  for (int i = 0; i < 1000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    writer.Write(i % 2 == 0 ? LogLevel::kInfo : LogLevel::kAudit, line);
    written += line;
  }
  EXPECT_EQ(Read(written.size()), written);
  EXPECT_EQ(metrics_.audit_lines_lost().Value() + metrics_.log_lines_lost().Value(), 0);
}

TEST_F(LogWriterTest, WritesALineThatIsLongerThanAPipeAsOne) {
  LogWriter& writer = Start();
  std::string text(10 * pipe_bytes_, 'x');
  text.back() = '\n';
  writer.Write(LogLevel::kInfo, text);
  writer.Write(LogLevel::kInfo, "next\n");
  EXPECT_EQ(Read(text.size() + 5), text + "next\n");
}

TEST_F(LogWriterTest, CountsWhatFindsNoRoomAndTellsOfItOnceItIsRead) {
  LogWriter& writer = Start({.other = 100, .audit = 200});
  const std::string filled = Fill();
  const std::string line(49, 'x');
  for (int i = 0; i < 5; ++i) writer.Write(LogLevel::kWarning, line + "\n");
  EXPECT_EQ(metrics_.log_lines_lost().Value(), 3);
  for (int i = 0; i < 7; ++i) writer.Write(LogLevel::kAudit, line + "\n");
  EXPECT_EQ(metrics_.audit_lines_lost().Value(), 5);
  EXPECT_EQ(Read(filled.size()), filled);
  std::vector<std::string> read;
  for (int i = 0; i < 5; ++i) read.push_back(ReadLine());
  EXPECT_THAT(read, UnorderedElementsAre(line + "\n", line + "\n", line + "\n", line + "\n",
                                         HasSubstr("ERROR lines of the log could not be written "
                                                   "and are lost audit=5 other=3\n")));
}

TEST_F(LogWriterTest, CountsWhatCannotBeWrittenAtAll) {
  LogWriter& writer = Start();
  close(std::exchange(ends_[0], -1));
  for (int i = 0; i < 3; ++i) writer.Write(LogLevel::kAudit, "line\n");
  writer.Write(LogLevel::kInfo, "line\n");
  EXPECT_EQ(metrics_.audit_lines_lost().Value(), 3);
  EXPECT_EQ(metrics_.log_lines_lost().Value(), 1);
}

TEST_F(LogWriterTest, EndsThoughNobodyReads) {
  LogWriter& writer = Start();
  Fill();
  writer.Write(LogLevel::kAudit, "line\n");
  writer_.reset();
}

}  // namespace
}  // namespace clearance::server
