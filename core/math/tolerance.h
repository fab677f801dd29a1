// SPDX-License-Identifier: Apache-2.0
//
// Every number with an exponent that an answer depends on, with its unit, its reason and what
// follows from it.

#ifndef CLEARANCE_CORE_MATH_TOLERANCE_H_
#define CLEARANCE_CORE_MATH_TOLERANCE_H_

#include <cstdint>

namespace clearance {

// u: half of the distance from 1 to the next double. One correctly rounded operation errs by at
// most u, relatively.
inline constexpr double kRoundoff = 0x1p-53;

// The same of double-double, rounded up over every operation that it is used with (10 u^2 at
// worst), with room for the few dozen of them behind one distance.
inline constexpr double kDoubleDoubleRoundoff = 0x1p-100;

// What underflow may add to a length, in units that no coordinate exceeds by much: squares of
// lengths below 2^-511 are lost, and with them the lengths.
inline constexpr double kUnderflowSlack = 0x1p-480;

// Binary orders by which a motion may exceed the bodies and their distance before squares of these
// underflow beside it.
inline constexpr int kMaxScaleSpan = 400;

// Binary orders by which a pair is at most smaller than the lengths that its centres are sums of,
// for the unit in which it is solved: the rounding of these sums, 2^-98 of the lengths, is then
// some number of units, and not infinitely many. Bodies and distances below that are lost in it
// anyway.
inline constexpr int kMaxCenterSpan = 400;

// u (r_A + r_B + d): how far apart the two ends of a bracket found in double may be before the
// search goes on in double-double. Well-conditioned pairs stay below 8.
inline constexpr double kFastGap = 24;

// How far, relative to the extent, the closest point must lie inside its features and all other
// vertices behind them before an answer is taken from the features alone: 8 times what a search may
// be off (feature_pair.h). Nearer to the edge the reference road answers.
inline constexpr double kFeatureMargin = 0x1p-20;

// Times what a length may be by rounding alone: a bracket wider than this is not closed, and a
// search that no vertex brings nearer looks whether one narrows it. Closed ones are below 10.
inline constexpr double kOpenBracket = 64;

// Of the extent: a distance below this is left to searches that take care (core/narrow/scout.h).
inline constexpr double kScoutNearest = 0x1p-30;

// Of the distance's square: a corner that is nearer by less than this ends a guess.
inline constexpr double kScoutGap = 0x1p-40;

// Twice so many rounds from box to box a guess tries before it gives up (core/narrow/box_guess.h).
inline constexpr int kMostBoxRounds = 6;
// Of the extent: a distance below which boxes may as well overlap.
inline constexpr double kLeastBoxGuess = 0x1p-12;
// Times the square of the distance that is asked for: one that is likely beyond it.
inline constexpr double kMostBoxGuess = 4;
// Of the square of the distance before: one that has become no less, but by rounding.
inline constexpr double kBoxProgress = 1 - 0x1p-20;
// By what at most a way is taken to be shorter than the one before it, to add all after it at once.
inline constexpr double kMostBoxRatio = 0.96875;

// Corners that a guess tries before it gives up. Hulls of thousands of vertices take under 30.
inline constexpr std::uint32_t kMostScoutSteps = 64;

// Of all lengths of a pair together, where the sign of its distance is proved in plain double
// precision: more than lengths computed from it may be off by (core/narrow/lane_pair-inl.h). Pairs
// nearer to contact than these are left to searches that take care.
inline constexpr double kPairRounding = 0x1p-40;

// Likewise, what is taken off an overlap of boxes for axes that are left out: those of edges with
// a cosine of more than kBoxParallel (core/narrow/box_bounds.cc).
inline constexpr double kBoxSlack = 0x1p-19;
inline constexpr double kBoxParallel = 1 - 0x1p-41;

// Likewise, more than how far below the highest vertex of both shapes those may be that scans in
// single precision take for it (core/narrow/hull_bounds.cc).
inline constexpr double kScanSlack = 0x1p-17;

// Of the square and the cube of it: more than what the area and the volume of a tetrahedron of
// vertices may be off by (core/narrow/scout.cc).
inline constexpr double kTetrahedronRounding = 0x1p-40;

// Metres: pairs of which all lengths together are between this and its inverse have products of six
// lengths that neither overflow nor, beside each other, underflow.
inline constexpr double kMostPairLength = 0x1p100;

// u times the extent: what a vertex may lie above a portal's plane (core/narrow/ray_cast.h) by
// rounding alone.
inline constexpr double kPortalNoise = 16;

// Of the extent: how far inside of its portal a ray must pass. Corners err by some 20 u of it.
inline constexpr double kPortalMargin = 0x1p-44;

// Vertices that a portal's search tries, and its refinement as many. Hulls of thousands of vertices
// take under 20.
inline constexpr int kMostPortalSteps = 64;

// Double-double's rounding of a contact's plane (core/query/contact_plane.h), relative to the
// lengths of both edges that span it and to the extent.
inline constexpr double kPlaneRoundoff = 0x1p-97;

// Units: corners and components of quaternions that are 0 or no smaller than the first, and offsets
// and displacements than the second, have no product in a contact's plane of which a part
// underflows (core/query/facet_contacts.cc).
inline constexpr double kLeastFused = 0x1p-22;
inline constexpr double kLeastFusedOffset = 0x1p-220;

// Of the extent: how far behind the plane of two features in contact every other vertex must lie
// before the contact is computed from the features alone. Far above rounding.
inline constexpr double kPlaneMargin = 0x1p-40;

// Below this share of the extent a distance has too few digits left to tell features apart by it.
inline constexpr double kLeastFeatureDistance = 0x1p-30;

// Squared sine of the angle between two edges below which they count as parallel: their closest
// points are then not unique enough to be computed from them alone.
inline constexpr double kLeastSineSquared = 0x1p-20;

// The same between two edges in contact, whose normal is computed from theirs.
inline constexpr double kLeastContactSineSquared = 0x1p-6;

// u times the extent, beside what the placement is off by: more than how far a depth along an axis
// of two boxes may be off, times the length of that axis; and of that, the margin by which one axis
// must be nearer than all others (core/narrow/box_penetration.cc).
inline constexpr double kBoxAxisRounding = 512 * kRoundoff;
inline constexpr double kBoxAxisMargin = 0x1p12;

// Relative to sizes and distance: how much farther than max_distance a search must prove a pair
// before it stops. Far above rounding, so that every search decides alike.
inline constexpr double kBeyondGuard = 0x1p-40;

// u S: the width of the bracket that is good enough where a core is curved. There the search comes
// nearer by a factor with every iteration and never ends by itself; this is a few times the
// rounding of the bracket's ends.
inline constexpr double kCurvedGap = 512;

// A barycentric weight this small comes from the rounding of double-double, not from the position
// of the origin.
inline constexpr double kNegligibleWeight = 0x1p-90;

// How far, relative to a simplex's size, its nearest point may be from the point that its weights
// make before it is taken for rounding: the square root of the rounding, so that only slivers with
// less than half of the digits left are given up, and their edges taken instead.
inline constexpr double kDoubleSimplexSlack = 0x1p-26;
inline constexpr double kDoubleDoubleSimplexSlack = 0x1p-52;

// S: how far the point that the weights make may be off v where a core is curved, in an answer of
// the search in double: a quarter of what an answer's points are allowed. What is farther off, a
// sliver, is left to double-double. (Polytopes have named vertices: slivers give way to others.)
inline constexpr double kCurvedPointSlack = 0x1p-32;

// u (r_A + r_B): what the height of a vertex over a facet may be by rounding alone.
inline constexpr double kDepthNoise = 8;

// S: the width at which the search for the depth of curved cores stops growing its polytope. A
// facet that is an angle t wide leaves t^2 / 8 of a curvature radius, so this takes facets of 3e-5
// around the contact, some dozens; the depth is then finished by local minimisation.
inline constexpr double kCurvedDepthGap = 1e-10;

// Vertices of the polytope that a depth is searched with (it has twice as many facets, 200 kB on
// the stack). Polytopes of some hundred vertices take under 100; what needs more is round on both
// sides, and its bracket stays as wide as the facets leave it.
inline constexpr int kMaxPolytopeVertices = 1024;

// Units: how far putting a vertex on the grid of the exact predicates (2^-358 of 8 units) moves it,
// with room.
inline constexpr double kPolytopeGrid = 0x1p-350;

// A triangle whose sine at its best corner is below this is taken for its longest edge: there the
// error of its plane in double-double and its height are equal, both below u.
inline constexpr double kThinTriangle = 0x1p-46;

// Units, and their square: below this, squares of a triangle's edges underflow.
inline constexpr double kThinUnderflow = 0x1p-200;

// How far beyond contact B is moved away to find a direction in which the overlap is less deep, of
// the sizes: far enough for the direction between nearest points to have half of a double's digits,
// near enough for the next direction to be much better.
inline constexpr double kPolishClearance = 0x1p-10;

// Steps of that. Each divides the error by the ratio of the curvature radius and the depth; the
// depth itself is right long before the direction.
inline constexpr int kMaxPolishSteps = 32;

// 1 - cos of the angle between normals, in widths of the depth's bracket over the size, below which
// they are one normal.
inline constexpr double kSameNormal = 32;

// How far |q| may be from 1 (a pure number). Single-precision quaternions are within 1e-7; further
// off than this a caller has made a mistake that normalising would hide.
inline constexpr double kQuaternionSlack = 1e-3;

// tau = max(kRelativeTolerance * S, kRoundingTolerance * u * (S + |d|), kLeastTolerance), S the sum
// of the shapes' radii about their centres: the width within which a pair counts as touching. A
// micrometre on a kilometre: far below what bodies are known to, far above what rounding needs.
inline constexpr double kRelativeTolerance = 1e-9;
inline constexpr double kRoundingTolerance = 64;

// tau is at least this, metres: the least normal double. Below it lengths are rounded absolutely.
inline constexpr double kLeastTolerance = 0x1p-1022;

// Iterations of one distance computation. Polytopes of thousands of vertices take under 40; what
// needs more than this is stuck, and is told so.
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

// Of a motion's time: how far after the last proved free time a contact is looked for where the
// bodies move farther in one step of the clock than the tolerance. Longer would hide a missed
// proof.
inline constexpr double kLongestWait = 0x1p-30;

// S: on their way bodies nearer to each other than this are left to double-double at once. Double
// precision loses the sign of their distance a little below.
inline constexpr double kCoarseReach = 0x1p-41;

// pi, radians.
inline constexpr double kHalfTurn = 0x1.921fb54442d18p+1;

// Radians around half a turn in which "the shortest way" to an end pose is ambiguous.
inline constexpr double kHalfTurnSlack = 1e-9;

// The sine of the angle between a face (or an edge) and the plane across the normal up to which it
// counts as lying in contact with all of its corners, 1.8 degrees: a box that rocks by less keeps
// its four points, and a sphere of fewer than a hundred facets around is not taken for flat.
inline constexpr double kContactFaceSine = 0x1p-5;

// Times the radius of the smaller body: how much farther apart than the bodies the two surfaces may
// be at a point of contact.
inline constexpr double kContactSpread = 0x1p-5;

// Pair units: how far outside of the other face a corner may be and still count as on it, some
// hundred roundings: faces that coincide meet at all their corners whatever the pose.
inline constexpr double kContactSlack = 0x1p-44;

// Pair units: points of contact nearer to each other than this are one, a nanometre on a metre. The
// slack is magnified along sides that meet at a small angle, and this is what it may come to.
inline constexpr double kContactMerge = 0x1p-30;

// Sine of the best corner of a triangle from which on its plane is told to some digits in double,
// which will do for one that is not among the nearest of a polytope.
inline constexpr double kCoarseSine = 0x1p-10;

// Coordinates of a polytope that are larger than this have all their digits on the grid of the
// exact predicates.
inline constexpr double kOnGridAnyway = 0x1p-300;

// Lengths of a direction, or of what it has across an axis, whose squares keep all the digits of a
// double-double.
inline constexpr double kLeastSquared = 0x1p-400;

// Sizes of a direction between which heights along it are normal floats, but for those that are
// nothing beside the highest.
inline constexpr double kLeastFloatDirection = 0x1p-60;
inline constexpr double kMostFloatDirection = 0x1p60;

// Greatest components of a direction between which it has a cell of the cube map: neither heights
// nor what rounding makes of them underflow or overflow.
inline constexpr double kLeastCellDirection = 0x1p-600;
inline constexpr double kMostCellDirection = 0x1p600;

// How far below the highest of a cell a vertex may be that counts as one of its highest: hundreds
// of times what rounding takes from heights, of coordinates and components of at most 1. And by how
// much a cell is made wider than it is, since the cell of a direction is found by rounded numbers.
inline constexpr double kCellTolerance = 0x1p-40;
// The same of hulls whose heights are compared in single precision too. There a height is the sum
// of three products of rounded numbers, off by less than 15 * 2^-24, so that two are in the right
// order from 2^-19 on; the rest is room for what rounding takes from the cells.
inline constexpr double kFloatCellTolerance = 0x1p-18;
inline constexpr double kCellMargin = 0x1p-30;

// Vertices from which on a solid shape has an adjacency to climb along: scanning fewer than this is
// as fast as the dozen dependent look-ups of a climb.
inline constexpr int kClimbThreshold = 32;

// Vertices up to which a hull is scanned all the same, where no cell tells a few of them and a few
// instructions look at all (core/shape/support_cells.h): in double, four or eight at a time, this
// costs less than the look-ups of a climb and the branches that it takes by chance. The vertex that
// is found is the same.
inline constexpr unsigned kMostScanned = 300;

// Vertices up to which a scan in single precision costs no more than to look at a cell's, and of a
// cell, up to which looking at them costs less than a scan.
inline constexpr unsigned kMostWithoutCells = 128;
inline constexpr unsigned kMostCellFloats = 20;

// Bits that the largest length of an offset has while it is computed: products and sums do not
// overflow yet, and what is 2^-1900 of it does not underflow.
inline constexpr int kOffsetBits = 900;

// Metres: gaps between boxes below the first count as none, above the second as that, so that their
// squares are normal floats. Worlds smaller or larger than these are asked body by body.
inline constexpr float kLeastBoxGap = 0x1p-60F;
inline constexpr float kLargestBoxGap = 0x1p60F;

// Times a gap between boxes: more than the rounding of its seven operations in single precision.
inline constexpr float kBoxGapGuard = 1.0F - 0x1p-20F;

// Of a time at which boxes meet: more than the rounding of its operations in single precision; and
// of the time in which they do, more than underflow may take.
inline constexpr float kBoxTimeGuard = 0x1p-20F;
inline constexpr float kBoxTimeSlack = 0x1p-60F;

// Of the lengths that a body's box in the world is made of: 27 u for the entries of a rotation, a
// dozen for products and sums, and as much again.
inline constexpr double kBoxPlacementError = 64 * kRoundoff;

// Metres: what rounding to the least doubles may add to that.
inline constexpr double kBoxUnderflow = 0x1p-1060;

// The independent checker of answers (core/proof), which computes with 113 bits. Its own rounding,
// relative to all lengths that enter one bound: taken off every bound, so that what it proves is
// proved. Of turning bodies more, as an angle of 640 rad costs a dozen bits.
inline constexpr double kProofRoundoff = 0x1p-104;
inline constexpr double kProofMotionRoundoff = 0x1p-88;

// Below this fraction of its factors a difference or a cross product of quads may be all rounding,
// and the directions count as parallel.
inline constexpr double kProofParallel = 0x1p-90;

// Of how far from A's origin anything of the pair reaches: an overlap less deep than this, or a gap
// less wide, is not told from a contact. Above the rounding of a support (kProofRoundoff).
inline constexpr double kProofUnreadable = 0x1p-90;

// u (S + |d|): how far an answer's end may be from what its own proof gives, because normals,
// weights and points are rounded to doubles. An error below this is not seen.
inline constexpr double kProofAllowance = 64;

// Metres: what rounding to the least doubles may add to that.
inline constexpr double kProofUnderflow = 0x1p-1060;

// Of the length of a normal and of a sum of weights, from 1.
inline constexpr double kProofUnitSlack = 0x1p-48;

// S: the width of the bracket at which the checker's own search stops, well below kProofAllowance.
inline constexpr double kProofSearchGap = 0x1p-58;

}  // namespace clearance

#endif  // CLEARANCE_CORE_MATH_TOLERANCE_H_
