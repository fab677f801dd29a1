// SPDX-License-Identifier: Apache-2.0

#include "server/convert/wire_errors.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

// Adds an ErrorInfo. The same error has the same bytes, although a map has no order.
void AddInfo(const v1::Error& error, google::rpc::Status* rpc_status) {
  google::rpc::ErrorInfo info;
  info.set_reason(error.reason());
  info.set_domain("clearance");
  const auto add = [&info](const char* key, const std::string& value) {
    if (!value.empty()) (*info.mutable_metadata())[key] = Shorten(value);
  };
  add("field", error.field());
  add("value", error.value());
  add("limit", error.limit());
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
  Reason reason;
  const char* limit;
  const char* message = "";  // empty: MessageOf writes it
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;
};

FaultText TextOf(Fault fault) {
  switch (fault) {
    case Fault::kSlotNeverOpened:
      return {Reason::kSlotNotOpen, "an open slot",
              "No shape was ever opened in this slot; open one.", absl::StatusCode::kNotFound};
    case Fault::kSlotClosed:
      return {Reason::kSlotNotOpen, "an open slot", "The slot was closed; open a shape in it.",
              absl::StatusCode::kNotFound};
    case Fault::kSlotPoisoned:
      return {Reason::kSlotInvalid, "an open slot",
              "Opening this slot failed: ", absl::StatusCode::kFailedPrecondition};
    case Fault::kNotFinite:
      return {Reason::kNumberNotFinite, "finite"};
    case Fault::kNotUnitLength:
      return {Reason::kQuaternionNotUnit, "unit length within 0.001"};
    case Fault::kNotALength:
      return {Reason::kNumberOutOfRange, ">= 0", "invalid distance: send a number >= 0"};
    case Fault::kNotRepresentable:
      return {Reason::kCoordinateTooLarge,
              "8 times every coordinate of the posed shape is a finite double",
              "The shape would lie too far out to be represented."};
    case Fault::kRotationTooLong:
      return {Reason::kRotationTooLong, "<= 640 radians",
              "The rotation is too long for one motion; split it."};
    case Fault::kMotionNotRepresentable:
      return {Reason::kCoordinateTooLarge,
              "16 times every coordinate of the moving shape is a finite double",
              "The shape would move too far out to be represented."};
    case Fault::kEndPoseAmbiguous:
      return {Reason::kEndPoseAmbiguous, "more than 1e-9 radians from half a turn",
              "The shortest way to the end pose is ambiguous; give the rotation vector."};
  }
  return {Reason::kInternal, "", "", absl::StatusCode::kInternal};
}

// Bad numbers are explained to people who do not know the contract.
std::string MessageOf(const RowFault& fault, const std::string& field, const char* text) {
  constexpr std::array<const char*, 7> kNames = {".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"};
  const std::string value = FormatNumber(fault.value);
  if (fault.fault == Fault::kNotFinite) {
    const char* const number = fault.component ? kNames.at(*fault.component) : "";
    return absl::StrCat(field, number, " is ", value, ", must be finite");
  }
  if (fault.fault == Fault::kNotUnitLength) {
    return absl::StrCat("the quaternion of ", field, " has length ", value,
                        ", must be 1 within 0.001 (order x y z qx qy qz qw)");
  }
  return text;
}

}  // namespace

void FillRpcStatus(const absl::Status& status, google::rpc::Status* rpc_status) {
  rpc_status->set_code(static_cast<int>(status.code()));
  rpc_status->set_message(std::string(status.message()));
  const v1::Error error = ErrorOf(status);
  rpc_status->add_details()->PackFrom(error);
  AddInfo(error, rpc_status);
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
