// SPDX-License-Identifier: Apache-2.0
//
// Files of JSON, and of one JSON object a line.

#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "clearance/shape.h"

namespace game {

using Json = nlohmann::json;

// Both say where a file cannot be read, or where `take` (which may throw) can do nothing with it.
absl::Status ReadJson(const std::filesystem::path& path, absl::FunctionRef<void(const Json&)> take);
absl::Status ForEachLine(const std::filesystem::path& path,
                         absl::FunctionRef<void(const Json&)> take);

clearance::client::Vec3 ReadVec3(const Json& json);

}  // namespace game
