// SPDX-License-Identifier: Apache-2.0
//
// Who is told to have spoken, and who is let go.

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "server/fence/handover.h"

namespace clearance::server {
namespace {

// A connection's two ends.
struct TwoEnds {
  Descriptor server;
  Descriptor client;
};

TwoEnds SocketPair() {
  std::array<int, 2> ends = {};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void Speak(const Descriptor& client, char word) {
  EXPECT_EQ(send(client.number(), &word, 1, MSG_NOSIGNAL), 1);
}

bool HasSomethingToDo(const SilentConnections& silent) {
  pollfd awaited = {.fd = silent.number(), .events = POLLIN, .revents = 0};
  return poll(&awaited, 1, 0) == 1;
}

// Whether the server's end was closed.
bool IsLetGo(const Descriptor& client) {
  char byte = 0;
  return recv(client.number(), &byte, 1, MSG_DONTWAIT) == 0;
}

class SilentConnectionsTest : public testing::Test {
 protected:
  // The client's end.
  Descriptor Knock(SteadyTime now = SteadyTime()) {
    TwoEnds pair = SocketPair();
    silent_.Add(std::move(pair.server), now);
    return std::move(pair.client);
  }

  SilentConnections silent_;
};

TEST_F(SilentConnectionsTest, GivesThoseThatSpokeWithWhatTheySaid) {
  const Descriptor mute = Knock();
  const Descriptor client = Knock();
  EXPECT_FALSE(HasSomethingToDo(silent_));
  Speak(client, 'a');
  EXPECT_TRUE(HasSomethingToDo(silent_));
  const std::vector<Descriptor> spoken = silent_.TakeSpoken();
  ASSERT_EQ(spoken.size(), 1);
  char word = 0;
  EXPECT_EQ(recv(spoken[0].number(), &word, 1, MSG_DONTWAIT), 1);
  EXPECT_EQ(word, 'a');
  EXPECT_EQ(silent_.size(), 1);
  EXPECT_FALSE(IsLetGo(mute));
}

TEST_F(SilentConnectionsTest, WaitsNoMoreForWhatItGave) {
  const Descriptor client = Knock();
  Speak(client, 'a');
  const std::vector<Descriptor> spoken = silent_.TakeSpoken();
  Speak(client, 'b');
  EXPECT_FALSE(HasSomethingToDo(silent_));
  EXPECT_TRUE(silent_.TakeSpoken().empty());
}

TEST_F(SilentConnectionsTest, ClosesThoseThatWentWithoutAWord) {
  { const Descriptor gone = Knock(); }
  const Descriptor shut = Knock();
  shutdown(shut.number(), SHUT_WR);
  EXPECT_TRUE(HasSomethingToDo(silent_));
  EXPECT_TRUE(silent_.TakeSpoken().empty());
  EXPECT_EQ(silent_.size(), 0);
  EXPECT_TRUE(IsLetGo(shut));
  EXPECT_FALSE(HasSomethingToDo(silent_));
}

TEST_F(SilentConnectionsTest, GivesOneThatSpokeAndWent) {
  { Speak(Knock(), 'a'); }
  EXPECT_EQ(silent_.TakeSpoken().size(), 1);
}

TEST_F(SilentConnectionsTest, GivesMoreThanItTakesAtOnce) {
  std::vector<Descriptor> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(Knock());
    Speak(clients.back(), 'a');
  }
  std::size_t given = 0;
  while (HasSomethingToDo(silent_)) given += silent_.TakeSpoken().size();
  EXPECT_EQ(given, 200);
}

TEST_F(SilentConnectionsTest, ClosesTheOlderOnes) {
  const SteadyTime now = SteadyNow();
  const Descriptor old = Knock(now - absl::Seconds(2));
  const Descriptor young = Knock(now);
  silent_.EndOlderThan(now - absl::Seconds(1));
  EXPECT_TRUE(IsLetGo(old));
  EXPECT_FALSE(IsLetGo(young));
  EXPECT_EQ(silent_.size(), 1);
  silent_.EndAll();
  EXPECT_TRUE(IsLetGo(young));
}

// As after a stall of the server, when more have spoken than are taken at once.
TEST_F(SilentConnectionsTest, ClosesNoneThatHasSpoken) {
  const SteadyTime now = SteadyNow();
  const Descriptor client = Knock(now - absl::Seconds(2));
  Speak(client, 'a');
  silent_.EndOlderThan(now - absl::Seconds(1));
  EXPECT_EQ(silent_.TakeSpoken().size(), 1);
}

}  // namespace
}  // namespace clearance::server
