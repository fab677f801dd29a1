// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/access/policy.h"
#include "server/guard/refusal.h"
#include "server/registry/registry.h"
#include "tests/unit/server/registry/test_content.h"

namespace clearance::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const RegisterOptions kReplace = {.replace = true, .validate_only = false};

std::vector<std::string> DigestsOf(const std::vector<ShapeContentPtr>& contents) {
  std::vector<std::string> digests;
  for (const ShapeContentPtr& content : contents) digests.push_back(content->digest);
  return digests;
}

// "name=digest", or "name" alone where it goes.
std::vector<std::string> NamesOf(const RegistryChanges& changes) {
  std::vector<std::string> names;
  for (const NamedShape& change : changes.names) {
    names.push_back(change.name + (change.content == nullptr ? "" : "=" + change.content->digest));
  }
  return names;
}

class RegistryDraftTest : public ::testing::Test {
 protected:
  RegistryDraftTest() {
    EXPECT_TRUE(Register(&registry_, "a", Ball(1), {}).ok());
    EXPECT_TRUE(Register(&registry_, "b", Ball(2), {}).ok());
  }

  Registry registry_{{.max_shapes = 3}, nullptr};
};

TEST_F(RegistryDraftTest, ShowsNothingUntilItIsApplied) {
  RegistryDraft draft(&registry_);
  EXPECT_EQ(draft.Register("c", Ball(3), {})->revision, 3u);
  EXPECT_EQ(draft.Delete("a", "")->revision, 4u);
  EXPECT_FALSE(registry_.FindByName("c").ok());
  EXPECT_TRUE(registry_.FindByName("a").ok());
  EXPECT_EQ(registry_.revision(), 2u);
  draft.Apply();
  EXPECT_EQ(registry_.FindByName("c")->shape.revision, 3u);
  EXPECT_FALSE(registry_.FindByName("a").ok());
  EXPECT_EQ(registry_.revision(), 4u);
}

TEST_F(RegistryDraftTest, ThatIsDroppedHasChangedNothing) {
  { EXPECT_TRUE(RegistryDraft(&registry_).Register("c", Ball(3), {}).ok()); }
  EXPECT_FALSE(registry_.FindByName("c").ok());
  EXPECT_EQ(Register(&registry_, "c", Ball(3), {})->revision, 3u);
}

TEST_F(RegistryDraftTest, SaysWhatItComesTo) {
  RegistryDraft draft(&registry_);
  ASSERT_TRUE(draft.Register("a", Ball(3), kReplace).ok());  // 1 loses its name
  ASSERT_TRUE(draft.Register("c", Ball(4), {}).ok());
  ASSERT_TRUE(draft.Register("c", Ball(2), kReplace).ok());  // 4 was never there
  ASSERT_TRUE(draft.Delete("b", "").ok());                   // 2 goes on as c
  const RegistryChanges changes = draft.changes();
  EXPECT_THAT(NamesOf(changes), ElementsAre("a=" + Ball(3)->digest, "b", "c=" + Ball(2)->digest));
  EXPECT_THAT(DigestsOf(changes.added), ElementsAre(Ball(3)->digest));
  EXPECT_THAT(changes.dropped, ElementsAre(Ball(1)->digest));
  EXPECT_EQ(changes.revision, 6u);
}

TEST_F(RegistryDraftTest, OfAContentThatGoesAndComesBackSaysNothing) {
  const ShapeContentPtr held = registry_.FindByName("a")->shape.content;
  RegistryDraft draft(&registry_);
  ASSERT_TRUE(draft.Delete("a", "").ok());
  ASSERT_TRUE(draft.Register("a", Ball(1), {}).ok());
  EXPECT_THAT(draft.changes().added, IsEmpty());
  EXPECT_THAT(draft.changes().dropped, IsEmpty());
  draft.Apply();
  EXPECT_EQ(registry_.FindByName("a")->shape.content, held);
  EXPECT_EQ(registry_.FindByDigest(held->digest)->shape.name, "a");
}

TEST_F(RegistryDraftTest, KeepsToTheLimitsAsItGoes) {
  RegistryDraft draft(&registry_);
  ASSERT_TRUE(draft.Register("c", Ball(3), {}).ok());
  EXPECT_EQ(draft.Register("d", Ball(3), {}).status().code(), absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(draft.Delete("a", "").ok());
  EXPECT_TRUE(draft.Register("d", Ball(3), {}).ok());
}

// A ball is as large as every other.
class OwnedShapes : public ::testing::Test {
 protected:
  OwnedShapes() {
    quotas_.Replace(
        Policy::Parse(R"({"principals": {"two": {"role": "admin", "limits": {"shapes": 2}}}})")
            ->principals());
  }

  absl::StatusCode Put(const std::string& owner, const std::string& name, double radius) {
    const RegisterOptions options = {.replace = true, .validate_only = false, .owner = owner};
    return Register(&registry_, name, Ball(radius), options).status().code();
  }
  void Expect(const std::string& owner, std::uint64_t balls) const {
    EXPECT_EQ(registry_.HoldingOf(owner), (Holding{balls, balls * Ball(1)->byte_size()})) << owner;
  }

  HoldingQuotas quotas_;
  Registry registry_{{}, nullptr, &quotas_};
};

TEST_F(OwnedShapes, CountForWhoeverGaveTheNameItsContent) {
  ASSERT_EQ(Put("two", "a", 1), absl::StatusCode::kOk);
  ASSERT_EQ(Put("two", "b", 1), absl::StatusCode::kOk);  // the same content counts again
  Expect("two", 2);
  EXPECT_EQ(registry_.FindByName("a")->shape.owner, "two");
  const absl::Status refused = Register(&registry_, "c", Ball(1), {.owner = "two"}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(registry_.size(), 2u);
  EXPECT_EQ(Put("two", "b", 2), absl::StatusCode::kOk);  // one for one
  Expect("two", 2);
  EXPECT_EQ(Put("other", "c", 1), absl::StatusCode::kOk);
  EXPECT_EQ(Put("", "d", 1), absl::StatusCode::kOk);
  Expect("other", 1);
  Expect("", 0);
}

TEST_F(OwnedShapes, StayWhoseTheyAreWhenSomebodyRegistersTheSameAgain) {
  ASSERT_EQ(Put("two", "a", 1), absl::StatusCode::kOk);
  ASSERT_EQ(Put("other", "a", 1), absl::StatusCode::kOk);
  EXPECT_EQ(registry_.FindByName("a")->shape.owner, "two");
  Expect("two", 1);
  Expect("other", 0);
  ASSERT_EQ(Put("", "old", 1), absl::StatusCode::kOk);
  ASSERT_EQ(Put("two", "old", 1), absl::StatusCode::kOk);
  EXPECT_EQ(registry_.FindByName("old")->shape.owner, "");
  Expect("two", 1);
}

TEST_F(OwnedShapes, GoOverToWhoeverReplacesThem) {
  ASSERT_EQ(Put("two", "a", 1), absl::StatusCode::kOk);
  ASSERT_EQ(Put("two", "b", 2), absl::StatusCode::kOk);
  ASSERT_EQ(Put("other", "a", 3), absl::StatusCode::kOk);
  Expect("two", 1);
  Expect("other", 1);
  EXPECT_EQ(Put("two", "c", 3), absl::StatusCode::kOk);
  // Who has as many as it may cannot take another's over.
  EXPECT_EQ(Put("two", "a", 4), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(registry_.FindByName("a")->shape.owner, "other");
}

TEST_F(OwnedShapes, FreeWhatTheirOwnerHeldWhoeverDeletesThem) {
  ASSERT_EQ(Put("two", "a", 1), absl::StatusCode::kOk);
  ASSERT_EQ(Put("two", "b", 2), absl::StatusCode::kOk);
  ASSERT_TRUE(Delete(&registry_, "a", "").ok());
  Expect("two", 1);
  EXPECT_EQ(Put("two", "c", 3), absl::StatusCode::kOk);
}

TEST_F(OwnedShapes, CountAsTheyAreDrafted) {
  ASSERT_EQ(Put("two", "a", 1), absl::StatusCode::kOk);
  {
    RegistryDraft draft(&registry_);
    ASSERT_TRUE(draft.Register("b", Ball(2), {.owner = "two"}).ok());
    EXPECT_FALSE(draft.Register("c", Ball(3), {.owner = "two"}).ok());
    ASSERT_TRUE(draft.Delete("a", "").ok());
    EXPECT_TRUE(draft.Register("c", Ball(3), {.owner = "two"}).ok());
    EXPECT_FALSE(draft.Register("d", Ball(4), {.owner = "two"}).ok());
    EXPECT_EQ(draft.changes().names.back().owner, "two");
  }
  Expect("two", 1);
}

TEST_F(OwnedShapes, CountAfterARestartAsBefore) {
  registry_.Follow({{"a", Ball(1), 1, "two"}, {"b", Ball(1), 2, "two"}, {"c", Ball(2), 3, ""}}, 3);
  Expect("two", 2);
  EXPECT_EQ(Put("two", "d", 3), absl::StatusCode::kResourceExhausted);
}

// Of balls, each as large as every other; one fits in.
class DetachedShapes : public ::testing::Test {
 protected:
  // Registers it and deletes it again. What somebody may hold of it then.
  RigidBodyPtr Pass(double radius) {
    const ShapeContentPtr ball = Ball(radius);
    EXPECT_TRUE(Register(&registry_, "ball", ball, {}).ok());
    EXPECT_TRUE(Delete(&registry_, "ball", "").ok());
    return ball->body;
  }

  const std::uint64_t bytes_ = Ball(1)->byte_size();
  Metrics metrics_{"test"};
  Registry registry_{{.max_registry_bytes = bytes_}, &metrics_};
};

TEST_F(DetachedShapes, CountAsLongAsSomebodyHoldsThem) {
  Pass(1);
  EXPECT_EQ(registry_.LookAtDetached(), 0u);
  RigidBodyPtr held = Pass(2);
  EXPECT_EQ(registry_.LookAtDetached(), bytes_);
  EXPECT_EQ(metrics_.shape_bytes_detached().Value(), static_cast<double>(bytes_));
  held.reset();
  EXPECT_EQ(registry_.LookAtDetached(), 0u);
  EXPECT_EQ(metrics_.shape_bytes_detached().Value(), 0);
}

TEST_F(DetachedShapes, LetNoNewContentInWhereTheyAreTooMany) {
  std::vector<RigidBodyPtr> held = {Pass(1)};
  held.push_back(Pass(2));
  const absl::Status refused = Register(&registry_, "ball", Ball(3), {}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrorOf(refused).value(), FormatNumber(2 * bytes_) + " bytes of deleted shapes");
  EXPECT_EQ(ErrorOf(refused).limit(), "max_registry_bytes <= " + FormatNumber(bytes_));
  held.pop_back();
  EXPECT_TRUE(Register(&registry_, "ball", Ball(3), {}).ok());
  // What is held by its name needs nothing more.
  held.push_back(Ball(3)->body);
  EXPECT_TRUE(Register(&registry_, "again", Ball(3), {}).ok());
}

TEST_F(DetachedShapes, CountNoMoreOnceTheyHaveANameAgain) {
  const ShapeContentPtr ball = Ball(1);
  ASSERT_TRUE(Register(&registry_, "ball", ball, {}).ok());
  ASSERT_TRUE(Delete(&registry_, "ball", "").ok());
  EXPECT_EQ(registry_.LookAtDetached(), bytes_);
  ASSERT_TRUE(Register(&registry_, "ball", ball, {}).ok());
  EXPECT_EQ(registry_.LookAtDetached(), 0u);
}

TEST(RegistryRestore, TakesWhatWasStoredWhateverTheLimits) {
  Registry registry({.max_shapes = 1}, nullptr);
  registry.Follow({{"a", Ball(1), 3}, {"b", Ball(1), 5}}, 9);
  EXPECT_EQ(registry.revision(), 9u);
  EXPECT_EQ(registry.size(), 2u);
  EXPECT_EQ(registry.FindByName("b")->shape.revision, 5u);
  EXPECT_EQ(Register(&registry, "c", Ball(1), {}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(*Delete(&registry, "a", ""), 10u);
}

}  // namespace
}  // namespace clearance::server
