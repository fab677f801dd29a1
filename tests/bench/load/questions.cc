// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/load/questions.h"

#include <cstdint>
#include <cstring>

#include "core/query/distance.h"

namespace clearance::bench {
namespace {

constexpr std::size_t kVectorNumbers = 3;

void AddPose(const Pose& pose, google::protobuf::RepeatedField<double>* column) {
  const Vec3d& p = pose.p_WS;
  const Quaternion& q = pose.q_WS;
  for (const double number : {p.x, p.y, p.z, q.x, q.y, q.z, q.w}) column->Add(number);
}

void FillShape(const testing::Body& body, v1::Shape* shape) {
  if (body.kind == testing::BodyKind::kBox) {
    v1::Vector3* const half_extents = shape->mutable_box()->mutable_half_extents();
    half_extents->set_x(body.points[7].x);
    half_extents->set_y(body.points[7].y);
    half_extents->set_z(body.points[7].z);
    return;
  }
  for (const Vec3d& p : body.points) {
    for (const double number : {p.x, p.y, p.z}) shape->mutable_hull()->add_vertices(number);
  }
}

bool IsSame(double x, double y) { return std::memcmp(&x, &y, sizeof(x)) == 0; }

bool IsSame(const double* column, std::size_t row, const Vec3d& v) {
  const double* const found = column + kVectorNumbers * row;
  return IsSame(found[0], v.x) && IsSame(found[1], v.y) && IsSame(found[2], v.z);
}

bool HasAllColumns(const v1::DistanceBatchResult& result) {
  const int rows = static_cast<int>(result.count());
  const int numbers = static_cast<int>(kVectorNumbers) * rows;
  return result.total_count() == result.count() && result.states_size() == rows &&
         result.distances_size() == rows && result.lower_bounds_size() == rows &&
         result.upper_bounds_size() == rows && result.points_a_size() == numbers &&
         result.points_b_size() == numbers && result.normals_size() == numbers &&
         result.flags_size() == rows && result.errors_size() == 0;
}

bool IsSame(const DistanceAnswer& answer, const v1::DistanceBatchResult& result, std::size_t i) {
  const int row = static_cast<int>(i);
  return static_cast<int>(result.states(row)) == static_cast<int>(answer.state) &&
         IsSame(result.distances(row), answer.distance) &&
         IsSame(result.lower_bounds(row), answer.bracket.lower) &&
         IsSame(result.upper_bounds(row), answer.bracket.upper) &&
         IsSame(result.points_a().data(), i, answer.p_WA) &&
         IsSame(result.points_b().data(), i, answer.p_WB) &&
         IsSame(result.normals().data(), i, answer.n_AB);
}

double SumOf(const Pair& pair) {
  google::protobuf::RepeatedField<double> a, b;
  AddPose(pair.X_WA, &a);
  AddPose(pair.X_WB, &b);
  double sum = 0;
  for (int k = 0; k < a.size(); ++k) sum += a[k] + b[k];
  return sum;
}

}  // namespace

LoadQuestions MakeQuestions(const Size& size, Regime regime, int shapes, int rows) {
  testing::Random random(static_cast<std::uint64_t>(7 + size.points));
  LoadQuestions questions = {MakePool(size, shapes, random), {}};
  questions.rows = MakePairs(questions.pool, regime, rows, random);
  return questions;
}

v1::SessionRequest MakeOpen(const Pool& pool, std::size_t i) {
  v1::SessionRequest request;
  request.set_tag(i);
  request.mutable_open()->set_slot(static_cast<std::uint32_t>(i));
  FillShape(pool.bodies[i], request.mutable_open()->mutable_shape()->mutable_inline_shape());
  return request;
}

std::vector<v1::SessionRequest> MakeMessages(const LoadQuestions& questions, int batch) {
  const std::size_t rows = static_cast<std::size_t>(batch);
  std::vector<v1::SessionRequest> messages(questions.rows.size() / rows);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    messages[i].set_tag(i);
    v1::DistanceDetail* const detail = messages[i].mutable_distance()->mutable_detail();
    detail->set_distances(true);
    detail->set_bounds(true);
    detail->set_points(true);
    detail->set_normals(true);
    v1::PairColumns* const pairs = messages[i].mutable_distance()->mutable_pairs();
    pairs->set_count(static_cast<std::uint32_t>(rows));
    for (std::size_t row = i * rows; row < (i + 1) * rows; ++row) {
      const Pair& pair = questions.rows[row];
      pairs->add_slots_a(static_cast<std::uint32_t>(pair.a));
      pairs->add_slots_b(static_cast<std::uint32_t>(pair.b));
      AddPose(pair.X_WA, pairs->mutable_poses_a());
      AddPose(pair.X_WB, pairs->mutable_poses_b());
    }
  }
  return messages;
}

std::string FindFault(const LoadQuestions& questions, std::size_t first_row,
                      const v1::DistanceBatchResult& result) {
  if (!HasAllColumns(result)) return "columns are missing or rows are refused";
  for (std::size_t i = 0; i < result.count(); ++i) {
    const Pair& pair = questions.rows[first_row + i];
    const DistanceAnswer answer =
        Distance(pair.PosedA(questions.pool), pair.PosedB(questions.pool), {});
    if (!IsSame(answer, result, i)) return "not what the core says";
  }
  return "";
}

std::string FindFloorFault(const LoadQuestions& questions, std::size_t first_row,
                           const v1::DistanceBatchResult& result) {
  if (!HasAllColumns(result)) return "columns are missing";
  for (std::size_t i = 0; i < result.count(); ++i) {
    if (!IsSame(result.distances(static_cast<int>(i)), SumOf(questions.rows[first_row + i]))) {
      return "not the sum";
    }
  }
  return "";
}

}  // namespace clearance::bench
