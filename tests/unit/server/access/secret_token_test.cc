// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "server/access/token_file.h"

namespace clearance::server {
namespace {

using ::testing::MatchesRegex;

TEST(SecretToken, IsThePrefixAnd256BitsInBase64AndNeverTheSameTwice) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) {
    const auto token = MakeToken();
    ASSERT_TRUE(token.ok()) << token.status();
    EXPECT_THAT(*token, MatchesRegex("clearance_[A-Za-z0-9_-]+"));
    EXPECT_EQ(token->size(), 10u + 43u);
    tokens.insert(*token);
  }
  EXPECT_EQ(tokens.size(), 100u);
}

// Oracle: sha256sum.
TEST(SecretToken, IsHashedBySha256OfItsWholeText) {
  const auto hash = HashOfToken("clearance_" + std::string(43, 'A'));
  ASSERT_TRUE(hash.has_value());
  EXPECT_EQ(FormatTokenHash(*hash),
            "sha256:81e81123cae71652e305fddc71f4c1f4023c975f3a10fc7587071eb0bba02f55");
}

TEST(SecretToken, OfAnyOtherFormHasNoHash) {
  const std::string good = "clearance_" + std::string(43, 'x');
  EXPECT_TRUE(HashOfToken(good).has_value());
  for (const std::string& bad :
       {std::string(), std::string("password"), good + "x", good.substr(0, good.size() - 1),
        "MinimumDistance_" + std::string(43, 'x'), "clearance_" + std::string(42, 'x') + "=",
        "clearance_" + std::string(42, 'x') + " "}) {
    EXPECT_FALSE(HashOfToken(bad).has_value()) << bad;
  }
}

TEST(TokenHash, DiffersByAnyOneBit) {
  TokenHash a{};
  EXPECT_TRUE(AreEqual(a, a));
  for (std::size_t byte = 0; byte < a.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      TokenHash b = a;
      b[byte] ^= static_cast<std::uint8_t>(1 << bit);
      EXPECT_FALSE(AreEqual(a, b)) << byte << " " << bit;
    }
  }
}

TEST(TokenHash, ReadsWhatItWrites) {
  TokenHash hash;
  for (std::size_t i = 0; i < hash.size(); ++i) hash[i] = static_cast<std::uint8_t>(37 * i);
  const std::string text = FormatTokenHash(hash);
  EXPECT_EQ(ParseTokenHash(text), hash);
  EXPECT_FALSE(ParseTokenHash(text + "0").has_value());
  EXPECT_FALSE(ParseTokenHash(text.substr(1)).has_value());
  EXPECT_FALSE(ParseTokenHash("sha256:" + std::string(64, 'A')).has_value());
  EXPECT_FALSE(ParseTokenHash("sha256:" + std::string(64, 'g')).has_value());
}

}  // namespace
}  // namespace clearance::server
