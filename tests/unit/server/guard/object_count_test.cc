// SPDX-License-Identifier: Apache-2.0
#include "server/guard/object_count.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/shape_service.pb.h"
#include "tests/support/parsed_objects.h"
#include "tests/support/random.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

// In slices of a few bytes, as a message may come from the network.
template <class Message>
std::uint64_t Count(const std::string& bytes, std::uint64_t most = kAny, int slice = 7) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()),
                                                slice);
  return CountObjects(&stream, *Message::descriptor(), most);
}

// So many named shapes and as many compounds, and rows.
v1::DistanceRequest ManyShapes(int shapes, int rows) {
  v1::DistanceRequest request;
  for (int i = 0; i < shapes; ++i) {
    request.add_shapes()->set_name("shape " + std::to_string(i));
    auto* const pieces = request.add_shapes()->mutable_inline_shape()->mutable_compound();
    auto* const piece = pieces->add_pieces();
    for (int k = 0; k < 7; ++k) piece->add_pose(k);
    piece->mutable_shape()->mutable_triangle()->mutable_a()->set_x(1);
  }
  auto* const pairs = request.mutable_batch()->mutable_pairs();
  pairs->set_count(static_cast<std::uint32_t>(rows));
  for (int i = 0; i < 7 * rows; ++i) pairs->add_poses_b(i);
  return request;
}

TEST(CountObjects, IsWhatTheParserMakes) {
  const v1::DistanceRequest request = ManyShapes(20, 1000);
  const std::uint64_t objects = test::ParsedObjects(request);
  EXPECT_GT(objects, 100U);
  EXPECT_EQ(Count<v1::DistanceRequest>(request.SerializeAsString()), objects);
  EXPECT_EQ(Count<v1::DistanceRequest>(""), 0U);
}

TEST(CountObjects, DoesNotCountNumbersPackedOrNot) {
  std::string unpacked;
  for (int i = 0; i < 100; ++i) unpacked += "\x21" + std::string(8, '\0');  // field 4, fixed64
  v1::PairColumns pairs;
  ASSERT_TRUE(pairs.ParseFromString(unpacked));
  ASSERT_EQ(pairs.poses_a_size(), 100);
  EXPECT_EQ(Count<v1::PairColumns>(unpacked), 0U);
  EXPECT_EQ(Count<v1::PairColumns>(pairs.SerializeAsString()), 0U);
}

// Each turn makes a batch and throws the other away, which an arena keeps.
TEST(CountObjects, CountsWhatIsReplacedByALaterField) {
  v1::SessionRequest distance;
  v1::SessionRequest intersection;
  distance.mutable_distance();
  intersection.mutable_intersection();
  std::string bytes;
  for (int i = 0; i < 50; ++i)
    bytes += distance.SerializeAsString() + intersection.SerializeAsString();
  v1::SessionRequest parsed;
  ASSERT_TRUE(parsed.ParseFromString(bytes));
  EXPECT_EQ(test::ParsedObjects(parsed), 1U);
  EXPECT_EQ(Count<v1::SessionRequest>(bytes), 100U);
}

TEST(CountObjects, CountsUnknownFieldsAndNumbersThatAreNone) {
  std::string bytes;
  for (int i = 0; i < 10; ++i) {
    bytes += std::string("\xf8\x07\x01", 3);              // field 127, varint
    bytes += std::string("\xfa\x07\x00", 3);              // field 127, no bytes
    bytes += std::string("\xfb\x07\x08\x01\xfc\x07", 6);  // field 127, a group with one field
    bytes += std::string("\x0a\x00", 2);                  // PairColumns.count as no bytes
  }
  v1::PairColumns parsed;
  ASSERT_TRUE(parsed.ParseFromString(bytes));
  EXPECT_EQ(test::ParsedObjects(parsed), 50U);
  EXPECT_EQ(Count<v1::PairColumns>(bytes), 50U);
}

// The parser reads beyond the end of the bytes, where zeros are, and keeps what it made of them.
TEST(CountObjects, CountsAFieldThatTheBytesOnlyBegin) {
  const std::string bytes = "\xfd\xf7";
  v1::SessionRequest parsed;
  EXPECT_FALSE(parsed.ParseFromString(bytes));
  EXPECT_EQ(test::ParsedObjects(parsed), 1U);
  EXPECT_EQ(Count<v1::SessionRequest>(bytes), 1U);
}

TEST(CountObjects, StopsOnceThereAreTooMany) {
  v1::DistanceRequest request;
  for (int i = 0; i < 1000; ++i) request.add_shapes();
  EXPECT_EQ(Count<v1::DistanceRequest>(request.SerializeAsString(), 10), 11U);
}

TEST(CountObjects, EndsWhereTheBytesAreNoMessage) {
  EXPECT_EQ(Count<v1::DistanceRequest>(std::string("\x0a\xff", 2)), 1U);  // a length without end
  EXPECT_EQ(Count<v1::DistanceRequest>(std::string("\x00\x0a\x00", 3)), 1U);  // no field 0
  // Deeper than any parser goes: ends by itself.
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "\xfb\x07";
  EXPECT_LE(Count<v1::DistanceRequest>(deep), 101U);
}

// Whatever the bytes: the parser has made no more when it ends, well or not.
TEST(CountObjects, IsNeverLessThanWhatTheParserMakes) {
  const std::string good = ManyShapes(4, 2).SerializeAsString();
  testing::Random random(testing::RunSeed());
  int broken = 0;
  int whole = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good;
    for (int i = 0; i < 3; ++i) {
      bytes[static_cast<std::size_t>(random.Below(static_cast<int>(bytes.size())))] =
          static_cast<char>(random.Below(256));
    }
    v1::DistanceRequest parsed;
    const bool is_whole = parsed.ParseFromString(bytes);
    ++(is_whole ? whole : broken);
    const std::uint64_t made = test::ParsedObjects(parsed);
    ASSERT_GE(Count<v1::DistanceRequest>(bytes), made) << "round " << round;
  }
  EXPECT_GT(broken, 1000);
  EXPECT_GT(whole, 100);
}

}  // namespace
}  // namespace clearance::server
