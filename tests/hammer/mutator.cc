// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/mutator.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>

namespace clearance::hammer {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// A random number of any kind: small, large, none.
std::uint64_t AnyBits(testing::Random* random) {
  constexpr std::array<double, 8> kDoubles = {std::numeric_limits<double>::quiet_NaN(),
                                              std::numeric_limits<double>::infinity(),
                                              -std::numeric_limits<double>::infinity(),
                                              std::numeric_limits<double>::denorm_min(),
                                              std::numeric_limits<double>::max(),
                                              -0.0,
                                              1e-300,
                                              1e300};
  if (random->OneIn(3)) return static_cast<std::uint64_t>(random->Below(5));
  if (random->OneIn(2)) return random->Next();
  std::uint64_t bits = 0;
  std::memcpy(&bits, &kDoubles[static_cast<std::size_t>(random->Below(8))], sizeof bits);
  return bits;
}

double AnyDouble(testing::Random* random) {
  const std::uint64_t bits = AnyBits(random);
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

// Rows cost time: of a count the large ones are kept few.
std::uint32_t AnyNumber(testing::Random* random) {
  const auto bits = static_cast<std::uint32_t>(AnyBits(random));
  return random->OneIn(50) ? bits : bits % 7 + (random->OneIn(10) ? 0xfffffff0U : 0U);
}

void ChangeRepeated(Message* message, const FieldDescriptor* field, testing::Random* random) {
  const Reflection* const reflection = message->GetReflection();
  const int size = reflection->FieldSize(*message, field);
  if (size > 0 && random->OneIn(2)) return reflection->RemoveLast(message, field);
  const int at = size > 0 ? random->Below(size) : -1;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      if (at < 0) return reflection->AddDouble(message, field, AnyDouble(random));
      return reflection->SetRepeatedDouble(message, field, at, AnyDouble(random));
    case FieldDescriptor::CPPTYPE_UINT32:
      if (at < 0) return reflection->AddUInt32(message, field, AnyNumber(random));
      return reflection->SetRepeatedUInt32(message, field, at, AnyNumber(random));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->AddString(message, field, std::string(1, '\x01'));
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection->AddEnumValue(message, field, static_cast<int>(AnyNumber(random)));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      reflection->AddMessage(message, field);
      return;
    default:
      return;
  }
}

void ChangeSingle(Message* message, const FieldDescriptor* field, testing::Random* random) {
  const Reflection* const reflection = message->GetReflection();
  if (random->OneIn(4)) return reflection->ClearField(message, field);
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection->SetDouble(message, field, AnyDouble(random));
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->SetUInt32(message, field, AnyNumber(random));
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection->SetUInt64(message, field, AnyBits(random));
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->SetInt32(message, field, static_cast<int>(AnyNumber(random)));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->SetInt64(message, field, static_cast<std::int64_t>(AnyBits(random)));
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection->SetEnumValue(message, field, static_cast<int>(AnyNumber(random)));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->SetBool(message, field, random->OneIn(2));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->SetString(message, field, std::string(random->Below(300), 'x'));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      reflection->MutableMessage(message, field);
      return;
    default:
      return;
  }
}

// A field of the message or of one in it.
// NOLINTNEXTLINE(misc-no-recursion): a message is as deep as its type
void ChangeField(Message* message, testing::Random* random) {
  const auto* const type = message->GetDescriptor();
  if (type->field_count() == 0) return;
  const FieldDescriptor* const field = type->field(random->Below(type->field_count()));
  const Reflection* const reflection = message->GetReflection();
  const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  if (is_message && !random->OneIn(5)) {
    if (!field->is_repeated()) {
      // What is set is changed; of what is not, only sometimes something is made.
      if (!reflection->HasField(*message, field) && !random->OneIn(20)) {
        return ChangeField(message, random);
      }
      return ChangeField(reflection->MutableMessage(message, field), random);
    }
    const int size = reflection->FieldSize(*message, field);
    if (size > 0) {
      return ChangeField(reflection->MutableRepeatedMessage(message, field, random->Below(size)),
                         random);
    }
  }
  if (field->is_repeated()) return ChangeRepeated(message, field, random);
  ChangeSingle(message, field, random);
}

void ChangeBytes(testing::Random* random, std::string* bytes) {
  if (bytes->empty()) return bytes->push_back(static_cast<char>(random->Next()));
  const auto at = static_cast<std::size_t>(random->Below(static_cast<int>(bytes->size())));
  const auto some = static_cast<std::size_t>(1 + random->Below(16));
  switch (random->Below(6)) {
    case 0:
      (*bytes)[at] = static_cast<char>(random->Next());
      return;
    case 1:
      (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << random->Below(8)));
      return;
    case 2:
      bytes->erase(at, some);
      return;
    case 3:
      bytes->insert(at, bytes->substr(at, some));
      return;
    case 4:
      bytes->resize(at);
      return;
    default: {
      const std::uint64_t bits = AnyBits(random);
      bytes->insert(at, reinterpret_cast<const char*>(&bits), sizeof bits);
    }
  }
}

}  // namespace

std::string Mutated(const Message& message, testing::Random* random) {
  const std::unique_ptr<Message> copy(message.New());
  copy->CopyFrom(message);
  const bool is_of_fields = random->OneIn(2);
  const int changes = 1 + random->Below(3);
  for (int i = 0; is_of_fields && i < changes; ++i) ChangeField(copy.get(), random);
  std::string bytes = copy->SerializePartialAsString();
  for (int i = 0; !is_of_fields && i < changes; ++i) ChangeBytes(random, &bytes);
  return bytes;
}

}  // namespace clearance::hammer
