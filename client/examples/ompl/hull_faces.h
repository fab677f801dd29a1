// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

namespace clearance::plan {

// The triangles of the hull of points x y z, by indices, three each, counterclockwise seen from
// outside. Ends the process where Qhull fails.
std::vector<int> HullTriangles(std::vector<double> xyz);

}  // namespace clearance::plan
