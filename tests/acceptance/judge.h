// SPDX-License-Identifier: Apache-2.0
//
// The rules by which answers pass. Pure functions of a file's row and an answer.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tests/acceptance/json_input.h"
#include "tests/acceptance/question.h"

namespace clearance::acceptance {

// Judges a row of a case file by the rules of its format. A boolean must match (or "either" at the
// rounding floor), a distance lie within distance_abs + distance_rel * d, and a time of collision
// within toc_abs of its interval (early: 1000 times that). Grazing and unknown hits are free. If an
// error is expected, the answer must be a typed refusal. An UNDECIDED answer is a fault wherever
// something is judged. The depth of a penetration query must be within depth_abs, unless the file
// does not know it.
Judgement JudgeCase(const Json& row, const Answer& answer);

// Judge answers by the reference answers of a data folder. `size` is the larger of the diagonals of
// both shapes' bounding boxes.
//
//    distance: |d - ref| <= 1e-9 |ref| + 1e-12 size, d signed, ref minus the "penetration" if there
//    is one; and the same boolean
//    toc: the same hit, |toc - ref| <= 1e-9
//    touching: |d| <= 1e-9 size, d signed, either boolean
Judgement JudgeDistance(const Json& row, double size, const Answer& answer);
Judgement JudgeTimeOfCollision(const Json& row, const Answer& answer);
Judgement JudgeTouching(double size, const Answer& answer);

// One brush that a move may meet: the time of collision along it and the distance at its start.
struct BrushAnswer {
  std::string name;
  Answer toc;
  Answer start;
};

// A player's move against all brushes near it: first_contact within 1e-9 (null: none), the set of
// brushes tied within 1e-9 of it, and the brushes overlapped at the start. A brush that only
// touches at the start counts neither way: it may be listed or not, and may be the first contact at
// time 0 or not, because the references were kept only away from the touching border.
Judgement JudgeMove(const Json& row, const std::vector<BrushAnswer>& brushes);

// All brushes as one scene.
struct MoveScene {
  std::vector<std::string> names;  // by shape, which is the order of the bodies' ids
  double player_size = 0;          // the diagonal of its bounding box
};

// Judges the same move as one question of the scene, which names one brush: the first one (by ids)
// that is overlapped or touched at the start, otherwise one of those tied for the first contact.
Judgement JudgeMoveInScene(const Json& row, const MoveScene& scene, const Answer& answer);

}  // namespace clearance::acceptance
