// SPDX-License-Identifier: Apache-2.0
//
// A library that answers questions about pairs of convex shapes, ours or another: the one interface
// by which peer_bench asks, times and judges them all.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/math/vec3.h"
#include "core/query/time_of_collision.h"
#include "tests/bench/workload.h"

namespace clearance::bench {

// The kinds of questions, and the number that answers each.
enum class Kind {
  kDistance,         // metres
  kWarmDistance,     // the same, of steps of tracks: from what the step before left behind
  kIntersection,     // 1 or 0
  kDepth,            // minus the least translation that separates, metres
  kTimeOfCollision,  // when A, moving by its approach, comes to B, in [0, 1]; kNoHit: never
};

inline constexpr double kNoHit = 2;

const char* Name(Kind kind);

// Keeps references.
struct Questions {
  Kind kind;
  const Pool& pool;
  const std::vector<Pair>& pairs;
  const std::vector<Motion>& approaches;  // of each pair
  std::size_t tracks;                     // of kWarmDistance: question i follows i - tracks
};

// Thread-compatible.
class Peer {
 public:
  struct Traits {
    std::string name;
    std::string note;  // which version, precision and algorithms these are
    bool is_ours = false;
  };

  explicit Peer(Traits traits) : traits_(std::move(traits)) {}
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  const Traits& traits() const { return traits_; }

  virtual bool Answers(Kind kind) const = 0;

  // Makes the library's own shapes of the pool's, instead of those made before. Not timed.
  virtual void Load(const Pool& pool) = 0;

  // Puts questions about the loaded pool into the library's own types. Not timed.
  virtual void Prepare(const Questions& questions) = 0;

  // Answers everything that was prepared, from the beginning each time; NaN if the library says
  // that it failed. Timed.
  virtual void Answer(std::vector<double>* answers) = 0;

 private:
  Traits traits_;
};

// The vertices of the hull of a shape of the pool, exactly as they were given, frame of the shape.
std::vector<Vec3d> VerticesOf(const Pool& pool, std::size_t shape);

// Returns the half extents if all shapes of the pool are boxes.
bool IsOfBoxes(const Pool& pool);
Vec3d HalfExtentsOf(const Pool& pool, std::size_t shape);

// Row-major, of a unit quaternion to rounding.
struct Rotation {
  double rows[3][3];
};
Rotation RotationOf(const Quaternion& q);

// Every query from a cold start.
std::unique_ptr<Peer> MakeOurs();
// Warm distances only, each from the witness of the step before.
std::unique_ptr<Peer> MakeOursWarm();
// Distances, intersections and depths, many a call.
std::unique_ptr<Peer> MakeOursBatch();
std::unique_ptr<Peer> MakeBullet();
enum class FclSolver { kLibccd, kIndep };
std::unique_ptr<Peer> MakeFcl(FclSolver solver);
enum class CcdAlgorithm { kGjk, kMpr };
std::unique_ptr<Peer> MakeCcd(CcdAlgorithm algorithm);

}  // namespace clearance::bench
