// SPDX-License-Identifier: Apache-2.0
//
// Refusals of this server: an absl::Status whose payload is one clearance.v1.Error. Field, value
// and limit travel unchanged from the place at which they are known to the wire
// (`grpc-status-details-bin`, or the status of a session's reply). The code is decided at that
// place too; on the path up only the path of the field grows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "clearance/v1/error.pb.h"

namespace clearance::server {

// REASON(constant, name on the wire), for each reason of a refusal. Names never change: clients
// compare them. proto/reasons.md says what each means and what to do; a test compares the names.
#define CLEARANCE_SERVER_REASONS(REASON)                      \
  REASON(kMessageMalformed, "MESSAGE_MALFORMED")              \
  REASON(kMessageTooLarge, "MESSAGE_TOO_LARGE")               \
  REASON(kKindUnknown, "KIND_UNKNOWN")                        \
  REASON(kFieldMissing, "FIELD_MISSING")                      \
  REASON(kFieldsConflict, "FIELDS_CONFLICT")                  \
  REASON(kBatchEmpty, "BATCH_EMPTY")                          \
  REASON(kBatchTooLarge, "BATCH_TOO_LARGE")                   \
  REASON(kColumnLength, "COLUMN_LENGTH")                      \
  REASON(kNumberNotFinite, "NUMBER_NOT_FINITE")               \
  REASON(kNumberOutOfRange, "NUMBER_OUT_OF_RANGE")            \
  REASON(kQuaternionNotUnit, "QUATERNION_NOT_UNIT")           \
  REASON(kCoordinateTooLarge, "COORDINATE_TOO_LARGE")         \
  REASON(kRotationTooLong, "ROTATION_TOO_LONG")               \
  REASON(kEndPoseAmbiguous, "END_POSE_AMBIGUOUS")             \
  REASON(kReplyTooLarge, "REPLY_TOO_LARGE")                   \
  REASON(kTooManyPairs, "TOO_MANY_PAIRS")                     \
  REASON(kNameInvalid, "NAME_INVALID")                        \
  REASON(kDigestInvalid, "DIGEST_INVALID")                    \
  REASON(kPageTokenInvalid, "PAGE_TOKEN_INVALID")             \
  REASON(kEtagMismatch, "ETAG_MISMATCH")                      \
  REASON(kShapeInvalid, "SHAPE_INVALID")                      \
  REASON(kShapeTooLarge, "SHAPE_TOO_LARGE")                   \
  REASON(kInlineShapeNotAllowed, "INLINE_SHAPE_NOT_ALLOWED")  \
  REASON(kShapeNotRegistered, "SHAPE_NOT_REGISTERED")         \
  REASON(kShapeExists, "SHAPE_EXISTS")                        \
  REASON(kShapeInUse, "SHAPE_IN_USE")                         \
  REASON(kTooManyShapes, "TOO_MANY_SHAPES")                   \
  REASON(kRevisionNotReached, "REVISION_NOT_REACHED")         \
  REASON(kRegistryFull, "REGISTRY_FULL")                      \
  REASON(kDeletedShapesHeld, "DELETED_SHAPES_HELD")           \
  REASON(kSceneNotFound, "SCENE_NOT_FOUND")                   \
  REASON(kSceneExists, "SCENE_EXISTS")                        \
  REASON(kScenesFull, "SCENES_FULL")                          \
  REASON(kRevisionNotHeld, "REVISION_NOT_HELD")               \
  REASON(kConcurrentChange, "CONCURRENT_CHANGE")              \
  REASON(kBodyNotFound, "BODY_NOT_FOUND")                     \
  REASON(kBodyIdInScene, "BODY_ID_IN_SCENE")                  \
  REASON(kTooManyBodies, "TOO_MANY_BODIES")                   \
  REASON(kTooManyRules, "TOO_MANY_RULES")                     \
  REASON(kQueryBodiesMissing, "QUERY_BODIES_MISSING")         \
  REASON(kQueryBodiesInvalid, "QUERY_BODIES_INVALID")         \
  REASON(kSlotNotOpen, "SLOT_NOT_OPEN")                       \
  REASON(kSlotInvalid, "SLOT_INVALID")                        \
  REASON(kSlotTooHigh, "SLOT_TOO_HIGH")                       \
  REASON(kSessionShapesTooLarge, "SESSION_SHAPES_TOO_LARGE")  \
  REASON(kTrackExists, "TRACK_EXISTS")                        \
  REASON(kTrackEnded, "TRACK_ENDED")                          \
  REASON(kTrackUnknown, "TRACK_UNKNOWN")                      \
  REASON(kTrackEmpty, "TRACK_EMPTY")                          \
  REASON(kTrackAlreadyOpen, "TRACK_ALREADY_OPEN")             \
  REASON(kTrackNotOpen, "TRACK_NOT_OPEN")                     \
  REASON(kTickNotNewer, "TICK_NOT_NEWER")                     \
  REASON(kServerFull, "SERVER_FULL")                          \
  REASON(kServerMemory, "SERVER_MEMORY")                      \
  REASON(kShareExhausted, "SHARE_EXHAUSTED")                  \
  REASON(kQuotaExhausted, "QUOTA_EXHAUSTED")                  \
  REASON(kProcessorTimeExhausted, "PROCESSOR_TIME_EXHAUSTED") \
  REASON(kStoreFull, "STORE_FULL")                            \
  REASON(kStoreFailed, "STORE_FAILED")                        \
  REASON(kStoreBusy, "STORE_BUSY")                            \
  REASON(kStoreUnavailable, "STORE_UNAVAILABLE")              \
  REASON(kChangeUnknown, "CHANGE_UNKNOWN")                    \
  REASON(kCredentialsInvalid, "CREDENTIALS_INVALID")          \
  REASON(kRoleTooLow, "ROLE_TOO_LOW")                         \
  REASON(kNameNotAllowed, "NAME_NOT_ALLOWED")                 \
  REASON(kDeadline, "DEADLINE")                               \
  REASON(kCancelled, "CANCELLED")                             \
  REASON(kUnavailable, "UNAVAILABLE")                         \
  REASON(kInternal, "INTERNAL")

enum class Reason : std::uint8_t {
#define CLEARANCE_SERVER_ENUMERATOR(constant, name) constant,
  CLEARANCE_SERVER_REASONS(CLEARANCE_SERVER_ENUMERATOR)
#undef CLEARANCE_SERVER_ENUMERATOR
};

// Returns the reason as clearance.v1.Error and google.rpc.ErrorInfo have it.
inline std::string_view NameOf(Reason reason) {
  static constexpr std::string_view kNames[] = {
#define CLEARANCE_SERVER_NAME(constant, name) name,
      CLEARANCE_SERVER_REASONS(CLEARANCE_SERVER_NAME)
#undef CLEARANCE_SERVER_NAME
  };
  return kNames[static_cast<std::size_t>(reason)];
}

// The type URL of the payload, as google.protobuf.Any spells it.
inline constexpr char kErrorTypeUrl[] = "type.googleapis.com/clearance.v1.Error";

// Holds the reason to refuse a request; see clearance.v1.Error.
struct Refusal {
  Reason reason;
  std::string field = {};
  std::string value = {};  // shortened to 64 characters
  std::string limit;
  std::string message;
  absl::Duration retry_after = absl::ZeroDuration();  // 0: repeating by itself does not help
};

// Returns the status of a refusal; its text is the refusal's message.
absl::Status Refuse(absl::StatusCode code, const Refusal& refusal);

// Returns the same with INVALID_ARGUMENT.
inline absl::Status RefuseArgument(const Refusal& refusal) {
  return Refuse(absl::StatusCode::kInvalidArgument, refusal);
}

// Returns RESOURCE_EXHAUSTED if the count is above the limit.
struct NamedLimit {
  const char* name;
  std::uint64_t most;
};
struct OverLimit {
  Reason reason;
  std::string_view field;
  std::string_view unit = {};  // of the count, with a space before it
  std::string_view message;
};
absl::Status CheckMost(std::uint64_t count, const NamedLimit& limit, const OverLimit& refusal);

// Returns the same status with `path` and a dot in front of the field.
absl::Status Under(std::string_view path, const absl::Status& status);

// Returns the same status with this field instead.
absl::Status WithField(std::string_view field, const absl::Status& status);

// Returns the refusal as it goes to the wire; for a status without one, its code, text and the
// reason of the code.
v1::Error ErrorOf(const absl::Status& status);

// Returns the status of a refusal that is in its form for the wire.
absl::Status StatusOf(const v1::Error& error);

// Returns a number as refusals show it: the shortest text that reads back as the same double.
std::string FormatNumber(double value);
inline std::string FormatNumber(std::uint64_t value) { return std::to_string(value); }

// Returns the name of a row or entry of a field.
template <class Index>
std::string Indexed(std::string_view field, Index i) {
  return std::string(field) + "[" + std::to_string(i) + "]";
}

// Returns the first 64 bytes; those beyond ASCII, which may not be UTF-8, become '?'.
std::string Shorten(std::string_view text);

}  // namespace clearance::server
