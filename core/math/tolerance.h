// SPDX-License-Identifier: Apache-2.0
//
// Every number with an exponent that an answer depends on, with its unit, its reason and its
// consequences.

#pragma once

#include <cstdint>

namespace clearance {

// u: half of the distance from 1 to the next double. One correctly rounded operation errs by at
// most u, relatively.
inline constexpr double kRoundoff = 0x1p-53;

// The same for double-double, rounded up over every operation that it is used with (10 u^2 at
// worst), with room for the few dozen of them behind one distance.
inline constexpr double kDoubleDoubleRoundoff = 0x1p-100;

// The most that underflow may add to a length, in units that no coordinate exceeds by much: squares
// of lengths below 2^-511 are lost, and with them the lengths.
inline constexpr double kUnderflowSlack = 0x1p-480;

// Binary orders by which a motion may exceed the bodies and their distance before their squares
// underflow beside it.
inline constexpr int kMaxScaleSpan = 400;

// Binary orders that limit, for the unit in which a pair is solved, how much smaller the pair is
// than the lengths that its centres are sums of. The rounding of these sums, 2^-98 of the lengths,
// is then a finite number of units. Smaller bodies and distances are lost in that rounding anyway.
inline constexpr int kMaxCenterSpan = 400;

// u (r_A + r_B + d): how far apart the two ends of a bracket found in double may be before the
// search goes on in double-double. Well-conditioned pairs stay below 8.
inline constexpr double kFastGap = 24;

// Relative to the extent: how far the closest point must lie inside its features, and all other
// vertices behind them, before an answer is taken from the features alone. It is 8 times the
// possible error of a search (closest_features.h). Nearer to the edge the reference path answers.
inline constexpr double kFeatureMargin = 0x1p-20;

// Multiple of the width that rounding alone may give: a bracket wider than this is not closed, and
// a search that no vertex brings nearer checks whether one narrows it. Closed ones are below 10.
inline constexpr double kOpenBracket = 64;

// Relative to the extent: a distance below this is left to more careful searches
// (core/narrow/gjk_batch.h).
inline constexpr double kGuessNearest = 0x1p-30;

// Relative to the squared distance: a corner that is nearer by less than this ends a guess.
inline constexpr double kGuessGap = 0x1p-40;

// Pairs of rounds from box to box that a guess tries before it gives up
// (core/narrow/box_projection.h).
inline constexpr int kMaxBoxRounds = 6;
// Relative to the extent: boxes at a distance below this may as well overlap.
inline constexpr double kMinBoxProjection = 0x1p-12;
// Times the square of the distance that is asked for: a larger square is likely beyond it.
inline constexpr double kMaxBoxProjection = 4;
// Relative to the square of the distance before: a square of at least this has not decreased,
// except by rounding.
inline constexpr double kBoxProgress = 1 - 0x1p-20;
// Upper limit on the ratio of successive steps when a geometric tail is extrapolated.
inline constexpr double kMaxBoxRatio = 0.96875;

// Corners that a guess tries before it gives up. Hulls of thousands of vertices take under 30.
inline constexpr std::uint32_t kMaxGuessSteps = 64;

// Relative to the sum of all lengths of a pair, if the sign of its distance is proved in plain
// double precision: more than the error of lengths computed from it (core/narrow/lane_pair-inl.h).
// Pairs nearer to contact than this are left to more careful searches.
inline constexpr double kPairRounding = 0x1p-40;

// Relative to the same sum: the amount taken off an overlap of boxes for axes that are left out,
// which are those of edges with a cosine of more than kBoxParallel (core/narrow/box_sat_bounds.cc).
inline constexpr double kBoxSlack = 0x1p-19;
inline constexpr double kBoxParallel = 1 - 0x1p-41;

// Relative to the same sum: more than the height by which the vertices found by single-precision
// scans of both shapes may lie below the highest ones (core/narrow/hull_bounds.cc).
inline constexpr double kScanSlack = 0x1p-17;

// Relative to the square and the cube of the same sum: more than the error of the area and the
// volume of a tetrahedron of vertices (core/narrow/gjk_batch.cc).
inline constexpr double kTetrahedronRounding = 0x1p-40;

// Metres: if the sum of all lengths of a pair is between this and its inverse, products of six
// lengths neither overflow nor, beside each other, underflow.
inline constexpr double kMaxPairLength = 0x1p100;

// u times the extent: the height of a vertex above a portal's plane (core/narrow/portal.h) that
// rounding alone may give.
inline constexpr double kPortalNoise = 16;

// Relative to the extent: how far inside its portal a ray must pass. Corners err by some 20 u of
// it.
inline constexpr double kPortalMargin = 0x1p-44;

// Vertices that a portal's search tries, and as many for its refinement. Hulls of thousands of
// vertices take under 20.
inline constexpr int kMaxPortalSteps = 64;

// Double-double's rounding of a contact's plane (core/query/contact_plane.h), relative to the
// lengths of both edges that span it and to the extent.
inline constexpr double kPlaneRoundoff = 0x1p-97;

// Units: no part of a product in a contact's plane underflows (core/query/facet_contacts.cc) if
// corners and components of quaternions are 0 or no smaller than the first, and offsets and
// displacements 0 or no smaller than the second.
inline constexpr double kMinFused = 0x1p-22;
inline constexpr double kMinFusedOffset = 0x1p-220;

// Relative to the extent: how far behind the plane of two features in contact every other vertex
// must lie before the contact is computed from the features alone. Far above rounding.
inline constexpr double kPlaneMargin = 0x1p-40;

// Relative to the extent: a smaller distance has too few digits left to tell features apart by it.
inline constexpr double kMinFeatureDistance = 0x1p-30;

// Squared sine of the angle between two edges below which they count as parallel: their closest
// points are then not unique enough to be computed from them alone.
inline constexpr double kMinSineSquared = 0x1p-20;

// The same between two edges in contact, whose normal is computed from theirs.
inline constexpr double kMinContactSineSquared = 0x1p-6;

// u times the extent, in addition to the error of the placement: more than the error of a depth
// along an axis of two boxes, times the length of that axis. And a multiple of that error: the
// margin by which one axis must be nearer than all others (core/narrow/box_sat.cc).
inline constexpr double kBoxAxisRounding = 512 * kRoundoff;
inline constexpr double kBoxAxisMargin = 0x1p12;

// Relative to sizes and distance: how much farther than max_distance a search must prove a pair
// before it stops. Far above rounding, so that every search decides alike.
inline constexpr double kBeyondGuard = 0x1p-40;

// u S: the width of the bracket that is good enough for a curved core. There the search comes
// nearer by a factor with every iteration and never ends by itself; this is a few times the
// rounding of the bracket's ends.
inline constexpr double kCurvedGap = 512;

// A barycentric weight this small comes from the rounding of double-double, not from the position
// of the origin.
inline constexpr double kNegligibleWeight = 0x1p-90;

// Relative to a simplex's size: the distance of its nearest point from the point that its weights
// make, above which it is taken for rounding. It is the square root of the rounding, so that only
// slivers with less than half of the digits left are given up and replaced by their edges.
inline constexpr double kDoubleSimplexSlack = 0x1p-26;
inline constexpr double kDoubleDoubleSimplexSlack = 0x1p-52;

// S: the distance of the point that the weights make from v that is allowed for a curved core, in
// an answer of the search in double: a quarter of the error allowed for an answer's points. A
// larger distance, a sliver, is left to double-double. (Polytopes have named vertices: slivers give
// way to others.)
inline constexpr double kCurvedPointSlack = 0x1p-32;

// u (r_A + r_B): the height of a vertex over a facet that rounding alone may give.
inline constexpr double kDepthNoise = 8;

// S: the width at which the search for the depth of curved cores stops growing its polytope. A
// facet that is an angle t wide leaves t^2 / 8 of a curvature radius, so this takes facets of 3e-5
// around the contact, some dozens; the depth is then finished by local minimisation.
inline constexpr double kCurvedDepthGap = 1e-10;

// Vertices of the polytope that a depth is searched with (it has twice as many facets, 200 kB on
// the stack). Polytopes of some hundred vertices take under 100. Bodies that need more are round on
// both sides; their bracket stays as wide as the facets leave it.
inline constexpr int kMaxPolytopeVertices = 1024;

// Units: how far putting a vertex on the grid of the exact predicates (2^-358 of 8 units) moves it,
// with room.
inline constexpr double kPolytopeGrid = 0x1p-350;

// A triangle whose sine at its best corner is below this is replaced by its longest edge: there the
// error of its plane in double-double and its height are equal, both below u.
inline constexpr double kThinTriangle = 0x1p-46;

// Units, and their square: below this, squares of a triangle's edges underflow.
inline constexpr double kThinUnderflow = 0x1p-200;

// Relative to the sizes: how far beyond contact B is moved away to find a direction in which the
// overlap is less deep. It is far enough for the direction between nearest points to have half of a
// double's digits, and near enough for the next direction to be much better.
inline constexpr double kPolishMinimumDistance = 0x1p-10;

// Steps of that. Each divides the error by the ratio of the curvature radius and the depth; the
// depth itself is right long before the direction.
inline constexpr int kMaxPolishSteps = 32;

// 1 - cos of the angle between normals, in widths of the depth's bracket over the size, below which
// they are one normal.
inline constexpr double kSameNormal = 32;

// How far |q| may be from 1 (a pure number). Single-precision quaternions are within 1e-7; a larger
// deviation than this is a caller's mistake that normalising would hide.
inline constexpr double kQuaternionSlack = 1e-3;

// tau = max(kRelativeTolerance * S, kRoundingTolerance * u * (S + |d|), kMinTolerance), S the sum
// of the shapes' radii about their centres: the width within which a pair counts as touching. A
// micrometre on a kilometre: far below the accuracy to which bodies are known, far above the needs
// of rounding.
inline constexpr double kRelativeTolerance = 1e-9;
inline constexpr double kRoundingTolerance = 64;

// tau is at least this, metres: the least normal double. Below it lengths are rounded absolutely.
inline constexpr double kMinTolerance = 0x1p-1022;

// Iterations of one distance computation. Polytopes of thousands of vertices take under 40; a
// search that needs more than this is stuck, and reports that.
inline constexpr int kMaxIterations = 256;

// Products of 64-bit words that one exact decision may take: a second or two. Ordinary pairs take a
// hundred thousand; only tens of thousands of vertices in one plane, with coordinates from all over
// the range of doubles, take more than this, and are not decided.
inline constexpr std::int64_t kMaxExactWork = 400'000'000;

// Distance computations of one time of collision. A blade at 628 rad grazing a wall at 1 % of its
// length takes a few thousand; see time_of_collision.cc for the step length.
inline constexpr int kMaxMotionSteps = 20000;

// Radians in one motion: a hundred turns (628.3) with some room. The rounding of an angle grows
// with it and is part of the bracket.
inline constexpr double kMaxRotation = 640;

// Fraction of a motion's time: how long after the last proved free time a contact is looked for if
// the bodies move farther in one step of the clock than the tolerance. Longer would hide a missed
// proof.
inline constexpr double kLongestWait = 0x1p-30;

// Part of the tolerance: a wait in which no point moves farther brings no contact about by motion,
// so the first wait is no shorter. One step of the clock is no measure near t = 0, where it is
// 2^-1074.
inline constexpr double kShortestWaitPath = 0x1p-64;

// S: moving bodies nearer to each other than this are left to double-double at once. Double
// precision loses the sign of their distance a little below.
inline constexpr double kCoarseReach = 0x1p-41;

// pi, radians.
inline constexpr double kPi = 0x1.921fb54442d18p+1;

// Radians around half a turn in which the shortest path to an end pose is ambiguous.
inline constexpr double kHalfTurnSlack = 1e-9;

// The sine of the angle between a face (or an edge) and the plane across the normal, 1.8 degrees,
// up to which all of its corners count as lying in contact. A box that rocks by less keeps its four
// points, and a sphere of fewer than a hundred facets around is not taken for flat.
inline constexpr double kContactFaceSine = 0x1p-5;

// Times the radius of the smaller body: how much farther apart than the bodies the two surfaces may
// be at a point of contact.
inline constexpr double kContactSpread = 0x1p-5;

// Pair units: how far outside of the other face a corner may be and still count as on it, some
// hundred roundings. Faces that coincide then meet at all their corners whatever the pose.
inline constexpr double kContactSlack = 0x1p-44;

// Pair units: points of contact nearer to each other than this are merged; a nanometre on a metre.
// The slack is magnified along sides that meet at a small angle, and this is the most it may
// become.
inline constexpr double kContactMerge = 0x1p-30;

// Sine of the best corner of a triangle above which its plane is known to some digits in double,
// which is enough for a triangle that is not among the nearest of a polytope.
inline constexpr double kCoarseSine = 0x1p-10;

// Coordinates of a polytope that are larger than this have all their digits on the grid of the
// exact predicates.
inline constexpr double kOnGridAnyway = 0x1p-300;

// Lengths of a direction, or of its part across an axis, whose squares keep all the digits of a
// double-double.
inline constexpr double kMinSquared = 0x1p-400;

// Sizes of a direction between which heights along it are normal floats, except for those that are
// negligible beside the highest.
inline constexpr double kMinFloatDirection = 0x1p-60;
inline constexpr double kMaxFloatDirection = 0x1p60;

// Greatest components of a direction between which it has a cell of the cube map: neither heights
// nor their rounding errors underflow or overflow.
inline constexpr double kMinCellDirection = 0x1p-600;
inline constexpr double kMaxCellDirection = 0x1p600;

// How far below the highest of a cell a vertex may be that counts as one of its highest. It is
// hundreds of times the rounding error of heights, for coordinates and components of at most 1.
// kCellMargin is how much a cell is widened, since the cell of a direction is found by rounded
// numbers.
inline constexpr double kCellTolerance = 0x1p-40;
// The same for hulls whose heights are compared in single precision too. There a height is the sum
// of three products of rounded numbers, off by less than 15 * 2^-24, so that two are in the right
// order from 2^-19 on; the rest is room for the rounding error of the cells.
inline constexpr double kFloatCellTolerance = 0x1p-18;
inline constexpr double kCellMargin = 0x1p-30;

// Vertices from which on a solid shape has an adjacency to climb along: scanning fewer than this is
// as fast as the dozen dependent look-ups of a climb.
inline constexpr int kClimbThreshold = 32;

// Vertices up to which a hull is scanned although it has an adjacency, if no cell limits them to a
// few that a few instructions look at (core/shape/support_cells.h). In double, four or eight at a
// time, a scan costs less than the look-ups and unpredictable branches of a climb. Both find the
// same vertex.
inline constexpr unsigned kMaxScanned = 300;

// Vertices of a hull up to which a scan in single precision costs no more than to look at a cell's,
// and vertices of a cell up to which looking at them costs less than a scan.
inline constexpr unsigned kMaxWithoutCells = 128;
inline constexpr unsigned kMaxCellFloats = 20;

// Bits of the largest length of an offset while it is computed: products and sums do not overflow
// yet, and values of 2^-1900 of it do not underflow.
inline constexpr int kOffsetBits = 900;

// Metres: gaps between boxes below the first count as none, and gaps above the second count as the
// second, so that their squares are normal floats. Worlds smaller or larger than these are asked
// body by body.
inline constexpr float kMinBoxGap = 0x1p-60F;
inline constexpr float kLargestBoxGap = 0x1p60F;

// Times a gap between boxes: more than the rounding of its seven operations in single precision.
inline constexpr float kBoxGapGuard = 1.0F - 0x1p-20F;

// Relative to a time at which boxes meet: more than the rounding of its operations in single
// precision. kBoxTimeSlack is absolute: more than underflow may take from that time.
inline constexpr float kBoxTimeGuard = 0x1p-20F;
inline constexpr float kBoxTimeSlack = 0x1p-60F;

// Relative to the lengths that a body's box in the world is made of: 27 u for the entries of a
// rotation, a dozen for products and sums, and the rest as reserve.
inline constexpr double kBoxPlacementError = 64 * kRoundoff;

// Metres: the most that rounding to the least doubles may add to that.
inline constexpr double kBoxUnderflow = 0x1p-1060;

// The independent checker of answers (core/proof), which computes with 113 bits. Its own rounding,
// relative to all lengths that enter one bound, is taken off every bound, so that every bound is
// proved. Turning bodies have more, as an angle of 640 rad costs a dozen bits.
inline constexpr double kProofRoundoff = 0x1p-104;
inline constexpr double kProofMotionRoundoff = 0x1p-88;

// Below this fraction of its factors a difference or a cross product of quads may be all rounding,
// and the directions count as parallel.
inline constexpr double kProofParallel = 0x1p-90;

// Relative to the greatest distance of any point of the pair from A's origin: an overlap less deep
// than this, or a gap less wide, is not told from a contact. Above the rounding of a support
// (kProofRoundoff).
inline constexpr double kProofUnreadable = 0x1p-90;

// u (S + |d|): how far an answer's end may be from what its own proof gives, because normals,
// weights and points are rounded to doubles. An error below this is not seen.
inline constexpr double kProofAllowance = 64;

// Metres: the most that rounding to the least doubles may add to that.
inline constexpr double kProofUnderflow = 0x1p-1060;

// How far the length of a normal and a sum of weights may be from 1.
inline constexpr double kProofUnitSlack = 0x1p-48;

// S: the width of the bracket at which the checker's own search stops, well below kProofAllowance.
inline constexpr double kProofSearchGap = 0x1p-58;

}  // namespace clearance
