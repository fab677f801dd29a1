// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/conversation.h"

#include <cstdint>

namespace clearance::hammer {
namespace {

constexpr std::uint32_t kSlots = 3;

void AppendPose(testing::Random* random, google::protobuf::RepeatedField<double>* column) {
  const Vec3d p = random->InCube(2);
  const Quaternion q = random->Rotation();
  for (const double number : {p.x, p.y, p.z, q.x, q.y, q.z, q.w}) column->Add(number);
}

}  // namespace

v1::Shape AnyShape(testing::Random* random) {
  v1::Shape shape;
  switch (random->Below(3)) {
    case 0: {
      auto* const half = shape.mutable_box()->mutable_half_extents();
      half->set_x(random->Uniform(0.1, 1));
      half->set_y(random->Uniform(0.1, 1));
      half->set_z(random->Uniform(0.1, 1));
      break;
    }
    case 1:
      shape.mutable_capsule()->set_radius(random->Uniform(0.1, 1));
      shape.mutable_capsule()->set_half_length(random->Uniform(0.1, 1));
      break;
    default:
      for (int i = 4 + random->Below(40); i > 0; --i) {
        const Vec3d p = random->Direction();
        for (const double number : {p.x, p.y, p.z}) shape.mutable_hull()->add_vertices(number);
      }
  }
  return shape;
}

v1::PairColumns AnyPairs(int rows, testing::Random* random) {
  v1::PairColumns pairs;
  pairs.set_count(static_cast<std::uint32_t>(rows));
  for (int i = 0; i < rows; ++i) {
    const int slots = random->OneIn(10) ? kSlots + 1 : kSlots;
    pairs.add_slots_a(static_cast<std::uint32_t>(random->Below(slots)));
    pairs.add_slots_b(static_cast<std::uint32_t>(random->Below(slots)));
    AppendPose(random, pairs.mutable_poses_a());
    AppendPose(random, pairs.mutable_poses_b());
  }
  return pairs;
}

v1::DistanceBatch AnyDistances(int rows, testing::Random* random) {
  v1::DistanceBatch batch;
  *batch.mutable_pairs() = AnyPairs(rows, random);
  auto* const detail = batch.mutable_detail();
  detail->set_distances(true);
  detail->set_bounds(true);
  detail->set_points(random->OneIn(2));
  detail->set_normals(random->OneIn(2));
  detail->set_witnesses(random->OneIn(2));
  detail->set_contacts(random->OneIn(2));
  detail->set_depth_proofs(random->OneIn(4));
  return batch;
}

v1::IntersectionBatch AnyIntersections(int rows, testing::Random* random) {
  v1::IntersectionBatch batch;
  *batch.mutable_pairs() = AnyPairs(rows, random);
  batch.mutable_detail()->set_bounds(random->OneIn(2));
  return batch;
}

v1::TimeOfCollisionBatch AnyMotions(int rows, testing::Random* random) {
  v1::TimeOfCollisionBatch batch;
  *batch.mutable_pairs() = AnyPairs(rows, random);
  const Vec3d d = random->InCube(3);
  for (const double number : {d.x, d.y, d.z}) batch.add_displacements_b(number);
  batch.mutable_detail()->set_times(true);
  batch.mutable_detail()->set_points(random->OneIn(2));
  return batch;
}

std::vector<v1::SessionRequest> AnyConversation(int batches, int rows, testing::Random* random) {
  std::vector<v1::SessionRequest> requests;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    v1::SessionRequest& request = requests.emplace_back();
    request.mutable_open()->set_slot(slot);
    *request.mutable_open()->mutable_shape()->mutable_inline_shape() = AnyShape(random);
  }
  for (int i = 0; i < batches; ++i) {
    v1::SessionRequest& request = requests.emplace_back();
    if (i % 3 == 0) *request.mutable_distance() = AnyDistances(rows, random);
    if (i % 3 == 1) *request.mutable_intersection() = AnyIntersections(rows, random);
    if (i % 3 == 2) *request.mutable_time_of_collision() = AnyMotions(rows, random);
  }
  std::uint64_t tag = 0;
  for (v1::SessionRequest& request : requests) request.set_tag(++tag);
  return requests;
}

}  // namespace clearance::hammer
