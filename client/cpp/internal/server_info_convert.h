// SPDX-License-Identifier: Apache-2.0
//
// A server's information about itself, between the plain structs of the library and the generated
// messages.

#pragma once

#include "clearance/server_info.h"
#include "clearance/v1/server_service.pb.h"

namespace clearance::client {

ServerInfo FromProto(const v1::GetServerInfoResponse& proto);

}  // namespace clearance::client
