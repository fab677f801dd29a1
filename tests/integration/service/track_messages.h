// SPDX-License-Identifier: Apache-2.0
//
// Messages about tracks, and a server for them.

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/service/scene_messages.h"

namespace clearance::testing {

inline v1::SessionRequest OpenTrackOf(const std::string& name) {
  v1::SessionRequest request;
  request.mutable_open_track()->set_name(name);
  return request;
}

// Without poses: where the bodies were attached.
inline v1::SessionRequest TickOf(std::uint64_t tick) {
  v1::SessionRequest request;
  request.mutable_publish_tick()->set_tick(tick);
  return request;
}

inline v1::SessionRequest RewindTo(const std::string& track, std::uint64_t tick,
                                   double fraction = 0) {
  v1::SessionRequest request;
  v1::RewindTrack& rewind = *request.mutable_rewind_track();
  rewind.set_scene_slot(1);
  rewind.set_track(track);
  rewind.set_tick(tick);
  rewind.set_fraction(fraction);
  return request;
}

inline v1::SessionRequest OpenIn(std::uint32_t slot, const std::string& name) {
  v1::SessionRequest request;
  request.mutable_open_scene()->set_scene_slot(slot);
  request.mutable_open_scene()->set_name(name);
  return request;
}

// Attaches balls of slot 0 with these ids at (x, 0, 0), x given for each.
inline v1::SessionRequest AttachAt(const std::vector<std::pair<std::uint32_t, double>>& bodies) {
  v1::SessionRequest request;
  v1::BodyColumns& columns = *request.mutable_change_bodies()->mutable_change()->mutable_bodies();
  columns.set_count(static_cast<std::uint32_t>(bodies.size()));
  for (const auto& [id, x] : bodies) {
    columns.add_ids(id);
    AddPoseAt(x, columns.mutable_poses());
  }
  return request;
}

// A server that knows the shapes "ball" and "box".
class TrackServer : public TestServer {
 public:
  explicit TrackServer(const server::Limits& own_limits = {}) : TestServer(own_limits) {
    Register(*this, "ball", Sphere(0.4));
    Register(*this, "box", Box(0.3));
  }

  RigidBodyPtr BodyOf(const std::string& name) {
    return registry.FindByName(name)->shape.content->body;
  }
};

inline void ExpectOk(const v1::SessionResponse& response) {
  EXPECT_EQ(response.status().code(), 0) << response.status().message();
}

inline void ExpectRefusal(const v1::SessionResponse& response, grpc::StatusCode code,
                          const std::string& field, const std::string& value) {
  EXPECT_EQ(response.status().code(), static_cast<int>(code)) << response.ShortDebugString();
  if (response.status().code() == 0) return;
  const v1::Error error = ErrorOf(response.status());
  EXPECT_EQ(error.field(), field);
  EXPECT_EQ(error.value(), value) << error.ShortDebugString();
}

}  // namespace clearance::testing
