// SPDX-License-Identifier: Apache-2.0
//
// All kinds of questions, by the messages that ask them. A kind is a type with
//     Batch, Result  its messages
//     Questions      the same as the engine takes them
//     kKind
//     kColumns       describes the columns of a reply (reply_columns.h)
//     DetailOf(batch)               returns which of them are wanted
//     kUnitsARow, MayBeDear(batch)  or, if it asks about scenes, UnitsASearch(batch): its cost
// and has the functions FindFaults, AnswerRows and, for what questions.h does not read,
// ReadQuestions.

#pragma once

#include "clearance/v1/query_service.pb.h"
#include "server/kinds/check.h"
#include "server/kinds/distance.h"
#include "server/kinds/intersection.h"
#include "server/kinds/minimum_distance.h"
#include "server/kinds/nearest.h"
#include "server/kinds/overlap.h"
#include "server/kinds/questions.h"
#include "server/kinds/ray.h"
#include "server/kinds/sweep.h"
#include "server/kinds/time_of_collision.h"

namespace clearance::server {

template <class Batch>
struct KindOfBatch;
// The place of a kind in the messages of a session.
template <class Kind>
struct InSession;

#define QUERY(name, field, service, label, states)                                 \
  template <>                                                                      \
  struct KindOfBatch<v1::name##Batch> {                                            \
    using Kind = name##Kind;                                                       \
  };                                                                               \
  template <>                                                                      \
  struct InSession<name##Kind> {                                                   \
    static constexpr const char* kField = #field;                                  \
    static auto* Result(v1::SessionResponse* to) { return to->mutable_##field(); } \
  };
#include "server/observe/methods.def"

// The kind that such a message asks.
template <class Batch>
using KindOf = typename KindOfBatch<Batch>::Kind;

template <class Kind>
inline constexpr bool kIsAboutScene = requires(const typename Kind::Batch& batch) {
  Kind::UnitsASearch(batch);
};

// Calls visit(kind, batch) if the message asks a batch; returns false if it asks something else.
template <class Visit>
bool VisitBatch(const v1::SessionRequest& request, const Visit& visit) {
  switch (request.kind_case()) {
#define QUERY(name, field, service, label, states) \
  case v1::SessionRequest::k##name:                \
    visit(name##Kind(), request.field());          \
    return true;
#include "server/observe/methods.def"
    default:
      return false;
  }
}

}  // namespace clearance::server
