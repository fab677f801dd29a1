// SPDX-License-Identifier: Apache-2.0

#include "server/convert/row_errors.h"

#include <string>

#include "absl/status/status.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

// Length limit for the first failure of a poisoned slot, so that an Error keeps within
// kMaxRowErrorBytes.
constexpr std::size_t kMaxFailureBytes = 200;

struct FaultText {
  absl::StatusCode code;
  Reason reason;
  const char* limit;
  const char* message;
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
      return {StatusCode::kInvalidArgument, Reason::kNumberNotFinite, "finite",
              "The number is not finite."};
    case Fault::kNotUnitLength:
      return {StatusCode::kInvalidArgument, Reason::kQuaternionNotUnit, "unit length within 0.001",
              "The quaternion is not of unit length."};
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

}  // namespace

void FillRowError(const RowFault& fault, const ShapeTable& table, v1::Error* error) {
  const FaultText text = TextOf(fault.fault);
  error->set_index(fault.index);
  error->set_code(static_cast<std::uint32_t>(text.code));
  error->set_reason(std::string(NameOf(text.reason)));
  error->set_field(std::string(fault.column) + "[" + std::to_string(fault.column_row) + "]");
  const bool is_slot = fault.fault <= Fault::kSlotPoisoned;
  error->set_value(is_slot ? FormatNumber(static_cast<std::uint64_t>(fault.value))
                           : FormatNumber(fault.value));
  error->set_limit(text.limit);
  error->set_message(text.message);
  if (fault.fault != Fault::kSlotPoisoned) return;
  const std::string& failure = table.failure(static_cast<std::uint32_t>(fault.value));
  error->mutable_message()->append(failure, 0, kMaxFailureBytes);
}

}  // namespace clearance::server
