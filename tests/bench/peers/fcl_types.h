// SPDX-License-Identifier: Apache-2.0
//
// Our types as FCL's.

#pragma once

#include <memory>
#include <vector>

#include "fcl/geometry/shape/convex.h"
#include "tests/bench/peers/peer.h"

namespace clearance::bench {

inline fcl::Vector3<double> ToFcl(const Vec3d& v) { return {v.x, v.y, v.z}; }

inline fcl::Transform3<double> ToFcl(const Pose& pose) {
  const Rotation rotation = RotationOf(pose.q_WS);
  fcl::Transform3<double> transform = fcl::Transform3<double>::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) transform.linear()(i, j) = rotation.rows[i][j];
  }
  transform.translation() = ToFcl(pose.p_WS);
  return transform;
}

// With the vertices in the order of those of the hull.
template <class Vertices>
std::unique_ptr<fcl::Convex<double>> ToFclHull(const Vertices& hull_vertices,
                                               const HullFaces& hull) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3<double>>>();
  for (const Vec3d& vertex : hull_vertices) vertices->push_back(ToFcl(vertex));
  auto faces = std::make_shared<std::vector<int>>();
  for (std::uint32_t face = 0; face < hull.face_count(); ++face) {
    const auto corners = hull.CornersOf(face);
    faces->push_back(static_cast<int>(corners.size()));
    faces->insert(faces->end(), corners.begin(), corners.end());
  }
  return std::make_unique<fcl::Convex<double>>(vertices, static_cast<int>(hull.face_count()), faces,
                                               true);
}

// fcl::GST_LIBCCD or its own.
inline fcl::GJKSolverType ToFcl(FclSolver solver) {
  return solver == FclSolver::kLibccd ? fcl::GST_LIBCCD : fcl::GST_INDEP;
}

}  // namespace clearance::bench
