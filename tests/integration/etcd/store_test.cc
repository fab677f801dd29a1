// SPDX-License-Identifier: Apache-2.0
//
// The content committed in etcd is the content read from it, whatever its size; damage is reported.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "server/etcd/etcd_store.h"
#include "server/etcd/etcd_values.h"
#include "server/observe/steady_clock.h"
#include "tests/integration/etcd/etcd_cluster.h"
#include "tests/integration/etcd/replica.h"
#include "tests/integration/process/certificates.h"

namespace clearance::test {
namespace {

using server::EtcdConfig;
using server::EtcdStore;
using ::testing::HasSubstr;

// Both have the same bytes and the same hulls: nothing is built again.
void ExpectSame(const server::Registry& a, const server::Registry& b) {
  EXPECT_EQ(a.revision(), b.revision());
  EXPECT_EQ(a.size(), b.size());
  for (const server::NamedShape& shape : a.List("", "", a.size()).shapes) {
    const auto other = b.FindByName(shape.name);
    ASSERT_TRUE(other.ok()) << shape.name;
    EXPECT_EQ(other->shape.revision, shape.revision);
    EXPECT_EQ(other->shape.content->digest, shape.content->digest);
    EXPECT_EQ(other->shape.content->serialized, shape.content->serialized);
    EXPECT_EQ(other->shape.content->byte_size(), shape.content->byte_size());
  }
}

TEST(EtcdStore, GivesBackWhatWasCommitted) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Replica one(etcd.Config());
  for (int i = 0; i < 600; ++i) {
    ASSERT_TRUE(one.Register("ball/" + std::to_string(i), one.Ball(1 + i % 300)).ok());
  }
  ASSERT_TRUE(one.Delete("ball/17").ok());
  ASSERT_TRUE(one.Delete("ball/317").ok());
  ASSERT_TRUE(one.Register("ball/18", one.Ball(1000), /*replace=*/true).ok());
  const Replica other(etcd.Config());
  ExpectSame(one.shapes, other.shapes);
  // The content that lost both of its names went with them: 300, less one, and a new one.
  const std::string keys =
      etcd.Control({"get", "--prefix", "--keys-only", "clearance/registry/contents/"});
  EXPECT_EQ(std::ranges::count(keys, '/') / 3, 300);
}

TEST(EtcdStore, TakesManyChangesInAsManyCommitsAsTheyNeed) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Replica one(etcd.Config());
  std::vector<server::ShapeChange> changes;
  for (int i = 0; i < 1000; ++i) {
    server::ShapeChange& change = changes.emplace_back();
    change.name = "n" + std::to_string(i);
    change.content = one.Ball(1 + i);
  }
  for (const auto& outcome : one.Make(changes)) ASSERT_TRUE(outcome.ok()) << outcome.status();
  const Replica other(etcd.Config());
  ExpectSame(one.shapes, other.shapes);
  EXPECT_EQ(other.shapes.size(), 1000u);
}

// A hull of 30,000 corners has more than 1.5 MiB with its faces.
TEST(EtcdStore, CutsLargeContentsIntoChunksAndTakesThemAway) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  server::Limits limits;
  Replica one(etcd.Config(), limits);
  Replica two(etcd.Config(), limits);
  const server::ShapeContentPtr large = one.Disc(60'000);
  ASSERT_GT(large->serialized.size(), std::size_t{1} << 20);
  ASSERT_TRUE(one.Register("large", large).ok());
  EXPECT_THAT(etcd.Control({"get", "--prefix", "--keys-only", "clearance/chunks/"}),
              HasSubstr("/000001"));
  EXPECT_EQ(two.DigestOf("large"), large->digest);
  const Replica three(etcd.Config(), limits);
  ExpectSame(one.shapes, three.shapes);
  ExpectSame(one.shapes, two.shapes);
  ASSERT_TRUE(two.Delete("large").ok());
  EXPECT_EQ(etcd.Control({"get", "--prefix", "--keys-only", "clearance/chunks/"}), "");
  EXPECT_EQ(one.DigestOf("large"), "");
}

// A commit that lost against others is tried again.
TEST(EtcdStore, WritesNoChunkThatIsThereAlready) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  const auto client = server::EtcdClient::Open(etcd.Config(), nullptr);
  ASSERT_TRUE(client.ok());
  const server::BlobPlace place = {.chunks = "clearance/chunks/some", .most_inline = 0};
  const std::string bytes(2 * server::kChunkBytes + 1, 'x');
  ASSERT_TRUE(server::WriteBlob(client->get(), place, bytes).ok());
  const std::vector<std::string> look = {"get", "--prefix", "--keys-only",
                                         "-w",  "fields",   place.chunks};
  const std::string before = etcd.Control(look);
  EXPECT_THAT(before, HasSubstr("/000002"));
  ASSERT_TRUE(server::WriteBlob(client->get(), place, bytes).ok());
  EXPECT_EQ(etcd.Control(look), before);
}

TEST(EtcdStore, TellsOfADamagedValueAndReadsItOnceItIsRepaired) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  std::string digest;
  {
    Replica one(etcd.Config());
    const auto made = one.Register("ball", one.Ball(1));
    ASSERT_TRUE(made.ok());
    digest = made->shape.content->digest;
  }
  const std::string key = "clearance/registry/contents/" + digest;
  etcd.Control({"put", key, "rubbish"});
  auto store = EtcdStore::Open(etcd.Config(), nullptr);
  ASSERT_TRUE(store.ok());
  server::Registry registry(server::Limits(), nullptr);
  const absl::Status status = server::RestoreShapes(1, store->get(), &registry);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr(key));
}

TEST(EtcdStore, RefusesWhatANewerServerHasWritten) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  ASSERT_TRUE(EtcdStore::Open(etcd.Config(), nullptr).ok());
  etcd.Control({"put", "clearance/registry/format", "\x08\x02"});
  const auto store = EtcdStore::Open(etcd.Config(), nullptr);
  EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(store.status().message(), HasSubstr("format 2"));
  EtcdConfig other = etcd.Config();
  other.prefix = "other";
  EXPECT_TRUE(EtcdStore::Open(other, nullptr).ok());
}

TEST(EtcdStore, SpeaksOverTlsAndWithAPassword) {
  CLEARANCE_REQUIRE_PROGRAMS("etcd", "etcdctl", "openssl");
  const Certificates certificates;
  const EtcdCluster etcd(1,
                         {"--cert-file", certificates.Path("server.pem"), "--key-file",
                          certificates.Path("server.key"), "--client-cert-auth",
                          "--trusted-ca-file", certificates.Path("ca.pem")},
                         "https");
  const std::vector<std::string> access = {"--cacert", certificates.Path("ca.pem"),     //
                                           "--cert",   certificates.Path("alice.pem"),  //
                                           "--key",    certificates.Path("alice.key")};
  const auto control = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), access.begin(), access.end());
    etcd.Control(arguments);
  };
  control({"user", "add", "root:secret", "--interactive=false"});
  control({"user", "grant-role", "root", "root"});
  control({"auth", "enable"});
  EtcdConfig config = etcd.Config();
  config.patience = absl::Seconds(1);
  EXPECT_FALSE(EtcdStore::Open(config, nullptr).ok()) << "plain text";
  config.ca = certificates.Path("ca.pem");
  EXPECT_FALSE(EtcdStore::Open(config, nullptr).ok()) << "no certificate";
  config.certificate = certificates.Path("alice.pem");
  config.key = certificates.Path("alice.key");
  const TemporaryDirectory directory;
  config.user = "root";
  config.password_file = directory.File("password");
  std::ofstream(config.password_file) << "wrong\n";
  EXPECT_FALSE(EtcdStore::Open(config, nullptr).ok()) << "wrong password";
  std::ofstream(config.password_file) << "secret\n";
  Replica one(config);
  Replica two(config);
  ASSERT_TRUE(one.Register("ball", one.Ball(1)).ok());
  EXPECT_EQ(two.DigestOf("ball"), one.Ball(1)->digest);
}

// etcd with users.
class EtcdUsers : public ::testing::Test {
 protected:
  // Changes etcd's users, which makes some of its tokens too old.
  void AddUser(const std::string& name) { Control({"user", "add", name, "--new-user-password=x"}); }
  void Control(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--user", "root:secret"});
    etcd_->Control(arguments);
  }
  void SetUp() override {
    CLEARANCE_REQUIRE_ETCD();
    etcd_.emplace(3);
    etcd_->Control({"user", "add", "root:secret", "--interactive=false"});
    etcd_->Control({"user", "grant-role", "root", "root"});
    etcd_->Control({"auth", "enable"});
    config_ = etcd_->Config();
    config_.patience = absl::Minutes(1);
    config_.user = "root";
    config_.password_file = directory_.File("password");
    std::ofstream(config_.password_file) << "secret\n";
  }

  std::optional<EtcdCluster> etcd_;  // from SetUp on
  const TemporaryDirectory directory_;
  EtcdConfig config_;
};

TEST_F(EtcdUsers, AWatchWhoseTokenIsOldGetsANewOne) {
  const auto client = server::EtcdClient::Open(config_, nullptr);
  ASSERT_TRUE(client.ok()) << client.status();
  etcdserverpb::WatchCreateRequest request;
  request.set_key("some");
  bool is_refused = false;
  const auto take = [&](etcdserverpb::WatchResponse* response) {
    is_refused = response->canceled();
    return false;
  };
  ASSERT_TRUE((*client)->Watch(request, take).ok());
  ASSERT_FALSE(is_refused);
  // Then etcd knows none of the tokens that it gave.
  Control({"auth", "disable"});
  etcd_->Control({"auth", "enable"});
  ASSERT_TRUE((*client)->Watch(request, take).ok());
  EXPECT_TRUE(is_refused) << "or nothing is tried here";
  const server::SteadyTime began = server::SteadyNow();
  while (is_refused && server::SteadyNow() - began < absl::Minutes(1))
    ASSERT_TRUE((*client)->Watch(request, take).ok());
  EXPECT_FALSE(is_refused);
}

TEST_F(EtcdUsers, ReplicasContinueWithOldAndForgottenTokens) {
  Replica one(config_);
  Replica two(config_);
  int radius = 0;
  const auto go_on = [&] {
    const server::ShapeContentPtr ball = one.Ball(++radius);
    const auto made = one.Register("ball", ball, /*replace=*/true);
    ASSERT_TRUE(made.ok()) << made.status();
    ASSERT_EQ(two.DigestOf("ball"), ball->digest);
  };
  ASSERT_NO_FATAL_FAILURE(go_on());
  AddUser("somebody");
  ASSERT_NO_FATAL_FAILURE(go_on());
  // A member that starts again knows no tokens.
  for (std::size_t member = 0; member < 3; ++member) {
    etcd_->Kill(member);
    etcd_->Start(member);
    ASSERT_NO_FATAL_FAILURE(go_on());
  }
  AddUser("another");
  ASSERT_NO_FATAL_FAILURE(go_on());
}

}  // namespace
}  // namespace clearance::test
