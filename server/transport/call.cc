// SPDX-License-Identifier: Apache-2.0

#include "server/transport/call.h"

#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/proto_buffer_writer.h>

#include "server/convert/wire_errors.h"
#include "server/guard/object_count.h"

namespace clearance::server {

// A piece of a compound comes in up to six objects: itself, its shape, a triangle and its corners.
std::uint64_t MostObjectsOfOneShape(const Limits& limits) {
  constexpr std::uint64_t kOthers = 64;
  constexpr std::uint64_t kOfPiece = 8;
  return kOthers + kOfPiece * limits.max_pieces_per_shape;
}

absl::Status CheckMessage(grpc::ByteBuffer* bytes, const google::protobuf::Descriptor& type,
                          std::uint64_t most, const Limits& limits) {
  absl::Status status =
      CheckMost(bytes->Length(), {"max_request_bytes", limits.max_request_bytes},
                {.reason = Reason::kMessageTooLarge,
                 .field = "",
                 .unit = " bytes",
                 .message = "The message is too large; send less in one message."});
  // Each object takes at least two bytes.
  if (!status.ok() || bytes->Length() / 2 <= most) return status;
  grpc::ProtoBufferReader reader(bytes);
  if (!reader.status().ok() || CountObjects(&reader, type, most) <= most) return absl::OkStatus();
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = Reason::kMessageTooLarge,
                 .value = "more than " + FormatNumber(most) + " objects",
                 .limit = "sub-messages, strings and unknown fields <= " + FormatNumber(most),
                 .message = "The message has too many parts; send fewer shapes in one message."});
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

absl::Status RefuseMalformed(const google::protobuf::MessageLite& message) {
  return RefuseArgument({.reason = Reason::kMessageMalformed,
                         .limit = "a " + message.GetTypeName(),
                         .message = "malformed request: the bytes are not a message of this "
                                    "method"});
}

absl::Status TakeRequest(grpc::ByteBuffer* bytes, const Limits& limits,
                         google::protobuf::Message* request) {
  // A shape is one object if it is named, and up to four if it has no corners. Shapes with more
  // objects have more bytes.
  constexpr std::uint64_t kOfShape = 4;
  constexpr std::uint64_t kBytesAnObject = 16;
  const std::uint64_t most = MostObjectsOfOneShape(limits) +
                             kOfShape * limits.max_slots_per_session + limits.max_batch_hulls +
                             bytes->Length() / kBytesAnObject;
  absl::Status status = CheckMessage(bytes, *request->GetDescriptor(), most, limits);
  if (!status.ok() || ParseMessage(bytes, request)) return status;
  return RefuseMalformed(*request);
}

grpc::Status TakeShort(grpc::ByteBuffer* bytes, std::size_t most,
                       google::protobuf::MessageLite* message) {
  if (bytes->Length() <= most && ParseMessage(bytes, message)) return grpc::Status::OK;
  bytes->Clear();
  return {grpc::StatusCode::INVALID_ARGUMENT,
          "malformed " + message->GetTypeName() + ", or above " + std::to_string(most) + " bytes"};
}

grpc::ByteBuffer SerializeMessage(const google::protobuf::MessageLite& message) {
  constexpr int kSliceBytes = 1 << 20;
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
