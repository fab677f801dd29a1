// SPDX-License-Identifier: Apache-2.0

#include "server/convert/wire_errors.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <array>
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

// Length limit for the first failure of a poisoned slot, so that an Error keeps within
// kMaxRowErrorBytes.
constexpr std::size_t kMaxFailureBytes = 200;

struct FaultText {
  absl::StatusCode code;
  Reason reason;
  const char* limit;
  const char* message;  // empty: MessageOf writes it
};

FaultText TextOf(Fault fault) {
  using absl::StatusCode;
  switch (fault) {
    case Fault::kSlotNeverOpened:
      return {StatusCode::kNotFound, Reason::kSlotNotOpen, "an open slot",
              "No shape was ever opened in this slot; open one."};
    case Fault::kSlotClosed:
      return {StatusCode::kNotFound, Reason::kSlotNotOpen, "an open slot",
              "The slot was closed; open a shape in it."};
    case Fault::kSlotPoisoned:
      return {StatusCode::kFailedPrecondition, Reason::kSlotInvalid, "an open slot",
              "Opening this slot failed: "};
    case Fault::kNotFinite:
      return {StatusCode::kInvalidArgument, Reason::kNumberNotFinite, "finite", ""};
    case Fault::kNotUnitLength:
      return {StatusCode::kInvalidArgument, Reason::kQuaternionNotUnit, "unit length within 0.001",
              ""};
    case Fault::kNotALength:
      return {StatusCode::kInvalidArgument, Reason::kNumberOutOfRange, ">= 0",
              "invalid distance: send a number >= 0"};
    case Fault::kNotRepresentable:
      return {StatusCode::kInvalidArgument, Reason::kCoordinateTooLarge,
              "8 times every coordinate of the posed shape is a finite double",
              "The shape would lie too far out to be represented."};
    case Fault::kRotationTooLong:
      return {StatusCode::kInvalidArgument, Reason::kRotationTooLong, "<= 640 radians",
              "The rotation is too long for one motion; split it."};
    case Fault::kMotionNotRepresentable:
      return {StatusCode::kInvalidArgument, Reason::kCoordinateTooLarge,
              "16 times every coordinate of the moving shape is a finite double",
              "The shape would move too far out to be represented."};
    case Fault::kEndPoseAmbiguous:
      return {StatusCode::kInvalidArgument, Reason::kEndPoseAmbiguous,
              "more than 1e-9 radians from half a turn",
              "The shortest way to the end pose is ambiguous; give the rotation vector."};
  }
  return {StatusCode::kInternal, Reason::kInternal, "", ""};
}

std::string MessageOf(const RowFault& fault, const std::string& field, const char* text) {
  if (fault.fault == Fault::kNotFinite) return NotFiniteText(field, fault.component, fault.value);
  return fault.fault == Fault::kNotUnitLength ? NotUnitText(field, fault.value) : text;
}

}  // namespace

std::string NotFiniteText(std::string_view field, std::optional<std::size_t> component,
                          double value) {
  constexpr std::array<const char*, 7> kNames = {".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"};
  std::string text(field);
  if (component) text.append(kNames.at(*component));
  return text.append(" is ").append(FormatNumber(value)).append(", must be finite");
}

std::string NotUnitText(std::string_view field, double length) {
  return std::string("the quaternion of ")
      .append(field)
      .append(" has length ")
      .append(FormatNumber(length))
      .append(", must be 1 within 0.001 (order x y z qx qy qz qw)");
}

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

void FillRowError(const RowFault& fault, const ShapeTable& table, v1::Error* error) {
  const FaultText text = TextOf(fault.fault);
  error->set_index(fault.index);
  error->set_code(static_cast<std::uint32_t>(text.code));
  error->set_reason(std::string(NameOf(text.reason)));
  error->set_field(Indexed(fault.column, fault.column_row));
  const bool is_slot = fault.fault <= Fault::kSlotPoisoned;
  error->set_value(is_slot ? FormatNumber(static_cast<std::uint64_t>(fault.value))
                           : FormatNumber(fault.value));
  error->set_limit(text.limit);
  error->set_message(MessageOf(fault, error->field(), text.message));
  if (fault.fault != Fault::kSlotPoisoned) return;
  const std::string& failure = table.failure(static_cast<std::uint32_t>(fault.value));
  error->mutable_message()->append(failure, 0, kMaxFailureBytes);
}

}  // namespace clearance::server
