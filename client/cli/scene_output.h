// SPDX-License-Identifier: Apache-2.0
//
// Output of answers about scenes, in the same forms as in output.h.

#pragma once

#include "clearance/scene.h"
#include "clearance/scene_query.h"
#include "client/cli/output.h"

namespace clearance::client {

Json ToJson(const SceneInfo& info);

// One object a row; the pairs that a row lists are an array of objects in it.
Json ToJson(const CheckResult& result);
Json ToJson(const MinimumDistanceResult& result);
Json ToJson(const NearestResult& result);
Json ToJson(const OverlapResult& result);
Json ToJson(const SweepResult& result);

// For tables: every listed pair becomes a separate row, beside rows that list none.
Json WithPairsAsRows(const Json& rows);

int ExitCodeOf(const CheckResult& result);
int ExitCodeOf(const MinimumDistanceResult& result);
int ExitCodeOf(const NearestResult& result);
int ExitCodeOf(const OverlapResult& result);
int ExitCodeOf(const SweepResult& result);

}  // namespace clearance::client
