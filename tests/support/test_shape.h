// SPDX-License-Identifier: Apache-2.0
//
// The shape under test of a body of a test.

#pragma once

#include "core/shape/convex_shape.h"
#include "tests/support/body.h"

namespace clearance::testing {

// The shape under test. A refusal fails the test and ends the process: generators make valid bodies
// only.
ConvexShapePtr MakeShape(const Body& body);

}  // namespace clearance::testing
