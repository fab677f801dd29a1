// SPDX-License-Identifier: Apache-2.0
//
// All kinds of questions, by the messages that ask them. Each kind NAME of methods.def has
//     NAMEBatch, NAMEBatchResult  its messages
//     NAMEQuestions               the same as the engine takes them
//     UnitsASearch(batch)         its cost, if it asks about scenes; pairs have kUnitsARow
//     FindFaults, AnswerRows and, for what ParseQuestions does not read, ReadQuestions

#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/v1/query_service.pb.h"
#include "server/config/limits.h"
#include "server/convert/batch_form.h"
#include "server/engine/row_loop.h"
#include "server/kinds/pair_kinds.h"
#include "server/kinds/scene_kinds.h"

namespace clearance::server {

#define QUERY(name, field, service, label, states)                                             \
  struct name##Kind {                                                                          \
    using Batch = v1::name##Batch;                                                             \
    using Result = std::decay_t<decltype(std::declval<v1::SessionResponse>().field())>;        \
    using Questions = name##Questions;                                                         \
    static constexpr QueryKind kKind = QueryKind::k##name;                                     \
    static Result* ResultIn(v1::SessionResponse* to) { return to->mutable_##field(); }         \
  };                                                                                           \
  name##Kind AskedKind(const v1::name##Batch& batch);                                          \
  std::vector<RowFault> FindFaults(const name##Questions& questions, const ShapeTable& table); \
  std::uint32_t AnswerRows(const name##Questions& questions, const Work& work,                 \
                           const Columns& columns);
#include "proto/methods.def"

// The kind that such a message asks.
template <class Batch>
using KindOf = decltype(AskedKind(std::declval<const Batch&>()));

template <class Kind>
inline constexpr bool kIsAboutScene = requires(const typename Kind::Batch& batch) {
  UnitsASearch(batch);
};

// Calls visit(kind, batch) if the message asks a batch; returns false if it asks something else.
template <class Visit>
bool VisitBatch(const v1::SessionRequest& request, const Visit& visit) {
  switch (request.kind_case()) {
#define QUERY(name, field, service, label, states) \
  case v1::SessionRequest::k##name:                \
    visit(name##Kind(), request.field());          \
    return true;
#include "proto/methods.def"
    default:
      return false;
  }
}

template <class Batch>
std::uint32_t RowCountOf(const Batch& batch) {
  return AboutOf(batch).count();
}

// Checks everything of a batch that is not in columns.
template <class Batch>
absl::Status CheckBatch(const Batch& batch, const Limits& limits) {
  const char* count = "count";
  if constexpr (requires { batch.pairs().count(); }) count = "pairs.count";
  if constexpr (requires { batch.configurations(); }) count = "configurations.count";
  absl::Status status = CheckCount(count, RowCountOf(batch), limits);
  status.Update(CheckOptions(batch.options()));
  if constexpr (requires { batch.max_pairs(); })
    status.Update(CheckMaxPairs(batch.max_pairs(), limits));
  if constexpr (requires { batch.tolerance(); })
    status.Update(CheckNotNegative("tolerance", batch.tolerance()));
  return status;
}

// Reads what kinds have in common, as far as these questions have it.
template <class Batch, class Questions>
void ReadCommon(const Batch& batch, ColumnReader* reader, Questions* questions) {
  if constexpr (requires { questions->max_distances; }) {
    questions->max_distances =
        reader->Read(batch.max_distances(), question::max_distances, &kAnyDistance);
  }
  if constexpr (requires { questions->groups; }) {
    questions->groups = reader->Read(batch.groups(), question::groups, &kDefaultGroups);
    questions->masks = reader->Read(batch.masks(), question::masks, &kAllGroups);
  }
  if constexpr (requires { questions->tolerance; }) questions->tolerance = batch.tolerance();
  if constexpr (requires { questions->exact; }) questions->exact = batch.exact();
  if constexpr (requires { questions->warm_start; }) questions->warm_start = batch.warm_start();
  if constexpr (requires { questions->wants_free_radii; })
    questions->wants_free_radii = batch.detail().free_radii();
  if constexpr (requires { questions->max_pairs; }) questions->max_pairs = MostPairs(batch);
  if constexpr (requires { questions->ignore_initial_contact; })
    questions->ignore_initial_contact = batch.ignore_initial_contact();
}

// Parses a batch, or refuses the message as a whole: INVALID_ARGUMENT for columns and options that
// do not fit, RESOURCE_EXHAUSTED for too many rows or pairs. Fields are named from the batch on
// (`pairs.poses_a`). `asked` is the scene of a kind that asks about one.
template <class Kind, class... Asked>
absl::StatusOr<typename Kind::Questions> ParseQuestions(const typename Kind::Batch& batch,
                                                        const Limits& limits,
                                                        const Asked&... asked) {
  if (absl::Status status = CheckBatch(batch, limits); !status.ok()) return status;
  ColumnReader reader(RowCountOf(batch));
  typename Kind::Questions questions;
  if constexpr (requires { questions.pairs; }) {
    questions.pairs = ReadPairs(batch.pairs(), &reader);
  } else if constexpr (requires { questions.configurations; }) {
    questions.configurations = ReadConfigurations(batch.configurations(), asked..., &reader);
  } else {
    questions.count = batch.count();
    questions.asked = AskedScene{asked...};
  }
  ReadCommon(batch, &reader, &questions);
  if constexpr (requires { ReadQuestions(batch, &reader, &questions); })
    ReadQuestions(batch, &reader, &questions);
  if (!reader.status().ok()) return reader.status();
  return questions;
}

}  // namespace clearance::server
