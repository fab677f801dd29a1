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

constexpr Setting Named(const char* name, const char* help, const char* more, unsigned uses) {
  return {.name = name, .help = help, .more = more, .uses = uses};
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
#define MEMBER(kind, name, field, uses, help, more) \
  Row<setting_types::kind>(                         \
      Named(#name, help, more, uses), [](auto& config) -> auto& { return config.field; }),
#define SETTING(kind, name, default_value, uses, help, more) \
  MEMBER(kind, name, name, uses, help, more)
#define LIMIT(kind, name, default_value, uses, help, more) \
  MEMBER(kind, name, limits.name, uses, help, more)
#include "server/config/settings.def"
};

std::vector<Setting> MakeSettings() {
  std::vector<Setting> settings;
  const char* group = "";
  for (Setting row : kRows) {
    if (row.name == nullptr) {
      group = row.group;
    } else {
      row.group = group;
      settings.push_back(row);
    }
  }
  return settings;
}

const Setting* Find(absl::string_view name) {
  const auto found = absl::c_find_if(
      AllSettings(), [name](const Setting& setting) { return setting.name == name; });
  return found == AllSettings().end() ? nullptr : &*found;
}

absl::Status Refusal(absl::string_view what) { return absl::InvalidArgumentError(what); }

absl::Status CheckLimits(const ServerConfig& config) {
  const Setting& request = *Find("max_request_bytes");
  for (const char* const name : {"max_transport_bytes", "max_bytes_in_flight"}) {
    const Setting& bound = *Find(name);
    if (request.number(config) <= bound.number(config)) continue;
    return Refusal(absl::StrCat("--", request.name, "=", request.print(config),
                                ": must be at most ", name, ", which is ", bound.print(config)));
  }
  constexpr std::uint64_t kMostMessages = 2;
  const std::uint64_t messages = config.limits.max_messages_in_flight;
  if (messages > kMostMessages) {
    return Refusal(absl::StrCat("--max_messages_in_flight=", messages,
                                ": must be 1 or 2; a session reads at most one message ahead"));
  }
  return absl::OkStatus();
}

absl::Status CheckTls(const TlsFiles& tls) {
  if (tls.certificate.empty() != tls.key.empty()) {
    return Refusal("--tls_certificate and --tls_key: must be given together");
  }
  if (tls.certificate.empty() && !tls.client_ca.empty()) {
    return Refusal(
        absl::StrCat("--tls_client_ca=", tls.client_ca, ": must come with --tls_certificate"));
  }
  return absl::OkStatus();
}

absl::Status CheckStore(const EtcdConfig& etcd, const std::string& data_dir) {
  if (etcd.prefix.empty() || etcd.prefix.back() == '/')
    return Refusal("--etcd_prefix: must be given, without a / at its end");
  if (etcd.certificate.empty() != etcd.key.empty())
    return Refusal("--etcd_certificate and --etcd_key: must be given together");
  if (etcd.user.empty() != etcd.password_file.empty())
    return Refusal("--etcd_user and --etcd_password_file: must be given together");
  if (etcd.ca.empty() && !etcd.certificate.empty())
    return Refusal("--etcd_certificate: must come with --etcd_ca");
  const bool has_access = !etcd.ca.empty() || !etcd.user.empty();
  if (etcd.endpoints.empty() && has_access)
    return Refusal("--etcd_ca and --etcd_user: must come with --store=etcd://...");
  if (!etcd.endpoints.empty() && !data_dir.empty())
    return Refusal("--store and --data_dir: shapes are stored in one place; choose one");
  return absl::OkStatus();
}

absl::Status CheckAccess(const ServerConfig& config) {
  if (!config.policy_file.empty()) return absl::OkStatus();
  if (!config.token_file.empty()) {
    return Refusal(
        "--token_file needs a --policy_file: a token alone says who somebody is, not what they may "
        "do");
  }
  // Its questions come over plain HTTP, and no certificate with them.
  if (!config.page_dir.empty() && !config.tls.client_ca.empty()) {
    return Refusal(
        "--page_dir lets in who has no certificate of --tls_client_ca; it needs a --policy_file");
  }
  return absl::OkStatus();
}

}  // namespace

const std::vector<Setting>& AllSettings() {
  static const std::vector<Setting>& settings = *new std::vector<Setting>(MakeSettings());
  return settings;
}

absl::Status SetByName(absl::string_view name, absl::string_view value, ServerConfig* config) {
  const Setting* const setting = Find(name);
  if (setting == nullptr) {
    return Refusal(
        absl::StrCat("Unknown flag '", name, "' (value '", value, "'); --helpfull lists all"));
  }
  if (setting->parse(value, config)) return absl::OkStatus();
  return Refusal(absl::StrCat("Illegal value '", value, "' specified for flag '", name,
                              "'; must be ", setting->allowed()));
}

absl::Status CheckTogether(const ServerConfig& config) {
  absl::Status status;
  if (!kHasFence) status = RefuseFlagsOf(kFence, config);
  if (status.ok() && !kHasEtcd) status = RefuseFlagsOf(kEtcd, config);
  if (status.ok()) status = CheckLimits(config);
  if (status.ok()) status = CheckTls(config.tls);
  if (status.ok()) status = CheckStore(config.etcd, config.data_dir);
  if (status.ok()) status = CheckAccess(config);
  return status;
}

bool IsInEffect(const Setting& setting) {
  return (kHasFence || !setting.has(kOfFence)) && (kHasEtcd || !setting.has(kOfEtcd));
}

absl::Status RefuseFlagsOf(const OptionalPart& part, const ServerConfig& config) {
  for (const Setting& setting : AllSettings()) {
    const std::string value = setting.print(config);
    if (!setting.has(part.use) || value == setting.default_value()) continue;
    return Refusal(absl::StrCat("--", setting.name, "=", value, ": this build has no ", part.name,
                                "; leave out the flag, or build the server with -D", part.option,
                                "=ON"));
  }
  return absl::OkStatus();
}

}  // namespace clearance::server
