// SPDX-License-Identifier: Apache-2.0

#include "server/service/shape_methods.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "server/convert/shape_content.h"
#include "server/guard/refusal.h"
#include "server/registry/page_token.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kNumbersAPoint = 3;
constexpr int kDefaultPageSize = 100;
constexpr int kMaxPageSize = 1000;

std::string Indexed(std::string_view field, int i) {
  return std::string(field) + "[" + std::to_string(i) + "]";
}

absl::Status CheckColumn(std::string_view field, std::uint64_t size, std::uint64_t wanted) {
  if (size == wanted) return absl::OkStatus();
  return RefuseArgument({.field = std::string(field),
                         .value = FormatNumber(size) + " numbers",
                         .limit = FormatNumber(wanted) + " numbers",
                         .message = "The columns do not fit together; nothing was registered."});
}

absl::Status CheckBatch(const v1::BatchRegisterShapesRequest& request, const Limits& limits) {
  const auto items = static_cast<std::uint64_t>(request.names_size());
  if (items > limits.max_batch_shapes) {
    return Refuse(absl::StatusCode::kResourceExhausted,
                  {.field = "names",
                   .value = FormatNumber(items) + " items",
                   .limit = "max_batch_shapes <= " + FormatNumber(limits.max_batch_shapes),
                   .message = "The batch has too many items; split it."});
  }
  absl::Status status = CheckColumn("vertex_counts", request.vertex_counts_size(), items);
  std::uint64_t points = 0;
  for (const std::uint32_t count : request.vertex_counts()) points += count;
  status.Update(CheckColumn("vertices", request.vertices_size(), kNumbersAPoint * points));
  if (request.radii_size() > 1) status.Update(CheckColumn("radii", request.radii_size(), items));
  return status;
}

// Item i as a shape; `first_number` is where its points begin.
v1::Shape ItemOf(const v1::BatchRegisterShapesRequest& request, int i, std::uint64_t first_number) {
  v1::Shape shape;
  const double* const begin = request.vertices().data() + first_number;
  shape.mutable_hull()->mutable_vertices()->Add(begin,
                                                begin + kNumbersAPoint * request.vertex_counts(i));
  if (request.radii_size() > 0) shape.set_radius(request.radii(request.radii_size() == 1 ? 0 : i));
  return shape;
}

// The field of an item's shape as the batch has it: its own points, and its radius in the column.
absl::Status InColumns(const absl::Status& status, int radius_index) {
  const v1::Error error = ErrorOf(status);
  constexpr std::string_view kHull = "hull.";
  std::string field = error.field();
  if (field.starts_with(kHull)) field.erase(0, kHull.size());
  if (field == "radius") field = Indexed("radii", radius_index);
  return Refuse(status.code(), {field, error.value(), error.limit(), error.message()});
}

absl::StatusOr<Registry::Registration> RegisterItem(const ServerParts& parts,
                                                    const std::string& name, const v1::Shape& shape,
                                                    bool replace) {
  auto content = BuildContent(shape, parts.limits, parts.registry);
  if (!content.ok()) return content.status();
  return parts.registry.Register(name, *content, {.replace = replace, .validate_only = false});
}

absl::StatusOr<std::string> DigestOfItem(const ServerParts& parts,
                                         const v1::BatchRegisterShapesRequest& request, int i,
                                         std::uint64_t first_number) {
  const std::string& name = request.names(i);
  if (absl::Status status = CheckShapeName(name, Indexed("names", i)); !status.ok()) return status;
  const auto registered =
      RegisterItem(parts, name, ItemOf(request, i, first_number), request.replace());
  if (!registered.ok()) return InColumns(registered.status(), request.radii_size() == 1 ? 0 : i);
  return registered->shape.content->digest;
}

absl::StatusOr<Registry::Found> Find(const Registry& registry, const v1::GetShapeRequest& request) {
  switch (request.reference_case()) {
    case v1::GetShapeRequest::kName:
      return registry.FindByName(request.name());
    case v1::GetShapeRequest::kDigest:
      return registry.FindByDigest(request.digest());
    case v1::GetShapeRequest::REFERENCE_NOT_SET:
      break;
  }
  return RefuseArgument({.field = "reference",
                         .value = "unset",
                         .limit = "name or digest",
                         .message = "The request names no shape."});
}

}  // namespace

absl::Status RegisterShape(const ServerParts& parts, const v1::RegisterShapeRequest& request,
                           const StopRule& /*stop*/, v1::RegisterShapeResponse* response) {
  if (absl::Status status = CheckShapeName(request.name(), "name"); !status.ok()) return status;
  const auto content = BuildContent(request.shape(), parts.limits, parts.registry);
  if (!content.ok()) return Under("shape", content.status());
  const auto registered = parts.registry.Register(
      request.name(), *content,
      {.replace = request.replace(), .validate_only = request.validate_only()});
  if (!registered.ok()) return registered.status();
  FillShapeInfo(registered->shape, response->mutable_shape());
  response->set_revision(registered->revision);
  response->set_created(registered->created);
  return absl::OkStatus();
}

absl::Status BatchRegisterShapes(const ServerParts& parts,
                                 const v1::BatchRegisterShapesRequest& request,
                                 const StopRule& stop, v1::BatchRegisterShapesResponse* response) {
  if (absl::Status status = CheckBatch(request, parts.limits); !status.ok()) return status;
  std::uint64_t first_number = 0;
  for (int i = 0; i < request.names_size(); ++i) {
    if (stop.ShouldStop())
      return absl::CancelledError("the call ended; repeat it for the items that are left");
    const auto digest = DigestOfItem(parts, request, i, first_number);
    response->add_digests(digest.ok() ? *digest : "");
    if (!digest.ok()) {
      v1::Error* const error = response->add_errors();
      *error = ErrorOf(digest.status());
      error->set_index(static_cast<std::uint32_t>(i));
    }
    first_number += kNumbersAPoint * request.vertex_counts(i);
  }
  response->set_revision(parts.registry.revision());
  return absl::OkStatus();
}

absl::Status GetShape(const ServerParts& parts, const v1::GetShapeRequest& request,
                      const StopRule& /*stop*/, v1::GetShapeResponse* response) {
  const auto found = Find(parts.registry, request);
  if (!found.ok()) return found.status();
  FillShapeInfo(found->shape, response->mutable_info());
  if (request.include_content())
    response->mutable_shape()->ParseFromString(found->shape.content->serialized);
  response->set_revision(found->revision);
  return absl::OkStatus();
}

absl::Status ListShapes(const ServerParts& parts, const v1::ListShapesRequest& request,
                        const StopRule& /*stop*/, v1::ListShapesResponse* response) {
  if (request.page_size() < 0) {
    return RefuseArgument({.field = "page_size",
                           .value = std::to_string(request.page_size()),
                           .limit = ">= 0",
                           .message = "A page has no negative size; 0 takes the default."});
  }
  std::string after;
  if (!request.page_token().empty()) {
    auto parsed = ParsePageToken(request.page_token(), request.prefix());
    if (!parsed.ok()) return parsed.status();
    after = *std::move(parsed);
  }
  const int size =
      request.page_size() == 0 ? kDefaultPageSize : std::min(request.page_size(), kMaxPageSize);
  const Registry::Page page =
      parts.registry.List(request.prefix(), after, static_cast<std::size_t>(size));
  for (const NamedShape& shape : page.shapes) FillShapeInfo(shape, response->add_shapes());
  if (!page.is_last)
    response->set_next_page_token(MakePageToken(request.prefix(), page.shapes.back().name));
  response->set_revision(page.revision);
  return absl::OkStatus();
}

absl::Status DeleteShape(const ServerParts& parts, const v1::DeleteShapeRequest& request,
                         const StopRule& /*stop*/, v1::DeleteShapeResponse* response) {
  const auto revision = parts.registry.Delete(request.name(), request.expected_digest());
  if (!revision.ok()) return revision.status();
  response->set_revision(*revision);
  return absl::OkStatus();
}

}  // namespace clearance::server
