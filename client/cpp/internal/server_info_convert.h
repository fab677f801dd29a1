// SPDX-License-Identifier: Apache-2.0
//
// A server's information about itself, between the plain structs of the library and the generated
// messages.

#ifndef CLEARANCE_INTERNAL_SERVER_INFO_CONVERT_H_
#define CLEARANCE_INTERNAL_SERVER_INFO_CONVERT_H_

#include "clearance/server_info.h"
#include "clearance/v1/server_service.pb.h"

namespace clearance::client {

ServerInfo FromProto(const v1::GetServerInfoResponse& proto);

}  // namespace clearance::client

#endif  // CLEARANCE_INTERNAL_SERVER_INFO_CONVERT_H_
