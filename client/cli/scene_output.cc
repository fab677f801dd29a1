// SPDX-License-Identifier: Apache-2.0
#include "client/cli/scene_output.h"

#include <utility>

#include "client/cli/row_output.h"

namespace clearance::client {
namespace {

template <class States>
Json StartSceneRows(const States& states, std::uint64_t revision) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < states.size(); ++row) {
    rows.push_back({{"row", row}, {"state", Name(states[row])}, {"scene_revision", revision}});
  }
  return rows;
}

void AddIds(const IdPairs& ids, std::size_t i, Json* object) {
  if (i >= ids.is_self.size()) return;
  (*object)["body_a"] = ids.bodies_a[i];
  (*object)["body_b"] = ids.bodies_b[i];
  if (ids.is_self[i]) (*object)["is_self"] = true;
}

// Adds the state, and those numbers that have a meaning in it.
template <class Columns>
void AddDistance(const Columns& columns, State state, std::size_t i, Json* object) {
  const bool has_points = state != State::kBeyond && state != State::kUndecided;
  if (has_points) AddNumber("distance", columns.distances, i, object);
  AddNumber("lower_bound", columns.lower_bounds, i, object);
  AddNumber("upper_bound", columns.upper_bounds, i, object);
  if (!has_points) return;
  AddVector("point_a", columns.points_a, i, object);
  AddVector("point_b", columns.points_b, i, object);
  AddVector("normal", columns.normals, i, object);
}

template <class Columns>
void AddContact(const Columns& columns, std::size_t i, Json* object) {
  const MotionState state = columns.states[i];
  if (state != MotionState::kInitiallyOverlapping) {
    AddNumber("t_free", columns.t_free, i, object);
    AddNumber("t_leave", columns.t_leave, i, object);
  }
  if (state == MotionState::kHit) AddNumber("t_hit", columns.t_hit, i, object);
  if (state != MotionState::kHit && state != MotionState::kInitiallyOverlapping) return;
  AddNumber("distance", columns.distances, i, object);
  AddVector("point_a", columns.points_a, i, object);
  AddVector("point_b", columns.points_b, i, object);
  AddVector("normal", columns.normals, i, object);
}

// Adds the entries of a row, each made by make(entry); a row without a list gets none.
template <class Pairs, class Make>
void AddPairs(const Pairs& pairs, std::size_t row, Json* object, const Make& make) {
  if (row + 1 >= pairs.offsets.size()) return;
  Json list = Json::array();
  for (std::size_t i = pairs.offsets[row]; i < pairs.offsets[row + 1]; ++i) {
    Json pair = Json::object();
    AddIds(pairs.ids, i, &pair);
    make(i, &pair);
    list.push_back(std::move(pair));
  }
  (*object)["pairs"] = std::move(list);
  if constexpr (requires { pairs.truncated; }) {
    if (pairs.truncated[row]) (*object)["truncated"] = true;
  }
}

void AddVerdicts(const VerdictPairs& pairs, std::size_t row, Json* object) {
  AddPairs(pairs, row, object, [&](std::size_t i, Json* pair) {
    (*pair)["state"] = Name(pairs.verdicts[i]);
    AddNumber("lower_bound", pairs.lower_bounds, i, pair);
    AddNumber("upper_bound", pairs.upper_bounds, i, pair);
  });
}

}  // namespace

Json ToJson(const SceneInfo& info) {
  Json json = {{"name", info.name},        {"revision", info.revision},
               {"etag", info.etag},        {"bodies", info.body_count},
               {"rules", info.rule_count}, {"oldest_revision", info.oldest_revision},
               {"bytes", info.bytes}};
  if (info.ttl) json["ttl_seconds"] = absl::ToDoubleSeconds(*info.ttl);
  return json;
}

Json ToJson(const CheckResult& result) {
  Json rows = StartSceneRows(result.verdicts, result.scene_revision);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Verdict verdict = result.verdicts[row];
    if (verdict == Verdict::kFree) AddNumber("free_radius", result.free_radii, row, &rows[row]);
    if (verdict == Verdict::kTouching) {
      AddIds(result.first_pairs, row, &rows[row]);
      AddNumber("lower_bound", result.lower_bounds, row, &rows[row]);
      AddNumber("upper_bound", result.upper_bounds, row, &rows[row]);
    }
    AddVerdicts(result.pairs, row, &rows[row]);
  }
  AddRemarks(result, &rows);
  return rows;
}

Json ToJson(const MinimumDistanceResult& result) {
  Json rows = StartSceneRows(result.states, result.scene_revision);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const State state = result.states[row];
    if (state == State::kRefused) continue;
    if (state != State::kBeyond) AddIds(result.pairs, row, &rows[row]);
    AddDistance(result, state, row, &rows[row]);
    AddNumber("free_radius", result.free_radii, row, &rows[row]);
  }
  AddRemarks(result, &rows);
  return rows;
}

Json ToJson(const NearestResult& result) {
  Json rows = StartSceneRows(result.states, result.scene_revision);
  const NearestPairs& pairs = result.pairs;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    AddPairs(pairs, row, &rows[row], [&](std::size_t i, Json* pair) {
      (*pair)["state"] = Name(pairs.states[i]);
      AddDistance(pairs, pairs.states[i], i, pair);
    });
  }
  AddRemarks(result, &rows);
  return rows;
}

Json ToJson(const OverlapResult& result) {
  Json rows = StartSceneRows(result.verdicts, result.scene_revision);
  for (std::size_t row = 0; row < rows.size(); ++row) AddVerdicts(result.pairs, row, &rows[row]);
  AddRemarks(result, &rows);
  return rows;
}

Json ToJson(const SweepResult& result) {
  Json rows = StartSceneRows(result.states, result.scene_revision);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (result.states[row] == MotionState::kRefused) continue;
    if (result.states[row] != MotionState::kFree) AddIds(result.pairs, row, &rows[row]);
    AddContact(result, row, &rows[row]);
    AddPairs(result.hits, row, &rows[row], [&](std::size_t i, Json* pair) {
      (*pair)["state"] = Name(result.hits.states[i]);
      AddContact(result.hits, i, pair);
    });
  }
  AddRemarks(result, &rows);
  return rows;
}

Json WithPairsAsRows(const Json& rows) {
  Json lines = Json::array();
  for (const Json& row : rows) {
    Json line = row;
    line.erase("pairs");
    lines.push_back(line);
    if (!row.contains("pairs")) continue;
    for (const Json& pair : row["pairs"]) {
      Json listed = {{"row", row["row"]}};
      listed.update(pair);
      lines.push_back(std::move(listed));
    }
  }
  return lines;
}

int ExitCodeOf(const CheckResult& result) { return WorstCode(result.verdicts); }
int ExitCodeOf(const MinimumDistanceResult& result) { return WorstCode(result.states); }
int ExitCodeOf(const OverlapResult& result) { return WorstCode(result.verdicts); }
int ExitCodeOf(const SweepResult& result) { return WorstCode(result.states); }

// Considers every listed pair, and rows without one.
int ExitCodeOf(const NearestResult& result) {
  std::vector<State> states = result.states;
  states.insert(states.end(), result.pairs.states.begin(), result.pairs.states.end());
  return WorstCode(states);
}

}  // namespace clearance::client
