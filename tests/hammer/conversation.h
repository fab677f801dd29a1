// SPDX-License-Identifier: Apache-2.0
//
// Valid requests of every kind, as random as one likes.

#pragma once

#include <google/protobuf/message.h>

#include <vector>

#include "clearance/v1/query_service.pb.h"
#include "tests/support/random.h"

namespace clearance::hammer {

v1::Shape AnyShape(testing::Random* random);

// The query bodies of a session, or of a request, that questions about configurations are of.
inline constexpr int kQueryBodies = 3;

// Fills a batch with so many rows: any column, setting and flag that it has, by proto/columns.def.
// It is of the slots 0 to 2 and the scene slot 0; some rows are refused: slot 3 is not open.
void FillBatch(int rows, testing::Random* random, google::protobuf::Message* batch);

// Opens the slots 0 to 2, then asks `batches` times `rows` rows, each kind of pairs in turn.
std::vector<v1::SessionRequest> AnyConversation(int batches, int rows, testing::Random* random);

}  // namespace clearance::hammer
