// SPDX-License-Identifier: Apache-2.0

#include "server/config/optional_parts.h"

#include <string>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "server/config/build_options.h"

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

absl::Status RefuseFlagsOf(const OptionalPart& part) {
  for (const absl::string_view name : part.flags) {
    const absl::CommandLineFlag* const flag = absl::FindCommandLineFlag(name);
    const std::string value = flag->CurrentValue();
    if (value == flag->DefaultValue()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, "=", value, ": this build has no ", part.name,
                     "; leave out the flag, or build the server with -D", part.option, "=ON"));
  }
  return absl::OkStatus();
}

absl::Status RefuseFlagsOfAbsentParts() {
  absl::Status status = kHasFence ? absl::OkStatus() : RefuseFlagsOf(kFence);
  if (status.ok() && !kHasEtcd) status = RefuseFlagsOf(kEtcd);
  return status;
}

}  // namespace clearance::server
