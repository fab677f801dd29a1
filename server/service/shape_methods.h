// SPDX-License-Identifier: Apache-2.0
//
// The methods of ShapeService.

#ifndef CLEARANCE_SERVER_SERVICE_SHAPE_METHODS_H_
#define CLEARANCE_SERVER_SERVICE_SHAPE_METHODS_H_

#include "absl/status/status.h"
#include "clearance/v1/shape_service.pb.h"
#include "server/service/call.h"

namespace clearance::server {

absl::Status RegisterShape(const ServerParts& parts, const v1::RegisterShapeRequest& request,
                           const StopRule& stop, v1::RegisterShapeResponse* response);
// Between two items it looks whether the call is over; items that were registered by then stay.
absl::Status BatchRegisterShapes(const ServerParts& parts,
                                 const v1::BatchRegisterShapesRequest& request,
                                 const StopRule& stop, v1::BatchRegisterShapesResponse* response);
absl::Status GetShape(const ServerParts& parts, const v1::GetShapeRequest& request,
                      const StopRule& stop, v1::GetShapeResponse* response);
absl::Status ListShapes(const ServerParts& parts, const v1::ListShapesRequest& request,
                        const StopRule& stop, v1::ListShapesResponse* response);
absl::Status DeleteShape(const ServerParts& parts, const v1::DeleteShapeRequest& request,
                         const StopRule& stop, v1::DeleteShapeResponse* response);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_SHAPE_METHODS_H_
