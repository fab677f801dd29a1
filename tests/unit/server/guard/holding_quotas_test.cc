// SPDX-License-Identifier: Apache-2.0
#include "server/guard/holding_quotas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

Principal Named(const std::string& id, const HoldingLimits& most) {
  Principal principal;
  principal.id = id;
  principal.limits.holding = most;
  return principal;
}

class HoldingQuotasTest : public ::testing::Test {
 protected:
  HoldingQuotasTest() {
    quotas_.Replace(
        {Named("small", {.shapes = 2, .registry_bytes = 100, .scenes = 1, .scene_bytes = 50}),
         Named("plain", defaults_)});
  }

  // From nothing.
  absl::Status ShapesOf(const std::string& owner, const Holding& after) const {
    return quotas_.Check(HoldingKind::kShapes, owner, {}, after);
  }

  const HoldingLimits defaults_ = {.shapes = 10};
  Metrics metrics_{"test"};
  HoldingQuotas quotas_{defaults_, &metrics_};
};

TEST_F(HoldingQuotasTest, AllowWhatThePolicySaysAndNotOneMore) {
  EXPECT_TRUE(ShapesOf("small", {2, 100}).ok());
  const absl::Status names = ShapesOf("small", {3, 100});
  EXPECT_EQ(names.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrorOf(names).field(), "shape");
  EXPECT_EQ(ErrorOf(names).value(), "3");
  EXPECT_EQ(ErrorOf(names).limit(), "shapes <= 2 of principal small");
  EXPECT_EQ(ErrorOf(ShapesOf("small", {2, 101})).limit(),
            "registry_bytes <= 100 of principal small");
  const auto scenes = [&](const Holding& after) {
    return quotas_.Check(HoldingKind::kScenes, "small", {}, after);
  };
  EXPECT_TRUE(scenes({1, 50}).ok());
  EXPECT_EQ(ErrorOf(scenes({2, 50})).limit(), "scenes <= 1 of principal small");
  EXPECT_EQ(ErrorOf(scenes({1, 51})).field(), "scene");
  EXPECT_EQ(ErrorOf(scenes({1, 51})).limit(), "scene_bytes <= 50 of principal small");
}

TEST_F(HoldingQuotasTest, CountWhatTheyRefuse) {
  EXPECT_FALSE(ShapesOf("small", {3, 100}).ok());
  EXPECT_FALSE(ShapesOf("small", {1, 101}).ok());
  EXPECT_FALSE(ShapesOf("small", {1, 102}).ok());
  EXPECT_EQ(metrics_.principal_refusals(PrincipalLimit::kShapes).Value(), 1);
  EXPECT_EQ(metrics_.principal_refusals(PrincipalLimit::kRegistryBytes).Value(), 2);
  EXPECT_EQ(metrics_.principal_refusals(PrincipalLimit::kScenes).Value(), 0);
}

TEST_F(HoldingQuotasTest, AreTheDefaultsWhereThePolicySaysNothing) {
  for (const char* owner : {"plain", "somebody-before"}) {
    EXPECT_TRUE(ShapesOf(owner, {10, 1'000'000}).ok());
    EXPECT_FALSE(ShapesOf(owner, {11, 1}).ok());
  }
}

TEST_F(HoldingQuotasTest, AreNobodysWhereNobodyWasAsked) {
  EXPECT_TRUE(ShapesOf("", {1'000'000, 1}).ok());
}

TEST_F(HoldingQuotasTest, LetWhoHasTooMuchGoDownAndStay) {
  const auto from = [&](const Holding& before, const Holding& after) {
    return quotas_.Check(HoldingKind::kShapes, "small", before, after).ok();
  };
  EXPECT_TRUE(from({9, 900}, {9, 900}));
  EXPECT_TRUE(from({9, 900}, {8, 850}));
  EXPECT_FALSE(from({9, 900}, {9, 901}));
  EXPECT_FALSE(from({9, 900}, {10, 800}));
}

TEST_F(HoldingQuotasTest, FollowThePolicy) {
  quotas_.Replace({Named("small", {.shapes = 3})});
  EXPECT_TRUE(ShapesOf("small", {3, 1000}).ok());
  EXPECT_FALSE(ShapesOf("small", {4, 1}).ok());
}

}  // namespace
}  // namespace clearance::server
