// SPDX-License-Identifier: Apache-2.0
//
// From what is stored to the registry that queries read, on all cores.

#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/registry/registry.h"
#include "server/storage/shape_store.h"

namespace clearance::server {

// DATA_LOSS where the digest is not that of the shape, or the body cannot be read.
absl::StatusOr<ShapeContentPtr> ReadStored(const StoredContent& stored);

// DATA_LOSS where the name, its revision or its owner cannot be, or it has no content.
absl::StatusOr<NamedShape> ReadStored(const StoredName& stored, std::uint64_t revision,
                                      const ShapeContentPtr& content);

// DATA_LOSS where a digest is not that of its shape, a body cannot be read, or names and contents
// do not belong together; the registry is as it was then. Requires: the registry is empty.
absl::Status RestoreShapes(int threads, ShapeSource* store, Registry* registry);

}  // namespace clearance::server
