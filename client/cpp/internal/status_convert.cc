// SPDX-License-Identifier: Apache-2.0
#include "internal/status_convert.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace clearance::client {
namespace {

constexpr char kErrorUrl[] = "type.googleapis.com/clearance.v1.Error";

constexpr char kRequestIdUrl[] = "clearance/x-request-id";
constexpr char kTraceParentUrl[] = "clearance/traceparent";

std::string TextOf(const grpc::ClientContext& context, const char* key) {
  const auto& metadata = context.GetServerInitialMetadata();
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : std::string(found->second.data(), found->second.size());
}

std::string PayloadOf(const absl::Status& status, const char* url) {
  const absl::optional<absl::Cord> payload = status.GetPayload(url);
  return payload ? std::string(*payload) : "";
}

// A code that this build does not know must not become a success.
absl::StatusCode KnownCode(int code) {
  if (code < 0 || code > static_cast<int>(absl::StatusCode::kUnauthenticated)) {
    return absl::StatusCode::kUnknown;
  }
  return static_cast<absl::StatusCode>(code);
}

// A proxy whose server went ends a call without a status, which gRPC reports otherwise amid a reply
// (haproxy), or with a reset that says "internal error" (nginx). The codes are those of gRPC's
// library here: our servers end each call with a status.
bool IsCutByProxy(const grpc::Status& status) {
  const std::string text = status.error_message();
  return (status.error_code() == grpc::StatusCode::UNKNOWN &&
          (text == "No status received" || text == "Stream removed")) ||
         (status.error_code() == grpc::StatusCode::INTERNAL &&
          absl::StartsWith(text, "Received RST_STREAM"));
}

// Returns the message with the field, value and limit of the refusal, so that a status tells them
// without its payload.
std::string WithDetail(const std::string& message, const v1::Error& error) {
  if (error.field().empty()) return message;
  std::string text(absl::StripSuffix(message, "."));
  absl::StrAppend(&text, "; field ", error.field());
  if (!error.value().empty()) absl::StrAppend(&text, "; value ", error.value());
  if (!error.limit().empty()) absl::StrAppend(&text, "; limit ", error.limit());
  return text;
}

}  // namespace

absl::Status FromProto(const google::rpc::Status& status) {
  for (const google::protobuf::Any& detail : status.details()) {
    v1::Error error;
    if (!detail.UnpackTo(&error)) continue;
    absl::Status result(KnownCode(status.code()), WithDetail(status.message(), error));
    result.SetPayload(kErrorUrl, absl::Cord(detail.value()));
    return result;
  }
  return {KnownCode(status.code()), status.message()};
}

CallIds IdsOf(const grpc::ClientContext& context) {
  return {TextOf(context, kRequestIdKey), TextOf(context, kTraceParentKey)};
}

CallIds IdsOf(const absl::Status& status) {
  return {PayloadOf(status, kRequestIdUrl), PayloadOf(status, kTraceParentUrl)};
}

void AddIds(const CallIds& ids, absl::Status* status) {
  if (!ids.request_id.empty()) status->SetPayload(kRequestIdUrl, absl::Cord(ids.request_id));
  if (!ids.traceparent.empty()) status->SetPayload(kTraceParentUrl, absl::Cord(ids.traceparent));
}

absl::Status FromGrpc(const grpc::Status& status, const grpc::ClientContext& context) {
  absl::Status result = FromGrpc(status);
  AddIds(IdsOf(context), &result);
  return result;
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (IsCutByProxy(status)) {
    return absl::UnavailableError("the call was cut on its way: " + status.error_message());
  }
  google::rpc::Status details;
  // Details that do not parse are not ours; the code and text of the call stand by themselves.
  if (!details.ParseFromString(status.error_details())) details.Clear();
  details.set_code(status.error_code());
  details.set_message(status.error_message());
  return FromProto(details);
}

Error FromProto(const v1::Error& error) {
  Error result = {.index = error.index(),
                  .code = KnownCode(static_cast<int>(error.code())),
                  .reason = error.reason(),
                  .field = error.field(),
                  .value = error.value(),
                  .limit = error.limit(),
                  .message = error.message()};
  if (error.has_retry_after()) {
    result.retry_after = absl::Seconds(error.retry_after().seconds()) +
                         absl::Nanoseconds(error.retry_after().nanos());
  }
  return result;
}

std::optional<Error> ErrorDetail(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kErrorUrl);
  v1::Error error;
  if (!payload || !error.ParseFromString(std::string(*payload))) return std::nullopt;
  return FromProto(error);
}

}  // namespace clearance::client
