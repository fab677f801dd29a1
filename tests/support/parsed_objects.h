// SPDX-License-Identifier: Apache-2.0
//
// The objects of a parsed message, counted by looking at it: the oracle of CountObjects.

#pragma once

#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <cstdint>
#include <vector>

namespace clearance::test {

inline std::uint64_t UnknownObjects(const google::protobuf::UnknownFieldSet& fields) {
  std::uint64_t count = static_cast<std::uint64_t>(fields.field_count());
  for (int i = 0; i < fields.field_count(); ++i) {
    if (fields.field(i).type() == google::protobuf::UnknownField::TYPE_GROUP) {
      count += UnknownObjects(fields.field(i).group());
    }
  }
  return count;
}

// Sub-messages, non-empty strings and unknown fields, all the way down.
inline std::uint64_t ParsedObjects(const google::protobuf::Message& message) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::uint64_t count = UnknownObjects(reflection.GetUnknownFields(message));
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* const field : fields) {
    const int size = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (is_message || field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      count += static_cast<std::uint64_t>(size);
    }
    for (int i = 0; is_message && i < size; ++i) {
      count += ParsedObjects(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                  : reflection.GetMessage(message, field));
    }
  }
  return count;
}

}  // namespace clearance::test
