// SPDX-License-Identifier: Apache-2.0
//
// The digest of a shape as a message holds it.

#pragma once

#include <string>

#include "clearance/v1/shape.pb.h"

namespace clearance::server {

// By the rules of registry/digest.h. Requires: pieces of compounds are no compounds.
std::string DigestOf(const v1::Shape& shape);

}  // namespace clearance::server
