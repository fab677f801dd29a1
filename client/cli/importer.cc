// SPDX-License-Identifier: Apache-2.0
#include "client/cli/importer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "client/cli/row_output.h"
#include "internal/scene_convert.h"

namespace clearance::client {
namespace {

// Limits of one batch.
constexpr std::size_t kMostItems = 500;
constexpr std::size_t kMostNumbers = 100'000;

// Returns whether both are the same, as a server returns them: bodies in the order of their ids.
bool IsSame(const SceneChange& a, const SceneChange& b) {
  v1::SceneChange first, second;
  ToProto(a, &first);
  ToProto(b, &second);
  return first.SerializeAsString() == second.SerializeAsString();
}

}  // namespace

absl::Status Importer::Add(const TransferItem& item) {
  if (const auto* const shape = std::get_if<TransferShape>(&item)) return AddShape(*shape);
  // The shapes of a scene must be registered before it.
  if (absl::Status status = Flush(); !status.ok()) return status;
  return AddScene(std::get<TransferScene>(item));
}

absl::Status Importer::AddShape(const TransferShape& shape) {
  const Hull* const hull = std::get_if<Hull>(&shape.shape.kind);
  const bool is_column = hull != nullptr && hull->adjacency_offsets.empty() &&
                         hull->adjacency.empty() && hull->vertices.size() % 3 == 0;
  if (!is_column) return RegisterAlone(shape);
  batch_.names.push_back(shape.name);
  batch_.vertex_counts.push_back(static_cast<std::uint32_t>(hull->vertices.size() / 3));
  batch_.vertices.insert(batch_.vertices.end(), hull->vertices.begin(), hull->vertices.end());
  batch_.swept_sphere_radii.push_back(shape.shape.swept_sphere_radius);
  digests_.push_back(shape.digest);
  const bool is_full = batch_.names.size() >= kMostItems || batch_.vertices.size() >= kMostNumbers;
  return is_full ? Flush() : absl::OkStatus();
}

absl::Status Importer::Flush() {
  if (batch_.names.empty()) return absl::OkStatus();
  HullColumns batch = std::exchange(batch_, {});
  batch.replace = replace_;
  const std::vector<std::string> digests = std::exchange(digests_, {});
  const absl::StatusOr<BatchRegistration> done = client_.BatchRegisterHulls(batch);
  if (!done.ok()) return done.status();
  for (const Error& error : done->errors) Refuse(batch.names[error.index], error);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    if (!done->digests[i].empty()) Take(batch.names[i], done->digests[i], digests[i]);
  }
  return absl::OkStatus();
}

absl::Status Importer::RegisterAlone(const TransferShape& shape) {
  const absl::StatusOr<Registration> done =
      client_.Register(shape.name, shape.shape, {.replace = replace_, .validate_only = false});
  if (!done.ok()) return RefuseOrFail(shape.name, done.status());
  Take(shape.name, done->info.digest, shape.digest);
  return absl::OkStatus();
}

absl::Status Importer::AddScene(const TransferScene& scene) {
  const SceneClient scenes(client_);
  const absl::StatusOr<FoundScene> found = scenes.Get(scene.name, {.include_content = true});
  if (found.ok()) return AddTo(*found, scene);
  absl::Status status = found.status();
  if (absl::IsNotFound(status)) status = scenes.Create(scene.name, scene.content).status();
  if (!status.ok()) return RefuseOrFail(scene.name, status);
  ++scenes_;
  return absl::OkStatus();
}

absl::Status Importer::AddTo(const FoundScene& found, const TransferScene& scene) {
  const bool is_there = !found.info.ttl.has_value() && IsSame(found.content, scene.content);
  if (!is_there) {
    if (!replace_) {
      Refuse(scene.name, {.code = absl::StatusCode::kAlreadyExists,
                          .field = "name",
                          .value = scene.name,
                          .limit = "a free name, or a scene of the same bodies and rules",
                          .message = "There is another scene of this name; set --replace."});
      return absl::OkStatus();
    }
    const absl::Status replaced = Replace(found, scene);
    if (!replaced.ok()) return RefuseOrFail(scene.name, replaced);
  }
  ++scenes_;
  return absl::OkStatus();
}

// A change keeps the ttl of a scene. A scene with a ttl is deleted and created again without one.
absl::Status Importer::Replace(const FoundScene& found, const TransferScene& scene) const {
  const SceneClient scenes(client_);
  if (found.info.ttl.has_value()) {
    const absl::Status gone = scenes.Delete(scene.name, found.info.etag);
    return gone.ok() ? scenes.Create(scene.name, scene.content).status() : gone;
  }
  SceneChange change = scene.content;
  change.removed_bodies = found.content.bodies.ids;
  change.removed_rules = found.content.rules;
  return scenes.Update(scene.name, change, found.info.etag).status();
}

absl::Status Importer::RefuseOrFail(const std::string& name, const absl::Status& status) {
  const std::optional<Error> error = ErrorDetail(status);
  // The server is not there, or the store fails. Neither is the item's fault.
  if (!error || status.code() == absl::StatusCode::kUnavailable) return status;
  Refuse(name, *error);
  return absl::OkStatus();
}

void Importer::Take(const std::string& name, const std::string& digest,
                    const std::string& expected) {
  if (expected.empty() || digest == expected) {
    ++registered_;
  } else {
    Refuse(name, {.code = absl::StatusCode::kDataLoss,
                  .field = "digest",
                  .value = digest,
                  .limit = expected,
                  .message = "The file has another digest for this content."});
  }
}

void Importer::Refuse(const std::string& name, const Error& error) {
  Json refusal = {{"name", name}};
  refusal.update(ToJson(error));
  refusals_.push_back(std::move(refusal));
}

}  // namespace clearance::client
