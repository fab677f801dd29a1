// SPDX-License-Identifier: Apache-2.0

#include "server/guard/audit.h"

#include <cstddef>
#include <string>

namespace clearance::server {
namespace {

// As long as a name may be: of what is none, because it is longer, the line shows the beginning.
constexpr std::size_t kMostNameBytes = 128;

absl::string_view AsAbsl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

void Audit::Write(const Caller& caller, const RegistryChange& change) const {
  const std::string principal = caller.principal_id();
  const LogField fields[] = {{"action", AsAbsl(change.action)},
                             {"outcome", AsAbsl(change.outcome)},
                             {"name", AsAbsl(change.name.substr(0, kMostNameBytes))},
                             {"digest", AsAbsl(change.digest)},
                             {"revision", change.revision},
                             {"principal", principal},
                             {"peer", caller.peer},
                             {kRequestIdKey, caller.request_id},
                             {"trace_id", caller.trace_id}};
  log_.Write(LogLevel::kAudit, "registry", fields);
}

}  // namespace clearance::server
