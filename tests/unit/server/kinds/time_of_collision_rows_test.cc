// SPDX-License-Identifier: Apache-2.0
//
// Rows of times of collision, which are asked many at once or one at a time by what they are: each
// is put into its row as the core tells it alone, bit for bit.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "core/query/body_query.h"
#include "core/shape/make_shape.h"
#include "core/shape/rigid_body.h"
#include "server/kinds/kinds.h"
#include "tests/support/random.h"

namespace clearance::server {
namespace {

constexpr std::uint32_t kMovingRows = 200;
constexpr std::uint32_t kRefusedRow = 77;

// Boxes, a ball and a compound that move past each other; some turn, or are asked with end poses.
class MovingRows {
 public:
  MovingRows() {
    const auto box = std::get<ConvexShapePtr>(MakeBox({1, 0.5, 0.75}, 0));
    const std::vector<Piece> pieces = {{box, {{-2, 0, 0}, {}}}, {box, {{2, 0, 0}, {}}}};
    table_.Open(0, MakeBody(box), 0);
    table_.Open(1, MakeBody(std::get<ConvexShapePtr>(MakeSphere(0.5, 0))), 0);
    table_.Open(2, std::get<RigidBodyPtr>(MakeCompound(pieces)), 0);
    for (std::uint32_t row = 0; row < kMovingRows; ++row) AddRow();
    questions_.pairs = {kMovingRows,
                        {slots_a_.data(), 1},
                        {slots_b_.data(), 1},
                        {identity_, 0},
                        {poses_b_.data(), kPoseNumbers}};
    questions_.motions_a = {{zeros_, 0}, {zeros_, 0}, {}, {}};
    questions_.motions_b = {{ways_.data(), 3}, {rotations_.data(), 3}, {}, {}};
    questions_.target_distances = {zeros_, 0};
  }

  void MoveToEndPoses() { questions_.motions_b = {{}, {}, {}, {ends_.data(), kPoseNumbers}}; }

  TimeOfCollisionAnswer AskCore(std::uint32_t row, MotionProof* proof) const {
    const Pose X_WA;
    const Pose X_WB = PoseOf(poses_b_, row);
    const Motion still = {{}, {}, X_WA.p_WS};
    Motion motion = {VectorOf(ways_, row), VectorOf(rotations_, row), X_WB.p_WS};
    if (questions_.motions_b.end_poses.data != nullptr)
      MotionToEndPose(X_WB, PoseOf(ends_, row), &motion);
    return TimeOfCollision(MovingBody{*table_.body(slots_a_[row]), X_WA, still},
                           {*table_.body(slots_b_[row]), X_WB, motion}, {.proof = proof});
  }

  struct Answers {
    std::vector<int> states = std::vector<int>(kMovingRows);
    std::vector<double> t_free = std::vector<double>(kMovingRows), t_hit = t_free,
                        distances = t_free;
    std::vector<double> points_a = std::vector<double>(3 * kMovingRows), normals = points_a;
    std::vector<std::uint32_t> iterations = std::vector<std::uint32_t>(kMovingRows);
    std::unique_ptr<bool[]> truncated = std::make_unique<bool[]>(kMovingRows);
    v1::MotionProofColumns proofs;
  };

  void Answer(bool wants_proofs, Answers* answers) const {
    Columns columns;
    columns.states = absl::MakeSpan(answers->states);
    columns.t_free = absl::MakeSpan(answers->t_free);
    columns.t_hit = absl::MakeSpan(answers->t_hit);
    columns.distances = absl::MakeSpan(answers->distances);
    columns.points_a = absl::MakeSpan(answers->points_a);
    columns.normals = absl::MakeSpan(answers->normals);
    columns.iterations = absl::MakeSpan(answers->iterations);
    columns.proofs_truncated = {answers->truncated.get(), kMovingRows};
    columns.motion_proofs = wants_proofs ? &answers->proofs : nullptr;
    answers->proofs.add_offsets(0);
    const std::vector<RowFault> faults = {
        {kRefusedRow, kRefusedRow, Fault::kNotFinite, "poses_b", 0}};
    BatchTally tally(QueryKind::kTimeOfCollision);
    std::vector<UndecidedRow> undecided;
    const auto never = [] { return false; };
    AnswerRows(questions_, Work{0, kMovingRows, faults, table_, never, tally, undecided}, columns);
  }

 private:
  void AddRow() {
    slots_a_.push_back(random_.OneIn(8) ? 2 : 0);
    slots_b_.push_back(random_.OneIn(8) ? 1 : 0);
    const Vec3d from = 3.0 * random_.Direction() + random_.InCube(1);
    const Vec3d way = random_.Uniform(0, 2) * -from + random_.InCube(1);
    const bool turns = random_.OneIn(16);
    const Quaternion q = random_.Rotation();
    const double sine = turns ? 0.28 : 0, cosine = turns ? 0.96 : 1;  // of half the angle, about z
    const Quaternion end = {cosine * q.x - sine * q.y, cosine * q.y + sine * q.x,
                            cosine * q.z + sine * q.w, cosine * q.w - sine * q.z};
    Append({from, q}, &poses_b_);
    Append({from + way, end}, &ends_);
    for (const double number : {way.x, way.y, way.z}) ways_.push_back(number);
    for (int i = 0; i < 3; ++i) rotations_.push_back(turns ? 0.5 : 0);
  }

  static void Append(const Pose& pose, std::vector<double>* poses) {
    const Quaternion& q = pose.q_WS;
    const Vec3d& p = pose.p_WS;
    poses->insert(poses->end(), {p.x, p.y, p.z, q.x, q.y, q.z, q.w});
  }
  static Vec3d VectorOf(const std::vector<double>& rows, std::size_t row) {
    return {rows[3 * row], rows[3 * row + 1], rows[3 * row + 2]};
  }
  static Pose PoseOf(const std::vector<double>& rows, std::size_t row) {
    const double* const p = &rows[kPoseNumbers * row];
    return {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
  }

  testing::Random random_{testing::RunSeed()};
  const double identity_[7] = {0, 0, 0, 0, 0, 0, 1};
  const double zeros_[3] = {0, 0, 0};
  std::vector<std::uint32_t> slots_a_, slots_b_;
  std::vector<double> poses_b_, ends_, ways_, rotations_;
  ShapeTable table_;
  TimeOfCollisionQuestions questions_;
};

void ExpectAsTheCore(const MovingRows& rows, bool wants_proofs) {
  MovingRows::Answers answers;
  rows.Answer(wants_proofs, &answers);
  int hits = 0;
  for (std::uint32_t row = 0; row < kMovingRows; ++row) {
    SCOPED_TRACE(row);
    const auto i = static_cast<int>(row);
    if (row == kRefusedRow) {
      EXPECT_EQ(answers.states[row], v1::MOTION_STATE_REFUSED);
      continue;
    }
    MotionProof proof;
    const TimeOfCollisionAnswer alone = rows.AskCore(row, wants_proofs ? &proof : nullptr);
    EXPECT_EQ(answers.states[row], static_cast<int>(alone.state));
    EXPECT_EQ(answers.iterations[row], alone.iterations);
    if (wants_proofs && alone.state != MotionState::kInitiallyOverlapping) {
      EXPECT_EQ(answers.proofs.offsets(i + 1) - answers.proofs.offsets(i),
                static_cast<std::uint32_t>(proof.size));
    }
    if (alone.state != MotionState::kHit) continue;
    ++hits;
    EXPECT_EQ(answers.t_free[row], alone.t_free);
    EXPECT_EQ(answers.t_hit[row], alone.t_hit);
    EXPECT_EQ(answers.distances[row], alone.distance);
    EXPECT_EQ(answers.points_a[3 * row], alone.p_WA.x);
    EXPECT_EQ(answers.normals[3 * row + 2], alone.n_AB.z);
  }
  EXPECT_GT(hits, 40);
}

TEST(TimeOfCollisionRows, AreWhatTheCoreSaysOfEachAlone) { ExpectAsTheCore(MovingRows(), false); }

TEST(TimeOfCollisionRows, HaveEachItsOwnProof) { ExpectAsTheCore(MovingRows(), true); }

TEST(TimeOfCollisionRows, GoToTheirEndPosesLikewise) {
  MovingRows rows;
  rows.MoveToEndPoses();
  ExpectAsTheCore(rows, false);
  ExpectAsTheCore(rows, true);
}

}  // namespace
}  // namespace clearance::server
