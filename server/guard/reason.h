// SPDX-License-Identifier: Apache-2.0
//
// The reasons of refusals, in one table. proto/reasons.md has the same table; a test compares them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace clearance::server {

// REASON(constant, name on the wire, what it means and what to do), for each reason. Names never
// change: clients compare them.
#define CLEARANCE_SERVER_REASONS(REASON)                                                           \
  REASON(kMessageMalformed, "MESSAGE_MALFORMED",                                                   \
         "The bytes are not a message of this method, or a text is not UTF-8.")                    \
  REASON(kMessageTooLarge, "MESSAGE_TOO_LARGE",                                                    \
         "The message has more bytes or parts than the server takes in one; send less in one "     \
         "message.")                                                                               \
  REASON(kKindUnknown, "KIND_UNKNOWN",                                                             \
         "No kind is set, or one that this server does not know; set one that the limit names.")   \
  REASON(kFieldMissing, "FIELD_MISSING", "A field is unset that this request needs; set it.")      \
  REASON(kFieldsConflict, "FIELDS_CONFLICT", "Two fields exclude each other; leave one out.")      \
  REASON(kBatchEmpty, "BATCH_EMPTY", "The batch has no rows; set `count`.")                        \
  REASON(kBatchTooLarge, "BATCH_TOO_LARGE", "The batch has too many rows or items; split it.")     \
  REASON(kColumnLength, "COLUMN_LENGTH",                                                           \
         "A column does not fit the number of rows; send no, one or `count` rows.")                \
  REASON(kNumberNotFinite, "NUMBER_NOT_FINITE",                                                    \
         "A number is infinite or not a number; send a finite one.")                               \
  REASON(kNumberOutOfRange, "NUMBER_OUT_OF_RANGE",                                                 \
         "A number is outside its range; the limit names the range.")                              \
  REASON(kQuaternionNotUnit, "QUATERNION_NOT_UNIT",                                                \
         "A quaternion is farther than 0.001 from unit length; normalise it.")                     \
  REASON(kCoordinateTooLarge, "COORDINATE_TOO_LARGE",                                              \
         "A body would lie or move too far out for doubles; use smaller coordinates.")             \
  REASON(kRotationTooLong, "ROTATION_TOO_LONG",                                                    \
         "A rotation exceeds the limit of one motion; split the motion.")                          \
  REASON(kEndPoseAmbiguous, "END_POSE_AMBIGUOUS",                                                  \
         "The shortest rotation to an end pose is ambiguous; give the rotation vector.")           \
  REASON(kReplyTooLarge, "REPLY_TOO_LARGE",                                                        \
         "The reply would exceed the accepted bytes; split the batch or ask for fewer columns.")   \
  REASON(kTooManyPairs, "TOO_MANY_PAIRS", "The batch lists too many pairs a row; ask for fewer.")  \
  REASON(kNameInvalid, "NAME_INVALID",                                                             \
         "A name does not have the allowed form; choose another one.")                             \
  REASON(kDigestInvalid, "DIGEST_INVALID",                                                         \
         "A digest does not have the form of digests; use one that a registration returned.")      \
  REASON(kPageTokenInvalid, "PAGE_TOKEN_INVALID",                                                  \
         "A page token is not of this listing; start again without one.")                          \
  REASON(kEtagMismatch, "ETAG_MISMATCH",                                                           \
         "The shape or scene changed since its etag was read; read it again.")                     \
  REASON(kShapeInvalid, "SHAPE_INVALID",                                                           \
         "The geometry of a shape is malformed; the field and the limit say how.")                 \
  REASON(kShapeTooLarge, "SHAPE_TOO_LARGE", "A shape has too many points or pieces; simplify it.") \
  REASON(kInlineShapeNotAllowed, "INLINE_SHAPE_NOT_ALLOWED",                                       \
         "Only registered shapes are allowed here; register it and use the name or digest.")       \
  REASON(kShapeNotRegistered, "SHAPE_NOT_REGISTERED",                                              \
         "No shape has this name or digest; register it.")                                         \
  REASON(kShapeExists, "SHAPE_EXISTS",                                                             \
         "The name has other content; choose another name or set `replace`.")                      \
  REASON(kShapeInUse, "SHAPE_IN_USE",                                                              \
         "Stored scenes use the shape; change them first, or give the content a second name.")     \
  REASON(kTooManyShapes, "TOO_MANY_SHAPES", "One call or change names too many shapes; split it.") \
  REASON(kRevisionNotReached, "REVISION_NOT_REACHED",                                              \
         "The wanted revision does not exist here yet; repeat with back-off.")                     \
  REASON(kRegistryFull, "REGISTRY_FULL", "The registry has no room; delete shapes.")               \
  REASON(kDeletedShapesHeld, "DELETED_SHAPES_HELD",                                                \
         "Sessions hold too many deleted shapes; open the session again with registered ones.")    \
  REASON(kSceneNotFound, "SCENE_NOT_FOUND",                                                        \
         "There is no scene of this name, or it has ended; create it.")                            \
  REASON(kSceneExists, "SCENE_EXISTS",                                                             \
         "A scene has this name; choose another name or update the scene.")                        \
  REASON(kScenesFull, "SCENES_FULL",                                                               \
         "The server has no room for more scenes, bodies or revisions; delete some.")              \
  REASON(kRevisionNotHeld, "REVISION_NOT_HELD",                                                    \
         "The revision of the scene is no longer held, or not reached yet; use a held one.")       \
  REASON(kConcurrentChange, "CONCURRENT_CHANGE",                                                   \
         "Others changed the scene at the same time; read it again and repeat.")                   \
  REASON(kBodyNotFound, "BODY_NOT_FOUND",                                                          \
         "The scene has no such body at this point of the change; correct the id.")                \
  REASON(                                                                                          \
      kBodyIdInScene, "BODY_ID_IN_SCENE",                                                          \
      "A query body has the id of a scene body; change the id, or state that both are one body.")  \
  REASON(kTooManyBodies, "TOO_MANY_BODIES", "There are more bodies than allowed; use fewer.")      \
  REASON(kTooManyRules, "TOO_MANY_RULES", "There are more rules than allowed; use fewer.")         \
  REASON(kQueryBodiesMissing, "QUERY_BODIES_MISSING",                                              \
         "There is no query body to ask about; attach some.")                                      \
  REASON(kQueryBodiesInvalid, "QUERY_BODIES_INVALID",                                              \
         "A change of the query bodies failed; send one with `reset = true`.")                     \
  REASON(kSlotNotOpen, "SLOT_NOT_OPEN", "Nothing is in this slot; open it.")                       \
  REASON(kSlotInvalid, "SLOT_INVALID", "Opening this slot failed; open it again.")                 \
  REASON(kSlotTooHigh, "SLOT_TOO_HIGH", "The slot is not below the limit; use a lower one.")       \
  REASON(kSessionShapesTooLarge, "SESSION_SHAPES_TOO_LARGE",                                       \
         "The session holds too many bytes of inline shapes; close some, or register them.")       \
  REASON(kTrackExists, "TRACK_EXISTS",                                                             \
         "Another session publishes a track of this name; choose another name.")                   \
  REASON(kTrackEnded, "TRACK_ENDED", "The track has ended with its session.")                      \
  REASON(kTrackUnknown, "TRACK_UNKNOWN",                                                           \
         "This server knows no such track; ask the server of its writer.")                         \
  REASON(kTrackEmpty, "TRACK_EMPTY", "The track has no tick yet; repeat with back-off.")           \
  REASON(kTrackAlreadyOpen, "TRACK_ALREADY_OPEN",                                                  \
         "The session publishes a track already; close that first.")                               \
  REASON(kTrackNotOpen, "TRACK_NOT_OPEN", "The session publishes no track; open one.")             \
  REASON(kTickNotNewer, "TICK_NOT_NEWER",                                                          \
         "The tick is not above the previous one; use a higher number.")                           \
  REASON(kServerFull, "SERVER_FULL",                                                               \
         "All callers together hold as much as allowed; repeat after `retry_after`, or later.")    \
  REASON(kServerMemory, "SERVER_MEMORY",                                                           \
         "The server has no memory for this; repeat after `retry_after`.")                         \
  REASON(kShareExhausted, "SHARE_EXHAUSTED",                                                       \
         "This caller holds its share of what callers share; end or close some.")                  \
  REASON(kQuotaExhausted, "QUOTA_EXHAUSTED",                                                       \
         "The caller holds as much as its policy or a limit allows; end or delete some.")          \
  REASON(kProcessorTimeExhausted, "PROCESSOR_TIME_EXHAUSTED",                                      \
         "The principal has used the processor time of its policy; repeat after `retry_after`.")   \
  REASON(kStoreFull, "STORE_FULL",                                                                 \
         "The disk or the store is full, and the change was not made; repeat with back-off.")      \
  REASON(kStoreFailed, "STORE_FAILED",                                                             \
         "The store failed, and the change was not made; repeat with back-off.")                   \
  REASON(kStoreBusy, "STORE_BUSY",                                                                 \
         "The store does not keep up with the changes; repeat with back-off.")                     \
  REASON(kStoreUnavailable, "STORE_UNAVAILABLE",                                                   \
         "The store does not answer, so names cannot be looked up; repeat with back-off.")         \
  REASON(kChangeUnknown, "CHANGE_UNKNOWN",                                                         \
         "The store did not say whether the change is made; look before you repeat it.")           \
  REASON(kCredentialsInvalid, "CREDENTIALS_INVALID",                                               \
         "The credentials are missing or unknown; send a token or a client certificate.")          \
  REASON(kRoleTooLow, "ROLE_TOO_LOW",                                                              \
         "The principal's role does not allow this; ask the operator.")                            \
  REASON(kNameNotAllowed, "NAME_NOT_ALLOWED",                                                      \
         "The name is outside the principal's prefixes; ask the operator.")                        \
  REASON(kDeadline, "DEADLINE",                                                                    \
         "The call's deadline came first; allow more time or ask for less.")                       \
  REASON(kCancelled, "CANCELLED", "The client ended the call.")                                    \
  REASON(kUnavailable, "UNAVAILABLE",                                                              \
         "The server drains or is gone; repeat with back-off, at another replica.")                \
  REASON(kInternal, "INTERNAL", "The server has a fault; report it.")

enum class Reason : std::uint8_t {
#define CLEARANCE_SERVER_ENUMERATOR(constant, name, text) constant,
  CLEARANCE_SERVER_REASONS(CLEARANCE_SERVER_ENUMERATOR)
#undef CLEARANCE_SERVER_ENUMERATOR
};

// Returns the reason as clearance.v1.Error and google.rpc.ErrorInfo have it.
inline std::string_view NameOf(Reason reason) {
  static constexpr std::string_view kNames[] = {
#define CLEARANCE_SERVER_NAME(constant, name, text) name,
      CLEARANCE_SERVER_REASONS(CLEARANCE_SERVER_NAME)
#undef CLEARANCE_SERVER_NAME
  };
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace clearance::server
