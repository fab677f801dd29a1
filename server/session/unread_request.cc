// SPDX-License-Identifier: Apache-2.0

#include "server/session/unread_request.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

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
  Look(Input* input, v1::SessionRequest* known) : input_(*input), known_(*known) {}

  bool Whole() {
    while (const std::uint32_t tag = NextTag()) {
      if (!Take(tag)) break;
    }
    return input_.ConsumedEntireMessage();
  }

 private:
  // Returns false if the bytes are not a field.
  bool Take(std::uint32_t tag) {
    using Request = v1::SessionRequest;
    switch (tag) {
      case VarintTag(Request::kTagFieldNumber): {
        std::uint64_t number = 0;
        const bool is_read = input_.ReadVarint64(&number);
        if (is_read) known_.set_tag(number);
        return is_read;
      }
      case MessageTag(Request::kOpenFieldNumber):
        return Open(v1::OpenShape::kSlotFieldNumber, &v1::OpenShape::set_slot,
                    known_.mutable_open());
      case MessageTag(Request::kOpenSceneFieldNumber):
        return Open(v1::OpenScene::kSceneSlotFieldNumber, &v1::OpenScene::set_scene_slot,
                    known_.mutable_open_scene());
      case MessageTag(Request::kRewindTrackFieldNumber):
        return Open(v1::RewindTrack::kSceneSlotFieldNumber, &v1::RewindTrack::set_scene_slot,
                    known_.mutable_rewind_track());
      case MessageTag(Request::kChangeBodiesFieldNumber):
        known_.mutable_change_bodies();
        return Skip(tag);
      default:
        if (IsOtherKind(tag)) known_.clear_kind();
        return Skip(tag);
    }
  }

  // Returns 0 at the end, and once reading on is not worth the time.
  std::uint32_t NextTag() { return fields_++ < kMostFields ? input_.ReadTag() : 0; }

  // Later opens of the same kind add to the first.
  template <class Message>
  bool Open(int slot_field, void (Message::*set_slot)(std::uint32_t), Message* open) {
    int length = 0;
    if (!input_.ReadVarintSizeAsInt(&length)) return false;
    const Input::Limit outside = input_.PushLimit(length);
    while (const std::uint32_t tag = NextTag()) {
      std::uint32_t slot = 0;
      const bool is_slot = tag == VarintTag(slot_field);
      if (is_slot ? !input_.ReadVarint32(&slot) : !Skip(tag)) return false;
      if (is_slot) (open->*set_slot)(slot);
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
  v1::SessionRequest& known_;
  int fields_ = 0;
};

}  // namespace

bool LookAtRequest(google::protobuf::io::ZeroCopyInputStream* bytes, v1::SessionRequest* known) {
  Input input(bytes);
  return Look(&input, known).Whole();
}

}  // namespace clearance::server
