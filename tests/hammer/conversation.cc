// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/conversation.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace clearance::hammer {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kSlots = 3;
constexpr int kPoseNumbers = 7;

struct ColumnForm {
  int width;
  bool is_of_bodies;
};

ColumnForm FormOf(const std::string& name) {
  static const std::map<std::string, ColumnForm> kForms = {
#define QUESTION(name, width, each) {#name, {width, std::string_view(#each) == "body"}},
#include "proto/columns.def"
  };
  return kForms.at(name);
}

// Fills messages with what is valid at random.
class Filler {
 public:
  Filler(int rows, bool has_bodies, testing::Random* random)
      : rows_(rows), has_bodies_(has_bodies), random_(*random) {}

  // NOLINTNEXTLINE(misc-no-recursion): a message is as deep as its type
  void Fill(Message* message) {
    const auto* const type = message->GetDescriptor();
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor* const field = type->field(i);
      if (field->is_repeated()) {
        FillColumn(field, message);
      } else if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
        FillSetting(field, message);
      } else if (field->name() != "options" && (field->name() != "detail" || !random_.OneIn(5))) {
        Fill(message->GetReflection()->MutableMessage(message, field));
      }
    }
    for (const char* const side : {"", "_a", "_b"}) KeepOneForm(side, message);
  }

 private:
  // Slots and poses are of each row; another column may be absent, or have one row for all.
  void FillColumn(const FieldDescriptor* field, Message* message) {
    const ColumnForm form = FormOf(field->name());
    const bool are_slots = field->name().find("slots") != std::string::npos;
    const bool is_of_each_row = are_slots || form.width == kPoseNumbers;
    const int rows = is_of_each_row || random_.OneIn(3) ? rows_ : random_.Below(2);
    const int count = form.is_of_bodies && has_bodies_ ? rows * kQueryBodies : rows;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
        AddNumbers(form.width, field, message);
      } else {
        const int slots = random_.OneIn(10) ? kSlots + 1 : kSlots;
        const auto bits =
            are_slots ? static_cast<std::uint64_t>(random_.Below(slots)) : random_.Next();
        message->GetReflection()->AddUInt32(message, field, static_cast<std::uint32_t>(bits));
      }
    }
  }

  void AddNumbers(int width, const FieldDescriptor* field, Message* message) {
    const Reflection* const reflection = message->GetReflection();
    if (width == 1) return reflection->AddDouble(message, field, random_.Uniform(0, 0.5));
    const Vec3d p = random_.InCube(width == kPoseNumbers ? 2 : 3);
    for (const double number : {p.x, p.y, p.z}) reflection->AddDouble(message, field, number);
    if (width != kPoseNumbers) return;
    const Quaternion q = random_.Rotation();
    for (const double number : {q.x, q.y, q.z, q.w}) reflection->AddDouble(message, field, number);
  }

  void FillSetting(const FieldDescriptor* field, Message* message) {
    if (field->has_presence() && random_.OneIn(5)) return;
    const Reflection* const reflection = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection->SetBool(message, field, random_.OneIn(2));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->SetDouble(message, field, random_.Uniform(0, 0.1));
      case FieldDescriptor::CPPTYPE_ENUM: {
        const auto* const type = field->enum_type();
        return reflection->SetEnum(message, field, type->value(random_.Below(type->value_count())));
      }
      default: {
        constexpr int kMostPairs = 4;
        int number = random_.Below(kMostPairs + 1);
        if (field->name() == "count") number = rows_;
        if (field->name() == "scene_slot") number = 0;
        reflection->SetUInt32(message, field, static_cast<std::uint32_t>(number));
      }
    }
  }

  // A motion is given either by its end poses or by its parts.
  void KeepOneForm(const std::string& side, Message* message) {
    const auto* const type = message->GetDescriptor();
    const FieldDescriptor* const end_poses = type->FindFieldByName("end_poses" + side);
    if (end_poses == nullptr) return;
    const Reflection* const reflection = message->GetReflection();
    if (!random_.OneIn(4)) return reflection->ClearField(message, end_poses);
    for (const char* const part : {"displacements", "rotations", "pivots"}) {
      const FieldDescriptor* const field = type->FindFieldByName(part + side);
      if (field != nullptr) reflection->ClearField(message, field);
    }
  }

  const int rows_;
  const bool has_bodies_;
  testing::Random& random_;
};

// Returns the fields of the messages that ask about pairs.
std::vector<const FieldDescriptor*> PairKinds() {
  const auto* const type = v1::SessionRequest::descriptor();
  std::vector<const FieldDescriptor*> kinds;
  for (int i = 0; i < type->field_count(); ++i) {
    const auto* const message = type->field(i)->message_type();
    if (message != nullptr && message->FindFieldByName("pairs") != nullptr)
      kinds.push_back(type->field(i));
  }
  return kinds;
}

}  // namespace

v1::Shape AnyShape(testing::Random* random) {
  v1::Shape shape;
  switch (random->Below(3)) {
    case 0: {
      auto* const half = shape.mutable_box()->mutable_half_extents();
      half->set_x(random->Uniform(0.1, 1));
      half->set_y(random->Uniform(0.1, 1));
      half->set_z(random->Uniform(0.1, 1));
      break;
    }
    case 1:
      shape.mutable_capsule()->set_radius(random->Uniform(0.1, 1));
      shape.mutable_capsule()->set_half_length(random->Uniform(0.1, 1));
      break;
    default:
      for (int i = 4 + random->Below(40); i > 0; --i) {
        const Vec3d p = random->Direction();
        for (const double number : {p.x, p.y, p.z}) shape.mutable_hull()->add_vertices(number);
      }
  }
  return shape;
}

void FillBatch(int rows, testing::Random* random, Message* batch) {
  const bool has_bodies = batch->GetDescriptor()->FindFieldByName("configurations") != nullptr;
  Filler(rows, has_bodies, random).Fill(batch);
}

std::vector<v1::SessionRequest> AnyConversation(int batches, int rows, testing::Random* random) {
  const std::vector<const FieldDescriptor*> kinds = PairKinds();
  std::vector<v1::SessionRequest> requests;
  for (int slot = 0; slot < kSlots; ++slot) {
    v1::SessionRequest& request = requests.emplace_back();
    request.mutable_open()->set_slot(static_cast<std::uint32_t>(slot));
    *request.mutable_open()->mutable_shape()->mutable_inline_shape() = AnyShape(random);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(batches); ++i) {
    v1::SessionRequest& request = requests.emplace_back();
    FillBatch(rows, random,
              request.GetReflection()->MutableMessage(&request, kinds[i % kinds.size()]));
  }
  std::uint64_t tag = 0;
  for (v1::SessionRequest& request : requests) request.set_tag(++tag);
  return requests;
}

}  // namespace clearance::hammer
