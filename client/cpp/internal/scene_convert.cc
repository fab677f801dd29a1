// SPDX-License-Identifier: Apache-2.0
#include "internal/scene_convert.h"

#include <variant>

#include "internal/columns.h"

namespace clearance::client {
namespace {

void ToProto(const SceneBodies& bodies, v1::BodyColumns* proto) {
  proto->set_count(bodies.count);
  Assign(bodies.ids, proto->mutable_ids());
  for (const ShapeKey& shape : bodies.shapes) {
    v1::ShapeReference* const reference = proto->add_shapes();
    if (const auto* name = std::get_if<ByName>(&shape)) reference->set_name(name->name);
    if (const auto* digest = std::get_if<ByDigest>(&shape)) reference->set_digest(digest->digest);
  }
  Assign(bodies.shape_slots, proto->mutable_shape_slots());
  Assign(bodies.poses, proto->mutable_poses());
  Assign(bodies.groups, proto->mutable_groups());
  Assign(bodies.masks, proto->mutable_masks());
  Assign(bodies.margins, proto->mutable_margins());
}

void ToProto(const ScenePairRules& rules, v1::PairRuleColumns* proto) {
  proto->set_count(rules.count);
  Assign(rules.bodies_a, proto->mutable_bodies_a());
  Assign(rules.bodies_b, proto->mutable_bodies_b());
  for (const PairRuleKind kind : rules.kinds) proto->add_kinds(static_cast<v1::PairRuleKind>(kind));
  Assign(rules.margins, proto->mutable_margins());
}

absl::Status AppendShape(const v1::ShapeReference& proto, std::vector<ShapeKey>* shapes) {
  if (proto.has_name()) {
    shapes->emplace_back(ByName{proto.name()});
  } else if (proto.has_digest()) {
    shapes->emplace_back(ByDigest{proto.digest()});
  } else {
    return absl::InvalidArgumentError("a scene's shapes are registered ones, by name or digest");
  }
  return absl::OkStatus();
}

// The slots of `proto` refer to its own table; the appended ones to `bodies->shapes`.
absl::Status AppendBodies(const v1::BodyColumns& proto, SceneBodies* bodies) {
  const auto first_shape = static_cast<std::uint32_t>(bodies->shapes.size());
  for (const v1::ShapeReference& shape : proto.shapes()) {
    if (absl::Status status = AppendShape(shape, &bodies->shapes); !status.ok()) return status;
  }
  for (const std::uint32_t slot : proto.shape_slots())
    bodies->shape_slots.push_back(first_shape + slot);
  bodies->count += proto.count();
  Append(proto.ids(), &bodies->ids);
  Append(proto.poses(), &bodies->poses);
  Append(proto.groups(), &bodies->groups);
  Append(proto.masks(), &bodies->masks);
  Append(proto.margins(), &bodies->margins);
  return absl::OkStatus();
}

void AppendRules(const v1::PairRuleColumns& proto, ScenePairRules* rules) {
  rules->count += proto.count();
  Append(proto.bodies_a(), &rules->bodies_a);
  Append(proto.bodies_b(), &rules->bodies_b);
  for (const int kind : proto.kinds()) rules->kinds.push_back(static_cast<PairRuleKind>(kind));
  Append(proto.margins(), &rules->margins);
}

}  // namespace

void ToProto(const SceneChange& change, v1::SceneChange* proto) {
  Assign(change.removed_bodies, proto->mutable_removed_bodies());
  ToProto(change.bodies, proto->mutable_bodies());
  proto->mutable_poses()->set_count(change.poses.count);
  Assign(change.poses.ids, proto->mutable_poses()->mutable_ids());
  Assign(change.poses.poses, proto->mutable_poses()->mutable_poses());
  ToProto(change.removed_rules, proto->mutable_removed_rules());
  ToProto(change.rules, proto->mutable_rules());
}

void ToProto(const OpenScene& open, v1::OpenScene* proto) {
  proto->set_scene_slot(open.scene_slot);
  proto->set_name(open.name);
  proto->set_revision(open.revision);
  proto->set_min_revision(open.min_revision);
}

void ToProto(const ChangeBodies& change, v1::ChangeBodies* proto) {
  proto->set_reset(change.reset);
  ToProto(change.change, proto->mutable_change());
  Assign(change.same_as_scene, proto->mutable_same_as_scene());
}

SceneInfo FromProto(const v1::SceneInfo& proto) {
  SceneInfo info = {.name = proto.name(),
                    .revision = proto.revision(),
                    .etag = proto.etag(),
                    .body_count = proto.body_count(),
                    .rule_count = proto.rule_count(),
                    .oldest_revision = proto.oldest_revision(),
                    .bytes = proto.bytes(),
                    .ttl = std::nullopt};
  if (proto.has_ttl())
    info.ttl = absl::Seconds(proto.ttl().seconds()) + absl::Nanoseconds(proto.ttl().nanos());
  return info;
}

absl::StatusOr<SceneChange> FromProto(const v1::SceneChange& proto) {
  SceneChange change;
  Append(proto.removed_bodies(), &change.removed_bodies);
  absl::Status status = AppendBodies(proto.bodies(), &change.bodies);
  if (!status.ok()) return status;
  change.poses.count = proto.poses().count();
  Append(proto.poses().ids(), &change.poses.ids);
  Append(proto.poses().poses(), &change.poses.poses);
  AppendRules(proto.removed_rules(), &change.removed_rules);
  AppendRules(proto.rules(), &change.rules);
  return change;
}

absl::Status AppendContent(const v1::SceneChange& page, SceneChange* content) {
  AppendRules(page.rules(), &content->rules);
  return AppendBodies(page.bodies(), &content->bodies);
}

}  // namespace clearance::client
