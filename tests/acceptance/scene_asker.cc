// SPDX-License-Identifier: Apache-2.0
#include "tests/acceptance/scene_asker.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "clearance/scene.h"
#include "clearance/v1/query_service.grpc.pb.h"

namespace clearance::acceptance {
namespace {

using Outcome = Answer::Outcome;
using SceneStream = grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>;

constexpr const char* kSceneName = "score/scene";
constexpr std::uint32_t kMover = 1'000'000'000;  // no index of a shape
constexpr std::size_t kRowsPerMessage = 4096;

struct SceneRow {
  const Question* question;
  Answer* answer;
};

const client::ByName* NameOf(const TaskFile& file, std::size_t shape) {
  const auto* reference = std::get_if<client::ShapeReference>(&file.shapes[shape]);
  return reference == nullptr ? nullptr : std::get_if<client::ByName>(reference);
}

absl::Status MakeScene(const client::Client& client, const TaskFile& file) {
  client::SceneChange content;
  for (const std::size_t shape : file.scene) {
    const client::ByName* const name = NameOf(file, shape);
    if (name == nullptr) return absl::FailedPreconditionError("a shape has no name");
    content.bodies.shape_slots.push_back(content.bodies.count++);
    content.bodies.ids.push_back(static_cast<std::uint32_t>(shape));
    content.bodies.shapes.emplace_back(*name);
  }
  const client::SceneClient scenes(client);
  scenes.Delete(kSceneName).IgnoreError();  // of a run before
  return scenes.Create(kSceneName, content, absl::Hours(1)).status();
}

// Opens the scene and attaches what moves.
std::vector<v1::SessionRequest> Preparations(const std::string& mover) {
  std::vector<v1::SessionRequest> requests(3);
  requests[0].mutable_open_scene()->set_name(kSceneName);
  requests[1].mutable_open()->mutable_shape()->set_name(mover);
  v1::BodyColumns& bodies =
      *requests[2].mutable_change_bodies()->mutable_change()->mutable_bodies();
  bodies.set_count(1);
  bodies.add_ids(kMover);
  return requests;
}

void AddTo(const client::Vec3& v, google::protobuf::RepeatedField<double>* column) {
  for (const double number : {v.x, v.y, v.z}) column->Add(number);
}

v1::SessionRequest MotionsOf(absl::Span<const SceneRow> rows) {
  v1::SessionRequest request;
  v1::SweepBatch& batch = *request.mutable_sweep();
  v1::ConfigurationColumns& configurations = *batch.mutable_configurations();
  configurations.set_count(static_cast<std::uint32_t>(rows.size()));
  configurations.set_scene_slot(0);
  for (const SceneRow& row : rows) {
    const client::Pose& pose = row.question->pose_a;
    for (const double number : {pose.x, pose.y, pose.z, pose.qx, pose.qy, pose.qz, pose.qw})
      configurations.add_poses(number);
    AddTo(row.question->motions->a.displacement, batch.mutable_displacements());
    AddTo(row.question->motions->a.rotation, batch.mutable_rotations());
  }
  batch.mutable_detail()->set_times(true);
  batch.mutable_detail()->set_pairs(true);
  batch.mutable_detail()->set_distances(true);
  return request;
}

Answer FromSweep(const v1::SweepBatchResult& result, int i) {
  Answer answer;
  switch (result.states(i)) {
    case v1::MOTION_STATE_FREE:
    case v1::MOTION_STATE_HIT:
    case v1::MOTION_STATE_INITIALLY_OVERLAPPING:
      answer.outcome = Outcome::kAnswered;
      break;
    case v1::MOTION_STATE_REFUSED:
      answer.outcome = Outcome::kRefused;
      break;
    default:
      answer.outcome = Outcome::kUndecided;
      break;
  }
  answer.hits = answer.outcome == Outcome::kAnswered && result.states(i) != v1::MOTION_STATE_FREE;
  if (!answer.hits) return answer;
  answer.overlaps_at_start = result.states(i) == v1::MOTION_STATE_INITIALLY_OVERLAPPING;
  answer.toc = answer.overlaps_at_start ? 0 : result.t_hit(i);
  answer.met = result.bodies_b(i);
  answer.distance = result.distances(i);
  return answer;
}

// The next reply; an error where the stream or the message failed.
absl::Status Read(SceneStream* stream, v1::SessionResponse* response) {
  if (!stream->Read(response)) return absl::UnavailableError("the session ended");
  if (!response->has_status()) return absl::OkStatus();
  return {static_cast<absl::StatusCode>(response->status().code()), response->status().message()};
}

absl::Status AskRows(SceneStream* stream, absl::Span<const SceneRow> rows) {
  stream->Write(MotionsOf(rows));
  v1::SessionResponse response;
  for (std::size_t told = 0; told < rows.size();) {
    if (absl::Status status = Read(stream, &response); !status.ok()) return status;
    const v1::SweepBatchResult& result = response.sweep();
    if (result.first_row() != told || result.count() == 0 || told + result.count() > rows.size())
      return absl::InternalError("a reply of other rows");
    for (std::uint32_t i = 0; i < result.count(); ++i)
      *rows[told + i].answer = FromSweep(result, static_cast<int>(i));
    told += result.count();
  }
  return absl::OkStatus();
}

absl::Status AskAllRows(const ScoredServer& server, const TaskFile& file,
                        absl::Span<const SceneRow> rows) {
  if (absl::Status status = MakeScene(server.client, file); !status.ok()) return status;
  const client::ByName* const mover = NameOf(file, rows.front().question->shape_a);
  if (mover == nullptr) return absl::FailedPreconditionError("what moves has no name");
  const std::unique_ptr<v1::QueryService::Stub> stub = v1::QueryService::NewStub(
      grpc::CreateChannel(server.address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  const std::unique_ptr<SceneStream> stream = stub->Session(&context);
  absl::Status status;
  v1::SessionResponse response;
  for (const v1::SessionRequest& request : Preparations(mover->name)) {
    stream->Write(request);
    status.Update(Read(stream.get(), &response));
  }
  for (; status.ok() && !rows.empty(); rows.remove_prefix(std::min(rows.size(), kRowsPerMessage)))
    status = AskRows(stream.get(), rows.subspan(0, kRowsPerMessage));
  context.TryCancel();
  stream->Finish();
  return status;
}

}  // namespace

void AskInScene(const ScoredServer& server, const TaskFile& file,
                absl::Span<const Question> questions, absl::Span<Answer> answers) {
  std::vector<SceneRow> rows;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (questions[i].is_in_scene) rows.push_back({&questions[i], &answers[i]});
  }
  if (rows.empty()) return;
  const absl::Status status = AskAllRows(server, file, rows);
  if (status.ok()) return;
  for (const SceneRow& row : rows) {
    if (row.answer->outcome == Outcome::kLost) row.answer->reason = status.ToString();
  }
}

}  // namespace clearance::acceptance
