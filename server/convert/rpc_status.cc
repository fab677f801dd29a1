// SPDX-License-Identifier: Apache-2.0

#include "server/convert/rpc_status.h"

#include <string>

#include "google/rpc/error_details.pb.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

google::rpc::ErrorInfo ErrorInfoOf(const v1::Error& error) {
  google::rpc::ErrorInfo info;
  info.set_reason(error.reason());
  info.set_domain("clearance");
  const auto add = [&info](const char* key, const std::string& value) {
    if (!value.empty()) (*info.mutable_metadata())[key] = Shorten(value);
  };
  add("field", error.field());
  add("value", error.value());
  add("limit", error.limit());
  return info;
}

}  // namespace

void FillRpcStatus(const absl::Status& status, google::rpc::Status* rpc_status) {
  rpc_status->set_code(static_cast<int>(status.code()));
  rpc_status->set_message(std::string(status.message()));
  const v1::Error error = ErrorOf(status);
  rpc_status->add_details()->PackFrom(error);
  rpc_status->add_details()->PackFrom(ErrorInfoOf(error));
  if (!error.has_retry_after()) return;
  google::rpc::RetryInfo retry;
  *retry.mutable_retry_delay() = error.retry_after();
  rpc_status->add_details()->PackFrom(retry);
}

}  // namespace clearance::server
