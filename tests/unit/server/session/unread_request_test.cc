// SPDX-License-Identifier: Apache-2.0
//
// What is told of a message without parsing it, beside what the parser makes of the same bytes.

#include "server/session/unread_request.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

#include "clearance/v1/query_service.pb.h"

namespace clearance::server {
namespace {

using Request = v1::SessionRequest;

// Returns what is known of the message; nothing if it is unclear.
std::optional<Request> LookAt(const std::string& text) {
  google::protobuf::io::ArrayInputStream bytes(text.data(), static_cast<int>(text.size()));
  Request known;
  if (!LookAtRequest(&bytes, &known)) return std::nullopt;
  return known;
}

Request::KindCase KindAt(const std::string& text) { return LookAt(text).value().kind_case(); }

v1::SessionRequest OpenOf(std::uint32_t slot, std::uint64_t tag) {
  v1::SessionRequest request;
  request.set_tag(tag);
  request.mutable_open()->set_slot(slot);
  request.mutable_open()->mutable_shape()->set_name(std::string(1000, 'n'));
  request.mutable_open()->set_min_revision(7);
  return request;
}

TEST(UnreadRequest, AnOpenIsKnownByItsSlotAndTag) {
  for (const std::uint32_t slot : {0U, 5U, 4'000'000'000U}) {
    const Request known = LookAt(OpenOf(slot, 77).SerializeAsString()).value();
    ASSERT_TRUE(known.has_open());
    EXPECT_EQ(known.open().slot(), slot);
    EXPECT_EQ(known.tag(), 77u);
  }
}

TEST(UnreadRequest, SceneSlotsAndBodyChangesAreToldApart) {
  v1::SessionRequest request;
  request.mutable_open_scene()->set_scene_slot(6);
  request.mutable_open_scene()->set_name("world");
  const std::string open = request.SerializeAsString();
  EXPECT_EQ(KindAt(open), Request::kOpenScene);
  EXPECT_EQ(LookAt(open)->open_scene().scene_slot(), 6u);
  EXPECT_EQ(KindAt(OpenOf(3, 1).SerializeAsString() + open), Request::kOpenScene);
  request.mutable_rewind_track()->set_scene_slot(8);
  request.mutable_rewind_track()->set_track("game");
  EXPECT_EQ(KindAt(request.SerializeAsString()), Request::kRewindTrack);
  EXPECT_EQ(LookAt(open + request.SerializeAsString())->rewind_track().scene_slot(), 8u);
  request.mutable_publish_tick()->set_tick(9);
  EXPECT_EQ(KindAt(open + request.SerializeAsString()), Request::KIND_NOT_SET);
  request.mutable_change_bodies()->mutable_change()->add_removed_bodies(7);
  EXPECT_EQ(KindAt(request.SerializeAsString()), Request::kChangeBodies);
  request.mutable_close_scene()->set_scene_slot(6);
  EXPECT_EQ(KindAt(request.SerializeAsString()), Request::KIND_NOT_SET);
}

TEST(UnreadRequest, ABatchIsNoOpen) {
  v1::SessionRequest request;
  request.set_tag(78);
  for (int i = 0; i < 1000; ++i) request.mutable_distance()->add_max_distances(i);
  const Request known = LookAt(request.SerializeAsString()).value();
  EXPECT_EQ(known.kind_case(), Request::KIND_NOT_SET);
  EXPECT_EQ(known.tag(), 78u);
}

TEST(UnreadRequest, OfSeveralFieldsTheLastOneCounts) {
  v1::SessionRequest batch;
  batch.mutable_distance()->add_max_distances(1);
  const std::string open_3 = OpenOf(3, 1).SerializeAsString();
  const std::string open_4 = OpenOf(4, 2).SerializeAsString();
  EXPECT_EQ(LookAt(open_3 + open_4)->open().slot(), 4u);
  EXPECT_EQ(LookAt(open_3 + open_4)->tag(), 2u);
  EXPECT_EQ(KindAt(open_3 + batch.SerializeAsString()), Request::KIND_NOT_SET);
  EXPECT_EQ(KindAt(batch.SerializeAsString() + open_3), Request::kOpen);
}

TEST(UnreadRequest, WhatEndsInTheMiddleIsUnclear) {
  const std::string whole = OpenOf(3, 1).SerializeAsString();
  EXPECT_FALSE(LookAt(whole.substr(0, whole.size() / 2)).has_value());
  EXPECT_FALSE(LookAt("\xff\xff\xff\xff\xff garbage").has_value());
}

TEST(UnreadRequest, MoreFieldsThanAnybodyWritesAreUnclear) {
  std::string fields;
  for (int i = 0; i < 1000; ++i) fields += std::string("\x78\x01", 2);  // field 15, a varint
  EXPECT_FALSE(LookAt(fields + OpenOf(3, 1).SerializeAsString()).has_value());
}

TEST(UnreadRequest, AnUnclearMessageKeepsItsTag) {
  std::string text = OpenOf(3, 1).SerializeAsString();
  for (int i = 0; i < 1000; ++i) text += std::string("\x78\x01", 2);
  google::protobuf::io::ArrayInputStream bytes(text.data(), static_cast<int>(text.size()));
  Request known;
  EXPECT_FALSE(LookAtRequest(&bytes, &known));
  EXPECT_EQ(known.tag(), 1u);
}

// Fields in any order, torn and repeated: what is told is never other than what the parser finds.
TEST(UnreadRequest, IsNeverOtherThanWhatTheParserFinds) {
  constexpr unsigned kSeed = 20261122;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  v1::SessionRequest close;
  close.mutable_close()->set_slot(9);
  v1::SessionRequest only_revision;
  only_revision.mutable_open()->set_min_revision(1);
  const std::string pieces[] = {OpenOf(3, 1).SerializeAsString(), OpenOf(0, 5).SerializeAsString(),
                                close.SerializeAsString(),        only_revision.SerializeAsString(),
                                std::string("\x78\x01", 2),       std::string("\x79 12345678", 9)};
  int opens = 0;
  int others = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string bytes;
    for (auto k = random() % 5; k > 0; --k) bytes += pieces[random() % std::size(pieces)];
    if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
    const std::optional<Request> known = LookAt(bytes);
    v1::SessionRequest parsed;
    if (!parsed.ParseFromString(bytes)) continue;
    ASSERT_TRUE(known.has_value());
    EXPECT_EQ(known->tag(), parsed.tag());
    ASSERT_EQ(known->has_open(), parsed.has_open());
    if (parsed.has_open()) {
      ++opens;
      EXPECT_EQ(known->open().slot(), parsed.open().slot());
    } else {
      ++others;
    }
  }
  EXPECT_GT(opens, 1000);
  EXPECT_GT(others, 500);
}

}  // namespace
}  // namespace clearance::server
