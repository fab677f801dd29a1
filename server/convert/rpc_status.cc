// SPDX-License-Identifier: Apache-2.0

#include "server/convert/rpc_status.h"

#include <string>

#include "server/guard/refusal.h"

namespace clearance::server {

void FillRpcStatus(const absl::Status& status, google::rpc::Status* rpc_status) {
  rpc_status->set_code(static_cast<int>(status.code()));
  rpc_status->set_message(std::string(status.message()));
  rpc_status->add_details()->PackFrom(ErrorOf(status));
}

}  // namespace clearance::server
