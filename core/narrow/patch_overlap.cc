// SPDX-License-Identifier: Apache-2.0
//
// The edges of one patch, the subject, are cut off at the border of the other, the clip (Cyrus and
// Beck, 1978); then the corners of the clip that lie inside the subject are added. Every corner of
// the common area is an end of such a piece or such a corner. A border is widened by the slack for
// the edges and narrowed by it for the corners. So if borders coincide, the edges alone are counted
// and nothing is counted twice or missed: a corner of the clip within the slack of an edge has a
// piece of that edge beside it. This needs no order of the pieces, as cutting the whole polygon
// plane by plane would (Sutherland and Hodgman, 1974), and gives each point its features.

#include "core/narrow/patch_overlap.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/math/tolerance.h"

namespace clearance {
namespace {

Feature EdgeBetween(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

// One side of a border: normal_x x + normal_y y + offset is the distance from it, > 0 inside.
struct HalfPlane {
  double normal_x;
  double normal_y;
  double offset;
  Feature feature;  // the feature that a point of the border belongs to

  double Depth(const Vec3d& p_N) const { return normal_x * p_N.x + normal_y * p_N.y + offset; }
};

class Border {
 public:
  explicit Border(const FacingPatch& patch) {
    if (patch.size == 2) {
      SetStrip(patch);
    } else {
      SetSides(patch);
    }
  }

  const HalfPlane* begin() const { return planes_.data(); }
  const HalfPlane* end() const { return planes_.data() + size_; }

  // True if the squares of the border's own lengths underflow beside the other body: a point to it.
  bool is_degenerate() const { return is_degenerate_; }

  // True if the point is at least so far inside.
  bool Holds(const Vec3d& p_N, double depth) const {
    return !is_degenerate_ && std::all_of(begin(), end(), [&](const HalfPlane& plane) {
      return plane.Depth(p_N) >= depth;
    });
  }

 private:
  void SetSides(const FacingPatch& face) {
    for (int i = 0; i < face.size; ++i) {
      const int next = (i + 1) % face.size;
      AddLeftOf(face.corner_N[i], face.corner_N[next], EdgeBetween(face.name[i], face.name[next]));
    }
  }

  // An edge is a strip without width and with two ends.
  void SetStrip(const FacingPatch& edge) {
    const Vec3d& a = edge.corner_N[0];
    const Vec3d& b = edge.corner_N[1];
    const Vec3d across = {a.y - b.y, b.x - a.x, 0};
    AddLeftOf(a, b, edge.feature);
    AddLeftOf(b, a, edge.feature);
    AddLeftOf(a, a - across, {edge.name[0], edge.name[0]});
    AddLeftOf(b, b + across, {edge.name[1], edge.name[1]});
  }

  void AddLeftOf(const Vec3d& from, const Vec3d& to, const Feature& feature) {
    const double x = to.x - from.x, y = to.y - from.y;
    const double length = std::sqrt(x * x + y * y);
    if (!(length > 0)) {
      is_degenerate_ = true;
      return;
    }
    const double normal_x = -y / length, normal_y = x / length;
    planes_[size_++] = {normal_x, normal_y, -(normal_x * from.x + normal_y * from.y), feature};
  }

  bool is_degenerate_ = false;
  int size_ = 0;
  std::array<HalfPlane, SupportPatch::kCapacity> planes_;
};

// The piece of an edge inside a border, as fractions of the edge; by which sides it is cut, if any.
struct Piece {
  bool is_empty = false;
  double begin = 0;
  double end = 1;
  const HalfPlane* cut_begin = nullptr;
  const HalfPlane* cut_end = nullptr;
};

// Returns the fraction of an edge at which a side cuts it, if one end is more than the slack
// outside: on the border itself, unless only the slack makes the other end count as inside.
double CutAt(double depth_from, double depth_to) {
  const double level = std::max(depth_from, depth_to) < 0 ? -kContactSlack : 0;
  return (depth_from - level) / (depth_from - depth_to);
}

Piece Cut(const Vec3d& from_N, const Vec3d& to_N, const Border& border) {
  Piece piece;
  double widened_begin = 0, widened_end = 1;
  for (const HalfPlane& plane : border) {
    const double depth_from = plane.Depth(from_N), depth_to = plane.Depth(to_N);
    const bool is_from_outside = depth_from < -kContactSlack;
    const bool is_to_outside = depth_to < -kContactSlack;
    if (is_from_outside && is_to_outside) return {.is_empty = true};
    if (!is_from_outside && !is_to_outside) continue;
    const double widened = (depth_from + kContactSlack) / (depth_from - depth_to);
    const double cut = CutAt(depth_from, depth_to);
    if (is_from_outside && (piece.cut_begin == nullptr || cut > piece.begin)) {
      piece.begin = cut;
      piece.cut_begin = &plane;
    }
    if (is_to_outside && (piece.cut_end == nullptr || cut < piece.end)) {
      piece.end = cut;
      piece.cut_end = &plane;
    }
    if (is_from_outside) widened_begin = std::max(widened_begin, widened);
    if (is_to_outside) widened_end = std::min(widened_end, widened);
  }
  piece.is_empty = widened_begin > widened_end;
  if (piece.begin > piece.end) {  // the edge passes a corner within the slack
    piece.begin = widened_begin;
    piece.end = widened_end;
  }
  return piece;
}

double HeightAt(const FacingPatch& patch, double x, double y) {
  const Vec3d& p = patch.corner_N[0];
  if (patch.size > 2) return p.z + patch.slope_x * (x - p.x) + patch.slope_y * (y - p.y);
  const Vec3d edge = patch.corner_N[1] - p;
  const double along = edge.x * (x - p.x) + edge.y * (y - p.y);
  return p.z + edge.z * (along / (edge.x * edge.x + edge.y * edge.y));
}

class OverlapSearch {
 public:
  // The subject is a face only if the clip is one.
  OverlapSearch(const FacingPatch& subject, const FacingPatch& clip, bool is_subject_a)
      : subject_(subject), clip_(clip), is_subject_a_(is_subject_a), border_(clip) {}

  // Vertices come first: if the slack makes a cut beside one, the vertex stays.
  Overlap Run() {
    if (border_.is_degenerate()) return {};
    for (int i = 0; i < subject_.size; ++i) {
      const Vec3d& corner_N = subject_.corner_N[i];
      if (!border_.Holds(corner_N, -kContactSlack)) continue;
      Add(corner_N, {subject_.name[i], subject_.name[i]}, clip_.feature);
    }
    const int edge_count = subject_.size == 2 ? 1 : subject_.size;
    for (int i = 0; i < edge_count; ++i) AddCutsOf(i);
    if (subject_.size > 2) AddCornersOfClip();
    return overlap_;
  }

 private:
  void AddCutsOf(int i) {
    const int next = (i + 1) % subject_.size;
    const Vec3d& from_N = subject_.corner_N[i];
    const Vec3d edge_N = subject_.corner_N[next] - from_N;
    const Piece piece = Cut(from_N, subject_.corner_N[next], border_);
    if (piece.is_empty || IsCrossing(piece)) return;
    const Feature edge = EdgeBetween(subject_.name[i], subject_.name[next]);
    if (piece.cut_begin != nullptr) {
      Add(from_N + piece.begin * edge_N, edge, piece.cut_begin->feature);
    }
    if (piece.cut_end != nullptr) Add(from_N + piece.end * edge_N, edge, piece.cut_end->feature);
  }

  // True if both ends come from the sides of an edge that is crossed.
  bool IsCrossing(const Piece& piece) const {
    return clip_.size == 2 && piece.cut_begin != nullptr && piece.cut_end != nullptr &&
           piece.cut_begin->feature == clip_.feature && piece.cut_end->feature == clip_.feature;
  }

  void AddCornersOfClip() {
    const Border inside(subject_);
    for (int i = 0; i < clip_.size; ++i) {
      const Vec3d& corner_N = clip_.corner_N[i];
      if (!inside.Holds(corner_N, kContactSlack)) continue;
      const double z = HeightAt(subject_, corner_N.x, corner_N.y);
      Append({corner_N.x, corner_N.y, z}, corner_N.z,
             {subject_.feature, {clip_.name[i], clip_.name[i]}});
    }
  }

  void Add(const Vec3d& p_N, const Feature& of_subject, const Feature& of_clip) {
    Append(p_N, HeightAt(clip_, p_N.x, p_N.y), {of_subject, of_clip});
  }

  void Append(const Vec3d& p_N, double z_clip, std::pair<Feature, Feature> features) {
    const auto is_near = [&](const OverlapPoint& other) {
      return std::fabs(other.x - p_N.x) < kContactMerge &&
             std::fabs(other.y - p_N.y) < kContactMerge;
    };
    const auto end = overlap_.points.begin() + overlap_.size;
    if (std::any_of(overlap_.points.begin(), end, is_near)) return;
    double z_subject = p_N.z;
    if (!is_subject_a_) {
      std::swap(z_subject, z_clip);
      std::swap(features.first, features.second);
    }
    *end = {p_N.x, p_N.y, z_subject, z_clip, features.first, features.second};
    ++overlap_.size;
  }

  const FacingPatch& subject_;
  const FacingPatch& clip_;
  const bool is_subject_a_;
  const Border border_;
  Overlap overlap_;
};

}  // namespace

Overlap ComputeOverlap(const FacingPatch& a, const FacingPatch& b) {
  if (a.size < 2 || b.size < 2) return {};
  const bool is_subject_a = a.size == 2 || b.size > 2;
  return is_subject_a ? OverlapSearch(a, b, true).Run() : OverlapSearch(b, a, false).Run();
}

}  // namespace clearance
