// SPDX-License-Identifier: Apache-2.0
//
// Tracks: a game server publishes the positions of its players, tick by tick, and the judge of a
// shot asks what it met at a time of the past. Mirrors proto/clearance/v1/track.proto, which states
// the poses of bodies between two ticks and the possible answers of every call.
//
//   auto writer = TrackWriter::Open(client, "match/7", players);          // the simulation
//   (*writer)->Publish(tick, poses);
//
//   auto reader = TrackReader::Open(client, {.scene = "map/dust"});       // the judge of shots
//   (*reader)->Rewind({.track = "match/7", .at = {tick, 0.25}, .left_out_bodies = {shooter}});
//   (*reader)->CastRays({.count = 1, .origins = {0, 0, 1}, .displacements = {9, 0, 0}});
//
// Each has its own session, on one stream. If the stream breaks, every call returns its status, and
// the caller opens another. (A track ends with its writer's session, so there is nothing that the
// library could go on with.) Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "clearance/client.h"
#include "clearance/error.h"
#include "clearance/query.h"
#include "clearance/scene.h"

namespace clearance::client {

struct PublishedTick {
  std::uint64_t tick = 0;
  std::uint64_t oldest_tick = 0;  // that can still be asked for
  std::uint32_t body_count = 0;
};

class TrackSession;

class TrackWriter {
 public:
  // Begins a track of these bodies, whose shapes are registered ones.
  static absl::StatusOr<std::unique_ptr<TrackWriter>> Open(const Client& client,
                                                           const std::string& name,
                                                           const SceneBodies& bodies);
  // Ends the track.
  ~TrackWriter();
  TrackWriter(const TrackWriter&) = delete;
  TrackWriter& operator=(const TrackWriter&) = delete;

  // Adds a tick, and waits until it can be asked for. Poses are 7 numbers a body (PoseColumn), in
  // the order of the ids; none: the poses at which the bodies were attached.
  absl::StatusOr<PublishedTick> Publish(std::uint64_t tick, const std::vector<double>& poses);
  template <PoseList Poses>
  absl::StatusOr<PublishedTick> Publish(std::uint64_t tick, const Poses& poses) {
    return PublishPoses(tick, poses);
  }

  // Adds and removes bodies as of the next tick. After a failure publishing fails, until a change
  // with `reset` succeeds: it begins with no bodies.
  absl::Status Change(const SceneChange& change, bool reset = false);

  // Ends the track and its session, and waits for both.
  absl::Status Finish();

 private:
  explicit TrackWriter(std::unique_ptr<TrackSession> session);
  absl::StatusOr<PublishedTick> PublishPoses(std::uint64_t tick, absl::Span<const Pose> poses);

  std::unique_ptr<TrackSession> session_;
};

// A time `fraction` of a tick, in [0, 1), after `tick`.
struct TrackTime {
  std::uint64_t tick = 0;
  double fraction = 0;
};

enum class TrackClamp : std::uint8_t {
  kUnspecified = 0,
  kNone = 1,
  kToOldest = 2,  // the time lay before the oldest tick that was held, which was used
  kToNewest = 3,  // after the newest: nothing is extrapolated
};

struct RewindQuestion {
  std::string track;
  TrackTime at = {};
  std::vector<std::uint32_t> left_out_bodies = {};  // of the track and of the scene
};

// The data that a Rewind used.
struct Rewound {
  TrackTime at;
  TrackClamp clamp = TrackClamp::kUnspecified;
  std::uint64_t earlier_tick = 0;
  std::uint64_t later_tick = 0;
  double weight = 0;  // of the later tick
  std::uint64_t oldest_tick = 0;
  std::uint64_t newest_tick = 0;
  std::uint32_t body_count = 0;  // of the track
  std::uint64_t scene_revision = 0;
};

// Points, or balls, on straight paths; 3 numbers a row except for radii, columns as in a RayBatch.
struct RewoundRays {
  std::uint32_t count = 0;
  std::vector<double> origins = {};        // world, metres
  std::vector<double> displacements = {};  // the whole path, metres
  std::vector<double> radii = {};          // metres
};

// The query bodies on their paths; 7 and 3 numbers a body and row, in the order of the ids.
struct RewoundSweeps {
  std::uint32_t count = 0;
  std::vector<double> poses = {};  // default: the poses at which they were attached
  std::vector<double> displacements = {};
};

// Answers to rays and sweeps, one row each; columns as in a SweepBatchResult.
struct RewoundHits {
  std::vector<MotionState> states;
  std::vector<double> t_free;
  std::vector<double> t_hit;
  std::vector<std::uint32_t> query_bodies;  // of rows that are not FREE; 0 for a ray
  std::vector<std::uint32_t> bodies;        // that they met
  std::vector<double> points;               // on these, world, metres, 3 numbers a row
  std::vector<double> normals;              // into these, 3 numbers a row
  std::vector<Error> errors;
};

// The proved verdicts on the query bodies at their poses.
struct RewoundChecks {
  enum class Verdict : std::uint8_t {
    kUnspecified = 0,
    kFree = 1,
    kTouching = 2,
    kUndecided = 3,  // never take it for free
    kRefused = 4,
  };
  std::vector<Verdict> verdicts;
  std::vector<std::uint32_t> query_bodies;  // of rows that are not FREE, the first pair
  std::vector<std::uint32_t> bodies;
  std::vector<Error> errors;
};

// The distances of the query bodies from everything, one row each; columns as in a
// MinimumDistanceBatchResult.
struct RewoundMinimumDistances {
  std::vector<State> states;
  std::vector<double> distances;     // of the nearest pair, metres
  std::vector<double> lower_bounds;  // of every pair's distance
  std::vector<double> upper_bounds;
  std::vector<std::uint32_t> query_bodies;  // the nearest pair
  std::vector<std::uint32_t> bodies;
  std::vector<double> own_points;  // on the query body, world, metres, 3 numbers a row
  std::vector<double> points;      // on the other body
  std::vector<double> normals;     // from the query body, 3 numbers a row
  std::vector<Error> errors;
};

// The scene and the bodies of a reader.
struct TrackReaderOptions {
  std::string scene;        // in which tracks are rewound; empty: alone
  SceneBodies bodies = {};  // query bodies, such as swords; shapes are registered ones
};

class TrackReader {
 public:
  static absl::StatusOr<std::unique_ptr<TrackReader>> Open(const Client& client,
                                                           const TrackReaderOptions& options = {});
  ~TrackReader();
  TrackReader(const TrackReader&) = delete;
  TrackReader& operator=(const TrackReader&) = delete;

  // Changes to the newest revision of a scene, as of the next Rewind. If that fails, every Rewind
  // fails until a scene is opened.
  absl::StatusOr<SceneInfo> OpenScene(const std::string& name);

  // Makes the world as it was then; the questions below are about it until the next Rewind.
  absl::StatusOr<Rewound> Rewind(const RewindQuestion& question);

  absl::StatusOr<RewoundHits> CastRays(const RewoundRays& rays);
  // This and the questions below check the query bodies against that world, not against each other.
  // `poses` is 7 numbers a body and row.
  absl::StatusOr<RewoundChecks> Check(std::uint32_t count, const std::vector<double>& poses);
  template <PoseList Poses>
  absl::StatusOr<RewoundChecks> Check(std::uint32_t count, const Poses& poses) {
    return CheckPoses(count, poses);
  }
  absl::StatusOr<RewoundMinimumDistances> MinimumDistance(std::uint32_t count,
                                                          const std::vector<double>& poses);
  template <PoseList Poses>
  absl::StatusOr<RewoundMinimumDistances> MinimumDistance(std::uint32_t count, const Poses& poses) {
    return MinimumDistanceOfPoses(count, poses);
  }
  absl::StatusOr<RewoundHits> Sweep(const RewoundSweeps& motions);

 private:
  explicit TrackReader(std::unique_ptr<TrackSession> session);
  absl::StatusOr<RewoundChecks> CheckPoses(std::uint32_t count, absl::Span<const Pose> poses);
  absl::StatusOr<RewoundMinimumDistances> MinimumDistanceOfPoses(std::uint32_t count,
                                                                 absl::Span<const Pose> poses);

  std::unique_ptr<TrackSession> session_;
  bool has_scene_ = false;  // one was asked for
};

}  // namespace clearance::client
