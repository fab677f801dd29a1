// SPDX-License-Identifier: Apache-2.0

#include "server/config/optional_parts.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "server/config/build_options.h"
#include "server/config/settings.h"

namespace clearance::server {
namespace {

constexpr absl::string_view kFenceFlags[] = {"max_connections", "max_connections_per_address",
                                             "ban_after_cut", "max_streams"};
constexpr absl::string_view kEtcdFlags[] = {
    "store",     "etcd_prefix",        "etcd_ca",        "etcd_certificate",   "etcd_key",
    "etcd_user", "etcd_password_file", "store_patience", "ready_without_store"};

}  // namespace

const OptionalPart kFence = {"fence", "CLEARANCE_FENCE", kFenceFlags};
const OptionalPart kEtcd = {"etcd store", "CLEARANCE_ETCD", kEtcdFlags};

absl::Status RefuseFlagsOf(const OptionalPart& part, const ServerConfig& config) {
  for (const Setting& setting : AllSettings()) {
    const std::string value = setting.print(config);
    if (!absl::c_linear_search(part.flags, setting.name) || value == setting.default_value())
      continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", setting.name, "=", value, ": this build has no ", part.name,
                     "; leave out the flag, or build the server with -D", part.option, "=ON"));
  }
  return absl::OkStatus();
}

absl::Status RefuseFlagsOfAbsentParts(const ServerConfig& config) {
  absl::Status status = kHasFence ? absl::OkStatus() : RefuseFlagsOf(kFence, config);
  if (status.ok() && !kHasEtcd) status = RefuseFlagsOf(kEtcd, config);
  return status;
}

bool IsInEffect(absl::string_view flag) {
  return (kHasFence || !absl::c_linear_search(kFence.flags, flag)) &&
         (kHasEtcd || !absl::c_linear_search(kEtcd.flags, flag));
}

}  // namespace clearance::server
