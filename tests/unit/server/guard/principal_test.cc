// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/guard/caller.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

Principal PrincipalWith(Role role, std::vector<std::string> prefixes) {
  return {
      .id = "planner", .role = role, .prefixes = std::move(prefixes), .limits = {}, .usage = {}};
}

TEST(Role, ReadsItsOwnName) {
  for (const Role role : {Role::kQuery, Role::kRegister, Role::kAdmin}) {
    EXPECT_EQ(RoleOf(NameOf(role)), role);
  }
  EXPECT_FALSE(RoleOf("root").has_value());
  EXPECT_FALSE(RoleOf("").has_value());
}

TEST(Principal, MayWhatItsRoleAndTheLowerOnesMay) {
  const Role roles[] = {Role::kQuery, Role::kRegister, Role::kAdmin};
  for (const Role has : roles) {
    for (const Role needs : roles) {
      const absl::Status status = RequireRole(PrincipalWith(has, {}), needs, "replace");
      EXPECT_EQ(status.ok(), static_cast<int>(has) >= static_cast<int>(needs));
      if (status.ok()) continue;
      EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
      EXPECT_EQ(ErrorOf(status).field(), "replace");
      EXPECT_EQ(ErrorOf(status).value(), std::string("principal planner with role ") + NameOf(has));
      EXPECT_EQ(ErrorOf(status).limit(), std::string("role ") + NameOf(needs) + " or higher");
    }
  }
}

TEST(Principal, ReachesTheNamesOfItsPrefixesOnly) {
  const Principal principal = PrincipalWith(Role::kQuery, {"arm/", "scene"});
  for (const char* name : {"arm/x", "scene", "scenes/y"}) {
    EXPECT_TRUE(RequireName(principal, name, "name").ok()) << name;
  }
  for (const char* name : {"arm", "ar", "", "arms/x", "x/arm/", "scen"}) {
    const absl::Status status = RequireName(principal, name, "name");
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << name;
    EXPECT_EQ(ErrorOf(status).limit(), "of principal planner: names that begin with arm/, scene");
  }
  EXPECT_TRUE(RequireName(PrincipalWith(Role::kQuery, {}), "anything", "name").ok());
}

TEST(Principal, HasAnIdOfAKnownForm) {
  for (const char* id : {"a", "planner-1", "0.x_y"}) EXPECT_TRUE(IsPrincipalId(id)) << id;
  for (const char* id : {"", "-a", "A", "a b", "a/b", "a:b"}) EXPECT_FALSE(IsPrincipalId(id)) << id;
  EXPECT_TRUE(IsPrincipalId(std::string(64, 'a')));
  EXPECT_FALSE(IsPrincipalId(std::string(65, 'a')));
}

}  // namespace
}  // namespace clearance::server
