// SPDX-License-Identifier: Apache-2.0
//
// From what is stored to the registry that queries read, on all cores.

#ifndef CLEARANCE_SERVER_APP_RESTORE_H_
#define CLEARANCE_SERVER_APP_RESTORE_H_

#include "absl/status/status.h"
#include "server/registry/registry.h"
#include "server/storage/shape_store.h"

namespace clearance::server {

// DATA_LOSS where a digest is not that of its shape, a body cannot be read, or names and contents
// do not belong together; the registry is as it was then. Requires: the registry is empty.
absl::Status RestoreShapes(int threads, ShapeStore* store, Registry* registry);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_APP_RESTORE_H_
