// SPDX-License-Identifier: Apache-2.0
#include "server/access/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace clearance::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kToken = "clearance_" + std::string(43, 'a');

std::string LineOf(const std::string& id, const std::string& token) {
  return id + " " + FormatTokenHash(*HashOfToken(token)) + "\n";
}

TEST(TokenFile, KnowsEachTokenByItsHash) {
  const std::string other = "clearance_" + std::string(43, 'b');
  const auto table = TokenTable::Parse("# ours\n\n" + LineOf("planner", kToken) + "  " +
                                       LineOf("viewer", other) + "\r\n");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->size(), 2u);
  EXPECT_EQ(*table->Find(*HashOfToken(kToken)), "planner");
  EXPECT_EQ(*table->Find(*HashOfToken(other)), "viewer");
  EXPECT_EQ(table->Find(*HashOfToken("clearance_" + std::string(43, 'c'))), nullptr);
}

TEST(TokenFile, TellsHashesApartThatBeginAlike) {
  TokenHash a{};
  TokenHash b{};
  b.back() = 1;
  const auto table =
      TokenTable::Parse("one " + FormatTokenHash(a) + "\ntwo " + FormatTokenHash(b) + "\n");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(*table->Find(a), "one");
  EXPECT_EQ(*table->Find(b), "two");
  TokenHash c{};
  c.back() = 2;
  EXPECT_EQ(table->Find(c), nullptr);
}

TEST(TokenFile, MayHoldSeveralTokensOfOneId) {
  const std::string other = "clearance_" + std::string(43, 'b');
  const auto table = TokenTable::Parse(LineOf("planner", kToken) + LineOf("planner", other));
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(*table->Find(*HashOfToken(kToken)), "planner");
  EXPECT_EQ(*table->Find(*HashOfToken(other)), "planner");
}

TEST(TokenFile, NamesTheLineThatIsWrongAndNeverShowsIt) {
  const std::string good = LineOf("planner", kToken);
  const std::string hash = good.substr(good.find(' ') + 1);
  for (const std::string& bad :
       {std::string("planner"), "planner " + kToken, "Planner " + hash, "- " + hash,
        std::string(65, 'a') + " " + hash, "planner  x " + hash, "planner " + hash.substr(0, 20)}) {
    const auto table = TokenTable::Parse("# first\n" + good + bad + "\n");
    EXPECT_EQ(table.status().code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(table.status().message()), HasSubstr("line 3: ")) << bad;
    EXPECT_THAT(std::string(table.status().message()), Not(HasSubstr(kToken)));
  }
}

TEST(TokenFile, RefusesOneTokenForTwo) {
  const auto table = TokenTable::Parse(LineOf("planner", kToken) + LineOf("viewer", kToken));
  EXPECT_THAT(std::string(table.status().message()), HasSubstr("stands there twice"));
}

TEST(TokenFile, RefusesOneTokenForTwoAmongHashesThatBeginAlike) {
  TokenHash a{};
  TokenHash b{};
  b.back() = 1;
  const std::string both = "one " + FormatTokenHash(a) + "\ntwo " + FormatTokenHash(b) + "\n";
  EXPECT_TRUE(TokenTable::Parse(both).ok());
  EXPECT_FALSE(TokenTable::Parse(both + both).ok());
}

TEST(TokenFile, RefusesMoreThanItsLimit) {
  std::string text;
  TokenHash hash{};
  for (std::size_t i = 0; i <= kMaxTokens; ++i) {
    hash[0] = static_cast<std::uint8_t>(i);
    hash[9] = static_cast<std::uint8_t>(i >> 8);
    if (i == kMaxTokens) {
      EXPECT_TRUE(TokenTable::Parse(text).ok());
    }
    text += "planner " + FormatTokenHash(hash) + "\n";
  }
  EXPECT_THAT(std::string(TokenTable::Parse(text).status().message()),
              HasSubstr("line 10001: the file has more than 10000 tokens"));
}

}  // namespace
}  // namespace clearance::server
