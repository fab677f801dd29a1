// SPDX-License-Identifier: Apache-2.0
#include "clearance/scene.h"

#include <algorithm>

#include "clearance/v1/scene_service.grpc.pb.h"
#include "internal/connection.h"
#include "internal/scene_convert.h"
#include "internal/unary_method.h"

namespace clearance::client {
namespace {

using Stub = v1::SceneService::Stub;

// The server reports the fault of a duration that the message cannot hold.
void SetTtl(const SceneClient::Ttl& ttl, google::protobuf::Duration* proto) {
  absl::Duration rest;
  proto->set_seconds(absl::IDivDuration(*ttl, absl::Seconds(1), &rest));
  proto->set_nanos(static_cast<int>(absl::ToInt64Nanoseconds(rest)));
}

template <class Response>
absl::StatusOr<SceneInfo> InfoOf(const absl::StatusOr<Response>& response) {
  if (!response.ok()) return response.status();
  return FromProto(response->scene());
}

// Returns the change that makes a scene with the content `before` one with the content `after`.
SceneChange Replacement(const SceneChange& before, const SceneChange& after) {
  SceneChange change = after;
  std::vector<std::uint32_t> kept = after.bodies.ids;
  std::sort(kept.begin(), kept.end());
  for (const std::uint32_t id : before.bodies.ids) {
    if (!std::binary_search(kept.begin(), kept.end(), id)) change.removed_bodies.push_back(id);
  }
  change.removed_rules = before.rules;
  return change;
}

}  // namespace

absl::StatusOr<SceneInfo> SceneClient::Create(const std::string& name, const SceneChange& content,
                                              const Ttl& ttl) const {
  v1::CreateSceneRequest request;
  request.set_name(name);
  ToProto(content, request.mutable_content());
  if (ttl.has_value()) SetTtl(ttl, request.mutable_ttl());
  return InfoOf(Method{&Stub::CreateScene}.Once(*client_.connection_, request,
                                                {client_.timeout_, client_.ids_}));
}

absl::StatusOr<SceneInfo> SceneClient::Replace(const std::string& name, const SceneChange& content,
                                               const Ttl& ttl) const {
  const absl::StatusOr<FoundScene> found = Get(name, {.include_content = true});
  if (absl::IsNotFound(found.status())) return Create(name, content, ttl);
  if (!found.ok()) return found.status();
  absl::StatusOr<SceneInfo> replaced =
      Update(name, Replacement(found->content, content), found->info.etag);
  if (!replaced.ok() || found->info.ttl == ttl) return replaced;
  if (absl::Status status = Delete(name); !status.ok() && !absl::IsNotFound(status)) return status;
  return Create(name, content, ttl);
}

absl::StatusOr<FoundScene> SceneClient::Get(const std::string& name,
                                            const GetSceneOptions& options) const {
  v1::GetSceneRequest request;
  request.set_name(name);
  request.set_revision(options.revision);
  request.set_min_revision(options.min_revision);
  request.set_include_bodies(options.include_content);
  request.set_include_rules(options.include_content);
  FoundScene found;
  do {
    const auto page =
        Method{&Stub::GetScene}(*client_.connection_, request, {client_.timeout_, client_.ids_});
    if (!page.ok()) return page.status();
    found.info = FromProto(page->scene());
    absl::Status status = AppendContent(page->content(), &found.content);
    if (!status.ok()) return status;
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return found;
}

absl::StatusOr<std::vector<SceneInfo>> SceneClient::List(const std::string& prefix) const {
  constexpr int kLargestPage = 1000;
  v1::ListScenesRequest request;
  request.set_prefix(prefix);
  request.set_page_size(kLargestPage);
  std::vector<SceneInfo> scenes;
  do {
    const auto page =
        Method{&Stub::ListScenes}(*client_.connection_, request, {client_.timeout_, client_.ids_});
    if (!page.ok()) return page.status();
    for (const v1::SceneInfo& scene : page->scenes()) scenes.push_back(FromProto(scene));
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return scenes;
}

absl::StatusOr<SceneInfo> SceneClient::Update(const std::string& name, const SceneChange& change,
                                              const std::string& etag) const {
  v1::UpdateSceneRequest request;
  request.set_name(name);
  ToProto(change, request.mutable_change());
  request.set_etag(etag);
  return InfoOf(Method{&Stub::UpdateScene}.Once(*client_.connection_, request,
                                                {client_.timeout_, client_.ids_}));
}

absl::StatusOr<SceneInfo> SceneClient::Fork(const std::string& name, const Source& source,
                                            const Ttl& ttl) const {
  v1::ForkSceneRequest request;
  request.set_name(name);
  request.set_source(source.name);
  request.set_source_revision(source.revision);
  if (ttl.has_value()) SetTtl(ttl, request.mutable_ttl());
  return InfoOf(Method{&Stub::ForkScene}.Once(*client_.connection_, request,
                                              {client_.timeout_, client_.ids_}));
}

absl::Status SceneClient::Delete(const std::string& name, const std::string& etag) const {
  v1::DeleteSceneRequest request;
  request.set_name(name);
  request.set_etag(etag);
  return Method{&Stub::DeleteScene}
      .Once(*client_.connection_, request, {client_.timeout_, client_.ids_})
      .status();
}

}  // namespace clearance::client
