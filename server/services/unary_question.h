// SPDX-License-Identifier: Apache-2.0
//
// The batch of a unary call, whose answer is one message.

#ifndef CLEARANCE_SERVER_SERVICES_UNARY_QUESTION_H_
#define CLEARANCE_SERVER_SERVICES_UNARY_QUESTION_H_

#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/guard/refusal.h"
#include "server/schedule/stop_rule.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"

namespace clearance::server {

// The destination of an answer.
template <class Result>
struct AnswerPlace {
  const StopRule& stop;
  Result* result;
  Parts* left;
};
template <class Result>
AnswerPlace(const StopRule&, Result*, Parts*) -> AnswerPlace<Result>;

// Answers question->job or leaves parts of it. The parts keep the question alive: the job and all
// that it borrows. RESOURCE_EXHAUSTED if the answer does not fit into one reply.
template <class Question, class Result>
absl::Status AnswerWhole(const CallScope& call, const std::shared_ptr<Question>& question,
                         const AnswerPlace<Result>& place) {
  auto& job = *question->job;
  if (absl::Status status = job.RequireOneReply(); !status.ok()) return Under("batch", status);
  job.AnswerPart(place.stop, place.result, place.left);
  Parts* const left = place.left;
  if (left->count == 0) {
    job.Record(call.parts.metrics);
    return absl::OkStatus();
  }
  left->finish = [&call, question, finish = std::move(left->finish)] {
    finish();
    question->job->Record(call.parts.metrics);
  };
  return absl::OkStatus();
}

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICES_UNARY_QUESTION_H_
