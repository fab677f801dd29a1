// SPDX-License-Identifier: Apache-2.0
//
// Whether the loops of a listener answer when they are asked to turn, whom it hands over, and whom
// a drain ends.

#include "server/fence/listener.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace clearance::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kAcceptLoop = 0;
constexpr std::size_t kHandoverLoop = 1;

std::unique_ptr<Listener> OpenListener(Metrics& metrics,
                                       const std::string& listen_address = "127.0.0.1:0",
                                       Log* log = nullptr) {
  ServerConfig config;
  config.listen = listen_address;
  auto listener = Listener::Open(config, metrics.connections(), log);
  EXPECT_TRUE(listener.ok()) << listener.status();
  return *std::move(listener);
}

Descriptor ConnectTo(const Listener& listener) {
  Descriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // Before it connects: it says from then on how much it takes.
  const int little = 4096;
  setsockopt(connection.number(), SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(listener.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int connected =
      connect(connection.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  // One that is not let in may be told before this returns.
  EXPECT_TRUE(connected == 0 || errno == ECONNRESET) << errno;
  return connection;
}

void AskAndAwaitTurn(const WatchedLoop& loop) {
  const std::uint64_t turns = loop.turns();
  if (loop.ask) loop.ask();
  while (loop.turns() == turns) std::this_thread::yield();
}

TEST(ListenerLoops, AnIdleListenerTurnsEachTimeItIsAsked) {
  Metrics metrics("1");
  const auto listener = OpenListener(metrics);
  listener->Run([](const Descriptor&) {});
  const std::vector<WatchedLoop> loops = listener->Loops();
  for (int i = 0; i < 100; ++i) AskAndAwaitTurn(loops[kAcceptLoop]);
  EXPECT_NE(loops[kHandoverLoop].turns(), loops[kHandoverLoop].turns());
}

TEST(ListenerLoops, StuckHandler_HoldsHandoverButNotAccept) {
  Metrics metrics("1");
  std::latch is_held(1), release(1);  // as long as the thread that waits for them
  const auto listener = OpenListener(metrics);
  listener->Run([&](const Descriptor&) {
    is_held.count_down();
    release.wait();
  });
  const std::vector<WatchedLoop> loops = listener->Loops();
  const Descriptor client = ConnectTo(*listener);
  is_held.wait();
  const std::uint64_t turns = loops[kHandoverLoop].turns();
  AskAndAwaitTurn(loops[kAcceptLoop]);
  EXPECT_EQ(loops[kHandoverLoop].turns(), turns);
  release.count_down();
  while (loops[kHandoverLoop].turns() == turns) std::this_thread::yield();
}

// Of an address that opens more and more, some time one must speak before it is handed over.
TEST(ListenerHandover, WaitsForAWordFromAnAddressThatOpensManyAtOnce) {
  Metrics metrics("1");
  std::atomic<std::size_t> taken = 0;
  const auto listener = OpenListener(metrics);
  listener->Run([&](const Descriptor&) { ++taken; });
  const std::vector<WatchedLoop> loops = listener->Loops();
  std::vector<Descriptor> clients;
  do {
    clients.push_back(ConnectTo(*listener));
    // The second turn began after the connection was made; then what is handed over is taken.
    for (int i = 0; i < 2; ++i) AskAndAwaitTurn(loops[kAcceptLoop]);
    AskAndAwaitTurn(loops[kHandoverLoop]);
  } while (taken == clients.size());
  EXPECT_EQ(taken, clients.size() - 1);
  EXPECT_GE(taken, 64);
  ASSERT_EQ(send(clients.back().number(), "x", 1, MSG_NOSIGNAL), 1);
  while (taken < clients.size()) std::this_thread::yield();
}

// Reads until the peer has ended the connection.
void AwaitEnd(const Descriptor& connection) {
  std::vector<char> bytes(1 << 16);
  while (recv(connection.number(), bytes.data(), bytes.size(), 0) > 0) {
  }
}

// A thread that reads connections and is held as long as the test says.
class ListenerHold : public testing::Test {
 protected:
  ListenerHold() {
    taken_.reserve(4);
    listener_->Run(
        [this](Descriptor connection) {
          taken_.push_back(std::move(connection));
          ++count_;
        },
        {.longest_hold =
             [this] {
               ++looks_;
               return absl::Milliseconds(held_ms_.load());
             },
         .allocated_bytes = [this] { return allocated_.load(); }});
  }

  // A client that has sent two mebibytes, which were read since a look that found it there.
  Descriptor ConnectAndSend() {
    held_ms_ = 1;
    const std::size_t before = count_;
    Descriptor client = ConnectTo(*listener_);
    while (count_ == before) std::this_thread::yield();
    AwaitLook();
    std::vector<char> bytes(1 << 10);
    for (int i = 0; i < 2048; ++i) {
      EXPECT_GT(send(client.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
      while (recv(taken_[before].number(), bytes.data(), bytes.size(), 0) > 0) {
      }
    }
    return client;
  }

  // The look that begins now sees what is there, and is over when the next one begins.
  void AwaitLook() const {
    for (const int before = looks_; looks_ < before + 2;) std::this_thread::yield();
  }

  void HoldUntilCut(int held_ms, const Descriptor& client) {
    const double before = metrics_.connections().cut_flood->Value();
    held_ms_ = held_ms;
    AwaitEnd(client);
    while (metrics_.connections().cut_flood->Value() == before) std::this_thread::yield();
  }

  // Connects once more, and says whether that is let in.
  bool IsLetIn() {
    const std::size_t before = count_;
    const Descriptor again = ConnectTo(*listener_);
    while (count_ == before && metrics_.connections().refused_cut->Value() == 0) {
      std::this_thread::yield();
    }
    return count_ > before;
  }

  // The last line of the log. Ends the listener.
  const std::string& LastLine() {
    listener_->Close();
    listener_.reset();
    return line_;
  }

  std::atomic<std::size_t> count_ = 0;
  std::atomic<int> looks_ = 0;
  std::atomic<int> held_ms_ = 1;
  std::atomic<std::uint64_t> allocated_ = 0;

 private:
  Metrics metrics_{"1"};
  std::string line_;
  Log log_{LogFormat::kHuman, LogLevel::kInfo,
           [this](absl::string_view text) { line_ = std::string(text); }};
  std::vector<Descriptor> taken_;
  std::unique_ptr<Listener> listener_ = OpenListener(metrics_, "127.0.0.1:0", &log_);
};

// What keeps the thread that reads connections may have been others, that sent little each.
TEST_F(ListenerHold, CutsTheOneThatIsSuspectedAndLetsItsAddressIn) {
  for (int times = 0; times < 2; ++times) {
    HoldUntilCut(1000, ConnectAndSend());
    EXPECT_TRUE(IsLetIn());
  }
  EXPECT_THAT(LastLine(),
              AllOf(HasSubstr(" peer=ipv4:127.0.0.1:"), HasSubstr(" reason=flood "),
                    HasSubstr(" evidence=\"holds a thread that reads\" "),
                    HasSubstr(" received_bytes=2097152 "), HasSubstr(" banned=false ")));
}

TEST_F(ListenerHold, MuchMemoryTwice_BansTheAddress) {
  for (const bool is_first : {true, false}) {
    const Descriptor client = ConnectAndSend();
    held_ms_ = 60;
    AwaitLook();
    allocated_ += 1 << 30;
    HoldUntilCut(120, client);
    EXPECT_EQ(IsLetIn(), is_first);
  }
  EXPECT_THAT(LastLine(), AllOf(HasSubstr(" reason=flood "),
                                HasSubstr(" evidence=\"holds far more memory than it sends\" "),
                                HasSubstr(" banned=true ")));
}

// Writes what the socket takes, which is more than the peer has room for; the peer does not read.
void Fill(const Descriptor& connection) {
  const std::vector<char> bytes(1 << 16);
  while (send(connection.number(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
}

// Whether reading would find that the connection was ended.
bool IsEnded(const Descriptor& connection) {
  char byte = 0;
  return recv(connection.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

// gRPC has neither of the two, so that both are without a stream.
TEST(ListenerDrain, EndsAnIdleConnectionAndNotOneWhoseReplyIsNotTaken) {
  Metrics metrics("1");
  std::vector<Descriptor> taken;
  std::latch both(2);
  const auto listener = OpenListener(metrics);
  listener->Run([&](Descriptor connection) {
    taken.push_back(std::move(connection));
    both.count_down();
  });
  const WatchedLoop accept_loop = listener->Loops()[kAcceptLoop];
  const Descriptor slow = ConnectTo(*listener);
  const Descriptor idle = ConnectTo(*listener);
  both.wait();
  Fill(taken.front());
  listener->StopAccepting();
  AwaitEnd(idle);
  // The look that ended it is over after a turn.
  AskAndAwaitTurn(accept_loop);
  EXPECT_FALSE(IsEnded(taken.front()));
  // Once it has taken everything it is idle too.
  AwaitEnd(slow);
}

// No address tells a unix socket's client, and its connection cannot be reset.
TEST(Listener, CutsAClientOfAUnixSocketThatHoldsTheHandover) {
  const std::string path = testing::TempDir() + "listener_" + std::to_string(getpid());
  Metrics metrics("1");
  std::latch is_held(1);
  std::string line;
  Log log(LogFormat::kHuman, LogLevel::kInfo,
          [&](absl::string_view text) { line = std::string(text); });
  auto listener = OpenListener(metrics, "unix:" + path, &log);
  listener->Run([&](const Descriptor& connection) {
    is_held.count_down();
    // Spends processor time until the connection is ended.
    while (!IsEnded(connection)) {
    }
  });
  const Descriptor client(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(connect(client.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            0);
  is_held.wait();
  // A drain would end it as idle where the processor is busy with other work.
  while (metrics.connections().cut_flood->Value() == 0) std::this_thread::yield();
  listener.reset();
  EXPECT_EQ(metrics.connections().cut_flood->Value(), 1);
  EXPECT_THAT(line, AllOf(HasSubstr(" peer=unix: "), HasSubstr(" reason=flood "),
                          HasSubstr(" evidence=\"holds the thread that hands connections over\"")));
}

}  // namespace
}  // namespace clearance::server
