// SPDX-License-Identifier: Apache-2.0
//
// Valid requests of every kind, as random as one likes.

#pragma once

#include <vector>

#include "clearance/v1/query_service.pb.h"
#include "tests/support/random.h"

namespace clearance::hammer {

v1::Shape AnyShape(testing::Random* random);

// Pairs of the slots 0 to 2 at random places; some are refused: slot 3 is not open.
v1::PairColumns AnyPairs(int rows, testing::Random* random);
v1::DistanceBatch AnyDistances(int rows, testing::Random* random);
v1::IntersectionBatch AnyIntersections(int rows, testing::Random* random);
v1::TimeOfCollisionBatch AnyMotions(int rows, testing::Random* random);

// Opens the slots 0 to 2, then asks `batches` times `rows` rows, each kind in turn.
std::vector<v1::SessionRequest> AnyConversation(int batches, int rows, testing::Random* random);

}  // namespace clearance::hammer
