// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>

#include "server/etcd/etcd_values.h"

namespace clearance::server {
namespace {

const std::string kDigest = "v1-sha256-" + std::string(64, 'c');

TEST(EtcdKeys, SayWhatTheyMean) {
  const EtcdKeys keys("a/prefix");
  EXPECT_EQ(keys.Name("cell/ball"), "a/prefix/registry/names/cell/ball");
  using Kind = KeyMeaning::Kind;
  EXPECT_EQ(keys.MeaningOf(keys.Revision()).kind, Kind::kRevision);
  EXPECT_EQ(keys.MeaningOf(keys.Name("cell/ball")).kind, Kind::kName);
  EXPECT_EQ(keys.MeaningOf(keys.Name("cell/ball")).name, "cell/ball");
  EXPECT_EQ(keys.MeaningOf(keys.Content(kDigest)).kind, Kind::kContent);
  EXPECT_EQ(keys.MeaningOf(keys.Content(kDigest)).name, kDigest);
  const KeyMeaning scene = keys.MeaningOf(keys.Scene("cell/1", 18'446'744'073'709'551'615U));
  EXPECT_EQ(scene.kind, Kind::kScene);
  EXPECT_EQ(scene.name, "cell/1");
  EXPECT_EQ(scene.revision, 18'446'744'073'709'551'615U);
  for (const std::string& other :
       {keys.Format(), keys.Writer("w"), keys.ChunksOf(keys.Name("n")), std::string("x"),
        keys.Scenes() + "cell", keys.ScenesOf("cell") + "1x", EtcdKeys("other").Name("n")}) {
    EXPECT_EQ(keys.MeaningOf(other).kind, Kind::kOther) << other;
  }
}

// Of one scene all and of others nothing.
TEST(EtcdKeys, KeepScenesApart) {
  const EtcdKeys keys("p");
  const KeyRange range = KeysUnder(keys.ScenesOf("a"));
  const auto is_in = [&](const std::string& key) { return range.begin <= key && key < range.end; };
  EXPECT_TRUE(is_in(keys.Scene("a", 0)));
  EXPECT_TRUE(is_in(keys.Scene("a", 18'446'744'073'709'551'615U)));
  for (const char* const other : {"a/b", "a-b", "a.b", "a0", "aa", "b", "a/00000000000000000001"})
    EXPECT_FALSE(is_in(keys.Scene(other, 1))) << other;
  EXPECT_LT(keys.Scene("a", 9), keys.Scene("a", 10));
}

TEST(EtcdKeys, PartsTakeEachDigestOnce) {
  const EtcdKeys keys("p");
  for (const std::uint64_t parts : {1, 2, 3, 7, 64}) {
    for (const char* const digits : {"0000", "0001", "1fff", "2000", "5555", "8000", "ffff"}) {
      const std::string key =
          keys.Content("v1-sha256-" + std::string(digits) + std::string(60, 'f'));
      int hits = 0;
      for (std::uint64_t part = 0; part < parts; ++part) {
        const KeyRange range = keys.ContentsOf({part, parts});
        hits += range.begin <= key && key < range.end ? 1 : 0;
      }
      EXPECT_EQ(hits, 1) << digits << " of " << parts;
    }
  }
}

}  // namespace
}  // namespace clearance::server
