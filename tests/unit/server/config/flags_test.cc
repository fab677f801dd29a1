// SPDX-License-Identifier: Apache-2.0
#include "server/config/flags.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "clearance/v1/server_service.pb.h"

namespace clearance::server {
namespace {

using testing::HasSubstr;

class Flags : public testing::Test {
 private:
  absl::FlagSaver saver_;
};

// Oracle: the message of the published contract.
TEST_F(Flags, NameEveryLimitAsTheContractDoes) {
  const google::protobuf::Descriptor& limits = *v1::Limits::descriptor();
  ASSERT_EQ(limits.field_count() * sizeof(std::uint64_t), sizeof(Limits));
  for (int i = 0; i < limits.field_count(); ++i) {
    EXPECT_NE(absl::FindCommandLineFlag(limits.field(i)->name()), nullptr)
        << limits.field(i)->name();
  }
}

TEST_F(Flags, StartFromTheDefaultsOfLimits) {
  const absl::StatusOr<ServerConfig> config = ConfigFromFlags();
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->limits.max_request_bytes, Limits().max_request_bytes);
  EXPECT_EQ(config->limits.max_registry_bytes, Limits().max_registry_bytes);
  EXPECT_EQ(config->listen, "127.0.0.1:50051");
  EXPECT_EQ(config->drain_delay, absl::ZeroDuration());
  EXPECT_EQ(config->check_sample, 10'000u);
}

TEST_F(Flags, TellHowManyAnswersAreChecked) {
  ASSERT_TRUE(SetFlagByName("check_sample", "1").ok());
  EXPECT_EQ(ConfigFromFlags()->check_sample, 1u);
  ASSERT_TRUE(SetFlagByName("check_sample", "0").ok());
  EXPECT_EQ(ConfigFromFlags()->check_sample, 0u);
}

TEST_F(Flags, RefuseAStoreThatCannotBe) {
  const auto refusal = [](const std::vector<std::pair<const char*, const char*>>& values) {
    const absl::FlagSaver saver;
    for (const auto& [name, value] : values) EXPECT_TRUE(SetFlagByName(name, value).ok()) << name;
    return std::string(ConfigFromFlags().status().message());
  };
  EXPECT_EQ(refusal({{"store", "etcd://a:1"}}), "");
  EXPECT_THAT(refusal({{"store", "etcd://a:1"}, {"data_dir", "/data"}}), HasSubstr("choose one"));
  EXPECT_THAT(refusal({{"etcd_prefix", ""}}), HasSubstr("--etcd_prefix"));
  EXPECT_THAT(refusal({{"etcd_prefix", "a/"}}), HasSubstr("--etcd_prefix"));
  EXPECT_THAT(refusal({{"etcd_user", "u"}}), HasSubstr("--etcd_password_file"));
  EXPECT_THAT(refusal({{"etcd_ca", "c"}}), HasSubstr("--store"));
  EXPECT_THAT(refusal({{"store", "etcd://a:1"}, {"etcd_certificate", "c"}}),
              HasSubstr("--etcd_key"));
  EXPECT_THAT(refusal({{"store", "etcd://a:1"}, {"etcd_certificate", "c"}, {"etcd_key", "k"}}),
              HasSubstr("--etcd_ca"));
}

// Each limit gets a value of its own, in the order of the contract; a mix-up would show.
std::uint64_t OwnValue(int field) {
  const bool is_one_or_two =
      v1::Limits::descriptor()->field(field)->name() == "max_messages_in_flight";
  return is_one_or_two ? 1 : static_cast<std::uint64_t>(100 + field);
}

TEST_F(Flags, PutEveryLimitIntoItsOwnField) {
  const google::protobuf::Descriptor& descriptor = *v1::Limits::descriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    ASSERT_TRUE(SetFlagByName(descriptor.field(i)->name(), absl::StrCat(OwnValue(i))).ok());
  }
  const absl::StatusOr<ServerConfig> config = ConfigFromFlags();
  ASSERT_TRUE(config.ok()) << config.status();
  const Limits& limits = config->limits;
  const std::uint64_t values[] = {limits.max_request_bytes,
                                  limits.max_transport_bytes,
                                  limits.max_reply_bytes,
                                  limits.max_batch_rows,
                                  limits.max_batch_shapes,
                                  limits.max_shape_vertices,
                                  limits.max_shapes,
                                  limits.max_registry_bytes,
                                  limits.max_slots_per_session,
                                  limits.max_sessions,
                                  limits.max_messages_in_flight,
                                  limits.max_bytes_in_flight,
                                  limits.max_session_shape_bytes,
                                  limits.max_pieces_per_shape,
                                  limits.max_scenes,
                                  limits.max_scene_bodies,
                                  limits.max_scene_rules,
                                  limits.max_scene_revisions,
                                  limits.max_scene_bytes,
                                  limits.max_session_scenes,
                                  limits.max_session_bodies,
                                  limits.max_session_rules,
                                  limits.max_row_pairs,
                                  limits.max_tracks,
                                  limits.max_caller_tracks,
                                  limits.max_track_ticks,
                                  limits.max_track_bodies,
                                  limits.max_watches,
                                  limits.max_caller_watches,
                                  limits.max_row_steps};
  for (std::size_t i = 0; i < std::size(values); ++i) {
    EXPECT_EQ(values[i], OwnValue(static_cast<int>(i)));
  }
}

TEST_F(Flags, TellWhatOnePrincipalMayTakeAndHoldAndZeroIsNoLimit) {
  EXPECT_EQ(ConfigFromFlags()->principal, PrincipalLimits{});
  ASSERT_TRUE(SetFlagByName("principal_sessions", "5").ok());
  ASSERT_TRUE(SetFlagByName("principal_cores", "0.5").ok());
  ASSERT_TRUE(SetFlagByName("principal_shapes", "1").ok());
  ASSERT_TRUE(SetFlagByName("principal_registry_bytes", "2KiB").ok());
  ASSERT_TRUE(SetFlagByName("principal_scenes", "3").ok());
  ASSERT_TRUE(SetFlagByName("principal_scene_bytes", "4MiB").ok());
  EXPECT_EQ(
      ConfigFromFlags()->principal,
      (PrincipalLimits{
          .sessions = 5,
          .cores = 0.5,
          .holding = {
              .shapes = 1, .registry_bytes = 2048, .scenes = 3, .scene_bytes = 4 * kMebibyte}}));
  ASSERT_TRUE(SetFlagByName("principal_sessions", "0").ok());
  ASSERT_TRUE(SetFlagByName("principal_cores", "0").ok());
  EXPECT_FALSE(ConfigFromFlags()->principal.sessions.has_value());
  EXPECT_FALSE(ConfigFromFlags()->principal.cores.has_value());
  ASSERT_TRUE(SetFlagByName("principal_scene_bytes", "0").ok());
  EXPECT_EQ(ConfigFromFlags()->principal.holding.scene_bytes, kNoLimit);
}

TEST_F(Flags, RefuseWrongValuesByNameValueAndLimit) {
  const struct {
    const char* name;
    const char* value;
    const char* limit;
  } rows[] = {
      {"max_batch_rows", "0", "from 1 to 4294967295"},
      {"max_request_bytes", "2GiB", "from 1 to 2147483647"},
      {"max_pieces_per_shape", "65537", "from 1 to 65536"},
      {"polling_threads", "-1", "from 0 to 1024"},
      {"worker_niceness", "20", "from 0 to 19"},
      {"check_sample", "1.5", "from 0 to 4294967295"},
      {"drain_timeout", "2h", "from 0 to 1h"},
      {"principal_cores", "-1", "0 or a number from 0.001 to 4096"},
      {"listen", "everywhere", "host:port"},
      {"reflection", "maybe", "auto, on, off"},
      {"log_level", "loud", "debug, info, warning, error"},
  };
  for (const auto& row : rows) {
    const absl::Status status = SetFlagByName(row.name, row.value);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.name;
    for (const char* const part : {row.name, row.value, row.limit}) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(part));
    }
  }
}

TEST_F(Flags, RefuseNamesThatAreNotTheServersOwn) {
  EXPECT_THAT(std::string(SetFlagByName("max_batchrows", "5").message()),
              HasSubstr("Unknown flag 'max_batchrows' (value '5')"));
}

TEST_F(Flags, RefuseLimitsThatContradictEachOther) {
  ASSERT_TRUE(SetFlagByName("max_request_bytes", "32MiB").ok());
  EXPECT_EQ(ConfigFromFlags().status().message(),
            "--max_request_bytes=32MiB: must be at most max_transport_bytes, which is 24MiB");
  ASSERT_TRUE(SetFlagByName("max_transport_bytes", "128MiB").ok());
  ASSERT_TRUE(SetFlagByName("max_request_bytes", "65MiB").ok());
  EXPECT_EQ(ConfigFromFlags().status().message(),
            "--max_request_bytes=65MiB: must be at most max_bytes_in_flight, which is 64MiB");
}

TEST_F(Flags, RefuseTokensWithoutAPolicy) {
  ASSERT_TRUE(SetFlagByName("token_file", "tokens").ok());
  EXPECT_THAT(std::string(ConfigFromFlags().status().message()),
              HasSubstr("--token_file needs a --policy_file"));
  ASSERT_TRUE(SetFlagByName("policy_file", "policy.json").ok());
  EXPECT_EQ(ConfigFromFlags()->token_file, "tokens");
  EXPECT_EQ(ConfigFromFlags()->policy_file, "policy.json");
}

TEST_F(Flags, RefuseToReadFartherAheadThanASessionDoes) {
  ASSERT_TRUE(SetFlagByName("max_messages_in_flight", "3").ok());
  EXPECT_EQ(
      ConfigFromFlags().status().message(),
      "--max_messages_in_flight=3: must be 1 or 2; a session reads at most one message ahead");
}

TEST_F(Flags, AreAllDescribedAndShownWithTheirValues) {
  ASSERT_TRUE(SetFlagByName("max_sessions", "7").ok());
  EXPECT_THAT(FlagValues(), testing::Contains(testing::Pair("max_sessions", "7")));
  const std::string description = DescribeFlags();
  for (const auto& [name, value] : FlagValues()) {
    EXPECT_THAT(description, HasSubstr(absl::StrCat("  --", name, "=")));
  }
  EXPECT_THAT(description, HasSubstr("--max_sessions=1024\n"));
}

}  // namespace
}  // namespace clearance::server
