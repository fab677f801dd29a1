// SPDX-License-Identifier: Apache-2.0
//
// Batches and results of all kinds between the plain structs of the library and the generated
// messages, by the description of their columns in proto/columns.def.

#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "clearance/query.h"
#include "clearance/scene_query.h"
#include "clearance/v1/query_service.pb.h"
#include "internal/split.h"

namespace clearance::client {

// The messages of a kind of batch.
template <IsBatch Batch>
struct ProtoOf;
#define QUERY(name, field, service, label, states)                                      \
  template <>                                                                           \
  struct ProtoOf<name##Batch> {                                                         \
    using Batch = v1::name##Batch;                                                      \
    using Result = std::decay_t<decltype(std::declval<v1::SessionResponse>().field())>; \
  };
#include "proto/methods.def"

// Converts the rows of a batch to a separate message. Columns that stand for all rows are repeated
// whole.
template <IsBatch Batch>
void ToProto(const Batch& batch, RowRange rows, typename ProtoOf<Batch>::Batch* proto);

// Appends the rows of a part of a batch's answer. Indices of refused and undecided rows move up by
// `offset`, the row at which the part's message begins in the caller's batch. Numbers that mean
// nothing in the state of their row become NaN.
template <IsBatch Batch>
void AppendRows(const typename ProtoOf<Batch>::Result& part, std::uint32_t offset,
                typename Batch::Result* result);

PairDistance FromProto(const v1::PairDistanceResponse& proto);

}  // namespace clearance::client
