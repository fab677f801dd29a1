// SPDX-License-Identifier: Apache-2.0

#include "server/transport/admission.h"

namespace clearance::server {
namespace {

std::string_view AsView(const grpc::string_ref& text) { return {text.data(), text.size()}; }

std::vector<std::string_view> MetadataOf(const grpc::ServerContext& context, const char* name) {
  std::vector<std::string_view> values;
  const auto [begin, end] = context.client_metadata().equal_range(name);
  for (auto entry = begin; entry != end; ++entry) values.push_back(AsView(entry->second));
  return values;
}

// The names that TLS has verified: the certificate's alternative names or, without any, its common
// name.
std::vector<std::string> CertificateNamesOf(const grpc::ServerContext& context) {
  std::vector<std::string> names;
  const auto auth = context.auth_context();
  if (auth == nullptr || !auth->IsPeerAuthenticated()) return names;
  for (const grpc::string_ref& name : auth->GetPeerIdentity()) names.emplace_back(AsView(name));
  return names;
}

void NameCall(grpc::ServerContext& context, Caller* caller) {
  const auto request_ids = MetadataOf(context, kRequestIdHeader);
  const bool has_id = request_ids.size() == 1 && IsRequestId(request_ids.front());
  caller->request_id = has_id ? std::string(request_ids.front()) : MakeRequestId();
  const auto traces = MetadataOf(context, kTraceParentHeader);
  const std::string trace = traces.size() == 1 ? TraceParentOf(traces.front()) : "";
  caller->trace_id = TraceIdOf(trace);
  context.AddInitialMetadata(kRequestIdHeader, caller->request_id);
  if (!trace.empty()) context.AddInitialMetadata(kTraceParentHeader, trace);
}

// The least roles that methods require, in the order of RpcMethod.
constexpr Role kLeastRoles[] = {
#define METHOD(name, service, type, role) Role::role,
#include "proto/methods.def"
};

}  // namespace

Admission::Admission(const ServerParts& parts, RpcMethod method, grpc::ServerContext& context)
    : parts_(parts), method_(method) {
  NameCall(context, &caller_);
  caller_.peer = context.peer();
  if (parts.authenticator == nullptr) return;
  credentials_ = CredentialsFrom(MetadataOf(context, "authorization"));
  credentials_.certificate_names = CertificateNamesOf(context);
  // The call's resources belong to its principal from the start.
  Check();
}

const absl::Status& Admission::Check(bool is_aside) {
  if (!is_outdated()) return status_;
  const std::uint64_t generation = parts_.authenticator->generation();
  const auto principal = parts_.authenticator->Authenticate(credentials_);
  const Role role = kLeastRoles[static_cast<std::size_t>(method_)];
  absl::Status status =
      principal.ok() ? RequireRole(**principal, role, "authorization") : principal.status();
  // If it is OK, Check() must still see that the rules are new, and update caller() by them.
  if (is_aside && status.ok()) return status_;
  if (!is_aside && principal.ok()) caller_.principal = *principal;
  generation_ = generation;
  status_ = std::move(status);
  if (absl::IsUnauthenticated(status_) && parts_.accept_loop != nullptr)
    parts_.accept_loop->CountRefusedCall(caller_.peer);
  if (!status_.ok() && parts_.refusal_log != nullptr)
    parts_.refusal_log->Write(caller_, InfoOf(method_).method, status_);
  return status_;
}

// gRPC tells the deadline by the wall clock of the moment when it is asked, so the next jump of
// that clock changes it.
ServedCall::ServedCall(ServerParts& parts, RpcMethod method, grpc::ServerContext& context,
                       Poller& where)
    : series(parts.metrics.Rpc(method)),
      deadline(arrival + (absl::FromChrono(context.deadline()) - WallNow())),
      admission(parts, method, context),
      registry(parts.registry, admission.caller(), parts.audit),
      scope{parts, admission.caller(), registry},
      poller(where),
      workers(parts.workers),
      arrears(scope.caller),
      bytes(parts.bytes, scope.caller.holder(), poller.queue()) {
  series.Started();
}

Awaited<absl::Status> ServedCall::WhenFresh(SharedRegistry* freshness) const {
  using Fresh = Awaited<absl::Status>;
  if (freshness == nullptr) return Fresh(poller.queue(), nullptr);
  return Fresh(poller.queue(),
               [freshness](Fresh::Done done) { freshness->Await(std::move(done)); });
}

void ServedCall::EndsWith(const CallEnd& end, absl::StatusCode code) {
  if (end.is_cancelled()) {
    code = SteadyNow() >= deadline ? absl::StatusCode::kDeadlineExceeded
                                   : absl::StatusCode::kCancelled;
  }
  code_ = static_cast<int>(code);
}

}  // namespace clearance::server
