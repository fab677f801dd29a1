// SPDX-License-Identifier: Apache-2.0
//
// All kinds of questions, by the messages that ask them. A kind is a type with
//     Batch, Result       its messages
//     Questions, Columns  the same as the engine takes them
//     kKind, kInSession
//     kColumns            describes the columns of a reply (columns.h)
//     DetailOf(batch)     returns which of them are wanted
//     kUnitsARow, MayBeDear(batch)  or, if it asks about scenes, UnitsASearch(batch): its cost
// and has the functions FindFaults, AnswerRows and, for what questions.h does not read,
// ReadQuestions.

#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

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

template <class... Kind>
struct KindList {};
using Kinds = KindList<DistanceKind, IntersectionKind, TimeOfCollisionKind, CheckKind,
                       MinimumDistanceKind, SweepKind, RayBatchKind, NearestKind, OverlapKind>;

template <class Batch, class First, class... Rest>
auto FindKind(KindList<First, Rest...> /*kinds*/) {
  if constexpr (std::is_same_v<Batch, typename First::Batch>) {
    return First();
  } else {
    return FindKind<Batch>(KindList<Rest...>());
  }
}
// The kind that such a message asks.
template <class Batch>
using KindOf = decltype(FindKind<Batch>(Kinds()));

template <class Kind>
inline constexpr bool kIsAboutScene = requires(const typename Kind::Batch& batch) {
  Kind::UnitsASearch(batch);
};

// Calls visit(kind, batch) if the message asks a batch; returns false if it asks something else.
template <class Visit>
bool VisitBatch(const v1::SessionRequest& request, const Visit& visit) {
  const auto visit_if = [&]<class Kind>(Kind kind) {
    if (request.kind_case() != Kind::kInSession.kind) return false;
    visit(kind, std::invoke(Kind::kInSession.batch, request));
    return true;
  };
  return [&]<class... Kind>(KindList<Kind...>) { return (visit_if(Kind()) || ...); }(Kinds());
}

// Returns the part of questions that has their count and the scene that is asked.
template <class Questions>
const auto& RowsOf(const Questions& questions) {
  if constexpr (requires { questions.pairs; }) {
    return questions.pairs;
  } else if constexpr (requires { questions.configurations; }) {
    return questions.configurations;
  } else {
    return questions;
  }
}

}  // namespace clearance::server
