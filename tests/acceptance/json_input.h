// SPDX-License-Identifier: Apache-2.0
//
// Reads shapes, poses and motions from JSON. Throws InputError where JSON holds what has no form in
// the protocol; any number, also NaN and the infinities (as the words "NaN", "Infinity",
// "-Infinity"), is passed on for the server to judge.

#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "clearance/shape.h"
#include "nlohmann/json.hpp"
#include "tests/acceptance/question.h"

namespace clearance::acceptance {

using Json = nlohmann::json;

struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

double ReadNumber(const Json& value);
client::Vec3 ReadVec3(const Json& value);

// [x, y, z, qw, qx, qy, qz], the order of the files.
client::Pose ReadPose(const Json& value);

// {"linear": [..], "angular": [..]}, each optional; null or absent: at rest.
Motion ReadMotion(const Json& object, const char* key);

// A shape of a case file ("type") or of a data folder ("kind"). Never throws: what cannot be sent
// says why.
TableShape ReadShape(const Json& shape);

// Calls `visit` with every line that is JSON, its number from 1; notes in `file` those that are not
// or that `visit` throws at. False if the file cannot be opened.
bool ForEachLine(const std::filesystem::path& path, TaskFile* file,
                 const std::function<void(const Json&, int)>& visit);

}  // namespace clearance::acceptance
