// SPDX-License-Identifier: Apache-2.0

#include "server/guard/caller_log.h"

#include <cstddef>
#include <string>

namespace clearance::server {
namespace {

// As long as a name may be. The line shows the beginning of a longer text, which is not a name.
constexpr std::size_t kMostNameBytes = 128;

absl::string_view AsAbsl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

void WriteAudit(Log& log, const Caller& caller, const RegistryChange& change) {
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
  log.Write(LogLevel::kAudit, "registry", fields);
}

void RefusalLog::Write(const Caller& caller, std::string_view method, const absl::Status& status) {
  const auto held_back = allowance_.Take();
  if (!held_back.has_value()) return;
  const std::string code = absl::StatusCodeToString(status.code());
  log_.Warning("refused a call", {{"code", code},
                                  {"reason", status.message()},
                                  {"method", AsAbsl(method)},
                                  {"principal", caller.principal_id()},
                                  {"peer", caller.peer},
                                  {kRequestIdKey, caller.request_id},
                                  {"trace_id", caller.trace_id},
                                  {"held_back", *held_back}});
}

void RefusalLog::WriteEndOfHolder(const Caller& caller) {
  const auto held_back = allowance_of_ends_.Take();
  if (!held_back.has_value()) return;
  log_.Warning("ended a session that held deleted shapes", {{"principal", caller.principal_id()},
                                                            {"peer", caller.peer},
                                                            {kRequestIdKey, caller.request_id},
                                                            {"trace_id", caller.trace_id},
                                                            {"held_back", *held_back}});
}

}  // namespace clearance::server
