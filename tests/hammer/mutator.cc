// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/mutator.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/server_service.pb.h"
#include "clearance/v1/shape_service.pb.h"
#include "tests/hammer/conversation.h"

namespace clearance::hammer {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kRows = 3;

template <class Request>
Sample MakeSample(const char* path, const Message& answer, Request request) {
  return {path, false, std::make_unique<Request>(std::move(request)), &answer};
}

template <class Request, class Batch>
Request QueryOf(Batch batch, testing::Random* random) {
  Request request;
  for (int i = 0; i < 3; ++i) *request.add_shapes()->mutable_inline_shape() = AnyShape(random);
  *request.mutable_batch() = std::move(batch);
  return request;
}

std::string AnyName(testing::Random* random) { return "m" + std::to_string(random->Below(50)); }

v1::RegisterShapeRequest AnyRegistration(testing::Random* random) {
  v1::RegisterShapeRequest request;
  request.set_name(AnyName(random));
  *request.mutable_shape() = AnyShape(random);
  request.set_replace(true);
  request.set_validate_only(random->OneIn(2));
  return request;
}

v1::BatchRegisterShapesRequest AnyBatchRegistration(testing::Random* random) {
  v1::BatchRegisterShapesRequest request;
  request.set_replace(true);
  for (int i = 0; i < 2; ++i) {
    constexpr int kPoints = 5;
    request.add_names(AnyName(random));
    request.add_vertex_counts(kPoints);
    for (int k = 0; k < 3 * kPoints; ++k) request.add_vertices(random->Uniform(-1, 1));
  }
  return request;
}

void AddShapeSamples(testing::Random* random, std::vector<Sample>* samples) {
  v1::GetShapeRequest get;
  get.set_name(AnyName(random));
  get.set_include_content(true);
  v1::ListShapesRequest list;
  list.set_prefix("m");
  list.set_page_size(3);
  v1::DeleteShapeRequest remove;
  remove.set_name(AnyName(random));
  samples->push_back(MakeSample("/clearance.v1.ShapeService/RegisterShape",
                                v1::RegisterShapeResponse::default_instance(),
                                AnyRegistration(random)));
  samples->push_back(MakeSample("/clearance.v1.ShapeService/BatchRegisterShapes",
                                v1::BatchRegisterShapesResponse::default_instance(),
                                AnyBatchRegistration(random)));
  samples->push_back(MakeSample("/clearance.v1.ShapeService/GetShape",
                                v1::GetShapeResponse::default_instance(), get));
  samples->push_back(MakeSample("/clearance.v1.ShapeService/ListShapes",
                                v1::ListShapesResponse::default_instance(), list));
  samples->push_back(MakeSample("/clearance.v1.ShapeService/DeleteShape",
                                v1::DeleteShapeResponse::default_instance(), remove));
}

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

// NOLINTNEXTLINE(misc-no-recursion): a message is as deep as its type
bool HasNan(const Message& message) {
  const Reflection* const reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* const field : fields) {
    const bool is_double = field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (!field->is_repeated()) {
      if (is_double && std::isnan(reflection->GetDouble(message, field))) return true;
      if (is_message && HasNan(reflection->GetMessage(message, field))) return true;
      continue;
    }
    for (int i = 0; (is_double || is_message) && i < reflection->FieldSize(message, field); ++i) {
      if (is_double && std::isnan(reflection->GetRepeatedDouble(message, field, i))) return true;
      if (is_message && HasNan(reflection->GetRepeatedMessage(message, field, i))) return true;
    }
  }
  return false;
}

bool IsBracketOf(v1::State state, double lower, double upper) {
  switch (state) {
    case v1::STATE_SEPARATED:
      return lower > 0 && lower <= upper;
    case v1::STATE_TOUCHING:
      return lower <= 0 && 0 <= upper;
    case v1::STATE_PENETRATING:
      return upper < 0 && lower <= upper;
    case v1::STATE_REFUSED:
      return true;
    default:
      return lower <= upper;
  }
}

std::string FaultOfDistances(const v1::DistanceBatchResult& result) {
  if (result.states_size() != static_cast<int>(result.count())) return "not a state for each row";
  const int bounds = result.lower_bounds_size();
  if (bounds != 0 && bounds != result.states_size()) return "not a bound for each row";
  if (result.upper_bounds_size() != bounds) return "half a bracket";
  for (int i = 0; i < bounds; ++i) {
    if (!IsBracketOf(result.states(i), result.lower_bounds(i), result.upper_bounds(i))) {
      return "a bracket that is not of its state";
    }
  }
  return "";
}

}  // namespace

std::vector<Sample> AnySamples(testing::Random* random) {
  std::vector<Sample> samples;
  samples.push_back(MakeSample("/clearance.v1.QueryService/Distance",
                               v1::DistanceResponse::default_instance(),
                               QueryOf<v1::DistanceRequest>(AnyDistances(kRows, random), random)));
  samples.push_back(MakeSample(
      "/clearance.v1.QueryService/Intersection", v1::IntersectionResponse::default_instance(),
      QueryOf<v1::IntersectionRequest>(AnyIntersections(kRows, random), random)));
  samples.push_back(MakeSample(
      "/clearance.v1.QueryService/TimeOfCollision", v1::TimeOfCollisionResponse::default_instance(),
      QueryOf<v1::TimeOfCollisionRequest>(AnyMotions(kRows, random), random)));
  AddShapeSamples(random, &samples);
  samples.push_back(MakeSample("/clearance.v1.ServerService/GetServerInfo",
                               v1::GetServerInfoResponse::default_instance(),
                               v1::GetServerInfoRequest()));
  for (v1::SessionRequest& request : AnyConversation(3, kRows, random)) {
    samples.push_back(MakeSample("/clearance.v1.QueryService/Session",
                                 v1::SessionResponse::default_instance(), std::move(request)));
    samples.back().is_session = true;
  }
  return samples;
}

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

std::string FaultOfAnswer(const std::string& bytes, const Message& type) {
  const std::unique_ptr<Message> answer(type.New());
  if (!answer->ParseFromString(bytes)) return "no " + type.GetTypeName();
  if (HasNan(*answer)) return "a NaN";
  if (const auto* of_call = dynamic_cast<const v1::DistanceResponse*>(answer.get())) {
    return FaultOfDistances(of_call->result());
  }
  const auto* const of_session = dynamic_cast<const v1::SessionResponse*>(answer.get());
  if (of_session != nullptr && of_session->has_distance()) {
    return FaultOfDistances(of_session->distance());
  }
  return "";
}

}  // namespace clearance::hammer
