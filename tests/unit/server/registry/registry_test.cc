// SPDX-License-Identifier: Apache-2.0

#include "server/registry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "server/guard/refusal.h"
#include "tests/unit/server/registry/test_content.h"

namespace clearance::server {
namespace {

using ::testing::ElementsAre;

absl::StatusOr<Registry::Registration> Put(Registry& registry, const char* name, double radius,
                                           RegisterOptions options = {}) {
  return Register(&registry, name, Ball(radius), options);
}

TEST(Registry, CountsARevisionForEveryChangeAndForNothingElse) {
  Registry registry({}, nullptr);
  EXPECT_EQ(Put(registry, "a", 1)->revision, 1u);
  EXPECT_EQ(Put(registry, "a", 1)->revision, 1u);
  EXPECT_FALSE(Put(registry, "a", 2).ok());
  EXPECT_EQ(Put(registry, "a", 2, {.replace = false, .validate_only = true}).status().code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Put(registry, "b", 2, {.replace = false, .validate_only = true})->revision, 1u);
  EXPECT_EQ(Put(registry, "a", 2, {.replace = true, .validate_only = false})->revision, 2u);
  EXPECT_EQ(*Delete(&registry, "a", ""), 3u);
  EXPECT_FALSE(Delete(&registry, "a", "").ok());
  EXPECT_EQ(registry.revision(), 3u);
}

TEST(Registry, SharesOneContentBetweenNames) {
  Registry registry({}, nullptr);
  const ShapeContentPtr first = Put(registry, "a", 1)->shape.content;
  EXPECT_EQ(Put(registry, "b", 1)->shape.content, first);
  EXPECT_EQ(registry.FindContent(first->digest), first);
  EXPECT_EQ(registry.FindByDigest(first->digest)->shape.name, "a");
}

TEST(Registry, FindsAContentAmongTheNamesOfPrefixesOnly) {
  Registry registry({}, nullptr);
  const std::string digest = Put(registry, "b/x", 1)->shape.content->digest;
  ASSERT_TRUE(Put(registry, "c/y", 1).ok());
  const auto name_within = [&](const std::vector<std::string>& prefixes) {
    const auto found = registry.FindByDigest(digest, prefixes);
    return found.ok() ? found->shape.name : std::string(found.status().message());
  };
  EXPECT_EQ(name_within({"a/", "c/"}), "c/y");
  EXPECT_EQ(name_within({"b/x"}), "b/x");
  EXPECT_EQ(name_within({"a/", "b/xx", "d/"}), registry.FindByName("none").status().message());
  EXPECT_EQ(name_within({}), registry.FindByName("none").status().message());
}

TEST(Registry, ForgetsAContentWithItsLastName) {
  Registry registry({}, nullptr);
  const std::string digest = Put(registry, "a", 1)->shape.content->digest;
  ASSERT_TRUE(Put(registry, "b", 1).ok());
  ASSERT_TRUE(Delete(&registry, "a", digest).ok());
  EXPECT_EQ(registry.FindByDigest(digest)->shape.name, "b");
  ASSERT_TRUE(Put(registry, "b", 2, {.replace = true, .validate_only = false}).ok());
  EXPECT_EQ(registry.FindByDigest(digest).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(registry.FindContent(digest), nullptr);
}

TEST(Registry, LetsAReplacementUseTheRoomOfWhatItReplaces) {
  Limits limits;
  limits.max_shapes = 1;
  limits.max_registry_bytes = Ball(1)->byte_size();
  Registry registry(limits, nullptr);
  ASSERT_TRUE(Put(registry, "a", 1).ok());
  EXPECT_EQ(ErrorOf(Put(registry, "b", 1).status()).limit(), "max_shapes <= 1");
  EXPECT_TRUE(Put(registry, "a", 2, {.replace = true, .validate_only = false}).ok());
}

TEST(Registry, DoesNotCountAReplacedContentThatAnotherNameKeeps) {
  Limits limits;
  limits.max_registry_bytes = Ball(1)->byte_size();
  Registry registry(limits, nullptr);
  ASSERT_TRUE(Put(registry, "a", 1).ok());
  ASSERT_TRUE(Put(registry, "b", 1).ok());
  EXPECT_EQ(Put(registry, "a", 2, {.replace = true, .validate_only = false}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(Registry, TellsItsSizeToTheMetrics) {
  Metrics metrics("test");
  Registry registry({}, &metrics);
  ASSERT_TRUE(Put(registry, "a", 1).ok());
  ASSERT_TRUE(Put(registry, "b", 1).ok());
  EXPECT_EQ(metrics.shapes().Value(), 2);
  EXPECT_EQ(metrics.shape_bytes().Value(), static_cast<double>(Ball(1)->byte_size()));
  EXPECT_EQ(metrics.registry_revision().Value(), 2);
}

TEST(Registry, RequiresRevisionsThatItHasReached) {
  Registry registry({}, nullptr);
  EXPECT_TRUE(registry.RequireRevision(0).ok());
  EXPECT_EQ(registry.RequireRevision(1).code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(Put(registry, "a", 1).ok());
  EXPECT_TRUE(registry.RequireRevision(1).ok());
}

std::vector<std::string> NamesOf(const Registry::Page& page) {
  std::vector<std::string> names;
  for (const NamedShape& shape : page.shapes) names.push_back(shape.name);
  return names;
}

TEST(Registry, ListsInTheOrderOfBytesAndKnowsTheLastPage) {
  Registry registry({}, nullptr);
  for (const char* name : {"b", "a/1", "a", "a-1"}) ASSERT_TRUE(Put(registry, name, 1).ok());
  EXPECT_THAT(NamesOf(registry.List("", "", 10)), ElementsAre("a", "a-1", "a/1", "b"));
  EXPECT_THAT(NamesOf(registry.List("a", "a", 1)), ElementsAre("a-1"));
  EXPECT_FALSE(registry.List("a", "a", 1).is_last);
  EXPECT_TRUE(registry.List("a", "a-1", 1).is_last);
  EXPECT_THAT(NamesOf(registry.List("a", "gone-by-now", 10)), ElementsAre());
}

TEST(Registry, MayBeChangedAndReadByManyThreads) {
  Registry registry({}, nullptr);
  std::atomic<int> found = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&registry, &found, t] {
      for (int i = 0; i < 500; ++i) {
        (void)Put(registry, "shared", 1 + (i + t) % 3, {.replace = true, .validate_only = false});
        if (const auto shape = registry.FindByName("shared"); shape.ok()) ++found;
        if (i % 50 == 0) (void)Delete(&registry, "shared", "");
        (void)registry.List("", "", 10);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace clearance::server
