// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/convert/shape_content.h"
#include "server/registry/shape_name.h"
#include "server/services/methods.h"
#include "server/session/shape_reference.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kNumbersAPoint = 3;

absl::Status CheckColumn(std::string_view field, std::uint64_t size, std::uint64_t wanted) {
  if (size == wanted) return absl::OkStatus();
  return RefuseArgument({.reason = Reason::kColumnLength,
                         .field = std::string(field),
                         .value = FormatNumber(size) + " numbers",
                         .limit = FormatNumber(wanted) + " numbers",
                         .message = "The columns do not fit together; nothing was registered."});
}

absl::Status CheckBatch(const v1::BatchRegisterHullsRequest& request, const Limits& limits) {
  const auto items = static_cast<std::uint64_t>(request.names_size());
  absl::Status status = CheckMost(items, {"max_batch_hulls", limits.max_batch_hulls},
                                  {.reason = Reason::kBatchTooLarge,
                                   .field = "names",
                                   .unit = " items",
                                   .message = "The batch has too many items; split it."});
  status.Update(CheckColumn("vertex_counts", request.vertex_counts_size(), items));
  std::uint64_t points = 0;
  for (const std::uint32_t count : request.vertex_counts()) points += count;
  status.Update(CheckColumn("vertices", request.vertices_size(), kNumbersAPoint * points));
  if (request.swept_sphere_radii_size() > 1)
    status.Update(CheckColumn("swept_sphere_radii", request.swept_sphere_radii_size(), items));
  return status;
}

// Items of a batch that one worker builds in one turn.
struct BatchPart {
  int end = 0;
  std::uint64_t first_number = 0;  // start of the next one's points in the column
  int reached = 0;                 // all before this are worked out
};

int RadiusIndex(const v1::BatchRegisterHullsRequest& request, int i) {
  return request.swept_sphere_radii_size() == 1 ? 0 : i;
}

// Returns the part's next item as a shape.
v1::Shape NextOf(const BatchPart& part, const v1::BatchRegisterHullsRequest& request) {
  v1::Shape shape;
  const int i = part.reached;
  const double* const begin = request.vertices().data() + part.first_number;
  shape.mutable_hull()->mutable_vertices()->Add(begin,
                                                begin + kNumbersAPoint * request.vertex_counts(i));
  if (request.swept_sphere_radii_size() > 0)
    shape.set_swept_sphere_radius(request.swept_sphere_radii(RadiusIndex(request, i)));
  return shape;
}

// Renames the fields of an item's shape as the batch has them: its own points, and its radius in
// the column.
absl::Status InColumns(const absl::Status& status, int radius_index) {
  constexpr std::string_view kHull = "hull.";
  std::string field = ErrorOf(status).field();
  if (field.starts_with(kHull)) field.erase(0, kHull.size());
  if (field == "swept_sphere_radius") field = Indexed("swept_sphere_radii", radius_index);
  return WithField(field, status);
}

RegisterOptions OptionsOf(const v1::RegisterShapeRequest& request) {
  return {.replace = request.replace(), .validate_only = request.validate_only()};
}

// Returns the change of a name that has not been worked out yet.
ShapeChange ChangeOf(const CallScope& call, const std::string& name) {
  ShapeChange change;
  change.name = name;
  if (call.caller.principal != nullptr) change.prefixes = call.caller.principal->prefixes;
  return change;
}

// Returns the registration of a name. Its content is still null, or the refusal of the name, whose
// field is `field`.
ShapeChange RegistrationOf(const CallScope& call, const std::string& name, const std::string& field,
                           const RegisterOptions& asked) {
  ShapeChange change = ChangeOf(call, name);
  const absl::Status status = CheckShapeName(name, field);
  const auto allowed = status.ok() ? call.registry.AllowRegister(name, asked) : status;
  if (allowed.ok()) {
    change.options = *allowed;
  } else {
    change.content = allowed.status();
  }
  return change;
}

// Returns the change of the part's next item.
ShapeChange NextChange(const CallScope& call, const v1::BatchRegisterHullsRequest& request,
                       const StopRule& stop, const BatchPart& part) {
  const int i = part.reached;
  ShapeChange change =
      RegistrationOf(call, request.names(i), Indexed("names", i), {.replace = request.replace()});
  if (!change.content.ok()) return change;
  change.content = BuildFor(call, NextOf(part, request), stop);
  if (!change.content.ok())
    change.content = InColumns(change.content.status(), RadiusIndex(request, i));
  return change;
}

std::vector<BatchPart> PartsOf(const v1::BatchRegisterHullsRequest& request) {
  constexpr std::uint64_t kPointsAPart = 2048;  // some milliseconds
  std::vector<BatchPart> parts;
  std::uint64_t points = 0, first_points = 0;
  for (int i = 0; i < request.names_size(); ++i) {
    if (i == 0 || points - first_points >= kPointsAPart) {
      parts.push_back({.end = i, .first_number = kNumbersAPoint * points, .reached = i});
      first_points = points;
    }
    ++parts.back().end;
    points += request.vertex_counts(i);
  }
  return parts;
}

// Returns the number of items before the first that was not reached.
std::size_t ReachedWithoutGap(const std::vector<BatchPart>& parts) {
  int reached = 0;
  for (const BatchPart& part : parts) {
    reached = part.reached;
    if (reached < part.end) break;
  }
  return static_cast<std::size_t>(reached);
}

}  // namespace

std::uint64_t CostOf(const v1::RegisterShapeRequest& request) {
  return std::max(kDear, CostOf(request.shape()));
}

std::uint64_t CostOf(const v1::BatchRegisterHullsRequest& request) {
  const auto points = static_cast<std::uint64_t>(request.vertices_size()) / kNumbersAPoint;
  return std::max(kDear, kUnitsAPoint * points);
}

absl::Status PlanRegisterShape(const CallScope& call, const v1::RegisterShapeRequest& request,
                               const StopRule& stop, std::vector<ShapeChange>* changes) {
  ShapeChange change = RegistrationOf(call, request.name(), "name", OptionsOf(request));
  if (change.content.ok()) {
    change.content = BuildFor(call, request.shape(), stop);
    if (!change.content.ok()) change.content = Under("shape", change.content.status());
  }
  changes->push_back(std::move(change));
  return absl::OkStatus();
}

absl::Status ConcludeRegisterShape(const CallScope& call, const v1::RegisterShapeRequest& request,
                                   std::vector<ShapeOutcome> outcomes,
                                   v1::RegisterShapeResponse* response) {
  const ShapeOutcome registered = call.registry.ConcludeRegister(request.name(), OptionsOf(request),
                                                                 std::move(outcomes.front()));
  if (!registered.ok()) return registered.status();
  FillShapeInfo(registered->shape, response->mutable_info());
  response->set_revision(registered->revision);
  response->set_created(registered->created);
  return absl::OkStatus();
}

// NOLINTNEXTLINE(readability-function-size): one parameter for each thing that a plan is about
absl::Status PlanBatchRegisterHulls(const CallScope& call,
                                    const v1::BatchRegisterHullsRequest& request,
                                    const StopRule& stop, std::vector<ShapeChange>* changes,
                                    Parts* left) {
  if (absl::Status status = CheckBatch(request, call.parts.limits); !status.ok()) return status;
  const auto parts = std::make_shared<std::vector<BatchPart>>(PartsOf(request));
  changes->resize(static_cast<std::size_t>(request.names_size()));
  left->count = parts->size();
  left->part = [&call, &request, &stop, changes, parts](std::size_t p, SteadyTime end) {
    const ProcessorMeter meter(call.caller);
    BatchPart& part = (*parts)[p];
    for (; part.reached < part.end && !stop.ShouldStop(); ++part.reached) {
      const int i = part.reached;
      const std::uint64_t points = request.vertex_counts(i);
      const bool is_long = DurationOf(kUnitsAPoint * points) > kMostOfAWhole;
      if (is_long && end != SteadyTime::InfiniteFuture()) return false;
      (*changes)[static_cast<std::size_t>(i)] = NextChange(call, request, stop, part);
      part.first_number += kNumbersAPoint * points;
    }
    return true;
  };
  left->finish = [changes, parts] { changes->resize(ReachedWithoutGap(*parts)); };
  return absl::OkStatus();
}

absl::Status ConcludeBatchRegisterHulls(const CallScope& call,
                                        const v1::BatchRegisterHullsRequest& request,
                                        std::vector<ShapeOutcome> outcomes,
                                        v1::BatchRegisterHullsResponse* response) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const ShapeOutcome registered = call.registry.ConcludeRegister(
        request.names(static_cast<int>(i)), {.replace = request.replace()}, std::move(outcomes[i]));
    response->add_digests(registered.ok() ? registered->shape.content->digest : "");
    if (registered.ok()) continue;
    CountRefusal(call.parts.metrics, registered.status());
    v1::Error* const error = response->add_errors();
    *error = ErrorOf(registered.status());
    error->set_index(static_cast<std::uint32_t>(i));
  }
  if (outcomes.size() < static_cast<std::size_t>(request.names_size()))
    return absl::CancelledError("the call ended; repeat it for the items that are left");
  response->set_revision(call.registry.nameless().revision());
  return absl::OkStatus();
}

absl::Status PlanDeleteShape(const CallScope& call, const v1::DeleteShapeRequest& request,
                             const StopRule& /*stop*/, std::vector<ShapeChange>* changes) {
  const absl::Status allowed = call.registry.RequireReach(request.name());
  ShapeChange& change = changes->emplace_back(ChangeOf(call, request.name()));
  change.etag = request.etag();
  if (!allowed.ok()) change.content = allowed;
  return absl::OkStatus();
}

absl::Status ConcludeDeleteShape(const CallScope& call, const v1::DeleteShapeRequest& request,
                                 std::vector<ShapeOutcome> outcomes,
                                 v1::DeleteShapeResponse* response) {
  const ShapeOutcome& deleted = outcomes.front();
  call.registry.ConcludeDelete(request.name(), deleted);
  if (!deleted.ok()) return deleted.status();
  response->set_revision(deleted->revision);
  return absl::OkStatus();
}

}  // namespace clearance::server
