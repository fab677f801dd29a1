// SPDX-License-Identifier: Apache-2.0
#include "tests/acceptance/asker.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "clearance/session.h"

namespace clearance::acceptance {
namespace {

using Outcome = Answer::Outcome;

constexpr std::size_t kRowsPerSession = 8192;

// Returns whether a status is a refusal of the contract, as opposed to a failure of the transport
// or of the server.
bool IsTypedRefusal(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

std::string Text(const client::Error& error) {
  return error.field + " = " + error.value + ", limit " + error.limit + ": " + error.message;
}

void Fail(const absl::Status& status, Answer* answer) {
  answer->outcome = IsTypedRefusal(status) ? Outcome::kRefused : Outcome::kLost;
  answer->reason = status.ToString();
}

// The rows of one kind of a session, and the places of their answers.
struct Rows {
  client::Pairs pairs;
  std::vector<Answer*> answers;

  void Add(const Question& question, const std::map<std::size_t, std::uint32_t>& slots,
           Answer* answer) {
    ++pairs.count;
    pairs.slots_a.push_back(slots.at(question.shape_a));
    pairs.slots_b.push_back(slots.at(question.shape_b));
    client::AppendPose(question.pose_a, &pairs.poses_a);
    client::AppendPose(question.pose_b, &pairs.poses_b);
    answers.push_back(answer);
  }
};

template <class Result>
void TakeErrors(const Result& result, const Rows& rows) {
  for (const client::Error& error : result.errors) {
    if (error.index < rows.answers.size()) rows.answers[error.index]->reason = Text(error);
  }
  for (const client::UndecidedRow& row : result.undecided) {
    if (row.index < rows.answers.size()) rows.answers[row.index]->reason = client::Name(row.reason);
  }
}

Answer FromDistance(const client::DistanceResult& result, std::size_t i, std::string reason) {
  using client::State;
  const State state = result.states[i];
  Answer answer;
  answer.reason = std::move(reason);
  if (state == State::kRefused) answer.outcome = Outcome::kRefused;
  if (state == State::kUndecided) answer.outcome = Outcome::kUndecided;
  if (state != State::kSeparated && state != State::kTouching && state != State::kPenetrating)
    return answer;
  answer.outcome = Outcome::kAnswered;
  answer.touches = state == State::kTouching;
  answer.intersects = state != State::kSeparated;
  answer.distance = result.distances[i];
  return answer;
}

Answer FromTimeOfCollision(const client::TimeOfCollisionResult& result, std::size_t i,
                           std::string reason) {
  using client::MotionState;
  const MotionState state = result.states[i];
  Answer answer;
  answer.reason = std::move(reason);
  if (state == MotionState::kRefused) answer.outcome = Outcome::kRefused;
  if (state == MotionState::kUndecided) answer.outcome = Outcome::kUndecided;
  if (state != MotionState::kFree && state != MotionState::kHit &&
      state != MotionState::kInitiallyOverlapping) {
    return answer;
  }
  answer.outcome = Outcome::kAnswered;
  answer.overlaps_at_start = state == MotionState::kInitiallyOverlapping;
  answer.hits = state != MotionState::kFree;
  answer.toc = state == MotionState::kHit ? result.t_hit[i] : 0;
  return answer;
}

template <class Result, class Convert>
void Take(const absl::StatusOr<Result>& result, const Rows& rows, Convert convert) {
  if (!result.ok() || result->states.size() != rows.answers.size()) {
    const absl::Status status =
        result.ok() ? absl::InternalError("a reply of another length") : result.status();
    for (Answer* answer : rows.answers) Fail(status, answer);
    return;
  }
  TakeErrors(*result, rows);
  for (std::size_t i = 0; i < rows.answers.size(); ++i) {
    *rows.answers[i] = convert(*result, i, std::move(rows.answers[i]->reason));
  }
}

// One session: shapes take slots in the order in which questions name them.
class Conversation {
 public:
  Conversation(const client::Client& client, absl::Span<const TableShape> shapes)
      : session_(client.OpenSession()), shapes_(shapes) {}

  std::size_t slot_count() const { return slots_.size(); }

  void Add(const Question& question, Answer* answer) {
    if (IsAnsweredHere(question, answer)) return;
    for (const std::size_t shape : {question.shape_a, question.shape_b}) Open(shape);
    if (!question.motions) {
      distances_.Add(question, slots_, answer);
      return;
    }
    times_.Add(question, slots_, answer);
    const auto& [a, b] = *question.motions;
    client::AppendVec3(a.displacement, &batch_.displacements_a);
    client::AppendVec3(b.displacement, &batch_.displacements_b);
    client::AppendVec3(a.rotation, &batch_.rotations_a);
    client::AppendVec3(b.rotation, &batch_.rotations_b);
  }

  void Run() {
    TakeOpenReplies();
    if (distances_.pairs.count > 0) {
      client::DistanceBatch batch;
      batch.pairs = std::move(distances_.pairs);
      Take(session_->Ask(batch), distances_, FromDistance);
    }
    if (times_.pairs.count > 0) {
      batch_.pairs = std::move(times_.pairs);
      Take(session_->Ask(batch_), times_, FromTimeOfCollision);
    }
  }

 private:
  // Nothing is asked about shapes that were not sent.
  bool IsAnsweredHere(const Question& question, Answer* answer) const {
    for (const std::size_t shape : {question.shape_a, question.shape_b}) {
      const auto* not_sent = std::get_if<NotSent>(&shapes_[shape]);
      if (not_sent == nullptr) continue;
      answer->outcome = Outcome::kSelfRefused;
      answer->reason = not_sent->reason;
    }
    return answer->outcome != Outcome::kLost;
  }

  void Open(std::size_t shape) {
    const auto [slot, is_new] =
        slots_.try_emplace(shape, static_cast<std::uint32_t>(slots_.size()));
    if (!is_new) return;
    // A failed send shows again in every later call of the session.
    session_
        ->Send(client::OpenShape{slot->second, std::get<client::ShapeReference>(shapes_[shape]), 0})
        .IgnoreError();
  }

  // A refused shape poisons its slot: its rows come back refused one by one.
  void TakeOpenReplies() {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!session_->Next().ok()) return;
    }
  }

  std::unique_ptr<client::Session> session_;
  absl::Span<const TableShape> shapes_;
  std::map<std::size_t, std::uint32_t> slots_;
  Rows distances_;
  Rows times_;
  client::TimeOfCollisionBatch batch_;
};

}  // namespace

std::vector<Answer> AskAll(const client::Client& client, const client::Limits& limits,
                           absl::Span<const TableShape> shapes,
                           absl::Span<const Question> questions) {
  std::vector<Answer> answers(questions.size());
  const std::size_t most_slots = std::max<std::uint64_t>(2, limits.max_slots_per_session);
  for (std::size_t i = 0; i < questions.size();) {
    Conversation conversation(client, shapes);
    const std::size_t end = std::min(questions.size(), i + kRowsPerSession);
    for (; i < end && conversation.slot_count() + 2 <= most_slots; ++i) {
      if (!questions[i].is_in_scene) conversation.Add(questions[i], &answers[i]);
    }
    conversation.Run();
  }
  return answers;
}

}  // namespace clearance::acceptance
