// SPDX-License-Identifier: Apache-2.0
//
// The form of names of shapes: 1 to 128 characters of `[a-z0-9][a-z0-9._/-]*`.

#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace clearance::server {

// INVALID_ARGUMENT naming `field` unless the text is a name.
absl::Status CheckShapeName(std::string_view name, std::string_view field);

}  // namespace clearance::server
