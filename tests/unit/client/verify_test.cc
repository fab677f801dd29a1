// SPDX-License-Identifier: Apache-2.0
//
// The proof checker against answers made by hand, whose truth is plain from the numbers: it accepts
// them, and rejects each with any one column changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include "clearance/proof.h"
#include "clearance/scene_query.h"

namespace clearance::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One row, with the shapes and poses it is about.
struct Case {
  Shape shape_a, shape_b;
  Pose pose_a, pose_b;
  DistanceResult result;

  std::vector<Violation> Verify() const {
    return VerifyDistance({shape_a, pose_a}, {shape_b, pose_b}, result, 0);
  }
};

struct WitnessRow {
  std::vector<std::uint32_t> vertices_a, vertices_b;
  std::vector<double> weights;
};

DistanceResult OneRow(State state, double lower, double upper, const WitnessRow& witnesses) {
  DistanceResult result;
  result.count = 1;
  result.states = {state};
  result.lower_bounds = {lower};
  result.upper_bounds = {upper};
  result.normals = {1, 0, 0};
  result.witnesses = {{0, static_cast<std::uint32_t>(witnesses.weights.size())},
                      witnesses.vertices_a,
                      witnesses.vertices_b,
                      witnesses.weights};
  return result;
}

const Shape kUnitBox{Box{{0.5, 0.5, 0.5}}, 0};

// Two unit cubes, one metre apart along x: nearest are x = 0.5 and x = 1.5.
Case SeparatedBoxes() {
  Case boxes{kUnitBox, kUnitBox, {}, {.x = 2}, {}};
  boxes.result = OneRow(State::kSeparated, 1, 1, {{1, 7}, {0, 6}, {0.25, 0.75}});
  boxes.result.distances = {1};
  boxes.result.points_a = {0.5, 0.25, 0.25};
  boxes.result.points_b = {1.5, 0.25, 0.25};
  boxes.result.relative_points_a = boxes.result.points_a;
  boxes.result.relative_points_b = boxes.result.points_b;
  return boxes;
}

// Two unit cubes at the same place. Their differences fill the cube from -1 to 1; four of its
// corners hold a ball of radius 1 / sqrt(3) = 0.577.
Case CoincidentBoxes() {
  Case boxes{kUnitBox, kUnitBox, {}, {}, {}};
  boxes.result =
      OneRow(State::kPenetrating, -1, -0.5, {{0, 3, 5, 6}, {7, 4, 2, 1}, {0.25, 0.25, 0.25, 0.25}});
  boxes.result.distances = {-1};
  boxes.result.points_a = {0.5, 0, 0};
  boxes.result.points_b = {-0.5, 0, 0};
  return boxes;
}

// The same with the four corners as a surface, counter-clockwise from outside.
Case CoincidentBoxesWithDepthProof() {
  Case boxes = CoincidentBoxes();
  const Witnesses& witnesses = boxes.result.witnesses;
  boxes.result.depth_proofs = {{0, 4},
                               witnesses.vertices_a,
                               witnesses.vertices_b,
                               {0, 4},
                               {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2},
                               {false}};
  return boxes;
}

bool Has(const std::vector<Violation>& violations, ViolationKind kind) {
  for (const Violation& violation : violations) {
    if (violation.kind == kind) return true;
  }
  return false;
}

std::string Text(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations) text += violation.message + "\n";
  return text;
}

TEST(VerifyDistance, AcceptsSeparatedBoxes) {
  EXPECT_THAT(SeparatedBoxes().Verify(), IsEmpty()) << Text(SeparatedBoxes().Verify());
}

TEST(VerifyDistance, AcceptsPenetratingBoxes) {
  EXPECT_THAT(CoincidentBoxes().Verify(), IsEmpty()) << Text(CoincidentBoxes().Verify());
}

TEST(VerifyDistance, AcceptsADepthByItsSurface) {
  const Case boxes = CoincidentBoxesWithDepthProof();
  EXPECT_THAT(boxes.Verify(), IsEmpty()) << Text(boxes.Verify());
}

TEST(VerifyDistance, TakesTheSignOfADepthWithoutASurface) {
  Case boxes = CoincidentBoxes();
  boxes.result.upper_bounds = {-1};
  EXPECT_THAT(boxes.Verify(), IsEmpty()) << Text(boxes.Verify());
  boxes = CoincidentBoxesWithDepthProof();
  boxes.result.depth_proofs.truncated = {true};
  boxes.result.upper_bounds = {-1};
  EXPECT_THAT(boxes.Verify(), IsEmpty()) << Text(boxes.Verify());
}

TEST(VerifyDistance, NeedsNoWeightsOfDifferencesThatEncloseTheOrigin) {
  Case boxes = CoincidentBoxes();
  boxes.result.witnesses.weights = {0, 0, 0, 0};
  EXPECT_THAT(boxes.Verify(), IsEmpty()) << Text(boxes.Verify());
  boxes.pose_b.x = 3;
  EXPECT_TRUE(Has(boxes.Verify(), ViolationKind::kState));
}

TEST(VerifyDistance, AcceptsAWeakerBracketThanTheTruth) {
  Case boxes = SeparatedBoxes();
  boxes.result.lower_bounds = {0.25};
  boxes.result.upper_bounds = {3};
  EXPECT_THAT(boxes.Verify(), IsEmpty());
}

TEST(VerifyDistance, AcceptsSeparatedBoxesFarFromTheOrigin) {
  Case boxes = SeparatedBoxes();
  boxes.pose_a = {.x = 1e8, .y = -1e8, .z = 1e8};
  boxes.pose_b = {.x = 1e8 + 2, .y = -1e8, .z = 1e8};
  boxes.result.points_a = {1e8 + 0.5, -1e8 + 0.25, 1e8 + 0.25};
  boxes.result.points_b = {1e8 + 1.5, -1e8 + 0.25, 1e8 + 0.25};
  EXPECT_THAT(boxes.Verify(), IsEmpty()) << Text(boxes.Verify());
}

TEST(VerifyDistance, AcceptsATurnedBox) {
  // A quarter turn about z, exactly, whatever the rounding of sqrt(1/2): x -> y, y -> -x.
  Case boxes = SeparatedBoxes();
  boxes.pose_b.qz = boxes.pose_b.qw = std::sqrt(0.5);
  // Vertex (x, y, z) of the turned box stands at (-y, x, z): those of y = +0.5 face A.
  boxes.result.witnesses.vertices_b = {2, 7};
  boxes.result.witnesses.vertices_a = {1, 7};
  EXPECT_THAT(boxes.Verify(), IsEmpty()) << Text(boxes.Verify());
}

TEST(VerifyDistance, AcceptsTouchingBoxes) {
  Case boxes = SeparatedBoxes();
  boxes.pose_b.x = 1;
  boxes.result.states = {State::kTouching};
  boxes.result.lower_bounds = {-1e-16};
  boxes.result.upper_bounds = {1e-16};
  boxes.result.distances = {0};
  boxes.result.points_b = boxes.result.relative_points_b = boxes.result.points_a;
  EXPECT_THAT(boxes.Verify(), IsEmpty()) << Text(boxes.Verify());
}

// Each kind with a radius of 0.25, three metres from a point along x.
struct KindRow {
  const char* name;
  Shape shape;
  double distance;
  std::uint32_t vertex;
};

TEST(VerifyDistance, AcceptsEveryKindWithARadius) {
  const std::vector<KindRow> kinds = {
      {"point", {Point{}, 0.25}, 2.75, 0},
      {"segment", {Segment{{-1, 0, 0}, {1, 0, 0}}, 0.25}, 1.75, 1},
      {"triangle", {Triangle{{-1, 0, 0}, {0, 1, 0}, {0.5, 0, 0}}, 0.25}, 2.25, 2},
      {"sphere", {Sphere{1}, 0.25}, 1.75, 0},
      {"capsule", {Capsule{0.5, 2}, 0.25}, 2.25, 1},
      {"box", {Box{{1, 0, 0}}, 0.25}, 1.75, 7},
      {"hull", {Hull{{0, 0, 0, -1, -1, -1, 1, 0, 0}, {}, {}}, 0.25}, 1.75, 2},
      {"polygon", {Polygon{{-1, 0, 0, 1, 1.5, 0}}, 0.25}, 1.25, 2},
  };
  for (const KindRow& kind : kinds) {
    Case row{kind.shape, {Point{}, 0}, {}, {.x = 3}, {}};
    // The capsule lies along z, its vertex 1 at z = 2: the point is beside it.
    if (kind.vertex == 1 && std::holds_alternative<Capsule>(kind.shape.kind)) row.pose_b.z = 2;
    row.result = OneRow(State::kSeparated, kind.distance, kind.distance, {{kind.vertex}, {0}, {1}});
    EXPECT_THAT(row.Verify(), IsEmpty()) << kind.name << ": " << Text(row.Verify());
    row.result.upper_bounds = {kind.distance - 1e-12};
    row.result.lower_bounds = {kind.distance - 2e-12};
    EXPECT_TRUE(Has(row.Verify(), ViolationKind::kUpperBound)) << kind.name;
  }
}

TEST(VerifyDistance, AcceptsSpheresThatOverlapByTheirRadiiOnly) {
  Case spheres{{Sphere{1}, 0}, {Sphere{1}, 0}, {}, {.x = 1.5}, {}};
  spheres.result = OneRow(State::kPenetrating, -0.5, -0.5, {{0}, {0}, {1}});
  EXPECT_THAT(spheres.Verify(), IsEmpty()) << Text(spheres.Verify());
  spheres.result.upper_bounds = {-0.5 - 1e-12};
  spheres.result.lower_bounds = {-1};
  EXPECT_TRUE(Has(spheres.Verify(), ViolationKind::kUpperBound));
}

// One change that makes a true answer false, or leaves it unproved.
struct Tampering {
  const char* name;
  ViolationKind expected;
  std::function<void(Case*)> change;
};

void ExpectEachIsCaught(const Case& honest, const std::vector<Tampering>& tamperings) {
  for (const Tampering& tampering : tamperings) {
    Case tampered = honest;
    tampering.change(&tampered);
    const std::vector<Violation> violations = tampered.Verify();
    EXPECT_TRUE(Has(violations, tampering.expected)) << tampering.name << ": " << Text(violations);
  }
}

constexpr std::uint32_t kNoVertex = 0xffffffff;

// A curved shape about the origin and a point beside or above it, with the answer that is plain.
struct CurvedRow {
  const char* name;
  Shape shape;
  Pose point;
  double distance;
  Vec3 normal;
  Vec3 nearest;          // of the shape's surface
  bool is_flat = false;  // no inside: what moves its point inwards moves it out of the core
};

Case CurvedCase(const CurvedRow& curved) {
  Case row{curved.shape, {Point{}, 0}, {.x = 10}, curved.point, {}};
  row.pose_b.x += 10;
  row.result = OneRow(State::kSeparated, curved.distance, curved.distance, {{kNoVertex}, {0}, {1}});
  row.result.distances = {curved.distance};
  row.result.normals = {curved.normal.x, curved.normal.y, curved.normal.z};
  const Vec3& p = curved.nearest;
  row.result.relative_points_a = {p.x, p.y, p.z};
  row.result.relative_points_b = {curved.point.x, curved.point.y, curved.point.z};
  row.result.points_a = {p.x + 10, p.y, p.z};
  return row;
}

std::vector<CurvedRow> CurvedRows() {
  return {
      {"beside a cylinder", {Cylinder{1, 2}, 0}, {.x = 3, .z = 1}, 2, {1, 0, 0}, {1, 0, 1}},
      {"above a disc",
       {Cylinder{1, 0}, 0.5},
       {.x = 0.5, .z = 3},
       2.5,
       {0, 0, 1},
       {0.5, 0, 0.5},
       true},
      {"above a cone", {Cone{1, 2}, 0.25}, {.z = 3}, 0.75, {0, 0, 1}, {0, 0, 2.25}},
      // The mantle of this cone falls by 4 over 3.
      {"beside a cone", {Cone{3, 2}, 0}, {.x = 5.5, .z = 3}, 5, {0.8, 0, 0.6}, {1.5, 0, 0}},
      {"beside an ellipsoid", {Ellipsoid{{3, 2, 1}}, 0.5}, {.y = 4}, 1.5, {0, 1, 0}, {0, 2.5, 0}},
      {"above an ellipse",
       {Ellipsoid{{3, 2, 0}}, 0},
       {.x = 1, .z = 1},
       1,
       {0, 0, 1},
       {1, 0, 0},
       true},
  };
}

TEST(VerifyDistance, AcceptsCurvedKindsByTheirPointsAndSupports) {
  for (const CurvedRow& curved : CurvedRows()) {
    const Case row = CurvedCase(curved);
    EXPECT_THAT(row.Verify(), IsEmpty()) << curved.name << ": " << Text(row.Verify());
  }
}

TEST(VerifyDistance, CatchesTamperedAnswersOfCurvedKinds) {
  using enum ViolationKind;
  for (const CurvedRow& curved : CurvedRows()) {
    SCOPED_TRACE(curved.name);
    const ViolationKind grown = curved.is_flat ? kPoint : kLowerBound;
    const ViolationKind inwards = curved.is_flat ? kPoint : kUpperBound;
    const auto grow = [&](Case* c) { c->shape_a.swept_sphere_radius += 1e-9; };
    const auto outside = [&](Case* c) {
      for (int i = 0; i < 3; ++i) c->result.relative_points_a[i] += 1e-9 * c->result.normals[i];
    };
    const auto inside = [&](Case* c) {
      for (int i = 0; i < 3; ++i) c->result.relative_points_a[i] -= 1e-9 * c->result.normals[i];
    };
    ExpectEachIsCaught(
        CurvedCase(curved),
        {
            {"A grown", grown, grow},
            {"point outside of A", kPoint, outside},
            {"point inside of A", inwards, inside},
            {"a vertex that is none", kWitnessId,
             [](Case* c) { c->result.witnesses.vertices_a[0] = 0; }},
            {"no relative points", kNoProof, [](Case* c) { c->result.relative_points_a.clear(); }},
            {"an overlap", kState, [](Case* c) { c->result.states[0] = State::kPenetrating; }},
        });
  }
}

TEST(VerifyDistance, CatchesAPointBesideAFlatCone) {
  // A slanting normal proves a gap of a metre, to a point in the disc's plane but not of the disc.
  const double across = std::sqrt(1 - 0.625 * 0.625);
  const Case row = CurvedCase({"beside a flat cone",
                               {Cone{0.25, 0}, 0},
                               {.x = 2},
                               1,
                               {0.625, across, 0},
                               {2 - 0.625, -across, 0}});
  const std::vector<Violation> found = row.Verify();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, ViolationKind::kPoint) << Text(found);
}

TEST(VerifyDistance, ProvesAGapBelowTheRoundingOfTheNormal) {
  // The plane x + y + z = 1 and a point 2^-60 * sqrt(3) in front of it: less than what rounding
  // takes from a normal of doubles over a triangle of this size.
  const double gap = 0x1p-60;
  Case row{{Triangle{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0}, {Segment{}, 0}, {}, {}, {}};
  row.shape_b.kind = Segment{{gap, gap, gap}, {1 + gap, gap, gap}};
  row.pose_b = {.x = 1.0 / 4, .y = 1.0 / 4, .z = 1.0 / 2};
  const double n = 1 / std::sqrt(3.0);
  row.result = OneRow(State::kSeparated, 1e-18, 2e-18, {{0, 1, 2}, {0, 0, 0}, {0.25, 0.25, 0.5}});
  row.result.normals = {n, std::nextafter(n, 0), n};
  EXPECT_THAT(row.Verify(), IsEmpty()) << Text(row.Verify());

  row.pose_b.z -= 0x1p-52;  // now the point is behind the plane
  EXPECT_TRUE(Has(row.Verify(), ViolationKind::kState));
}

TEST(VerifyDistance, CatchesTamperedBoundsAndStates) {
  using enum ViolationKind;
  ExpectEachIsCaught(
      SeparatedBoxes(),
      {
          {"lower too high", kLowerBound,
           [](Case* c) { c->result.lower_bounds[0] = c->result.upper_bounds[0] = 1 + 1e-12; }},
          {"upper too low", kUpperBound,
           [](Case* c) { c->result.lower_bounds[0] = c->result.upper_bounds[0] = 1 - 1e-12; }},
          {"lower one ulp too high", kLowerBound,
           [](Case* c) {
             c->result.lower_bounds[0] = c->result.upper_bounds[0] = std::nextafter(1, 2);
           }},
          {"upper one ulp too low", kUpperBound,
           [](Case* c) {
             c->result.lower_bounds[0] = c->result.upper_bounds[0] = std::nextafter(1, 0);
           }},
          {"bounds crossed", kState, [](Case* c) { c->result.lower_bounds[0] = 1.5; }},
          {"lower NaN", kMalformed, [](Case* c) { c->result.lower_bounds[0] = std::nan(""); }},
          {"upper infinite", kMalformed, [](Case* c) { c->result.upper_bounds[0] = HUGE_VAL; }},
          {"touching", kState, [](Case* c) { c->result.states[0] = State::kTouching; }},
          {"penetrating", kState, [](Case* c) { c->result.states[0] = State::kPenetrating; }},
          {"undecided", kNoProof, [](Case* c) { c->result.states[0] = State::kUndecided; }},
          {"refused", kNoProof, [](Case* c) { c->result.states[0] = State::kRefused; }},
          {"beyond", kNoProof, [](Case* c) { c->result.states[0] = State::kBeyond; }},
          {"separated without gap", kState, [](Case* c) { c->result.lower_bounds[0] = 0; }},
          {"no bounds", kNoProof, [](Case* c) { c->result.lower_bounds.clear(); }},
          {"no row", kMalformed, [](Case* c) { c->result.states.clear(); }},
          {"B moved away", kUpperBound, [](Case* c) { c->pose_b.x += 1e-9; }},
          {"B moved near", kLowerBound, [](Case* c) { c->pose_b.x -= 1e-9; }},
          {"B grown", kLowerBound, [](Case* c) { c->shape_b.swept_sphere_radius = 1e-9; }},
      });
}

TEST(VerifyDistance, CatchesTamperedNormalsWitnessesAndPoints) {
  using enum ViolationKind;
  ExpectEachIsCaught(
      SeparatedBoxes(),
      {
          {"normal turned", kLowerBound,
           [](Case* c) {
             c->result.normals = {std::cos(1e-6), std::sin(1e-6), 0};
           }},
          {"normal reversed", kLowerBound,
           [](Case* c) {
             c->result.normals = {-1, 0, 0};
           }},
          {"normal too long", kNormal,
           [](Case* c) {
             c->result.normals = {1 + 1e-9, 0, 0};
           }},
          {"normal NaN", kNormal,
           [](Case* c) {
             c->result.normals = {std::nan(""), 0, 0};
           }},
          {"no normals", kNoProof, [](Case* c) { c->result.normals.clear(); }},
          {"unknown vertex of A", kWitnessId,
           [](Case* c) { c->result.witnesses.vertices_a[0] = 8; }},
          {"unknown vertex of B", kWitnessId,
           [](Case* c) { c->result.witnesses.vertices_b[1] = 8; }},
          {"another vertex of A", kUpperBound,
           [](Case* c) { c->result.witnesses.vertices_a[0] = 0; }},
          {"weights do not sum to 1", kMalformed,
           [](Case* c) { c->result.witnesses.weights[0] = 0.5; }},
          {"a negative weight", kMalformed,
           [](Case* c) {
             c->result.witnesses.weights = {-0.25, 1.25};
           }},
          {"a weight 0", kMalformed,
           [](Case* c) {
             c->result.witnesses.weights = {0, 1};
           }},
          {"a weight NaN", kMalformed,
           [](Case* c) { c->result.witnesses.weights[0] = std::nan(""); }},
          {"other weights", kPoint,
           [](Case* c) {
             c->result.witnesses.weights = {0.5, 0.5};
           }},
          {"offsets beyond the columns", kMalformed,
           [](Case* c) { c->result.witnesses.offsets[1] = 3; }},
          {"offsets reversed", kMalformed,
           [](Case* c) {
             c->result.witnesses.offsets = {2, 0};
           }},
          {"no witnesses", kNoProof, [](Case* c) { c->result.witnesses = {}; }},
          {"distance outside", kDistance, [](Case* c) { c->result.distances[0] = 1.1; }},
          {"point_a moved", kPoint, [](Case* c) { c->result.points_a[1] += 1e-9; }},
          {"point_b moved", kPoint, [](Case* c) { c->result.points_b[0] += 1e-9; }},
          {"relative point_a moved", kPoint,
           [](Case* c) { c->result.relative_points_a[2] -= 1e-9; }},
          {"relative point_b NaN", kPoint,
           [](Case* c) { c->result.relative_points_b[2] = std::nan(""); }},
      });
}

TEST(VerifyDistance, CatchesTamperedPenetration) {
  using enum ViolationKind;
  const auto drop_witness = [](Case* c) {
    c->result.witnesses.offsets[1] = 3;
    c->result.witnesses.weights = {0.5, 0.25, 0.25};
  };
  // Four corners of one face of the difference: the origin is outside their hull.
  const auto one_face = [](Case* c) {
    c->result.witnesses.vertices_a = {0, 2, 4, 6};
    c->result.witnesses.vertices_b = {7, 5, 3, 1};
  };
  // Four corners in one plane through the origin: it is inside, but not strictly.
  const auto diagonal_plane = [](Case* c) {
    c->result.witnesses.vertices_a = {0, 7, 3, 4};
    c->result.witnesses.vertices_b = {7, 0, 4, 3};
  };
  const auto less_deep_than_the_normal_says = [](Case* c) { c->result.lower_bounds = {-0.9}; };
  const auto shallower_than_the_witnesses = [](Case* c) {
    c->result.lower_bounds = c->result.upper_bounds = {-0.5};
  };
  ExpectEachIsCaught(
      CoincidentBoxes(),
      {
          {"a witness less", kState, drop_witness},
          {"one face", kState, one_face},
          {"a plane through the origin", kState, diagonal_plane},
          {"less deep than the normal proves", kLowerBound, less_deep_than_the_normal_says},
          {"shallower than the witnesses", kLowerBound, shallower_than_the_witnesses},
          {"no normals", kNoProof, [](Case* c) { c->result.normals.clear(); }},
          {"a distance outside", kDistance, [](Case* c) { c->result.distances = {-1.1}; }},
          {"points that are not the distance apart", kPoint,
           [](Case* c) { c->result.points_b[0] += 1e-9; }},
          {"B elsewhere", kState, [](Case* c) { c->pose_b.x = 3; }},
          {"not deep", kState, [](Case* c) { c->result.upper_bounds = {0}; }},
      });
}

TEST(VerifyDistance, CatchesATamperedProofOfDepth) {
  using enum ViolationKind;
  using Change = void (*)(DepthProofs*);
  const auto tamper = [](Change change) {
    return [change](Case* c) { change(&c->result.depth_proofs); };
  };
  ExpectEachIsCaught(CoincidentBoxesWithDepthProof(),
                     {
                         {"deeper than the surface", kUpperBound,
                          [](Case* c) { c->result.upper_bounds = {-0.58}; }},
                         {"a triangle less", kUpperBound,
                          tamper([](DepthProofs* proof) { proof->facet_offsets[1] = 3; })},
                         {"a triangle turned over", kUpperBound, tamper([](DepthProofs* proof) {
                            std::swap(proof->facets[0], proof->facets[1]);
                          })},
                         {"a vertex that is none", kWitnessId,
                          tamper([](DepthProofs* proof) { proof->vertices_a[0] = 8; })},
                         {"a corner that is none", kWitnessId,
                          tamper([](DepthProofs* proof) { proof->facets[0] = 4; })},
                         {"another vertex", kUpperBound,
                          tamper([](DepthProofs* proof) { proof->vertices_a[0] = 7; })},
                         {"columns too short", kMalformed,
                          tamper([](DepthProofs* proof) { proof->vertices_b.pop_back(); })},
                         {"no offsets", kMalformed,
                          tamper([](DepthProofs* proof) { proof->facet_offsets = {0}; })},
                     });
}

TEST(VerifyDistance, CatchesATouchBeyondItsTolerance) {
  Case boxes = SeparatedBoxes();
  boxes.pose_b.x = 1;
  boxes.result = OneRow(State::kTouching, -1e-9, 1e-9, {{1}, {0}, {1}});
  boxes.result.tolerances = {1e-8};
  EXPECT_THAT(boxes.Verify(), IsEmpty()) << Text(boxes.Verify());
  boxes.result.tolerances = {1e-10};
  EXPECT_TRUE(Has(boxes.Verify(), ViolationKind::kState));
}

// The two cubes as the second pair of a list.
TEST(VerifySeparation, HoldsDistancesAndPointsAgainstTheBounds) {
  using enum ViolationKind;
  NearestPairs good;
  good.states = {State::kUndecided, State::kSeparated};
  good.lower_bounds = {0, 1};
  good.upper_bounds = {0, 1};
  good.distances = {0, 1};
  good.normals = {0, 0, 0, 1, 0, 0};
  good.points_a = {0, 0, 0, 0.5, 0.25, 0.25};
  good.points_b = {0, 0, 0, 1.5, 0.25, 0.25};
  const Pose a;
  const Pose b{.x = 2};
  const auto verify = [&](const std::function<void(NearestPairs&)>& change) {
    NearestPairs pairs = good;
    change(pairs);
    std::vector<ViolationKind> kinds;
    for (const Violation& found : VerifySeparation({kUnitBox, a}, {kUnitBox, b}, pairs, 1))
      kinds.push_back(found.kind);
    return kinds;
  };
  EXPECT_THAT(verify([](NearestPairs&) {}), IsEmpty());
  EXPECT_THAT(verify([](NearestPairs& p) { p.upper_bounds = p.points_a = {}; }), IsEmpty());
  EXPECT_THAT(verify([](NearestPairs& p) { p.distances = {}; }), IsEmpty());
  using Change = std::function<void(NearestPairs&)>;
  const std::pair<ViolationKind, Change> changes[] = {
      {kDistance, [](NearestPairs& p) { p.distances[1] = 0.2; }},
      {kDistance, [](NearestPairs& p) { p.distances[1] = 1.5; }},
      {kDistance, [](NearestPairs& p) { p.upper_bounds[1] = 0.5; }},
      {kMalformed, [](NearestPairs& p) { p.distances[1] = NAN; }},
      {kMalformed, [](NearestPairs& p) { p.upper_bounds[1] = INFINITY; }},
      {kMalformed, [](NearestPairs& p) { p.distances.pop_back(); }},
      {kMalformed, [](NearestPairs& p) { p.upper_bounds.pop_back(); }},
      {kMalformed, [](NearestPairs& p) { p.points_b.pop_back(); }},
      {kPoint, [](NearestPairs& p) { p.points_b[3] += 0.001; }},
  };
  for (const auto& [kind, change] : changes) EXPECT_THAT(verify(change), ElementsAre(kind));
  // Without points too.
  EXPECT_THAT(verify([](NearestPairs& p) {
                p.distances[1] = 0.2;
                p.points_a = p.points_b = {};
              }),
              ElementsAre(kDistance));
}

}  // namespace
}  // namespace clearance::client
