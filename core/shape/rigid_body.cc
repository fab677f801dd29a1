// SPDX-License-Identifier: Apache-2.0

#include "core/shape/rigid_body.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/math/assert.h"
#include "core/math/rotation.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"

namespace clearance {
namespace {

// The error of a point of a piece after R(q) c + p in double, in units of |c| + |p|: 27 u for the
// entries of R, 6 u for the product, 1 u for the sum. The rest is for a length and the sums of a
// few.
constexpr double kPlacementError = 64 * kRoundoff;

// Up to this reach a rotated point and the difference of two fit into doubles.
constexpr double kLargestReach = std::numeric_limits<double>::max() / 8;

bool IsIdentityPose(const Pose& pose) { return pose.p_WS == Vec3d{} && IsIdentity(pose.q_WS); }

// A piece in units of 2^exponent metres, in which no number of it is larger than 1.
struct ScaledPiece {
  explicit ScaledPiece(const Piece& piece);

  // A vertex, and a point at an offset from the centre of S, in the frame B.
  Vec3d Vertex(VertexIndex i) const { return At(Scaled(shape.vertex(i), shift)); }
  Vec3d At(const Vec3d& offset_S) const { return p_BS + R_BS * (center + offset_S); }

  const ConvexShape& shape;
  int exponent = 0;
  int shift = 0;  // from the shape's normalised coordinates
  Mat3<double> R_BS;
  Vec3d p_BS;
  Vec3d center;
  double radius = 0;
  double error = 0;  // of At and of lengths from there
};

ScaledPiece::ScaledPiece(const Piece& piece)
    : shape(*piece.shape), R_BS(RotationMatrix<double>(piece.local.q_WS)) {
  const double largest = std::max(
      {LargestCoordinate(piece.local.p_WS), LargestCoordinate(shape.center()), shape.radius()});
  std::frexp(largest, &exponent);
  if (largest == 0) exponent = shape.exponent();
  if (shape.core_radius() > 0) exponent = std::max(exponent, shape.exponent());
  shift = shape.exponent() - exponent;
  p_BS = Scaled(piece.local.p_WS, -exponent);
  center = Scaled(shape.center(), -exponent);
  radius = std::ldexp(shape.radius(), -exponent);
  const double reach =
      Norm(p_BS) + Norm(center) + radius + std::ldexp(2 * shape.core_radius(), shift);
  error = kPlacementError * reach + kUnderflowSlack;
}

// The middle of the shape's box, normalised, from its centre.
Vec3d Middle(const ConvexShape& shape) {
  if (shape.is_curved()) return {};
  const auto middle = [&](const double* x) {
    const auto [low, high] = std::minmax_element(x, x + shape.vertex_count());
    return (*low + *high) / 2;
  };
  return {middle(shape.x()), middle(shape.y()), middle(shape.z())};
}

// Returns a radius about `middle` that holds every point of the core, normalised, except for
// rounding.
double RadiusAbout(const ConvexShape& shape, const Vec3d& middle) {
  if (shape.is_curved()) return shape.core_radius();
  double largest_sq = 0;
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    largest_sq = std::max(largest_sq, NormSquared(shape.vertex(i) - middle));
  }
  return std::sqrt(largest_sq);
}

Ball BallOf(const Piece& piece) {
  const ScaledPiece scaled(piece);
  const Vec3d middle = Middle(scaled.shape);
  const double core_radius = std::ldexp(RadiusAbout(scaled.shape, middle), scaled.shift);
  const double radius = core_radius + scaled.radius + scaled.error;
  // The centre may be off by half of the least double if it is subnormal.
  return {Scaled(scaled.At(Scaled(middle, scaled.shift)), scaled.exponent),
          NextUp(ScaleUp(radius, scaled.exponent))};
}

// The ends of a box, metres.
struct Ends {
  Vec3d low = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  Vec3d high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};

  // Includes p and everything within half of it, axis by axis.
  void Hold(const Vec3d& p, const Vec3d& half) {
    low = {std::fmin(low.x, p.x - half.x), std::fmin(low.y, p.y - half.y),
           std::fmin(low.z, p.z - half.z)};
    high = {std::fmax(high.x, p.x + half.x), std::fmax(high.y, p.y + half.y),
            std::fmax(high.z, p.z + half.z)};
  }
};

// Returns how far a box with these half extents reaches along the axes after a turn.
Vec3d TurnedHalf(const Mat3<double>& R, const Vec3d& half) {
  const auto reach = [&](const Vec3d& row) {
    return std::fabs(row.x) * half.x + std::fabs(row.y) * half.y + std::fabs(row.z) * half.z;
  };
  return {reach(R.row_x), reach(R.row_y), reach(R.row_z)};
}

// Returns the piece's box in units of the piece, except for rounding.
Ends ScaledEnds(const ScaledPiece& piece) {
  Ends ends;
  if (piece.shape.is_curved()) {
    ends.Hold(piece.At({}), TurnedHalf(piece.R_BS, Scaled(piece.shape.extents(), piece.shift)));
  }
  for (VertexIndex i = 0; i < piece.shape.vertex_count(); ++i) ends.Hold(piece.Vertex(i), {});
  return ends;
}

// Widens the box by a piece.
void HoldPiece(const Piece& piece, Ends* box) {
  const ScaledPiece scaled(piece);
  const Ends ends = ScaledEnds(scaled);
  const double margin = scaled.radius + scaled.error;
  const auto up = [&](double x) { return NextUp(ScaleUp(x + margin, scaled.exponent)); };
  const auto down = [&](double x) { return -up(-x); };
  box->Hold({down(ends.low.x), down(ends.low.y), down(ends.low.z)}, {});
  box->Hold({up(ends.high.x), up(ends.high.y), up(ends.high.z)}, {});
}

CenteredBox BoxOf(const std::vector<Piece>& pieces) {
  Ends ends;
  for (const Piece& piece : pieces) HoldPiece(piece, &ends);
  const auto middle = [](double low, double high) { return low / 2 + high / 2; };
  const auto half = [](double low, double high, double center) {
    return NextUp(std::fmax(high - center, center - low));
  };
  CenteredBox box;
  box.center = {middle(ends.low.x, ends.high.x), middle(ends.low.y, ends.high.y),
                middle(ends.low.z, ends.high.z)};
  box.half = {half(ends.low.x, ends.high.x, box.center.x),
              half(ends.low.y, ends.high.y, box.center.y),
              half(ends.low.z, ends.high.z, box.center.z)};
  return box;
}

// Returns a radius about the origin of B that holds every point of the piece, metres.
double ReachOf(const Piece& piece) {
  if (IsIdentityPose(piece.local)) return piece.shape->bounding_radius();
  const ScaledPiece scaled(piece);
  double reach = 0;
  if (scaled.shape.is_curved()) {
    reach = Norm(scaled.At({})) + std::ldexp(scaled.shape.core_radius(), scaled.shift);
  }
  for (VertexIndex i = 0; i < scaled.shape.vertex_count(); ++i) {
    reach = std::max(reach, Norm(scaled.Vertex(i)));
  }
  return ScaleUp(reach + scaled.radius + scaled.error, scaled.exponent);
}

// Requires: there is one.
double FirstNotFinite(const Pose& pose) {
  const auto& [p, q] = pose;
  const std::array numbers = {p.x, p.y, p.z, q.x, q.y, q.z, q.w};
  return *std::find_if(numbers.begin(), numbers.end(), [](double x) { return !std::isfinite(x); });
}

std::optional<ShapeError> FindFault(const Piece& piece, const std::string& field) {
  const std::string pose = absl::StrCat(field, ".pose");
  switch (FindPoseFault(piece.local)) {
    case PoseFault::kNotFinite:
      return ShapeError{pose, NumberText(FirstNotFinite(piece.local)), "finite",
                        absl::StrCat("A number of ", pose, " is not finite.")};
    case PoseFault::kNotUnitLength: {
      const auto& q = piece.local.q_WS;
      return ShapeError{pose,
                        absl::StrCat("|q| = ", NumberText(std::sqrt(q.x * q.x + q.y * q.y +
                                                                    q.z * q.z + q.w * q.w))),
                        absl::StrCat("|q| within ", NumberText(kQuaternionSlack), " of 1"),
                        absl::StrCat("The quaternion of ", pose, " is not of unit length.")};
    }
    case PoseFault::kNone:
      break;
  }
  const double reach = LargestCoordinate(piece.local.p_WS) + piece.shape->bounding_radius();
  if (reach <= kLargestReach) return std::nullopt;
  return ShapeError{field, absl::StrCat("reach ", NumberText(reach), " m"),
                    absl::StrCat("reach <= ", NumberText(kLargestReach), " m"),
                    absl::StrCat("Points of ", field, " could overflow a double.")};
}

}  // namespace

RigidBody::RigidBody(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  CLEARANCE_ASSERT(!pieces_.empty());
  pieces_.shrink_to_fit();
  balls_.reserve(pieces_.size());
  for (const Piece& piece : pieces_) {
    balls_.push_back(BallOf(piece));
    bounding_radius_ = std::fmax(bounding_radius_, ReachOf(piece));
    vertex_count_ += piece.shape->vertex_count();
  }
  box_ = BoxOf(pieces_);
}

std::size_t RigidBody::byte_size() const {
  std::size_t size =
      sizeof(*this) + pieces_.capacity() * sizeof(Piece) + balls_.capacity() * sizeof(Ball);
  std::set<const ConvexShape*> counted;
  for (const Piece& piece : pieces_) {
    if (counted.insert(piece.shape.get()).second) size += piece.shape->byte_size();
  }
  return size;
}

RigidBodyPtr MakeBody(ConvexShapePtr shape) {
  CLEARANCE_ASSERT(shape != nullptr);
  return std::make_shared<const RigidBody>(std::vector<Piece>{{std::move(shape), {}}});
}

BodyOrError MakeCompound(std::vector<Piece> pieces) {
  if (pieces.empty()) {
    return ShapeError{"pieces", "0 pieces", ">= 1 piece", "A compound needs at least one piece."};
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (auto fault = FindFault(pieces[i], absl::StrCat("pieces[", i, "]"))) return *fault;
  }
  return std::make_shared<const RigidBody>(std::move(pieces));
}

}  // namespace clearance
