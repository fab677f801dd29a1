// SPDX-License-Identifier: Apache-2.0
#include "server/observe/limit_refusals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "clearance/v1/server_service.pb.h"
#include "prometheus/registry.h"
#include "server/config/settings.h"

namespace clearance::server {
namespace {

class LimitRefusalsTest : public testing::Test {
 protected:
  // The label of the counter for this text, which it counts.
  std::string LabelFor(const std::string& text) {
    prometheus::Counter& counter = refusals_.Of(text);
    const double before = counter.Value();
    counter.Increment();
    for (const prometheus::MetricFamily& family : registry_.Collect()) {
      for (const prometheus::ClientMetric& metric : family.metric) {
        const bool is_it = &refusals_.Of(metric.label[0].value + " <= 1") == &counter;
        if (is_it && metric.counter.value == before + 1) return metric.label[0].value;
      }
    }
    return &counter == &refusals_.Of("") ? "other" : "principal";
  }

  prometheus::Registry registry_;
  LimitRefusals refusals_{
      prometheus::BuildCounter().Name("clearance_limit_refusals_total").Register(registry_)};
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
  const auto families = registry_.Collect();
  ASSERT_EQ(families.size(), 1u);
  EXPECT_EQ(families[0].name, "clearance_limit_refusals_total");
  const auto refusing =
      std::ranges::count_if(AllSettings(), [](const auto& each) { return each.has(kRefuses); });
  EXPECT_EQ(families[0].metric.size(), refusing + 2);
  for (const auto& metric : families[0].metric) EXPECT_EQ(metric.counter.value, 0);
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
