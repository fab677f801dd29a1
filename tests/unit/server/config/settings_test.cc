// SPDX-License-Identifier: Apache-2.0
#include "server/config/settings.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "clearance/v1/server_service.pb.h"

namespace clearance::server {
namespace {

using testing::HasSubstr;

class Settings : public testing::Test {
 protected:
  absl::Status Set(const std::string& name, const std::string& value) {
    return SetByName(name, value, &config_);
  }
  std::string Contradiction() const { return std::string(CheckTogether(config_).message()); }

  ServerConfig config_;
};

bool IsSetting(absl::string_view name) {
  return absl::c_any_of(AllSettings(),
                        [name](const Setting& setting) { return setting.name == name; });
}

// Oracle: the message of the published contract.
TEST_F(Settings, NameEveryLimitAsTheContractDoes) {
  const google::protobuf::Descriptor& limits = *v1::Limits::descriptor();
  ASSERT_EQ(limits.field_count() * sizeof(std::uint64_t), sizeof(Limits));
  for (int i = 0; i < limits.field_count(); ++i) {
    EXPECT_TRUE(IsSetting(limits.field(i)->name())) << limits.field(i)->name();
  }
}

TEST_F(Settings, TellHowManyAnswersAreChecked) {
  EXPECT_EQ(config_.check_sample, 10'000u);
  ASSERT_TRUE(Set("check_sample", "1").ok());
  EXPECT_EQ(config_.check_sample, 1u);
  ASSERT_TRUE(Set("check_sample", "0").ok());
  EXPECT_EQ(config_.check_sample, 0u);
}

// A build without the etcd store refuses its flags whatever else is wrong with them.
TEST_F(Settings, RefuseAStoreThatCannotBe) {
  const bool has_etcd = IsInEffect(*FindSetting("store"));
  const auto expect = [has_etcd](const std::vector<std::pair<const char*, const char*>>& values,
                                 const char* refusal) {
    ServerConfig config;
    for (const auto& [name, value] : values)
      EXPECT_TRUE(SetByName(name, value, &config).ok()) << name;
    EXPECT_THAT(std::string(CheckTogether(config).message()),
                HasSubstr(has_etcd ? refusal : "this build has no etcd store"));
  };
  expect({{"store", "etcd://a:1"}, {"data_dir", "/data"}}, "choose one");
  expect({{"etcd_prefix", ""}}, "--etcd_prefix");
  expect({{"etcd_prefix", "a/"}}, "--etcd_prefix");
  expect({{"etcd_user", "u"}}, "--etcd_password_file");
  expect({{"etcd_ca", "c"}}, "--store");
  expect({{"store", "etcd://a:1"}, {"etcd_certificate", "c"}}, "--etcd_key");
  expect({{"store", "etcd://a:1"}, {"etcd_certificate", "c"}, {"etcd_key", "k"}}, "--etcd_ca");
  ASSERT_TRUE(Set("store", "etcd://a:1").ok());
  EXPECT_EQ(Contradiction().empty(), has_etcd) << Contradiction();
}

// Each limit gets a value of its own, in the order of the contract; a mix-up would show.
std::uint64_t OwnValue(int field) {
  const bool is_one_or_two =
      v1::Limits::descriptor()->field(field)->name() == "max_messages_in_flight";
  return is_one_or_two ? 1 : static_cast<std::uint64_t>(100 + field);
}

TEST_F(Settings, PutEveryLimitIntoItsOwnField) {
  const google::protobuf::Descriptor& descriptor = *v1::Limits::descriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    ASSERT_TRUE(Set(descriptor.field(i)->name(), absl::StrCat(OwnValue(i))).ok());
  }
  EXPECT_EQ(Contradiction(), "");
  const Limits& limits = config_.limits;
  const std::uint64_t values[] = {limits.max_request_bytes,
                                  limits.max_transport_bytes,
                                  limits.max_reply_bytes,
                                  limits.max_batch_rows,
                                  limits.max_batch_hulls,
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

TEST_F(Settings, TellWhatOnePrincipalMayTakeAndHoldAndZeroIsNoLimit) {
  EXPECT_EQ(config_.principal, PrincipalLimits{});
  ASSERT_TRUE(Set("principal_sessions", "5").ok());
  ASSERT_TRUE(Set("principal_cores", "0.5").ok());
  ASSERT_TRUE(Set("principal_shapes", "1").ok());
  ASSERT_TRUE(Set("principal_registry_bytes", "2KiB").ok());
  ASSERT_TRUE(Set("principal_scenes", "3").ok());
  ASSERT_TRUE(Set("principal_scene_bytes", "4MiB").ok());
  EXPECT_EQ(config_.principal, (PrincipalLimits{.sessions = 5,
                                                .cores = 0.5,
                                                .holding = {.shapes = 1,
                                                            .registry_bytes = 2048,
                                                            .scenes = 3,
                                                            .scene_bytes = 4 * kMebibyte}}));
  ASSERT_TRUE(Set("principal_sessions", "0").ok());
  ASSERT_TRUE(Set("principal_cores", "0").ok());
  EXPECT_EQ(config_.principal.sessions, kNoLimit);
  EXPECT_EQ(config_.principal.cores, kNoLimitOfCores);
  ASSERT_TRUE(Set("principal_scene_bytes", "0").ok());
  EXPECT_EQ(config_.principal.holding.scene_bytes, kNoLimit);
}

TEST_F(Settings, RefuseWrongValuesByNameValueAndLimit) {
  const struct {
    const char* name;
    const char* value;
    const char* limit;
  } rows[] = {
      {"max_batch_rows", "0", "from 1 to 4294967295"},
      {"max_request_bytes", "2GiB", "from 1 to 2147483647"},
      {"max_messages_in_flight", "3", "from 1 to 2"},
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
    const absl::Status status = Set(row.name, row.value);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.name;
    for (const char* const part : {row.name, row.value, row.limit}) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(part));
    }
  }
}

TEST_F(Settings, RefuseNamesThatAreNotTheServersOwn) {
  EXPECT_THAT(std::string(Set("max_batchrows", "5").message()),
              HasSubstr("Unknown flag 'max_batchrows' (value '5')"));
}

TEST_F(Settings, RefuseLimitsThatContradictEachOther) {
  ASSERT_TRUE(Set("max_request_bytes", "32MiB").ok());
  EXPECT_EQ(Contradiction(),
            "--max_request_bytes=32MiB: must be at most max_transport_bytes, which is 24MiB");
  ASSERT_TRUE(Set("max_transport_bytes", "128MiB").ok());
  ASSERT_TRUE(Set("max_request_bytes", "65MiB").ok());
  EXPECT_EQ(Contradiction(),
            "--max_request_bytes=65MiB: must be at most max_bytes_in_flight, which is 64MiB");
}

TEST_F(Settings, RefuseTokensWithoutAPolicy) {
  ASSERT_TRUE(Set("token_file", "tokens").ok());
  EXPECT_THAT(Contradiction(), HasSubstr("--token_file needs a --policy_file"));
  ASSERT_TRUE(Set("policy_file", "policy.json").ok());
  EXPECT_EQ(config_.token_file, "tokens");
  EXPECT_EQ(config_.policy_file, "policy.json");
}

// A value that the table prints is read as the same value.
TEST_F(Settings, PrintWhatTheyRead) {
  for (const Setting& setting : AllSettings()) {
    ASSERT_TRUE(Set(setting.name, setting.default_value()).ok()) << setting.name;
    EXPECT_EQ(setting.print(config_), setting.default_value()) << setting.name;
  }
}

// The log shows settings: a secret is in a file, of which a setting is the name.
TEST_F(Settings, HoldNoSecret) {
  for (const Setting& setting : AllSettings()) {
    for (const char* const secret : {"password", "token", "secret"}) {
      if (absl::StrContains(setting.name, secret)) {
        EXPECT_TRUE(absl::EndsWith(setting.name, "_file")) << setting.name;
      }
    }
  }
}

}  // namespace
}  // namespace clearance::server
