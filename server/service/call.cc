// SPDX-License-Identifier: Apache-2.0

#include "server/service/call.h"

#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/proto_buffer_writer.h>

#include <string>

#include "absl/time/clock.h"
#include "server/convert/rpc_status.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

// Large replies go out in slices of this size, bytes.
constexpr int kSliceBytes = 1 << 20;

}  // namespace

absl::StatusCode EndCode(const CallEnd& end, absl::Time deadline, absl::StatusCode code) {
  if (!end.is_cancelled()) return code;
  return absl::Now() >= deadline ? absl::StatusCode::kDeadlineExceeded
                                 : absl::StatusCode::kCancelled;
}

absl::Status CheckSize(const grpc::ByteBuffer& bytes, const Limits& limits) {
  if (bytes.Length() <= limits.max_request_bytes) return absl::OkStatus();
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.field = "",
                 .value = FormatNumber(std::uint64_t{bytes.Length()}) + " bytes",
                 .limit = "max_request_bytes <= " + FormatNumber(limits.max_request_bytes),
                 .message = "The message is too large; send less in one message."});
}

bool ParseMessage(grpc::ByteBuffer* bytes, google::protobuf::MessageLite* message) {
  bool is_parsed = false;
  {
    grpc::ProtoBufferReader reader(bytes);
    is_parsed = reader.status().ok() && message->ParseFromZeroCopyStream(&reader);
  }
  bytes->Clear();
  return is_parsed;
}

grpc::ByteBuffer SerializeMessage(const google::protobuf::MessageLite& message) {
  grpc::ByteBuffer bytes;
  const std::size_t size = message.ByteSizeLong();
  grpc::ProtoBufferWriter writer(&bytes, kSliceBytes, static_cast<int>(size));
  message.SerializeToZeroCopyStream(&writer);
  return bytes;
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  google::rpc::Status details;
  FillRpcStatus(status, &details);
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()),
                      details.SerializeAsString());
}

}  // namespace clearance::server
