// SPDX-License-Identifier: Apache-2.0

#include "server/registry/caller_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/server/registry/test_content.h"

namespace clearance::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Caller CallerWith(Role role, std::vector<std::string> prefixes) {
  auto principal = std::make_shared<Principal>();
  principal->id = "planner";
  principal->role = role;
  principal->prefixes = std::move(prefixes);
  return {.principal = std::move(principal), .peer = "", .request_id = "", .trace_id = ""};
}

class CallerRegistryTest : public ::testing::Test {
 protected:
  CallerRegistryTest() {
    for (const char* name : {"a/1", "b/1", "b/2", "c/1", "c/2", "d/1"}) {
      EXPECT_TRUE(server::Register(&registry_, name, Ball(1)).ok());
    }
  }

  // Name by name, `size` a page.
  std::vector<std::string> Names(const CallerRegistry& registry, std::string_view prefix,
                                 std::size_t size) {
    std::vector<std::string> names;
    for (bool is_last = false; !is_last;) {
      const auto page = registry.List(prefix, names.empty() ? "" : names.back(), size);
      if (!page.ok()) return {std::string(absl::StatusCodeToString(page.status().code()))};
      EXPECT_TRUE(page->is_last || page->shapes.size() == size);
      for (const NamedShape& shape : page->shapes) names.push_back(shape.name);
      is_last = page->is_last;
    }
    return names;
  }

  // As a method does it: what is allowed is made, and what came of it concluded.
  absl::StatusOr<Registry::Registration> Register(const CallerRegistry& registry,
                                                  const std::string& name,
                                                  const ShapeContentPtr& content,
                                                  const RegisterOptions& options) {
    const auto allowed = registry.AllowRegister(name, options);
    auto registered = allowed.ok() ? server::Register(&registry_, name, content, *allowed)
                                   : absl::StatusOr<Registry::Registration>(allowed.status());
    return registry.ConcludeRegister(name, options, std::move(registered));
  }

  Registry registry_{{}, nullptr};
};

TEST_F(CallerRegistryTest, ListsTheNamesOfAllPrefixesInOrderWhateverThePages) {
  const Caller caller = CallerWith(Role::kQuery, {"b/", "c/2", "d/"});
  const CallerRegistry own(registry_, caller, nullptr);
  for (std::size_t size = 1; size <= 7; ++size) {
    EXPECT_THAT(Names(own, "", size), ElementsAre("b/1", "b/2", "c/2", "d/1")) << size;
    EXPECT_THAT(Names(own, "c", size), ElementsAre("c/2"));
    EXPECT_THAT(Names(own, "b/2", size), ElementsAre("b/2"));
    EXPECT_THAT(Names(own, "b/3", size), IsEmpty());
    EXPECT_THAT(Names(own, "a/", size), ElementsAre("PERMISSION_DENIED"));
  }
}

TEST_F(CallerRegistryTest, LetsACallerWithoutPrefixesReachEverything) {
  for (const Caller& caller : {Caller{}, CallerWith(Role::kAdmin, {})}) {
    CallerRegistry all(registry_, caller, nullptr);
    EXPECT_EQ(Names(all, "", 4).size(), 6u);
    EXPECT_TRUE(all.FindByName("a/1").ok());
    EXPECT_TRUE(all.FindByDigest(Ball(1)->digest).ok());
    EXPECT_TRUE(Register(all, "a/1", Ball(2), {.replace = true, .validate_only = true}).ok());
  }
}

TEST_F(CallerRegistryTest, AsksForTheAdminRoleOnlyToReplace) {
  const Caller caller = CallerWith(Role::kRegister, {"a/"});
  CallerRegistry own(registry_, caller, nullptr);
  const auto code_of = [&](const char* name, double radius, const RegisterOptions& options) {
    return Register(own, name, Ball(radius), options).status().code();
  };
  for (const bool validate_only : {true, false}) {
    const RegisterOptions plain = {.replace = false, .validate_only = validate_only};
    const RegisterOptions replacing = {.replace = true, .validate_only = validate_only};
    EXPECT_EQ(code_of("a/1", 1, replacing), absl::StatusCode::kOk);
    EXPECT_EQ(code_of("a/1", 2, replacing), absl::StatusCode::kPermissionDenied);
    EXPECT_EQ(code_of("a/1", 2, plain), absl::StatusCode::kAlreadyExists);
    EXPECT_EQ(code_of("a/new", 2, replacing), absl::StatusCode::kOk);
    EXPECT_EQ(code_of("b/new", 2, plain), absl::StatusCode::kPermissionDenied);
  }
  EXPECT_EQ(registry_.FindByName("a/1")->shape.content->digest, Ball(1)->digest);
}

TEST_F(CallerRegistryTest, LetsACallerDeleteWithinThePrefixes) {
  const Caller caller = CallerWith(Role::kAdmin, {"a/"});
  const CallerRegistry own(registry_, caller, nullptr);
  EXPECT_TRUE(own.RequireReach("a/1").ok());
  EXPECT_EQ(own.RequireReach("b/1").code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(own.RequireReach("no name").code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace clearance::server
