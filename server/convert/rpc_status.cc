// SPDX-License-Identifier: Apache-2.0

#include "server/convert/rpc_status.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <string>

#include "google/rpc/error_details.pb.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

google::rpc::ErrorInfo ErrorInfoOf(const v1::Error& error) {
  google::rpc::ErrorInfo info;
  info.set_reason(error.reason());
  info.set_domain("clearance");
  const auto add = [&info](const char* key, const std::string& value) {
    if (!value.empty()) (*info.mutable_metadata())[key] = Shorten(value);
  };
  add("field", error.field());
  add("value", error.value());
  add("limit", error.limit());
  return info;
}

// Packs it so that the same error has the same bytes: the order in a map is left to chance.
void AddInfo(const google::rpc::ErrorInfo& info, google::rpc::Status* rpc_status) {
  google::protobuf::Any* const detail = rpc_status->add_details();
  detail->PackFrom(google::rpc::ErrorInfo());  // its type
  google::protobuf::io::StringOutputStream bytes(detail->mutable_value());
  google::protobuf::io::CodedOutputStream coded(&bytes);
  coded.SetSerializationDeterministic(true);
  info.SerializeToCodedStream(&coded);
}

}  // namespace

void FillRpcStatus(const absl::Status& status, google::rpc::Status* rpc_status) {
  rpc_status->set_code(static_cast<int>(status.code()));
  rpc_status->set_message(std::string(status.message()));
  const v1::Error error = ErrorOf(status);
  rpc_status->add_details()->PackFrom(error);
  AddInfo(ErrorInfoOf(error), rpc_status);
  if (!error.has_retry_after()) return;
  google::rpc::RetryInfo retry;
  *retry.mutable_retry_delay() = error.retry_after();
  rpc_status->add_details()->PackFrom(retry);
}

}  // namespace clearance::server
