// SPDX-License-Identifier: Apache-2.0

#ifndef CLEARANCE_EXAMPLES_OMPL_HULL_FACES_H_
#define CLEARANCE_EXAMPLES_OMPL_HULL_FACES_H_

#include <vector>

namespace clearance::plan {

// The triangles of the hull of points x y z, by indices, three each, counterclockwise seen from
// outside. Ends the process where Qhull fails.
std::vector<int> HullTriangles(std::vector<double> xyz);

}  // namespace clearance::plan

#endif  // CLEARANCE_EXAMPLES_OMPL_HULL_FACES_H_
