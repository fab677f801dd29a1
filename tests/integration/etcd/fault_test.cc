// SPDX-License-Identifier: Apache-2.0
//
// Whatever is lost between a replica and etcd: every acknowledged change is there, once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "server/etcd/etcd_store.h"
#include "server/etcd/etcd_values.h"
#include "server/guard/refusal.h"
#include "server/observe/steady_clock.h"
#include "tests/integration/etcd/etcd_cluster.h"
#include "tests/integration/etcd/etcd_front.h"
#include "tests/integration/etcd/replica.h"

namespace clearance::test {
namespace {

struct Behind {
  explicit Behind(const EtcdCluster& etcd)
      : front(etcd.endpoints().front()), config(etcd.Config()) {
    config.endpoints = {front.endpoint()};
  }

  EtcdFront front;
  server::EtcdConfig config;
};

TEST(Fault, AnOutcomeThatWasLostIsFoundOut) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Behind behind(etcd);
  Replica one(behind.config);
  const std::vector<std::deque<TxnFate>> stories = {
      {TxnFate::kLoseReply},
      {TxnFate::kLoseRequest},
      {TxnFate::kBeLate},
      {TxnFate::kLoseReply, TxnFate::kLoseReply, TxnFate::kLoseRequest},
      {TxnFate::kLoseRequest, TxnFate::kBeLate, TxnFate::kLoseReply},
      {TxnFate::kBeLate, TxnFate::kBeLate, TxnFate::kLoseReply, TxnFate::kLoseReply}};
  std::uint64_t revision = 0;
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < stories.size(); ++i) {
      const int before = behind.front.transactions();
      behind.front.Expect(stories[i]);
      const std::string name = "n" + std::to_string(round) + "." + std::to_string(i);
      const auto made = one.Register(name, one.Ball(1 + static_cast<double>(revision)));
      ASSERT_TRUE(made.ok()) << made.status();
      EXPECT_TRUE(made->created);
      // Neither lost nor made twice.
      EXPECT_EQ(made->revision, ++revision);
      EXPECT_GT(behind.front.transactions(), before + 1);
      EXPECT_EQ(one.DigestOf(name), made->shape.content->digest);
    }
  }
  const Replica other(etcd.Config());
  EXPECT_EQ(other.shapes.revision(), revision);
  EXPECT_EQ(other.shapes.size(), revision);
}

// The reply is lost, and another replica has committed before the outcome is asked for.
TEST(Fault, AnOutcomeIsFoundOutBehindThoseOfOthers) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Behind behind(etcd);
  Replica one(behind.config);
  Replica two(etcd.Config());
  for (int i = 1; i <= 20; ++i) {
    behind.front.Expect({TxnFate::kLoseReply, TxnFate::kLoseRequest, TxnFate::kLoseRequest});
    server::ShapeOutcome theirs = absl::UnknownError("");
    std::thread other(
        [&] { theirs = two.Register("theirs", two.Ball(i + 0.5), /*replace=*/true); });
    const auto ours = one.Register("ours", one.Ball(i), /*replace=*/true);
    other.join();
    ASSERT_TRUE(ours.ok()) << ours.status();
    ASSERT_TRUE(theirs.ok()) << theirs.status();
    EXPECT_TRUE(ours->created);
    EXPECT_EQ(two.DigestOf("ours"), ours->shape.content->digest);
    EXPECT_EQ(one.DigestOf("theirs"), theirs->shape.content->digest);
    EXPECT_EQ(one.shapes.revision(), static_cast<std::uint64_t>(2 * i));
  }
}

// A change whose outcome could not be found out in time may come late. Then it is followed like any
// other.
TEST(Fault, WhatComesAfterItsRefusalIsSeenByAll) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Behind behind(etcd);
  behind.config.patience = absl::Milliseconds(100);
  Replica one(behind.config);
  behind.front.Expect(std::deque<TxnFate>(1000, TxnFate::kBeLate));
  const auto unknown = one.Register("late", one.Ball(1));
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(unknown.status().message(), ::testing::HasSubstr("may be"));
  EXPECT_EQ(one.shapes.size(), 0u);
  behind.front.Expect({});
  // Whatever is let through first comes before all that are late: this change, and then they are
  // too late, or a probe, and then the first of them is not. So little patience may not be enough.
  absl::Status second;
  do {
    second = one.Register("late", one.Ball(2)).status();
  } while (second.code() == absl::StatusCode::kUnavailable);
  if (!second.ok()) {
    EXPECT_EQ(second.code(), absl::StatusCode::kAlreadyExists) << second;
  }
  const std::string digest = one.Ball(second.ok() ? 2 : 1)->digest;
  EXPECT_EQ(one.DigestOf("late"), digest);
  EXPECT_EQ(one.shapes.revision(), 1u);
  Replica other(etcd.Config());
  EXPECT_EQ(other.DigestOf("late"), digest);
}

TEST(Fault, WithoutAQuorumDigestsAreAnsweredAndNamesAreNot) {
  CLEARANCE_REQUIRE_ETCD();
  EtcdCluster etcd(3);
  server::EtcdConfig config = etcd.Config();
  config.patience = absl::Seconds(1);
  Replica one(config);
  const server::ShapeContentPtr ball = one.Ball(1);
  ASSERT_TRUE(one.Register("ball", ball).ok());
  etcd.Kill(0);
  etcd.Kill(1);
  const absl::Status stale = one.Refresh();
  EXPECT_EQ(stale.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server::ErrorOf(stale).field(), "store");
  EXPECT_TRUE(one.shapes.FindByDigest(ball->digest).ok());
  const auto refused = one.Register("other", one.Ball(2));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server::ErrorOf(refused.status()).field(), "store");
  EXPECT_FALSE(one.ledger->is_healthy());
  EXPECT_EQ(one.metrics.store().is_reached->Value(), 0);
  etcd.Start(0);
  ASSERT_TRUE(etcd.AwaitQuorum());
  while (!one.Register("back", one.Ball(3)).ok()) {
  }
  EXPECT_EQ(one.DigestOf("back"), one.Ball(3)->digest);
  EXPECT_EQ(one.DigestOf("ball"), ball->digest);
  EXPECT_TRUE(one.ledger->is_healthy());
}

// A content in chunks waits as long as any change; its calls do not start the wait again.
TEST(Fault, NoQuorum_ContentInChunks_IsRefusedAfterPatience) {
  CLEARANCE_REQUIRE_ETCD();
  EtcdCluster etcd(3);
  server::EtcdConfig config = etcd.Config();
  config.patience = absl::Seconds(1);
  Replica one(config);
  const server::ShapeContentPtr large = one.Disc(60'000);
  etcd.Kill(0);
  etcd.Kill(1);
  const server::SteadyTime began = server::SteadyNow();
  const auto refused = one.Register("large", large);
  EXPECT_LT(server::SteadyNow() - began, server::kBulkPatience.in_all);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server::ErrorOf(refused.status()).field(), "store");
  EXPECT_THAT(refused.status().message(), ::testing::HasSubstr("was not made"));
  etcd.Start(0);
  ASSERT_TRUE(etcd.AwaitQuorum());
  while (!one.Register("large", large).ok()) {
  }
  EXPECT_EQ(one.DigestOf("large"), large->digest);
}

// A change that changes nothing also waits for the store: only its answer shows that it changes
// nothing.
TEST(Fault, WhatChangesNothingWaitsForTheStoreAsLongAsAChange) {
  CLEARANCE_REQUIRE_ETCD();
  EtcdCluster etcd(3);
  server::EtcdConfig config = etcd.Config();
  config.patience = absl::Minutes(1);
  Replica one(config);
  const server::ShapeContentPtr ball = one.Ball(1);
  ASSERT_TRUE(one.Register("ball", ball).ok());
  const auto other = server::EtcdStore::Open(config, nullptr);
  ASSERT_TRUE(other.ok());
  etcd.Kill(0);
  etcd.Kill(1);
  server::ShapeOutcome again = absl::UnknownError("");
  std::thread asking([&] { again = one.Register("ball", ball); });
  // A caller that asks only once has given up since.
  for (int i = 0; i < 2; ++i) EXPECT_FALSE((*other)->Newest().ok());
  etcd.Start(0);
  asking.join();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_FALSE(again->created);
}

// Questions are still answered, the health says that changes are not, and changes resume by
// themselves.
TEST(Fault, AFullStoreRefusesChangesUntilThereIsRoom) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd(1, {"--quota-backend-bytes=2000000"});
  server::EtcdConfig config = etcd.Config();
  config.patience = absl::Milliseconds(200);
  Replica one(config);
  ASSERT_TRUE(one.Register("ball", one.Ball(1)).ok());
  const std::string filler(100'000, 'x');
  int fillers = 0;
  while (RunProgram({"env", "ETCDCTL_API=3", "etcdctl", "--endpoints", etcd.endpoints().front(),
                     "put", "filler", filler})
             .exit_code == 0) {
    ASSERT_LT(++fillers, 100);
  }
  const auto refused = one.Register("other", one.Ball(2));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted) << refused.status();
  EXPECT_EQ(server::ErrorOf(refused.status()).field(), "store");
  while (one.ledger->is_healthy()) ASSERT_EQ(one.DigestOf("ball"), one.Ball(1)->digest);
  EXPECT_EQ(one.metrics.store().is_reached->Value(), 1);
  const nlohmann::json state = nlohmann::json::parse(etcd.Control({"get", "filler", "-w", "json"}));
  etcd.Control({"compact", std::to_string(state["header"]["revision"].get<std::int64_t>())});
  etcd.Control({"defrag"});
  etcd.Control({"alarm", "disarm"});
  while (!one.ledger->is_healthy()) ASSERT_TRUE(one.Refresh().ok());
  EXPECT_TRUE(one.Register("other", one.Ball(2)).ok());
}

// Two replicas of a cluster of three members, one of which is faulty.
struct Pair {
  explicit Pair(const EtcdCluster& etcd) : config(Patient(etcd)), one(config), two(config) {}

  // On a busy machine an election may be slow.
  static server::EtcdConfig Patient(const EtcdCluster& etcd) {
    server::EtcdConfig config = etcd.Config();
    config.patience = absl::Minutes(1);
    return config;
  }

  // Makes changes, and waits until the other replica knows each.
  void GoOn() {
    for (int i = 0; i < 5; ++i) {
      const server::ShapeContentPtr content = one.Ball(++changes);
      const auto made = one.Register("name", content, /*replace=*/true);
      ASSERT_TRUE(made.ok()) << made.status();
      ASSERT_EQ(two.DigestOf("name"), content->digest);
    }
  }

  server::EtcdConfig config;
  Replica one;
  Replica two;
  int changes = 0;
};

// A member is silent, and later gone: no caller is refused for either.
TEST(Fault, OneMemberOfThreeIsNotMissed) {
  CLEARANCE_REQUIRE_ETCD();
  EtcdCluster etcd(3);
  Pair pair(etcd);
  for (std::size_t member = 0; member < 3; ++member) {
    SCOPED_TRACE(member);
    etcd.Signal(member, SIGSTOP);
    ASSERT_NO_FATAL_FAILURE(pair.GoOn());
    etcd.Signal(member, SIGCONT);
    ASSERT_TRUE(etcd.AwaitQuorum());
    etcd.Kill(member);
    ASSERT_NO_FATAL_FAILURE(pair.GoOn());
    etcd.Start(member);
    ASSERT_TRUE(etcd.AwaitQuorum());
  }
  EXPECT_EQ(pair.one.shapes.revision(), static_cast<std::uint64_t>(pair.changes));
}

// A starting replica asks the next member long before it would give up a large page.
TEST(Fault, ASilentMemberKeepsNobodyFromStarting) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Behind behind(etcd);
  behind.config.endpoints.push_back(etcd.endpoints().front());
  behind.front.Expect({TxnFate::kBeSilent});
  const server::SteadyTime began = server::SteadyNow();
  const auto store = server::EtcdStore::Open(behind.config, nullptr);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE((*store)->ReadNames().ok());
  EXPECT_LT(server::SteadyNow() - began, server::kBulkPatience.of_member);
  EXPECT_EQ(behind.front.transactions(), 1);
}

// One of four members is silent and three refuse at once, as they do until they have a leader. That
// is no reason to wait longer for the silent one: if the wait doubled at each round, the patience
// would be over before all have refused.
TEST(Fault, WhoRefusesAtOnceGivesTheSilentNoMoreTime) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Behind behind(etcd);
  behind.config.endpoints.resize(4, behind.front.endpoint());
  behind.config.patience = absl::Seconds(6);
  const auto store = server::EtcdStore::Open(behind.config, nullptr);
  ASSERT_TRUE(store.ok() && (*store)->ReadNames().ok());
  std::deque<TxnFate> fates;
  for (int round = 0; round < 5; ++round) {
    fates.insert(fates.end(), 3, TxnFate::kLoseRequest);
    fates.push_back(TxnFate::kBeSilent);
  }
  behind.front.Expect(fates);
  server::RegistryChanges changes;
  changes.revision = 1;
  changes.names.push_back({.name = "gone", .content = nullptr});
  const auto outcome = (*store)->CommitAfter((*store)->place(), changes);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_TRUE(outcome->is_made);
}

// A member that does not know what the others agreed on still answers with its own knowledge.
TEST(Fault, AMemberAloneIsNotBelieved) {
  CLEARANCE_REQUIRE_PROGRAMS("etcd", "etcdctl", "haproxy");
  EtcdCluster etcd(3, EtcdCluster::Ways::kThatPart);
  Pair pair(etcd);
  ASSERT_NO_FATAL_FAILURE(pair.GoOn());
  for (std::size_t member = 0; member < 3; ++member) {
    SCOPED_TRACE(member);
    etcd.Part(member);
    ASSERT_NO_FATAL_FAILURE(pair.GoOn());
    const Completed told =
        RunProgram({"env", "ETCDCTL_API=3", "etcdctl", "--endpoints", etcd.endpoints()[member],
                    "get", "--prefix", "--keys-only", "--consistency=s", ""});
    EXPECT_EQ(told.exit_code, 0) << told.output;
    EXPECT_THAT(told.output, ::testing::HasSubstr("name"));
    etcd.Join(member);
    ASSERT_TRUE(etcd.AwaitQuorum());
  }
  EXPECT_EQ(pair.one.shapes.revision(), static_cast<std::uint64_t>(pair.changes));
}

TEST(Fault, ADamagedValueStopsWhoFollowsUntilItIsRepaired) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Behind behind(etcd);
  Replica one(etcd.Config());
  behind.config.patience = absl::Seconds(1);
  Replica two(behind.config);
  behind.front.HoldWatches(true);
  ASSERT_TRUE(one.Register("good", one.Ball(1)).ok());
  const std::string key = "clearance/registry/contents/" + one.Ball(1)->digest;
  // A replica that reads everything again finds it.
  etcd.Control({"put", key, "rubbish"});
  const std::string status = etcd.Control({"endpoint", "status", "--write-out=fields"});
  const std::size_t at = status.find("\"Revision\" : ") + 13;
  etcd.Control({"compaction", status.substr(at, status.find('\n', at) - at)});
  behind.front.BreakWatches();
  behind.front.HoldWatches(false);
  const absl::Status stale = two.Refresh();
  EXPECT_EQ(stale.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(server::ErrorOf(stale).value(), ::testing::HasSubstr("damaged"));
  // A replica that has it writes it again.
  ASSERT_TRUE(one.Delete("good").ok());
  ASSERT_TRUE(one.Register("good", one.Ball(1)).ok());
  while (!two.Refresh().ok()) {
  }
  EXPECT_EQ(two.DigestOf("good"), one.Ball(1)->digest);
}

}  // namespace
}  // namespace clearance::test
