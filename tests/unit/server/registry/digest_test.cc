// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

// Oracle: `printf '\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x40' | sha256sum`: a sphere of radius 2
// without extension.
TEST(Digest, IsTheSha256OfTheCanonicalBytes) {
  CanonicalContent content(4, 0.0);
  content.Add(2.0);
  EXPECT_EQ(content.bytes(), std::string("\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x40", 17));
  EXPECT_EQ(content.Digest(),
            "v1-sha256-93be72e537645f1459725c3d5c37a0f21adcae1c422dcf05052f036bee759456");
}

TEST(Digest, PutsTheLengthBeforeAList) {
  CanonicalContent content(7, 0.0);
  const std::array<std::uint32_t, 2> indices = {1, 258};
  content.AddList(absl::MakeConstSpan(indices));
  EXPECT_EQ(content.bytes().substr(9), std::string("\x02\0\0\0\0\0\0\0\x01\0\0\0\x02\x01\0\0", 16));
}

TEST(Digest, TellsListsApartThatHoldTheSameNumbersInAll) {
  const std::array<double, 3> numbers = {1, 2, 3};
  CanonicalContent one(7, 0.0);
  one.AddList(absl::MakeConstSpan(numbers).first(1));
  one.AddList(absl::MakeConstSpan(numbers).last(2));
  CanonicalContent two(7, 0.0);
  two.AddList(absl::MakeConstSpan(numbers).first(2));
  two.AddList(absl::MakeConstSpan(numbers).last(1));
  EXPECT_NE(one.Digest(), two.Digest());
}

TEST(Digest, TellsTheZerosApart) {
  EXPECT_NE(CanonicalContent(1, 0.0).Digest(), CanonicalContent(1, -0.0).Digest());
}

TEST(Digest, TellsKindsApart) {
  EXPECT_NE(CanonicalContent(1, 1.0).Digest(), CanonicalContent(4, 1.0).Digest());
}

TEST(CheckDigest, AcceptsWhatDigestGivesAndNothingElse) {
  const std::string digest = CanonicalContent(1, 0.0).Digest();
  EXPECT_TRUE(CheckDigest(digest, "digest").ok());
  EXPECT_FALSE(CheckDigest("", "digest").ok());
  EXPECT_FALSE(CheckDigest(digest.substr(1), "digest").ok());
  EXPECT_FALSE(CheckDigest(digest + "0", "digest").ok());
  EXPECT_FALSE(CheckDigest("v2" + digest.substr(2), "digest").ok());
  std::string capital = digest;
  capital.back() = 'A';
  EXPECT_FALSE(CheckDigest(capital, "digest").ok());
}

}  // namespace
}  // namespace clearance::server
