// SPDX-License-Identifier: Apache-2.0

#include "server/session/unread_request.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "clearance/v1/query_service.pb.h"

namespace clearance::server {
namespace {

using google::protobuf::internal::WireFormatLite;
using Input = google::protobuf::io::CodedInputStream;

constexpr std::uint32_t VarintTag(int field) {
  return WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_VARINT);
}
constexpr std::uint32_t MessageTag(int field) {
  return WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

// Requires: the kinds that are not other ones were looked for.
bool IsOtherKind(std::uint32_t tag) {
  const int number = WireFormatLite::GetTagFieldNumber(tag);
  const auto* const field = v1::SessionRequest::descriptor()->FindFieldByNumber(number);
  return field != nullptr && field->containing_oneof() != nullptr && tag == MessageTag(number);
}

class Look {
 public:
  explicit Look(Input* input) : input_(*input) {}

  UnreadRequest Whole() {
    while (const std::uint32_t tag = NextTag()) {
      if (!Take(tag)) break;
    }
    if (!input_.ConsumedEntireMessage()) found_.kind = UnreadRequest::Kind::kUnclear;
    return found_;
  }

 private:
  // Returns false if the bytes are not a field.
  bool Take(std::uint32_t tag) {
    using Request = v1::SessionRequest;
    switch (tag) {
      case VarintTag(Request::kTagFieldNumber):
        return input_.ReadVarint64(&found_.tag);
      case MessageTag(Request::kOpenFieldNumber):
        return Open(UnreadRequest::Kind::kOpen, v1::OpenShape::kSlotFieldNumber);
      case MessageTag(Request::kOpenSceneFieldNumber):
        return Open(UnreadRequest::Kind::kOpenScene, v1::OpenScene::kSceneSlotFieldNumber);
      case MessageTag(Request::kRewindTrackFieldNumber):
        return Open(UnreadRequest::Kind::kRewindTrack, v1::RewindTrack::kSceneSlotFieldNumber);
      case MessageTag(Request::kChangeBodiesFieldNumber):
        found_.kind = UnreadRequest::Kind::kChangeBodies;
        return Skip(tag);
      default:
        if (IsOtherKind(tag)) found_.kind = UnreadRequest::Kind::kOther;
        return Skip(tag);
    }
  }

  // Returns 0 at the end, and once reading on is not worth the time.
  std::uint32_t NextTag() { return fields_++ < kMostFields ? input_.ReadTag() : 0; }

  // Reads an open. Later opens of the same kind add to the first.
  bool Open(UnreadRequest::Kind kind, int slot_field) {
    if (found_.kind != kind) found_.slot = 0;
    found_.kind = kind;
    int length = 0;
    if (!input_.ReadVarintSizeAsInt(&length)) return false;
    const Input::Limit outside = input_.PushLimit(length);
    while (const std::uint32_t tag = NextTag()) {
      const bool is_slot = tag == VarintTag(slot_field);
      if (is_slot ? !input_.ReadVarint32(&found_.slot) : !Skip(tag)) return false;
    }
    const bool is_whole = input_.ConsumedEntireMessage() && input_.BytesUntilLimit() == 0;
    input_.PopLimit(outside);
    return is_whole;
  }

  // Returns false for groups too, which may have any number of fields; no current writer has them.
  bool Skip(std::uint32_t tag) {
    const bool is_group =
        WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_START_GROUP;
    return !is_group && WireFormatLite::SkipField(&input_, tag);
  }

  static constexpr int kMostFields = 64;

  Input& input_;
  UnreadRequest found_ = {.kind = UnreadRequest::Kind::kOther};
  int fields_ = 0;
};

}  // namespace

UnreadRequest LookAtRequest(google::protobuf::io::ZeroCopyInputStream* bytes) {
  Input input(bytes);
  return Look(&input).Whole();
}

}  // namespace clearance::server
