// SPDX-License-Identifier: Apache-2.0
//
// Messages about scenes: rows of bodies along the x axis, body i at x = i.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "google/protobuf/duration.pb.h"
#include "tests/integration/service/harness.h"

namespace clearance::testing {

inline void AddPoseAt(double x, google::protobuf::RepeatedField<double>* poses) {
  for (const double number : {x, 0., 0., 0., 0., 0., 1.}) poses->Add(number);
}

using MaybeTtl = std::optional<google::protobuf::Duration>;

inline MaybeTtl Kept() { return std::nullopt; }

// In memory, and far longer than a test.
inline MaybeTtl Forever() {
  google::protobuf::Duration ttl;
  ttl.set_seconds(100'000);
  return ttl;
}

inline v1::BodyColumns RowOf(std::uint32_t count, const std::string& shape) {
  v1::BodyColumns bodies;
  bodies.set_count(count);
  if (count > 0) bodies.add_shapes()->set_name(shape);
  for (std::uint32_t i = 0; i < count; ++i) {
    bodies.add_ids(i);
    AddPoseAt(i, bodies.mutable_poses());
  }
  return bodies;
}

// Creates a row of the shape "ball"; a refusal fails the test.
inline v1::SceneInfo CreateRow(TestServer& server, const std::string& name, std::uint32_t count,
                               const MaybeTtl& ttl) {
  v1::CreateSceneRequest request;
  request.set_name(name);
  *request.mutable_content()->mutable_bodies() = RowOf(count, "ball");
  if (ttl.has_value()) *request.mutable_ttl() = *ttl;
  v1::CreateSceneResponse response;
  const grpc::Status status =
      Call(*server.scenes, &v1::SceneService::Stub::CreateScene, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.scene();
}

inline v1::SceneInfo Update(TestServer& server, const v1::UpdateSceneRequest& request) {
  v1::UpdateSceneResponse response;
  const grpc::Status status =
      Call(*server.scenes, &v1::SceneService::Stub::UpdateScene, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.scene();
}

// Returns a scene with all that fits a page.
inline v1::GetSceneResponse GetScene(TestServer& server, const std::string& name) {
  v1::GetSceneRequest request;
  request.set_name(name);
  request.set_include_bodies(true);
  request.set_include_rules(true);
  v1::GetSceneResponse response;
  const grpc::Status status =
      Call(*server.scenes, &v1::SceneService::Stub::GetScene, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

// Returns the digest of each body.
inline std::vector<std::string> DigestsOf(const v1::BodyColumns& bodies) {
  std::vector<std::string> digests;
  for (const std::uint32_t slot : bodies.shape_slots())
    digests.push_back(bodies.shapes(static_cast<int>(slot)).digest());
  return digests;
}

inline std::vector<double> XsOf(const v1::BodyColumns& bodies) {
  std::vector<double> xs;
  for (int i = 0; i < bodies.poses_size(); i += 7) xs.push_back(bodies.poses(i));
  return xs;
}

}  // namespace clearance::testing
