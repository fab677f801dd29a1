// SPDX-License-Identifier: Apache-2.0
//
// Whom the fence takes for an attacker, by counts, clocks and rounds that the test makes up.

#include "server/fence/stream_fence.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "server/observe/descriptor.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kMostStreams = 100;
constexpr absl::Duration kStep = absl::Milliseconds(100);
constexpr std::size_t kMebibyteBytes = 1 << 20;

class StreamFenceTest : public testing::Test {
 protected:
  StreamFenceTest() {
    config_.max_streams_per_connection = kMostStreams;
    fence_.SetReaders({.longest_hold = [this] { return held_; },
                       .rounds =
                           [this] {
                             ++askings_;
                             return rounds_;
                           }});
    fence_.BeginLook(now_);
  }

  const CutReason* LookAfter(absl::Duration passed, std::uint64_t rounds,
                             const StreamCounts& counts,
                             absl::Duration held = absl::ZeroDuration()) {
    now_ += passed;
    rounds_ += rounds;
    held_ = held;
    fence_.BeginLook(now_);
    return fence_.ReasonOf(counts, &notes_);
  }

  SteadyTime now_ = SteadyTime(absl::Hours(1));
  absl::Duration held_ = absl::ZeroDuration();
  std::uint64_t rounds_ = 0;
  int askings_ = 0;
  ServerConfig config_;
  StreamFence fence_{/*port=*/1, config_};
  FenceNotes notes_;
};

TEST_F(StreamFenceTest, CutsStreamsThatAreThereStillAfterTheServerCameBack) {
  const StreamCounts many = {.started = 2 * kMostStreams + 1};
  EXPECT_EQ(LookAfter(kStep, 2, many), nullptr);
  EXPECT_EQ(LookAfter(kStep / 2, 2, many), nullptr);
  EXPECT_EQ(LookAfter(kStep / 2, 0, many), &kStreams);
}

// As all that it found when it went on is read before any of it is answered.
TEST_F(StreamFenceTest, DoesNotCountTimeInWhichTheServerStoodStill) {
  const StreamCounts many = {.started = 2 * kMostStreams + 1};
  EXPECT_EQ(LookAfter(kStep, 2, many), nullptr);
  EXPECT_EQ(LookAfter(absl::Minutes(1), 0, many), nullptr);
  EXPECT_EQ(LookAfter(absl::Minutes(1), 1, many), nullptr);
  // Worked off; and as many once more in another stall.
  EXPECT_EQ(LookAfter(kStep, 1, {.started = 2 * kMostStreams + 1, .answered = 1}), nullptr);
  EXPECT_EQ(LookAfter(kStep, 2, {.started = 2 * kMostStreams + 2, .answered = 1}), nullptr);
  EXPECT_EQ(LookAfter(kStep, 1, {.started = 2 * kMostStreams + 2, .answered = 1}), nullptr);
}

// A stream takes ten bytes to open at least.
TEST_F(StreamFenceTest, TakesWhatCameSinceItLookedForStreams) {
  LookAfter(kStep, 1, {.started = 5, .answered = 2});
  notes_.received_by_latest = 1000;
  notes_.received_now = 1000;
  EXPECT_EQ(StreamFence::MostStreams(notes_), 3);
  notes_.received_now = 1050;
  EXPECT_EQ(StreamFence::MostStreams(notes_), 8);
  notes_.received_now = 0;  // as of one that has ended
  EXPECT_EQ(StreamFence::MostStreams(notes_), 3);
}

// The counts may be taken while it is being parsed, and nothing may come after it.
TEST_F(StreamFenceTest, CountsReadBytesAsStreamsUntilParsed) {
  const auto most_streams = [this](absl::Duration passed, std::uint64_t rounds) {
    LookAfter(passed, rounds, {.started = 3});
    fence_.NoteRead(1000, &notes_);
    return StreamFence::MostStreams(notes_);
  };
  notes_.received_now = 1000;
  EXPECT_EQ(most_streams(kStep, 1), 103);
  EXPECT_EQ(most_streams(kStep, 2), 103);
  EXPECT_EQ(most_streams(kStep, 1), 3);
  // More of which gRPC has yet to read a part.
  notes_.received_now = 1200;
  EXPECT_EQ(most_streams(kStep, 5), 23);
  EXPECT_EQ(most_streams(kStep, 5), 23);
}

TEST_F(StreamFenceTest, AsksTheReadersOnceALook) {
  std::vector<FenceNotes> connections(100);
  for (int look = 1; look <= 3; ++look) {
    fence_.BeginLook(now_);
    for (FenceNotes& notes : connections) fence_.NoteRead(1000, &notes);
    EXPECT_EQ(askings_, look);
  }
}

// A flood of streams keeps the thread that reads from coming back.
TEST_F(StreamFenceTest, CutsStreamsThatKeepTheServerReading) {
  const absl::Duration held = absl::Milliseconds(30);
  EXPECT_EQ(LookAfter(kStep, 0, {.started = 1'000}, held), nullptr);
  EXPECT_EQ(LookAfter(kStep, 0, {.started = 2'000}, held + kStep / 2), nullptr);
  EXPECT_EQ(LookAfter(kStep, 0, {.started = 3'000}, held + kStep), &kStreams);
}

TEST_F(StreamFenceTest, CutsResetsThatGoOn) {
  StreamCounts counts = {.started = 1, .answered = 1};
  EXPECT_EQ(LookAfter(kStep, 2, counts), nullptr);
  for (int i = 0; i < 2; ++i) {
    counts.started += kMostStreams + 1;
    counts.given_up += kMostStreams + 1;
    EXPECT_EQ(LookAfter(kStep, 2, counts), nullptr) << i;
  }
  counts.started += kMostStreams + 1;
  counts.given_up += kMostStreams + 1;
  EXPECT_EQ(LookAfter(kStep / 5, 0, counts), &kResets);
}

// A client whose calls have a deadline gives up all that it begins while the server stands still.
TEST_F(StreamFenceTest, BearsWhatWasGivenUpInAStall) {
  StreamCounts counts = {.started = 1, .answered = 1};
  EXPECT_EQ(LookAfter(kStep, 2, counts), nullptr);
  for (int stall = 0; stall < 3; ++stall) {
    counts.started += 23 * kMostStreams;
    counts.given_up += 23 * kMostStreams;
    EXPECT_EQ(LookAfter(absl::Seconds(2), 1, counts), nullptr) << stall;
    for (int i = 0; i < 30; ++i) {
      counts.started += kMostStreams;
      counts.answered += kMostStreams;
      EXPECT_EQ(LookAfter(kStep, 2, counts), nullptr) << stall << " " << i;
    }
  }
}

TEST(MostWorkWithoutAnEvent, GrowsWithTheLargestMessage) {
  const auto of = [](std::uint64_t mebibytes) {
    return MostWorkWithoutAnEvent(mebibytes * kMebibyteBytes);
  };
  EXPECT_EQ(of(1), absl::Milliseconds(300));
  EXPECT_EQ(of(24), absl::Milliseconds(300));
  EXPECT_EQ(of(240), absl::Seconds(3));
  // Of what Poller::HeldFor() sees.
  EXPECT_LT(of(2048), absl::Seconds(30));
}

// Both ends of a connection, the second of which reads what the first sends.
struct Ends {
  Descriptor client, server;
};

Ends Connect() {
  const Descriptor listening(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(listening.number(), name, size), 0);
  EXPECT_EQ(getsockname(listening.number(), name, &size), 0);
  EXPECT_EQ(listen(listening.number(), 1), 0);
  Descriptor client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect(client.number(), name, size), 0);
  return {.client = std::move(client),
          .server = Descriptor(accept4(listening.number(), nullptr, nullptr, SOCK_CLOEXEC))};
}

void Transfer(const Ends& ends, std::size_t bytes) {
  std::vector<char> part(16 << 10);
  for (std::size_t sent = 0; sent < bytes; sent += part.size()) {
    ASSERT_EQ(send(ends.client.number(), part.data(), part.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(part.size()));
    ASSERT_EQ(recv(ends.server.number(), part.data(), part.size(), MSG_WAITALL),
              static_cast<ssize_t>(part.size()));
  }
}

// Connections that were read while a thread was held, each as much as is given, in MiB.
class HeldReader {
 public:
  explicit HeldReader(const std::vector<double>& mebibytes) {
    fence_.SetReaders({.longest_hold = [this] { return held_; },
                       .allocated_bytes = [this] { return allocated_; }});
    for (std::size_t i = 0; i < mebibytes.size(); ++i) {
      ends_.push_back(Connect());
      watched_.push_back({.descriptor = ends_.back().server.number()});
    }
    Look(absl::Milliseconds(1));
    for (std::size_t i = 0; i < mebibytes.size(); ++i) Read(i, mebibytes[i]);
  }

  void Read(std::size_t connection, double mebibytes) {
    Transfer(ends_[connection], static_cast<std::size_t>(mebibytes * kMebibyteBytes));
  }

  void Allocate(std::int64_t mebibytes) {
    allocated_ += static_cast<std::uint64_t>(mebibytes) * kMebibyteBytes;
  }

  void EndLast() { watched_.pop_back(); }

  // The thread comes back.
  void GoOn() { Look(absl::ZeroDuration()); }

  bool IsFirstSuspectAfter(absl::Duration held) {
    Look(absl::Milliseconds(1) + held);
    return fence_.IsSuspect(watched_.front().notes);
  }
  bool HasFirstMost() const { return fence_.IsMostOfTheHold(watched_.front().notes); }
  const CutReason& ReasonOfFirst() const { return fence_.ReasonOfHold(watched_.front().notes); }

 private:
  void Look(absl::Duration held) {
    held_ = held;
    fence_.BeginLook(SteadyTime());
    for (WatchedConnection& connection : watched_) {
      EXPECT_EQ(fence_.ReasonToCut(&connection), nullptr);
    }
    fence_.NoteMemory();
  }

  const ServerConfig config_ = {};
  StreamFence fence_{/*port=*/1, config_};
  absl::Duration held_ = absl::ZeroDuration();
  std::uint64_t allocated_ = 0;
  std::vector<Ends> ends_;
  std::vector<WatchedConnection> watched_;
};

bool HasFirstMostOfTheHold(const std::vector<double>& mebibytes) {
  HeldReader reader(mebibytes);
  EXPECT_TRUE(reader.IsFirstSuspectAfter(absl::Seconds(1)));
  return reader.HasFirstMost();
}

TEST(StreamFenceHold, IsOfTheOneThatMostWasReadOf) {
  EXPECT_TRUE(HasFirstMostOfTheHold({2}));
  EXPECT_TRUE(HasFirstMostOfTheHold({2, 0.75, 0.75}));
  EXPECT_FALSE(HasFirstMostOfTheHold({2, 0.75, 0.75, 0.75, 0.75}));
}

// A machine that is slow takes its time for a large message; a tenth of that is no message.
TEST(StreamFenceHold, IsJudgedByWhatTheBytesCost) {
  HeldReader slow_machine({20});
  EXPECT_FALSE(slow_machine.IsFirstSuspectAfter(absl::Milliseconds(290)));
  EXPECT_TRUE(slow_machine.IsFirstSuspectAfter(absl::Milliseconds(310)));
  HeldReader flood({2});
  EXPECT_FALSE(flood.IsFirstSuspectAfter(absl::Milliseconds(90)));
  EXPECT_TRUE(flood.IsFirstSuspectAfter(absl::Milliseconds(110)));
  HeldReader little({0.5});
  EXPECT_FALSE(little.IsFirstSuspectAfter(absl::Seconds(1)));
}

// A fast machine parses headers as fast as a slow one messages: they are told by what they hold.
TEST(StreamFenceHold, IsJudgedByWhatTheBytesHoldInMemory) {
  for (const std::int64_t held : {190, 210}) {
    HeldReader reader({1});
    reader.Allocate(1000);
    EXPECT_FALSE(reader.IsFirstSuspectAfter(absl::Milliseconds(60)));
    reader.Read(0, 25);
    reader.Allocate(held);
    EXPECT_FALSE(reader.IsFirstSuspectAfter(absl::Milliseconds(80)));
    EXPECT_EQ(reader.IsFirstSuspectAfter(absl::Milliseconds(120)), held == 210);
  }
}

// Slow bytes are headers rather than messages where they hold a third of that.
TEST(StreamFenceHold, IsToldFromSlowMessagesByWhatItHoldsInMemory) {
  for (const std::int64_t held : {31, 33}) {
    HeldReader reader({1});
    EXPECT_FALSE(reader.IsFirstSuspectAfter(absl::Milliseconds(60)));
    reader.Read(0, 2);
    reader.Allocate(held);
    EXPECT_TRUE(reader.IsFirstSuspectAfter(absl::Milliseconds(110)));
    EXPECT_EQ(&reader.ReasonOfFirst(), held == 33 ? &kHoldsMemory : &kHoldsReading);
  }
}

// Others answer large messages meanwhile, and let go of what they had.
TEST(StreamFenceHold, IsNotJudgedByTheMemoryOfOthers) {
  for (const std::int64_t held : {95, 97}) {
    HeldReader reader({10});
    EXPECT_FALSE(reader.IsFirstSuspectAfter(absl::Milliseconds(60)));
    reader.Allocate(held);
    EXPECT_EQ(reader.IsFirstSuspectAfter(absl::Milliseconds(120)), held == 97);
    reader.Allocate(-held);
    EXPECT_FALSE(reader.IsFirstSuspectAfter(absl::Milliseconds(140)));
    // Not what was allocated before this hold.
    reader.GoOn();
    reader.Allocate(500);
    reader.Read(0, 10);
    EXPECT_FALSE(reader.IsFirstSuspectAfter(absl::Milliseconds(60)));
    EXPECT_FALSE(reader.IsFirstSuspectAfter(absl::Milliseconds(120)));
  }
}

TEST(StreamFenceHold, BeginsAnewToJudgeTheMemoryWhereAConnectionHasEnded) {
  HeldReader reader({10, 20});
  EXPECT_FALSE(reader.IsFirstSuspectAfter(absl::Milliseconds(60)));
  reader.EndLast();
  reader.Allocate(500);
  EXPECT_FALSE(reader.IsFirstSuspectAfter(absl::Milliseconds(120)));
  reader.Allocate(500);
  EXPECT_TRUE(reader.IsFirstSuspectAfter(absl::Milliseconds(140)));
}

// Who is to be cut for the time that he took anyway is not banned for what others took.
TEST(StreamFenceHold, IsToldFromTheMemoryByItsTime) {
  HeldReader reader({20});
  EXPECT_FALSE(reader.IsFirstSuspectAfter(absl::Milliseconds(60)));
  reader.Allocate(500);
  EXPECT_TRUE(reader.IsFirstSuspectAfter(absl::Milliseconds(120)));
  EXPECT_EQ(&reader.ReasonOfFirst(), &kHoldsMemory);
  EXPECT_TRUE(reader.IsFirstSuspectAfter(absl::Milliseconds(310)));
  EXPECT_EQ(&reader.ReasonOfFirst(), &kHoldsReading);
}

// What others held the thread with is not theirs who sent nothing meanwhile, though gRPC may not
// have parsed yet what they sent before.
TEST(StreamFenceHold, IsNotOfThoseWhoSentNothingInIt) {
  HeldReader late({1.0 / 64});
  late.GoOn();
  late.GoOn();
  EXPECT_FALSE(late.IsFirstSuspectAfter(absl::Milliseconds(200)));
  late.Read(0, 2);
  EXPECT_FALSE(late.IsFirstSuspectAfter(absl::Milliseconds(290)));
  EXPECT_TRUE(late.IsFirstSuspectAfter(absl::Milliseconds(310)));
}

}  // namespace
}  // namespace clearance::server
