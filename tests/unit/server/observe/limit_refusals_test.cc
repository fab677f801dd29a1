// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "clearance/v1/server_service.pb.h"
#include "server/config/settings.h"
#include "server/observe/metrics.h"

namespace clearance::server {
namespace {

constexpr absl::string_view kSeries = "clearance_limit_refusals_total{limit=\"";

class LimitRefusalsTest : public testing::Test {
 protected:
  // The values of all series, by their label.
  std::map<std::string, std::string> Values() const {
    std::map<std::string, std::string> values;
    for (absl::string_view line : absl::StrSplit(text_ = metrics_.Scrape(), '\n')) {
      if (!absl::ConsumePrefix(&line, kSeries)) continue;
      const std::pair<std::string, std::string> parts = absl::StrSplit(line, "\"} ");
      values.insert(parts);
    }
    return values;
  }
  // The label of the counter for this text, which it counts.
  std::string LabelFor(const std::string& text) {
    const auto before = Values();
    metrics_.limit_refusals(text).Increment();
    std::string label;
    for (const auto& [name, value] : Values()) {
      if (value != before.at(name)) label += name;
    }
    return label;
  }

  Metrics metrics_{"1"};
  mutable std::string text_;
};

TEST_F(LimitRefusalsTest, AreCountedByTheNameThatTheRefusalHas) {
  EXPECT_EQ(LabelFor("max_batch_rows <= 100"), "max_batch_rows");
  EXPECT_EQ(LabelFor("max_slots_per_session: < 3"), "max_slots_per_session");
  EXPECT_EQ(LabelFor(">= 5 for this batch, and the server's max_reply_bytes"), "max_reply_bytes");
  EXPECT_EQ(LabelFor("max_shapes <= 5"), "max_shapes") << "not max_shape_vertices";
  EXPECT_EQ(LabelFor("max_sessions <= 1"), "max_sessions") << "not max_session_…";
}

TEST_F(LimitRefusalsTest, WhatAPrincipalIsCalledNamesNoLimit) {
  EXPECT_EQ(LabelFor("cores <= 1 of principal max_sessions"), "principal");
  EXPECT_EQ(LabelFor("sessions <= 1 of principal a"), "principal");
}

TEST_F(LimitRefusalsTest, WhatNamesNoneIsCountedToo) {
  EXPECT_EQ(LabelFor("sub-messages, strings and unknown fields <= 5"), "other");
  EXPECT_EQ(LabelFor("max_nothing <= 5"), "other");
  EXPECT_EQ(LabelFor("max_"), "other");
  EXPECT_EQ(LabelFor(""), "other");
}

TEST_F(LimitRefusalsTest, StandAtZeroFromTheStart) {
  const auto values = Values();
  const auto refusing =
      std::ranges::count_if(AllSettings(), [](const auto& each) { return each.has(kRefuses); });
  EXPECT_EQ(values.size(), refusing + 2);
  for (const auto& [name, value] : values) EXPECT_EQ(value, "0") << name;
}

// Oracle: the published contract. What is not in the table refuses nothing by itself: the transport
// ends the call, a session is not read, old revisions and ticks go, a row stays undecided.
TEST_F(LimitRefusalsTest, KnowEveryLimitThatRefuses) {
  const std::set<std::string> silent = {"max_transport_bytes", "max_messages_in_flight",
                                        "max_bytes_in_flight", "max_scene_revisions",
                                        "max_track_ticks",     "max_row_steps"};
  const auto* const limits = v1::Limits::descriptor();
  for (int i = 0; i < limits->field_count(); ++i) {
    const std::string name = limits->field(i)->name();
    const auto setting = std::ranges::find(AllSettings(), name, &Setting::name);
    ASSERT_NE(setting, AllSettings().end()) << name;
    const bool is_known = setting->has(kRefuses);
    EXPECT_NE(is_known, silent.contains(name)) << name;
  }
}

}  // namespace
}  // namespace clearance::server
