// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "server/engine/row_loop.h"
#include "server/engine/row_reader.h"
#include "server/engine/scene_answer.h"

namespace clearance::server {
namespace {

// What a row lists ends with it, whatever becomes of it. Kinds that list nothing have no `listed`.
template <class Columns>
class RowsList {
 public:
  explicit RowsList(const Columns& columns) : columns_(columns) {}
  ~RowsList() {
    if constexpr (requires { columns_.listed; }) {
      PairList* const list = columns_.listed.list;
      if (list != nullptr) list->offsets.push_back(static_cast<std::uint32_t>(list->states.size()));
    }
  }
  RowsList(const RowsList&) = delete;
  RowsList& operator=(const RowsList&) = delete;

 private:
  const Columns& columns_;
};

// Of a row that nobody asked, refused or not reached: an empty list must not pass for a whole one.
template <class Columns>
void PutNotListed(const Columns& columns, std::uint32_t i) {
  if constexpr (requires { columns.listed; }) PutNumber(columns.listed.truncated, i, true);
}

// What a row has told, whatever its kind.
struct RowSummary {
  int state = 0;
  UndecidedReason reason = UndecidedReason::kNone;
  SceneCounters counters;
};

// Looks at a sample of answers once more, of kinds that have Find.
template <class Kind>
struct AnsweredRow {
  std::uint32_t row;
  const typename Kind::Answer& answer;
  UndecidedReason reason;
};
template <class Kind>
void CheckAnswered(const Work& work, const Kind& kind, const AnsweredRow<Kind>& answered) {
  work.checks->CheckScene([&](PairTurn turn) {
    SceneFinding finding = kind.Find(answered.row, answered.answer, turn);
    finding.row = answered.row;
    finding.reason = answered.reason;
    return finding;
  });
}

// Kind has: questions, columns, kRefused, kUndecided, Answer, Ask(row, i) -> Answer, which looks at
// the pacer and lists what the row lists in passing, Put(answer, i) -> RowSummary,
// PutNotReached(i), of rows that are given up before they are begun, and, if its answers are
// checked by sample, Find(row, answer, turn) -> SceneFinding.
template <class Kind>
void ForEachSceneRow(const Work& work, Pacer* pacer, const Kind& kind) {
  std::size_t next_fault = 0;
  for (std::uint32_t i = 0; i < work.count; ++i) {
    const std::uint32_t row = work.first + i;
    const RowsList list(kind.columns);
    if (next_fault < work.faults.size() && work.faults[next_fault].index == row) {
      ++next_fault;
      kind.columns.states[i] = kind.kRefused;
      PutNotListed(kind.columns, i);
      work.tally.AddRefused();
      continue;
    }
    if (!pacer->Spend(kVerticesARow)) {
      kind.columns.states[i] = kind.kUndecided;
      kind.PutNotReached(i);
      PutNotListed(kind.columns, i);
      work.tally.AddNotReached();
      work.undecided.push_back({row, UndecidedReason::kBudget});
      continue;
    }
    const typename Kind::Answer answer = kind.Ask(row, i);
    const RowSummary summary = kind.Put(answer, i);
    kind.columns.states[i] = summary.state;
    work.tally.AddSceneRow({.state = static_cast<std::uint8_t>(summary.state),
                            .reason = summary.reason,
                            .nodes = summary.counters.nodes,
                            .candidates = summary.counters.candidates,
                            .exact = summary.counters.exact});
    if (summary.reason != UndecidedReason::kNone) work.undecided.push_back({row, summary.reason});
    if constexpr (requires { kind.Find(row, answer, PairTurn()); }) {
      if (pacer->has_stopped() || work.checks == nullptr || !work.checks->Wants()) continue;
      CheckAnswered<Kind>(work, kind, {row, answer, summary.reason});
      pacer->LookNow();
    }
  }
}

// Each thread keeps what questions work in, as large as the most bodies that it was ever asked
// about need it: a message of one row would otherwise spend more on memory than on the row.
struct ThreadRoom {
  SceneScratch scratch;
  std::vector<Pose> poses;
  std::vector<Pose> poses_ahead;  // of several rows
  std::vector<CheckAnswer> checks_ahead;
  std::vector<Motion> motions;
  std::vector<PairDistance> nearest;
  OwnPairs own_pairs;
};
ThreadRoom& RoomOfThread() {
  thread_local ThreadRoom room;
  return room;
}

// As many rows at least as make it worth while to look at all own pairs once.
constexpr std::uint32_t kRowsForOwnPairs = 4;

// What a row is asked with.
struct RowTools {
  Pacer* pacer;
  ThreadRoom& room = RoomOfThread();
  const OwnPairs* own_pairs = nullptr;

  // Which own bodies are asked against each other, once for all rows, where these are enough.
  void FindOwnPairs(const ConfigurationRows& rows, std::uint32_t count) {
    if (count < kRowsForOwnPairs || rows.asked.bodies.size() > kMostBodiesSideBySide) return;
    room.own_pairs.Find(AskerAnywhere(rows.asked));
    own_pairs = &room.own_pairs;
  }

  // Its bodies stand where they were attached.
  Asker AskerAnywhere(const AskedScene& asked) const {
    return {.scene = *asked.scene,
            .bodies = asked.bodies,
            .poses = {},
            .rules = asked.rules,
            .among = asked.among,
            .pacer = pacer,
            .own_pairs = own_pairs};
  }

  Asker AskerOf(const ConfigurationRows& rows, std::uint32_t row) const {
    const AskedScene& asked = rows.asked;
    Asker asker = AskerAnywhere(asked);
    if (rows.poses.data == nullptr) return asker;
    room.poses.resize(asked.bodies.size());
    CopyPoses(rows, row, room.poses.data());
    asker.poses = room.poses;
    return asker;
  }

  // With who asked: good until the next row.
  SceneFinding FindingOf(const AskedScene& asked, const Asker& asker) const {
    SceneFinding finding;
    finding.scene = asked.name;
    finding.revision = asked.revision;
    finding.bodies = asker.bodies;
    finding.poses = asker.poses;
    return finding;
  }
};

void PutPair(const IdPairColumns& columns, std::uint32_t i, const IdPair& pair) {
  PutNumber(columns.bodies_a, i, pair.a);
  PutNumber(columns.bodies_b, i, pair.b);
  PutNumber(columns.is_self, i, pair.is_self);
}

void PutNothingKnown(absl::Span<double> lower_bounds, absl::Span<double> upper_bounds,
                     std::uint32_t i) {
  PutNumber(lower_bounds, i, -std::numeric_limits<double>::infinity());
  PutNumber(upper_bounds, i, std::numeric_limits<double>::infinity());
}

SceneCounters Sum(const SceneCounters& a, const SceneCounters& b) {
  return {a.nodes + b.nodes, a.candidates + b.candidates, a.exact + b.exact};
}

void ListPair(const IdPair& pair, int state, PairList* list) {
  list->bodies_a.push_back(pair.a);
  list->bodies_b.push_back(pair.b);
  list->is_self.push_back(pair.is_self);
  list->states.push_back(state);
}

void ListNumber(bool wanted, double value, std::vector<double>* column) {
  if (wanted) column->push_back(value);
}

void ListVector(bool wanted, const Vec3d& v, std::vector<double>* column) {
  if (wanted) column->insert(column->end(), {v.x, v.y, v.z});
}

void ListVerdict(const PairListColumns& columns, const PairVerdict& found) {
  PairList* const list = columns.list;
  ListPair(found.pair, static_cast<int>(found.verdict), list);
  ListNumber(columns.has_bounds, found.bracket.lower, &list->lower_bounds);
  ListNumber(columns.has_bounds, found.bracket.upper, &list->upper_bounds);
}

void ListDistance(const PairListColumns& columns, const PairDistance& found) {
  PairList* const list = columns.list;
  const DistanceAnswer& distance = found.distance;
  const bool is_known = distance.state != State::kUndecided;
  ListPair(found.pair, static_cast<int>(distance.state), list);
  ListNumber(columns.has_distances, is_known ? distance.distance : 0, &list->distances);
  ListNumber(columns.has_bounds, distance.bracket.lower, &list->lower_bounds);
  ListNumber(columns.has_bounds, distance.bracket.upper, &list->upper_bounds);
  ListVector(columns.has_points, is_known ? distance.p_WA : Vec3d{}, &list->points_a);
  ListVector(columns.has_points, is_known ? distance.p_WB : Vec3d{}, &list->points_b);
  ListVector(columns.has_normals, is_known ? distance.n_AB : Vec3d{}, &list->normals);
}

void ListSweep(const PairListColumns& columns, const PairSweep& found) {
  PairList* const list = columns.list;
  const TimeOfCollisionAnswer& contact = found.contact;
  const bool is_hit = contact.state == MotionState::kHit;
  const bool is_initial = contact.state == MotionState::kInitiallyOverlapping;
  const bool has_contact = is_hit || is_initial;
  ListPair(found.pair, static_cast<int>(contact.state), list);
  ListNumber(columns.has_times, is_initial ? 0 : contact.t_free, &list->t_free);
  ListNumber(columns.has_times, is_hit ? contact.t_hit : 0, &list->t_hit);
  ListNumber(columns.has_t_leave, is_initial ? 0 : contact.t_leave, &list->t_leave);
  ListNumber(columns.has_distances, has_contact ? contact.distance : 0, &list->distances);
  ListVector(columns.has_points, has_contact ? contact.p_WA : Vec3d{}, &list->points_a);
  ListVector(columns.has_points, has_contact ? contact.p_WB : Vec3d{}, &list->points_b);
  ListVector(columns.has_normals, has_contact ? contact.n_AB : Vec3d{}, &list->normals);
}

// What a row lists, and where.
struct ListOfRow {
  const PairListColumns& columns;
  std::uint32_t row;
  std::uint32_t most;
};
template <class Columns, class Questions>
ListOfRow PairListOf(const Columns& columns, const Questions& questions, std::uint32_t row) {
  return {columns.listed, row, questions.max_pairs};
}

// Lists what it is shown of a row, up to so many.
class PairLister {
 public:
  explicit PairLister(const ListOfRow& list)
      : columns_(list.columns), row_(list.row), most_(list.most) {}

  // False where there is no room.
  bool Add(const PairVerdict& found) { return List(found, ListVerdict); }
  bool Add(const PairSweep& found) { return List(found, ListSweep); }
  // There may be more that nobody looked at.
  void CutShort() { columns_.truncated[row_] = true; }

 private:
  template <class Found>
  bool List(const Found& found, void (*list)(const PairListColumns&, const Found&)) {
    const bool has_room = listed_ < most_;
    if (has_room) {
      list(columns_, found);
      ++listed_;
    } else {
      CutShort();
    }
    return has_room;
  }

  const PairListColumns& columns_;
  const std::uint32_t row_;
  const std::uint32_t most_;
  std::uint32_t listed_ = 0;
};

// Lists what touches, or may, in an answer that says that something does, if it is asked for.
void ListVerdicts(const Asker& asker, const RowTools& tools, const ListOfRow& list,
                  CheckAnswer* answer) {
  if (list.columns.list == nullptr) return;
  PairLister lister(list);
  const auto sink = [&](const PairVerdict& found) { return lister.Add(found); };
  answer->counters = Sum(answer->counters, CheckAll(asker, sink, &tools.room.scratch).counters);
  if (tools.pacer->has_stopped()) lister.CutShort();
}

// Checks several rows before their turn, side by side, and hands the answers out one by one.
class ChecksAhead {
 public:
  // Keeps references.
  ChecksAhead(const ConfigurationRows& rows, const Work& work)
      : rows_(rows), work_(work), next_row_(work.first) {}

  // The answer of the next row that is not refused. Requires: tools with own pairs, rows with
  // poses.
  CheckAnswer Take(const RowTools& tools) {
    if (next_answer_ == tools.room.checks_ahead.size() || !has_begun_) AskNext(tools);
    return tools.room.checks_ahead[next_answer_++];
  }

 private:
  void AskNext(const RowTools& tools) {
    has_begun_ = true;
    next_answer_ = 0;
    std::vector<Pose>& poses = tools.room.poses_ahead;
    const std::size_t bodies = rows_.asked.bodies.size();
    poses.resize(kChecksAtOnce * bodies);
    std::size_t count = 0;
    for (; next_row_ < work_.first + work_.count && count < kChecksAtOnce; ++next_row_) {
      if (next_fault_ < work_.faults.size() && work_.faults[next_fault_].index == next_row_) {
        ++next_fault_;
        continue;
      }
      CopyPoses(rows_, next_row_, poses.data() + count * bodies);
      ++count;
    }
    std::vector<CheckAnswer>& answers = tools.room.checks_ahead;
    answers.resize(count);
    const auto asked = absl::MakeConstSpan(poses).first(count * bodies);
    CheckConfigurations({tools.AskerAnywhere(rows_.asked), asked}, {}, absl::MakeSpan(answers),
                        &tools.room.scratch);
  }

  const ConfigurationRows& rows_;
  const Work& work_;
  std::uint32_t next_row_;
  std::size_t next_fault_ = 0;
  std::size_t next_answer_ = 0;
  bool has_begun_ = false;
};

struct CheckKind {
  static constexpr int kRefused = kVerdictRefused;
  static constexpr int kUndecided = static_cast<int>(Verdict::kUndecided);

  const CheckQuestions& questions;
  const CheckColumns& columns;
  const RowTools& tools;
  ChecksAhead* ahead;

  using Answer = CheckAnswer;

  clearance::CheckOptions Options() const {
    return {.wants_free_radius = questions.wants_free_radii};
  }

  // Whether rows are few pairs each, and enough to be asked side by side.
  bool GoesAhead() const {
    return tools.own_pairs != nullptr && questions.configurations.poses.data != nullptr &&
           !questions.wants_free_radii;
  }

  CheckAnswer Ask(std::uint32_t row, std::uint32_t i) const {
    if (GoesAhead()) return Listed(row, i, ahead->Take(tools));
    const Asker asker = tools.AskerOf(questions.configurations, row);
    return Listed(row, i, CheckScene(asker, Options(), &tools.room.scratch));
  }

  // With what is listed of the row.
  CheckAnswer Listed(std::uint32_t row, std::uint32_t i, CheckAnswer answer) const {
    if (answer.verdict == Verdict::kFree || columns.listed.list == nullptr) return answer;
    const Asker asker = tools.AskerOf(questions.configurations, row);
    ListVerdicts(asker, tools, PairListOf(columns, questions, i), &answer);
    return answer;
  }

  RowSummary Put(const CheckAnswer& answer, std::uint32_t i) const {
    if (answer.verdict == Verdict::kFree) {
      PutNumber(columns.free_radii, i, answer.free_radius);
    } else {
      PutPair(columns.pairs, i, answer.first.pair);
      PutNumber(columns.lower_bounds, i, answer.first.bracket.lower);
      PutNumber(columns.upper_bounds, i, answer.first.bracket.upper);
    }
    return {static_cast<int>(answer.verdict), answer.reason, answer.counters};
  }

  SceneFinding Find(std::uint32_t row, const CheckAnswer& answer, PairTurn turn) const {
    const Asker asker = tools.AskerOf(questions.configurations, row);
    SceneFinding finding = tools.FindingOf(questions.configurations.asked, asker);
    finding.kind = QueryKind::kCheck;
    finding.options = Options();
    finding.look = FindContradiction(asker, answer, turn);
    return finding;
  }

  void PutNotReached(std::uint32_t i) const {
    PutNothingKnown(columns.lower_bounds, columns.upper_bounds, i);
  }
};

struct ClearanceKind {
  static constexpr int kRefused = kStateRefused;
  static constexpr int kUndecided = static_cast<int>(State::kUndecided);

  const ClearanceQuestions& questions;
  const ClearanceColumns& columns;
  const RowTools& tools;

  using Answer = ClearanceAnswer;

  ClearanceOptions OptionsOf(std::uint32_t row) const {
    return {.max_distance = *questions.max_distances.at(row),
            .tolerance = questions.tolerance,
            .exact = questions.exact};
  }

  ClearanceAnswer Ask(std::uint32_t row, std::uint32_t /*i*/) const {
    return Clearance(tools.AskerOf(questions.configurations, row), OptionsOf(row),
                     &tools.room.scratch);
  }

  RowSummary Put(const ClearanceAnswer& answer, std::uint32_t i) const {
    const DistanceAnswer& distance = answer.distance;
    PutNumber(columns.lower_bounds, i, distance.bracket.lower);
    PutNumber(columns.upper_bounds, i, distance.bracket.upper);
    PutNumber(columns.free_radii, i, answer.free_radius);
    if (answer.has_pair) PutPair(columns.pairs, i, answer.pair);
    if (distance.state != State::kBeyond && distance.state != State::kUndecided) {
      PutNumber(columns.distances, i, distance.distance);
      PutVector(columns.points_a, i, distance.p_WA);
      PutVector(columns.points_b, i, distance.p_WB);
      PutVector(columns.normals, i, distance.n_AB);
    }
    return {static_cast<int>(distance.state), distance.reason, answer.counters};
  }

  SceneFinding Find(std::uint32_t row, const ClearanceAnswer& answer, PairTurn turn) const {
    const Asker asker = tools.AskerOf(questions.configurations, row);
    SceneFinding finding = tools.FindingOf(questions.configurations.asked, asker);
    finding.kind = QueryKind::kClearance;
    const ClearanceOptions options = OptionsOf(row);
    finding.options = options;
    finding.look = FindContradiction(AskedClearance{asker, options}, answer, turn);
    return finding;
  }

  void PutNotReached(std::uint32_t i) const {
    PutNothingKnown(columns.lower_bounds, columns.upper_bounds, i);
  }
};

struct NearestKind {
  static constexpr int kRefused = kStateRefused;
  static constexpr int kUndecided = static_cast<int>(State::kUndecided);

  const NearestQuestions& questions;
  const NearestColumns& columns;
  const RowTools& tools;

  using Answer = NearestAnswer;

  // The pairs stay until the next row.
  absl::Span<PairDistance> Room() const {
    std::vector<PairDistance>& nearest = tools.room.nearest;
    nearest.resize(std::max<std::size_t>(nearest.size(), questions.max_pairs));
    return absl::MakeSpan(nearest).first(questions.max_pairs);
  }

  NearestAnswer Ask(std::uint32_t row, std::uint32_t /*i*/) const {
    const ClearanceOptions options = {.max_distance = *questions.max_distances.at(row),
                                      .tolerance = questions.tolerance,
                                      .exact = questions.exact};
    return Nearest(tools.AskerOf(questions.configurations, row), options, Room(),
                   &tools.room.scratch);
  }

  // What was found until a pacer stopped it need not be the nearest.
  RowSummary Put(const NearestAnswer& answer, std::uint32_t /*i*/) const {
    if (tools.pacer->has_stopped()) return {kUndecided, UndecidedReason::kBudget, answer.counters};
    const absl::Span<const PairDistance> nearest = Room().first(answer.size);
    for (const PairDistance& pair : nearest) ListDistance(columns.listed, pair);
    if (nearest.empty())
      return {.state = static_cast<int>(State::kBeyond), .counters = answer.counters};
    const DistanceAnswer& first = nearest.front().distance;
    return {static_cast<int>(first.state), first.reason, answer.counters};
  }

  void PutNotReached(std::uint32_t /*i*/) const {}
};

struct OverlapKind {
  static constexpr int kRefused = kVerdictRefused;
  static constexpr int kUndecided = static_cast<int>(Verdict::kUndecided);

  const OverlapQuestions& questions;
  const OverlapColumns& columns;
  const RowTools& tools;
  const ShapeTable& table;

  using Answer = CheckAnswer;

  CheckAnswer Ask(std::uint32_t row, std::uint32_t i) const {
    const SceneBody shape = {.id = 0,
                             .body = table.shared_body(*questions.slots.at(row)),
                             .X_WB = PoseAt(questions.poses, row),
                             .bits = {*questions.groups.at(row), *questions.masks.at(row)},
                             .margin = *questions.margins.at(row)};
    const Asker asker = {.scene = *questions.asked.scene,
                         .bodies = absl::MakeConstSpan(&shape, 1),
                         .is_nameless = true,
                         .pacer = tools.pacer};
    CheckAnswer answer = CheckScene(asker, {}, &tools.room.scratch);
    if (answer.verdict != Verdict::kFree)
      ListVerdicts(asker, tools, PairListOf(columns, questions, i), &answer);
    return answer;
  }

  RowSummary Put(const CheckAnswer& answer, std::uint32_t /*i*/) const {
    return {static_cast<int>(answer.verdict), answer.reason, answer.counters};
  }

  void PutNotReached(std::uint32_t /*i*/) const {}
};

RowSummary PutSweep(const SweepColumns& columns, std::uint32_t i, const SweepAnswer& answer) {
  const TimeOfCollisionAnswer& contact = answer.earliest.contact;
  const bool is_hit = contact.state == MotionState::kHit;
  const bool is_initial = contact.state == MotionState::kInitiallyOverlapping;
  if (contact.state != MotionState::kFree) PutPair(columns.pairs, i, answer.earliest.pair);
  if (is_hit) PutNumber(columns.t_hit, i, contact.t_hit);
  if (!is_initial) {
    PutNumber(columns.t_free, i, contact.t_free);
    PutNumber(columns.t_leave, i, contact.t_leave);
  }
  if (is_hit || is_initial) {
    PutNumber(columns.distances, i, contact.distance);
    PutVector(columns.points_a, i, contact.p_WA);
    PutVector(columns.points_b, i, contact.p_WB);
    PutVector(columns.normals, i, contact.n_AB);
  }
  return {static_cast<int>(contact.state), contact.reason, answer.counters};
}

struct MotionKind {
  static constexpr int kRefused = kMotionStateRefused;
  static constexpr int kUndecided = static_cast<int>(MotionState::kUndecided);

  const MotionQuestions& questions;
  const SweepColumns& columns;
  const RowTools& tools;

  using Answer = SweepAnswer;

  // The motions stay until the next row.
  MovingAsker AskerOf(std::uint32_t row) const {
    const Asker asker = tools.AskerOf(questions.configurations, row);
    std::vector<Motion>& motions = tools.room.motions;
    motions.resize(asker.bodies.size());
    for (std::size_t k = 0; k < motions.size(); ++k) {
      MotionAt(MotionsOfBody(questions, k), PoseOfBody(questions.configurations, k, row), row,
               &motions[k]);
    }
    return {asker, motions};
  }
  SweepOptions Options() const {
    return {.ignore_initial_contact = questions.ignore_initial_contact};
  }

  SweepAnswer Ask(std::uint32_t row, std::uint32_t i) const {
    const MovingAsker moving = AskerOf(row);
    SweepAnswer answer = Sweep(moving, Options(), &tools.room.scratch);
    if (columns.listed.list == nullptr) return answer;
    PairLister lister(PairListOf(columns, questions, i));
    const auto sink = [&](const PairSweep& found) { return lister.Add(found); };
    answer.counters = Sum(answer.counters, SweepAll(moving, Options(), sink, &tools.room.scratch));
    if (tools.pacer->has_stopped()) lister.CutShort();
    return answer;
  }

  RowSummary Put(const SweepAnswer& answer, std::uint32_t i) const {
    return PutSweep(columns, i, answer);
  }

  SceneFinding Find(std::uint32_t row, const SweepAnswer& answer, PairTurn turn) const {
    const MovingAsker moving = AskerOf(row);
    SceneFinding finding = tools.FindingOf(questions.configurations.asked, moving.asker);
    finding.kind = QueryKind::kMotion;
    finding.options = Options();
    finding.motions = moving.motions;
    finding.look = FindContradiction(AskedSweep{moving, Options()}, answer, turn);
    return finding;
  }

  void PutNotReached(std::uint32_t /*i*/) const {}
};

// The point of a ray as a body, whose box and margin matter as its own would.
RigidBodyPtr PointBody() {
  static const RigidBodyPtr kPoint = MakeBody(std::get<ConvexShapePtr>(MakePoint(0)));
  return kPoint;
}

struct RayCastKind {
  static constexpr int kRefused = kMotionStateRefused;
  static constexpr int kUndecided = static_cast<int>(MotionState::kUndecided);

  const RayQuestions& questions;
  const SweepColumns& columns;
  const RowTools& tools;

  using Answer = SweepAnswer;

  Ray RayOf(std::uint32_t row) const {
    return {.origin = VectorAt(questions.origins, row),
            .displacement = VectorAt(questions.displacements, row),
            .radius = *questions.radii.at(row),
            .bits = {*questions.groups.at(row), *questions.masks.at(row)},
            .pacer = tools.pacer};
  }

  SweepAnswer Ask(std::uint32_t row, std::uint32_t i) const {
    const Scene& scene = *questions.asked.scene;
    const Ray ray = RayOf(row);
    SweepAnswer answer = CastRay(scene, ray, questions.kind, &tools.room.scratch);
    if (columns.listed.list == nullptr) return answer;
    PairLister lister(PairListOf(columns, questions, i));
    const auto sink = [&](const PairSweep& found) { return lister.Add(found); };
    answer.counters = Sum(answer.counters, CastRayAll(scene, ray, sink, &tools.room.scratch));
    if (tools.pacer->has_stopped()) lister.CutShort();
    return answer;
  }

  RowSummary Put(const SweepAnswer& answer, std::uint32_t i) const {
    return PutSweep(columns, i, answer);
  }

  SceneFinding Find(std::uint32_t row, const SweepAnswer& answer, PairTurn turn) const {
    const Ray ray = RayOf(row);
    const SceneBody body = {0, PointBody(), {ray.origin, {}}, ray.bits, 0};
    const Motion motion = {.displacement = ray.displacement, .rotation = {}, .pivot = ray.origin};
    const MovingAsker moving = {{.scene = *questions.asked.scene,
                                 .bodies = absl::MakeConstSpan(&body, 1),
                                 .among = Asker::Among::kScene,
                                 .pacer = tools.pacer},
                                absl::MakeConstSpan(&motion, 1)};
    SceneFinding finding;
    finding.scene = questions.asked.name;
    finding.revision = questions.asked.revision;
    finding.kind = QueryKind::kRay;
    finding.options = AskedRay{ray, questions.kind};
    finding.look = FindContradiction(
        AskedSweep{moving, {}, ray.radius, questions.kind == RayKind::kAny}, answer, turn);
    return finding;
  }

  void PutNotReached(std::uint32_t /*i*/) const {}
};

template <class Kind, class Questions, class Columns, class... More>
void AnswerSceneRows(const Questions& questions, const Work& work, const Columns& columns,
                     const More&... more) {
  Pacer pacer(work.should_stop);
  RowTools tools{.pacer = &pacer};
  if constexpr (requires { questions.configurations; }) {
    tools.FindOwnPairs(questions.configurations, work.count);
  }
  ForEachSceneRow(work, &pacer, Kind{questions, columns, tools, more...});
}

}  // namespace

void AnswerRows(const CheckQuestions& questions, const Work& work, const CheckColumns& columns) {
  ChecksAhead ahead(questions.configurations, work);
  AnswerSceneRows<CheckKind>(questions, work, columns, &ahead);
}

void AnswerRows(const ClearanceQuestions& questions, const Work& work,
                const ClearanceColumns& columns) {
  AnswerSceneRows<ClearanceKind>(questions, work, columns);
}

void AnswerRows(const NearestQuestions& questions, const Work& work,
                const NearestColumns& columns) {
  AnswerSceneRows<NearestKind>(questions, work, columns);
}

void AnswerRows(const OverlapQuestions& questions, const Work& work,
                const OverlapColumns& columns) {
  AnswerSceneRows<OverlapKind>(questions, work, columns, work.table);
}

void AnswerRows(const MotionQuestions& questions, const Work& work, const SweepColumns& columns) {
  AnswerSceneRows<MotionKind>(questions, work, columns);
}

void AnswerRows(const RayQuestions& questions, const Work& work, const SweepColumns& columns) {
  AnswerSceneRows<RayCastKind>(questions, work, columns);
}

}  // namespace clearance::server
