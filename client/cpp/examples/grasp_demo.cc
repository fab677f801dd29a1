// SPDX-License-Identifier: Apache-2.0
//
// A parallel gripper takes a mug from a shelf: the questions of a motion planner and their answers.
// Registers the meshes of examples/grasp, streams distances, intersections and times of collision
// through one session, prints them and re-proves every answer that carries a proof. Exits with 1 if
// a proof does not hold.
//
//   grasp_demo ADDRESS [DIRECTORY OF THE OBJ FILES]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clearance/client.h"
#include "clearance/mesh.h"
#include "clearance/proof.h"
#include "clearance/session.h"

namespace {

using namespace clearance::client;  // NOLINT(google-build-using-namespace): an example reads better

// The meshes; the index of a part is its slot in the session.
enum Part : std::uint32_t { kPalm, kFinger, kPad, kMugBody, kMugHandle, kBoard, kSide, kParts };
constexpr const char* kPartNames[kParts] = {"palm",       "finger",      "pad",       "mug_body",
                                            "mug_handle", "shelf_board", "shelf_side"};

struct Body {
  const char* name;
  Part part;
  Pose pose;
};

// The place of the gripper: its palm's centre along x, and the distance of each finger's inner face
// from the middle. Metres.
struct Grip {
  const char* name;
  double x;
  double half_opening;
};

constexpr Grip kGrips[] = {{"in front of the shelf", -0.35, 0.0575},
                           {"half way", -0.20, 0.0575},
                           {"around the mug", -0.098, 0.0575},
                           {"nearly closed", -0.098, 0.0480},
                           {"closed 1 mm too far", -0.098, 0.0463}};
constexpr double kGripHeight = 0.05;

std::vector<Body> Gripper(const Grip& grip) {
  const Pose left{.x = grip.x + 0.03, .y = grip.half_opening, .z = kGripHeight};
  // The right finger is the left one turned by half a turn about x.
  const Pose right{.x = left.x, .y = -left.y, .z = kGripHeight, .qx = 1, .qy = 0, .qz = 0, .qw = 0};
  return {{"palm", kPalm, {.x = grip.x, .y = 0, .z = kGripHeight}},
          {"left finger", kFinger, left},
          {"left pad", kPad, left},
          {"right finger", kFinger, right},
          {"right pad", kPad, right}};
}

std::vector<Body> Surroundings() {
  return {{"mug", kMugBody, {}},
          {"handle", kMugHandle, {}},
          {"lower board", kBoard, {}},
          {"upper board", kBoard, {.x = 0, .y = 0, .z = 0.4}},
          {"left side", kSide, {.x = 0, .y = 0.4, .z = 0}},
          {"right side", kSide, {.x = 0, .y = -0.4, .z = 0, .qx = 0, .qy = 0, .qz = 1, .qw = 0}}};
}

// A pair that is asked about; `label` is for the reader.
struct Question {
  std::string label;
  Body a, b;
};

std::vector<Question> AllPairs(const Grip& grip) {
  std::vector<Question> questions;
  for (const Body& link : Gripper(grip)) {
    for (const Body& other : Surroundings()) {
      questions.push_back({absl::StrFormat("%s - %s", link.name, other.name), link, other});
    }
  }
  const std::vector<Body> around = Surroundings();
  questions.push_back({"mug - lower board", around[0], around[2]});
  return questions;
}

Pairs ToPairs(const std::vector<Question>& questions) {
  Pairs pairs;
  pairs.count = static_cast<std::uint32_t>(questions.size());
  for (const Question& question : questions) {
    pairs.slots_a.push_back(question.a.part);
    pairs.slots_b.push_back(question.b.part);
    AppendPose(question.a.pose, &pairs.poses_a);
    AppendPose(question.b.pose, &pairs.poses_b);
  }
  return pairs;
}

[[noreturn]] void Die(const std::string& what, const absl::Status& status) {
  absl::FPrintF(stderr, "grasp_demo: %s: %s\n", what, std::string(status.ToString()));
  std::quick_exit(1);
}

template <class T>
T OrDie(absl::StatusOr<T> value, const std::string& what) {
  if (!value.ok()) Die(what, value.status());
  return *std::move(value);
}

class Demo {
 public:
  Demo(const Client& client, const std::string& directory)
      : client_(client), session_(client.OpenSession()) {
    for (std::uint32_t slot = 0; slot < kParts; ++slot) AddPart(slot, directory);
  }

  // All pairs of every grip: all messages are sent before the first answer is read.
  void AskDistances() {
    for (const Grip& grip : kGrips) {
      DistanceBatch batch;
      batch.pairs = ToPairs(AllPairs(grip));
      batch.detail.points = batch.detail.normals = batch.detail.witnesses = true;
      Send(batch);
      Send(IntersectionBatch{.pairs = batch.pairs});
    }
    for (const Grip& grip : kGrips) {
      const auto distances = Take<DistanceResult>();
      const auto touches = Take<IntersectionResult>();
      PrintGrip(grip, distances, touches);
      Verify(AllPairs(grip), distances);
    }
  }

  void AskMotions() {
    TimeOfCollisionBatch batch;
    std::vector<Question> questions;
    AddApproach(0.252, &questions, &batch);
    AddApproach(0.330, &questions, &batch);
    AddClosing(&questions, &batch);
    AddTumbling(&questions, &batch);
    batch.pairs = ToPairs(questions);
    Send(batch);
    PrintMotions(questions, Take<TimeOfCollisionResult>());
  }

  // The stream's end and the count of proofs. True if all held.
  bool Finish() {
    const absl::Status status = session_->Finish();
    if (!status.ok()) Die("the session's end", status);
    absl::PrintF(
        "\n%d answers proved again from their normals and witnesses, %d refuted, "
        "%d came without a proof\n",
        proved_, refuted_, unproved_);
    return refuted_ == 0 && proved_ > 0;
  }

 private:
  void AddPart(std::uint32_t slot, const std::string& directory) {
    const std::string name = kPartNames[slot];
    const Mesh mesh = OrDie(LoadMesh(directory + "/" + name + ".obj"), "loading " + name);
    shapes_.push_back(ToHull(mesh).shape);
    const auto registered =
        OrDie(client_.Register("grasp/" + name, shapes_.back(), {.replace = true}),
              "registering " + name);
    OrDie(session_->Open(slot, ByName{"grasp/" + name}, registered.revision), "opening " + name);
    absl::PrintF("%-12s %3d vertices  %8.2f cm^3  %s\n", name, registered.info.vertex_count,
                 1e6 * registered.info.volume, registered.info.digest.substr(0, 22));
  }

  void Send(const SessionMessage& message) {
    const absl::Status status = session_->Send(message);
    if (!status.ok()) Die("sending", status);
  }

  template <class Result>
  Result Take() {
    Reply reply = OrDie(session_->Next(), "reading");
    if (!reply.status.ok()) Die("a batch", reply.status);
    return std::get<Result>(std::move(reply.answer));
  }

  static void PrintGrip(const Grip& grip, const DistanceResult& distances,
                        const IntersectionResult& touches) {
    const std::vector<Question> questions = AllPairs(grip);
    std::vector<std::size_t> rows(questions.size());
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = row;
    std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return distances.upper_bounds[a] < distances.upper_bounds[b];
    });
    absl::PrintF("\nThe gripper %s: the nearest of %d pairs, millimetres\n", grip.name,
                 rows.size());
    absl::PrintF("  %-26s %-12s %10s  %-38s %s\n", "pair", "state", "distance",
                 "proved bracket [lower, upper]", "intersection");
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t row = rows[i];
      const std::string bracket = absl::StrFormat(
          "[%.12g, %.12g]", 1e3 * distances.lower_bounds[row], 1e3 * distances.upper_bounds[row]);
      absl::PrintF("  %-26s %-12s %10.4f  %-38s %s\n", questions[row].label,
                   Name(distances.states[row]), 1e3 * distances.distances[row], bracket,
                   Name(touches.states[row]));
    }
    int free = 0;
    for (const std::size_t row : rows) free += ProvedFree(distances, row, /*margin=*/0.001);
    absl::PrintF("  %d of %d pairs are proved to be more than 1 mm apart\n", free, rows.size());
  }

  void Verify(const std::vector<Question>& questions, const DistanceResult& result) {
    for (std::size_t row = 0; row < questions.size(); ++row) {
      const Body& a = questions[row].a;
      const Body& b = questions[row].b;
      const std::vector<Violation> violations =
          VerifyDistance({shapes_[a.part], a.pose}, {shapes_[b.part], b.pose}, result, row);
      for (const Violation& violation : violations) {
        absl::PrintF("  %s: %s\n", questions[row].label, violation.message);
      }
      const bool has_proof =
          violations.empty() || violations.front().kind != ViolationKind::kNoProof;
      ++(violations.empty() ? proved_ : has_proof ? refuted_ : unproved_);
    }
  }

  static void AddMotion(const Vec3& displacement, const Vec3& rotation, const Vec3& pivot,
                        TimeOfCollisionBatch* batch) {
    AppendVec3(displacement, &batch->displacements_a);
    AppendVec3(rotation, &batch->rotations_a);
    AppendVec3(pivot, &batch->pivots_a);
  }

  // Palm and pads straight ahead from the first grip.
  static void AddApproach(double way, std::vector<Question>* questions,
                          TimeOfCollisionBatch* batch) {
    for (const Question& pair : AllPairs(kGrips[0])) {
      const bool is_mug = pair.b.part == kMugBody || pair.b.part == kMugHandle;
      if (!is_mug || pair.a.part == kFinger) continue;
      questions->push_back(pair);
      questions->back().label = absl::StrFormat("%s, %.0f mm ahead", pair.label, 1e3 * way);
      AddMotion({way, 0, 0}, {}, {}, batch);
    }
  }

  static void AddClosing(std::vector<Question>* questions, TimeOfCollisionBatch* batch) {
    for (const Question& pair : AllPairs(kGrips[2])) {
      if (pair.a.part != kPad || pair.b.part != kMugBody) continue;
      questions->push_back(pair);
      questions->back().label = absl::StrFormat("%s, closing by 12 mm", pair.label);
      AddMotion({0, pair.a.pose.y > 0 ? -0.012 : 0.012, 0}, {}, {}, batch);
    }
  }

  // The mug thrown along the shelf, turning about its middle.
  static void AddTumbling(std::vector<Question>* questions, TimeOfCollisionBatch* batch) {
    const Pose start{.x = 0, .y = -0.1, .z = 0.15};
    for (const Body& other : Surroundings()) {
      if (other.part != kBoard && other.part != kSide) continue;
      questions->push_back(
          {absl::StrFormat("mug, thrown - %s", other.name), {"mug", kMugBody, start}, other});
      AddMotion({0, 0.45, -0.04}, {2.1, 4.2, 1.0}, {0, -0.1, 0.1975}, batch);
    }
  }

  static void PrintMotions(const std::vector<Question>& questions,
                           const TimeOfCollisionResult& result) {
    absl::PrintF("\nMotions, t from 0 to 1: proved free before t_free, in contact at t_hit\n");
    absl::PrintF("  %-36s %-22s %-16s %s\n", "motion", "state", "t_free", "t_hit");
    for (std::size_t row = 0; row < questions.size(); ++row) {
      const bool hits = result.states[row] == MotionState::kHit;
      absl::PrintF("  %-36s %-22s %-16.12g %s\n", questions[row].label, Name(result.states[row]),
                   result.t_free[row], hits ? absl::StrFormat("%.12g", result.t_hit[row]) : "-");
    }
  }

  const Client client_;
  const std::unique_ptr<Session> session_;
  std::vector<Shape> shapes_;
  int proved_ = 0;
  int refuted_ = 0;
  int unproved_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    absl::FPrintF(stderr, "usage: grasp_demo ADDRESS [DIRECTORY OF THE OBJ FILES]\n");
    return 2;
  }
  Demo demo(OrDie(Client::Connect(argv[1]), "connecting"),
            argc > 2 ? argv[2] : CLEARANCE_GRASP_DIR);
  demo.AskDistances();
  demo.AskMotions();
  return demo.Finish() ? 0 : 1;
}
