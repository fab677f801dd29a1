// SPDX-License-Identifier: Apache-2.0

#include "server/guard/refusal_log.h"

#include <string>

namespace clearance::server {

void RefusalLog::Write(const Caller& caller, std::string_view method, const absl::Status& status) {
  const auto held_back = allowance_.Take();
  if (!held_back.has_value()) return;
  const std::string code = absl::StatusCodeToString(status.code());
  log_.Warning("refused a call", {{"code", code},
                                  {"reason", status.message()},
                                  {"method", absl::string_view(method.data(), method.size())},
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
