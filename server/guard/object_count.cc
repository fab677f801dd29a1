// SPDX-License-Identifier: Apache-2.0

#include "server/guard/object_count.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format.h>
#include <google/protobuf/wire_format_lite.h>

#include <limits>

namespace clearance::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormat;
using google::protobuf::internal::WireFormatLite;

// As deep as the parser goes.
constexpr int kMaxDepth = 100;

constexpr int kNoEnd = std::numeric_limits<int>::max();

class Counter {
 public:
  Counter(google::protobuf::io::ZeroCopyInputStream* bytes, std::uint64_t most)
      : input_(bytes), most_(most) {}

  std::uint64_t count() const { return count_; }

  // Returns false if counting must end: the bytes are not a message, or there are too many objects.
  // `type` is null inside an unknown group. As the parser does, this goes to the stated end of a
  // sub-message even if the parent ends before it, and gives up then.
  bool CountFields(const Descriptor* type, int end, int depth) {
    while (input_.CurrentPosition() < end) {
      const std::uint32_t tag = input_.ReadTag();
      if (tag == 0) {
        // The rest does not begin like a field, but the parser may have made an object of it before
        // it sees that.
        if (!input_.ConsumedEntireMessage()) ++count_;
        return false;
      }
      if (WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_END_GROUP) {
        return type == nullptr;
      }
      const FieldDescriptor* const field =
          type == nullptr ? nullptr
                          : type->FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
      if (!IsNumber(field, tag) && ++count_ > most_) return false;
      if (!Pass(field, tag, end, depth)) return false;
    }
    return input_.CurrentPosition() == end;
  }

 private:
  static bool IsNumber(const FieldDescriptor* field, std::uint32_t tag) {
    if (field == nullptr || field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE ||
        field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      return false;
    }
    const auto wire = WireFormatLite::GetTagWireType(tag);
    const bool is_packed =
        field->is_packable() && wire == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    return is_packed || wire == WireFormat::WireTypeForFieldType(field->type());
  }

  // Passes the field's value, and enters it if there may be more in it.
  bool Pass(const FieldDescriptor* field, std::uint32_t tag, int end, int depth) {
    std::uint64_t number = 0;
    switch (WireFormatLite::GetTagWireType(tag)) {
      case WireFormatLite::WIRETYPE_VARINT:
        return input_.ReadVarint64(&number);
      case WireFormatLite::WIRETYPE_FIXED64:
        return input_.Skip(sizeof(std::uint64_t));
      case WireFormatLite::WIRETYPE_FIXED32:
        return input_.Skip(sizeof(std::uint32_t));
      case WireFormatLite::WIRETYPE_START_GROUP:
        return depth < kMaxDepth && CountFields(nullptr, end, depth + 1);
      case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
        return input_.ReadVarint64(&number) && number < kNoEnd &&
               PassValue(field, static_cast<int>(number), depth);
      default:
        return false;
    }
  }

  bool PassValue(const FieldDescriptor* field, int size, int depth) {
    if (field == nullptr || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      return input_.Skip(size);
    }
    const int begin = input_.CurrentPosition();
    return depth < kMaxDepth && size <= kNoEnd - begin &&
           CountFields(field->message_type(), begin + size, depth + 1);
  }

  google::protobuf::io::CodedInputStream input_;
  const std::uint64_t most_;
  std::uint64_t count_ = 0;
};

}  // namespace

std::uint64_t CountObjects(google::protobuf::io::ZeroCopyInputStream* bytes, const Descriptor& type,
                           std::uint64_t most) {
  Counter counter(bytes, most);
  counter.CountFields(&type, kNoEnd, 0);
  return counter.count();
}

}  // namespace clearance::server
