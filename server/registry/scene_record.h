// SPDX-License-Identifier: Apache-2.0
//
// The stored records of a scene: the whole of one revision, then the change that made each later
// revision from the one before it.

#pragma once

#include <cstdint>
#include <string>

namespace clearance::server {

struct SceneRecord {
  std::string name;
  std::uint64_t incarnation = 0;
  std::uint64_t revision = 0;  // 0: the scene is deleted, with all its records
  bool is_whole = false;       // replaces all records before it
  std::string owner = {};      // the id of the principal who made the scene; empty: none
  std::string change;          // clearance.v1.SceneChange, its shapes named by digest
};

}  // namespace clearance::server
