// SPDX-License-Identifier: Apache-2.0
#include "server/config/settings.h"

#include <cstdint>
#include <type_traits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "server/config/build_options.h"

namespace clearance::server {
namespace {

double NumberOf(std::uint64_t value) { return static_cast<double>(value); }
double NumberOf(absl::Duration value) { return absl::ToDoubleSeconds(value); }
template <class Value>
double NumberOf(const Value& /*value*/) {
  return 0;
}

// Fills in the functions of a row. Calling a `Field` with a ServerConfig gives its field.
template <class Kind, class Field>
constexpr Setting Row(Setting row, Field /*field*/) {
  row.parse = [](absl::string_view text, ServerConfig* config) {
    typename Kind::Value value{};
    const bool is_allowed = Kind::Parse(text, &value);
    if (is_allowed) Field()(*config) = value;
    return is_allowed;
  };
  row.print = [](const ServerConfig& config) { return Kind::Print(Field()(config)); };
  row.allowed = &Kind::Allowed;
  row.number = [](const ServerConfig& config) { return NumberOf(Field()(config)); };
  row.is_time = std::is_same_v<typename Kind::Value, absl::Duration>;
  return row;
}

constexpr Setting kRows[] = {
#define GROUP(title) Setting{.group = (title)},
#define MEMBER(kind, setting, field, bits, text, ...)                             \
  Row<setting_types::kind>(                                                       \
      {.name = #setting, .help = (text), .more = "" __VA_ARGS__, .uses = (bits)}, \
      [](auto& config) -> auto& { return config.field; }),
#define SETTING(kind, name, default_value, uses, help, ...) \
  MEMBER(kind, name, name, uses, help, __VA_ARGS__)
#define LIMIT(kind, name, default_value, uses, help, ...) \
  MEMBER(kind, name, limits.name, uses, help, __VA_ARGS__)
#include "server/config/settings.def"
};

absl::Status CheckLimits(const ServerConfig& config) {
  const Setting& request = *FindSetting("max_request_bytes");
  for (const char* const name : {"max_transport_bytes", "max_bytes_in_flight"}) {
    const Setting& bound = *FindSetting(name);
    if (request.number(config) <= bound.number(config)) continue;
    return absl::InvalidArgumentError(absl::StrCat("--", request.name, "=", request.print(config),
                                                   ": must be at most ", name, ", which is ",
                                                   bound.print(config)));
  }
  return absl::OkStatus();
}

absl::Status CheckTexts(const ServerConfig& config) {
  const TlsFiles& tls = config.tls;
  const EtcdConfig& etcd = config.etcd;
  const bool has_store = !etcd.endpoints.empty();
  const bool has_policy = !config.policy_file.empty();
  const struct {
    bool is_wrong;
    const char* refusal;
  } rules[] = {
      {tls.certificate.empty() != tls.key.empty(),
       "--tls_certificate and --tls_key: must be given together"},
      {tls.certificate.empty() && !tls.client_ca.empty(),
       "--tls_client_ca: must come with --tls_certificate"},
      {etcd.prefix.empty() || etcd.prefix.back() == '/',
       "--etcd_prefix: must be given, without a / at its end"},
      {etcd.certificate.empty() != etcd.key.empty(),
       "--etcd_certificate and --etcd_key: must be given together"},
      {etcd.user.empty() != etcd.password_file.empty(),
       "--etcd_user and --etcd_password_file: must be given together"},
      {etcd.ca.empty() && !etcd.certificate.empty(),
       "--etcd_certificate: must come with --etcd_ca"},
      {!has_store && (!etcd.ca.empty() || !etcd.user.empty()),
       "--etcd_ca and --etcd_user: must come with --store=etcd://..."},
      {has_store && !config.data_dir.empty(),
       "--store and --data_dir: shapes are stored in one place; choose one"},
      {!has_policy && !config.token_file.empty(),
       "--token_file needs a --policy_file: a token alone says who somebody is, not what they may "
       "do"},
      // Its questions come over plain HTTP, and no certificate with them.
      {!has_policy && !config.page_dir.empty() && !tls.client_ca.empty(),
       "--page_dir lets in who has no certificate of --tls_client_ca; it needs a --policy_file"},
  };
  for (const auto& [is_wrong, refusal] : rules) {
    if (is_wrong) return absl::InvalidArgumentError(refusal);
  }
  return absl::OkStatus();
}

}  // namespace

const std::vector<Setting>& AllSettings() {
  static const std::vector<Setting>& settings = *[] {
    auto* const named = new std::vector<Setting>;
    const char* group = "";
    for (Setting row : kRows) {
      if (row.name == nullptr) group = row.group;
      row.group = group;
      if (row.name != nullptr) named->push_back(row);
    }
    return named;
  }();
  return settings;
}

const Setting* FindSetting(absl::string_view name) {
  const auto found = absl::c_find_if(
      AllSettings(), [name](const Setting& setting) { return setting.name == name; });
  return found == AllSettings().end() ? nullptr : &*found;
}

absl::Status SetByName(absl::string_view name, absl::string_view value, ServerConfig* config) {
  const Setting* const setting = FindSetting(name);
  if (setting == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("Unknown flag '", name, "' (value '", value, "'); --helpfull lists all"));
  }
  if (setting->parse(value, config)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("Illegal value '", value, "' specified for flag '",
                                                 name, "'; must be ", setting->allowed()));
}

absl::Status CheckTogether(const ServerConfig& config) {
  absl::Status status;
  if (!kHasFence) status = RefuseFlagsOf(kFence, config);
  if (status.ok() && !kHasEtcd) status = RefuseFlagsOf(kEtcd, config);
  if (status.ok()) status = CheckLimits(config);
  return status.ok() ? CheckTexts(config) : status;
}

bool IsInEffect(const Setting& setting) {
  return (kHasFence || !setting.has(kOfFence)) && (kHasEtcd || !setting.has(kOfEtcd));
}

absl::Status RefuseFlagsOf(const OptionalPart& part, const ServerConfig& config) {
  for (const Setting& setting : AllSettings()) {
    const std::string value = setting.print(config);
    if (!setting.has(part.use) || value == setting.default_value()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", setting.name, "=", value, ": this build has no ", part.name,
                     "; leave out the flag, or build the server with -D", part.option, "=ON"));
  }
  return absl::OkStatus();
}

}  // namespace clearance::server
