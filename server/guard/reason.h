// SPDX-License-Identifier: Apache-2.0
//
// The reasons of refusals. proto/reasons.md says what each means and what to do; a test compares
// the names.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace clearance::server {

// REASON(constant, name on the wire), for each reason. Names never change: clients compare them.
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

}  // namespace clearance::server
