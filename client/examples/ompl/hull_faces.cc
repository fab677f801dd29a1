// SPDX-License-Identifier: Apache-2.0

#include "client/examples/ompl/hull_faces.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include <cstddef>
#include <cstdlib>
#include <utility>

namespace clearance::plan {
namespace {

// Whether they are counterclockwise seen from where the normal points.
bool IsSeenFrom(const coordT* normal, const std::vector<double>& xyz, const int* corners) {
  const double* const a = &xyz[3 * static_cast<std::size_t>(corners[0])];
  const double* const b = &xyz[3 * static_cast<std::size_t>(corners[1])];
  const double* const c = &xyz[3 * static_cast<std::size_t>(corners[2])];
  double volume = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    volume += normal[i] * ((b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]));
  }
  return volume > 0;
}

}  // namespace

std::vector<int> HullTriangles(std::vector<double> xyz) {
  qhT state;
  qhT* const qh = &state;
  qh_zero(qh, stderr);
  char options[] = "qhull Qt Pp";
  const int count = static_cast<int>(xyz.size() / 3);
  if (qh_new_qhull(qh, 3, count, xyz.data(), 0, options, nullptr, stderr) != 0) std::abort();
  std::vector<int> triangles;
  for (facetT* face = qh->facet_list; face != nullptr && face->next != nullptr; face = face->next) {
    int corners[3] = {};
    for (int i = 0; i < 3; ++i) {
      const auto* const vertex = static_cast<vertexT*>(face->vertices->e[i].p);
      corners[i] = qh_pointid(qh, vertex->point);
    }
    if (!IsSeenFrom(face->normal, xyz, corners)) std::swap(corners[1], corners[2]);
    triangles.insert(triangles.end(), corners, corners + 3);
  }
  qh_freeqhull(qh, qh_ALL);
  int left = 0;
  int total = 0;
  qh_memfreeshort(qh, &left, &total);
  return triangles;
}

}  // namespace clearance::plan
