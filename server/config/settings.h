// SPDX-License-Identifier: Apache-2.0
//
// The table of settings as rows: each reads its field of a ServerConfig from text and writes it.
// Some belong to a part of the server that a build may leave out.

#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/config/server_config.h"

namespace clearance::server {

// Uses of a setting besides its field.
enum SettingUse : unsigned {
  kNoUse = 0,
  kFirst = 1,      // --help shows it
  kRefuses = 2,    // refusals name it and are counted by its name
  kShown = 4,      // a gauge shows it
  kOfFence = 8,    // without effect in a build without server/fence
  kOfEtcd = 0x10,  // without effect in a build without server/etcd
};

// Strings live forever.
struct Setting {
  const char* group = "";
  const char* name = nullptr;
  const char* help = nullptr;
  const char* more = nullptr;
  bool (*parse)(absl::string_view text, ServerConfig* config) = nullptr;  // false: not allowed
  std::string (*print)(const ServerConfig& config) = nullptr;
  std::string (*allowed)() = nullptr;                      // values, as "must be" is followed by
  double (*number)(const ServerConfig& config) = nullptr;  // 0 if it is none; a time in seconds
  unsigned uses = kNoUse;
  bool is_time = false;

  bool has(SettingUse use) const { return (uses & use) != 0; }
  std::string default_value() const { return print(ServerConfig()); }
};

// In the order of the table; settings of one group follow each other.
const std::vector<Setting>& AllSettings();
// Returns null if there is no such setting.
const Setting* FindSetting(absl::string_view name);

// INVALID_ARGUMENT, naming the setting, the value and the allowed values, if there is no such
// setting or the value is not allowed.
absl::Status SetByName(absl::string_view name, absl::string_view value, ServerConfig* config);

// INVALID_ARGUMENT if settings contradict each other, or are not those of this build.
absl::Status CheckTogether(const ServerConfig& config);

struct OptionalPart {
  const char* name;
  const char* option;  // of CMake
  SettingUse use;      // of its settings
};

inline constexpr OptionalPart kFence = {"fence", "CLEARANCE_FENCE", kOfFence};
inline constexpr OptionalPart kEtcd = {"etcd store", "CLEARANCE_ETCD", kOfEtcd};

// Returns whether this build has the part that the setting is of, if it is of one.
bool IsInEffect(const Setting& setting);

// INVALID_ARGUMENT, for a build without the part, if one of its settings differs from its default.
absl::Status RefuseFlagsOf(const OptionalPart& part, const ServerConfig& config);

}  // namespace clearance::server
