// SPDX-License-Identifier: Apache-2.0
#include "server/access/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clearance::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kGood[] = R"({"principals": {
  "planner": {"role": "register", "certificates": ["planner.example.org", "spiffe://cell/planner"],
              "prefixes": ["scene/", "arm/", "arm/left/"], "limits": {"sessions": 8, "cores": 0.5, "shapes": 1000,
                         "registry_bytes": 2000, "scenes": 10, "scene_bytes": 0}},
  "viewer": {"role": "query"},
  "operator": {"role": "admin", "limits": {}}
}})";

const Principal& PrincipalOf(const Policy& policy, const std::string& id) {
  for (const Principal& principal : policy.principals()) {
    if (principal.id == id) return principal;
  }
  static const Principal none;
  ADD_FAILURE() << id;
  return none;
}

TEST(Policy, ReadsEveryFieldOfAPrincipal) {
  const auto policy = Policy::Parse(kGood);
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->principals().size(), 3u);
  const Principal& planner = PrincipalOf(*policy, "planner");
  EXPECT_EQ(planner.role, Role::kRegister);
  EXPECT_THAT(planner.prefixes, ElementsAre("arm/", "scene/"));
  EXPECT_EQ(planner.limits.sessions, 8u);
  EXPECT_EQ(planner.limits.cores, 0.5);
  const Principal& viewer = PrincipalOf(*policy, "viewer");
  EXPECT_EQ(viewer.role, Role::kQuery);
  EXPECT_THAT(viewer.prefixes, IsEmpty());
  EXPECT_EQ(viewer.limits.sessions, kNoLimit);
  EXPECT_EQ(viewer.limits.cores, kNoLimitOfCores);
  EXPECT_EQ(PrincipalOf(*policy, "operator").role, Role::kAdmin);
}

TEST(Policy, TakesWhatItDoesNotSayFromTheDefaults) {
  const PrincipalLimits defaults = {
      .sessions = 5,
      .cores = 0.25,
      .holding = {.shapes = 1, .registry_bytes = 2, .scenes = 3, .scene_bytes = 4}};
  const auto policy = Policy::Parse(
      R"({"principals": {"all": {"role": "query"}, "none": {"role": "query", "limits": {}},
                         "one": {"role": "query", "limits": {"scenes": 9}},
                         "busy": {"role": "query", "limits": {"sessions": 0, "cores": 2}}}})",
      defaults);
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(PrincipalOf(*policy, "all").limits, defaults);
  EXPECT_EQ(PrincipalOf(*policy, "none").limits, defaults);
  PrincipalLimits one = defaults;
  one.holding.scenes = 9;
  EXPECT_EQ(PrincipalOf(*policy, "one").limits, one);
  const PrincipalLimits busy = {.sessions = 0, .cores = 2, .holding = defaults.holding};
  EXPECT_EQ(PrincipalOf(*policy, "busy").limits, busy);
  EXPECT_EQ(
      PrincipalOf(*Policy::Parse(kGood), "planner").limits.holding,
      (HoldingLimits{.shapes = 1000, .registry_bytes = 2000, .scenes = 10, .scene_bytes = 0}));
}

TEST(Policy, FindsAPrincipalByTheNamesOfItsCertificate) {
  const auto policy = Policy::Parse(kGood);
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(*policy->FindByCertificate("spiffe://cell/planner"), "planner");
  EXPECT_EQ(policy->FindByCertificate("spiffe://cell/planne"), nullptr);
  EXPECT_EQ(policy->FindByCertificate("planner"), nullptr);
}

struct Wrong {
  const char* text;
  const char* error;
};

TEST(Policy, NamesThePlaceOfWhatIsWrong) {
  const Wrong cases[] = {
      {"{\n\"principals\": {,}}", "line 2, column 16"},
      {"[]", "the file: must be an object"},
      {"{}", "principals: must be an object"},
      {R"({"principals": []})", "principals: must be an object"},
      {R"({"principals": {}, "version": 1})", "the file.version: unknown field"},
      {R"({"principals": {"A": {"role": "query"}}})", "principals.A: the name must be"},
      {R"({"principals": {"a": "query"}})", "principals.a: must be an object"},
      {R"({"principals": {"a": {}}})", "principals.a.role: must be query, register or admin"},
      {R"({"principals": {"a": {"role": "boss"}}})", "principals.a.role: must be"},
      {R"({"principals": {"a": {"role": 1}}})", "principals.a.role: must be"},
      {R"({"principals": {"a": {"role": "query", "prefix": "x"}}})",
       "principals.a.prefix: unknown field: allowed are role, certificates, prefixes, "
       "limits"},
      {R"({"principals": {"a": {"role": "query", "prefixes": "x/"}}})", "principals.a.prefixes: "},
      {R"({"principals": {"a": {"role": "query", "prefixes": []}}})", "principals.a.prefixes: "},
      {R"({"principals": {"a": {"role": "query", "prefixes": ["x/", ""]}}})",
       "principals.a.prefixes[1]: "},
      {R"({"principals": {"a": {"role": "query", "prefixes": ["x\n"]}}})",
       "principals.a.prefixes[0]: "},
      {R"({"principals": {"a": {"role": "query", "certificates": [7]}}})",
       "principals.a.certificates[0]: "},
      {R"({"principals": {"a": {"role": "query", "limits": {"session": 1}}}})",
       "principals.a.limits.session: unknown field"},
      {R"({"principals": {"a": {"role": "query", "limits": {"sessions": -1}}}})",
       "principals.a.limits.sessions: must be a whole number"},
      {R"({"principals": {"a": {"role": "query", "limits": {"sessions": 1.5}}}})",
       "principals.a.limits.sessions: "},
      {R"({"principals": {"a": {"role": "query", "limits": {"shapes": -1}}}})",
       "principals.a.limits.shapes: must be a whole number from 0 to 1125899906842624"},
      {R"({"principals": {"a": {"role": "query", "limits": {"registry_bytes": "1GiB"}}}})",
       "principals.a.limits.registry_bytes: must be a whole number"},
      {R"({"principals": {"a": {"role": "query", "limits": {"scenes": 1.5}}}})",
       "principals.a.limits.scenes: must be a whole number"},
      {R"({"principals": {"a": {"role": "query", "limits": {"scene_bytes": 1125899906842625}}}})",
       "principals.a.limits.scene_bytes: must be a whole number"},
      {R"({"principals": {"a": {"role": "query", "limits": {"cores": 0}}}})",
       "principals.a.limits.cores: must be a number from 0.001"},
      {R"({"principals": {"a": {"role": "query", "limits": {"cores": "1"}}}})",
       "principals.a.limits.cores: "},
      {R"({"principals": {"a": {"role": "query", "certificates": ["x"]},
                          "b": {"role": "query", "certificates": ["x"]}}})",
       "principals.b.certificates: \"x\" is also that of a"},
      {R"({"principals": {"a": {"role": "query"}, "a": {"role": "admin"}}})",
       "the key \"a\" stands twice"},
  };
  for (const Wrong& wrong : cases) {
    const auto policy = Policy::Parse(wrong.text);
    EXPECT_EQ(policy.status().code(), absl::StatusCode::kInvalidArgument) << wrong.text;
    EXPECT_THAT(std::string(policy.status().message()), HasSubstr(wrong.error)) << wrong.text;
  }
}

}  // namespace
}  // namespace clearance::server
