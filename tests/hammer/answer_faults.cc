// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/answer_faults.h"

#include <google/protobuf/reflection.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace clearance::hammer {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::RepeatedField;

// --- Answers -------------------------------------------------------------------------------------

std::vector<const Message*> PartsOf(const Message& message, const FieldDescriptor* field) {
  const Reflection* const reflection = message.GetReflection();
  if (!field->is_repeated()) return {&reflection->GetMessage(message, field)};
  std::vector<const Message*> parts;
  parts.reserve(static_cast<std::size_t>(reflection->FieldSize(message, field)));
  for (int i = 0; i < reflection->FieldSize(message, field); ++i)
    parts.push_back(&reflection->GetRepeatedMessage(message, field, i));
  return parts;
}

bool HasNan(const Message& message, const FieldDescriptor* field) {
  const Reflection* const reflection = message.GetReflection();
  if (!field->is_repeated()) return std::isnan(reflection->GetDouble(message, field));
  const auto column = reflection->GetRepeatedFieldRef<double>(message, field);
  return std::any_of(column.begin(), column.end(),
                     [](double number) { return std::isnan(number); });
}

// Whether rows of this state have a distance. The others have a NaN, which no row takes for a 0.
bool HasDistance(const google::protobuf::EnumValueDescriptor& state) {
  static const std::set<std::string> kStates = {"STATE_SEPARATED", "STATE_TOUCHING",
                                                "STATE_PENETRATING", "MOTION_STATE_HIT",
                                                "MOTION_STATE_INITIALLY_OVERLAPPING"};
  return kStates.contains(state.name());
}

// Returns whether exactly the rows without a distance have a NaN.
bool HasRightNans(const Message& answer, const FieldDescriptor* distances) {
  const FieldDescriptor* const states = answer.GetDescriptor()->FindFieldByName("states");
  if (!distances->is_repeated() || states == nullptr) return !HasNan(answer, distances);
  const Reflection* const reflection = answer.GetReflection();
  if (reflection->FieldSize(answer, states) != reflection->FieldSize(answer, distances))
    return false;
  for (int row = 0; row < reflection->FieldSize(answer, states); ++row) {
    const bool is_nan = std::isnan(reflection->GetRepeatedDouble(answer, distances, row));
    if (is_nan == HasDistance(*reflection->GetRepeatedEnum(answer, states, row))) return false;
  }
  return true;
}

bool IsBracketOf(int state, double lower, double upper) {
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

template <class Columns>
const RepeatedField<int>& StatesOf(const Columns& columns) {
  if constexpr (requires { columns.verdicts(); }) {
    return columns.verdicts();
  } else {
    return columns.states();
  }
}

// Each column is absent or has its numbers for each of so many rows.
template <class Columns>
std::string FaultOfLengths(const Columns& columns, int rows) {
#define ANSWER(name, type, width, wish, unknown, found)                   \
  if constexpr (requires { columns.name(0); }) {                          \
    if (!columns.name().empty() && columns.name().size() != (width)*rows) \
      return "not all rows in " #name;                                    \
  }
#include "proto/columns.def"
  return "";
}

template <class Columns>
std::string FaultOfBrackets(const Columns& columns) {
  if (columns.upper_bounds_size() != columns.lower_bounds_size()) return "half a bracket";
  for (int i = 0; i < columns.lower_bounds_size(); ++i) {
    int state = StatesOf(columns)[i];
    // A verdict is of the margins, so that its bracket may be on either side of 0.
    if constexpr (requires { columns.verdicts(); }) state = v1::STATE_UNDECIDED;
    if (!IsBracketOf(state, columns.lower_bounds(i), columns.upper_bounds(i))) {
      return "a bracket that is not of its state";
    }
  }
  return "";
}

bool IsTimeOf(int state, double t_free, double t_hit) {
  switch (state) {
    case v1::MOTION_STATE_FREE:
      return t_free == 1;
    case v1::MOTION_STATE_HIT:
      return 0 <= t_free && t_free <= t_hit && t_hit <= 1;
    case v1::MOTION_STATE_INITIALLY_OVERLAPPING:
      return t_free == 0 && t_hit == 0;
    default:
      return 0 <= t_free && t_free <= 1;
  }
}

template <class Columns>
std::string FaultOfTimes(const Columns& columns) {
  if (columns.t_hit_size() != columns.t_free_size()) return "half of the times";
  for (int i = 0; i < columns.t_free_size(); ++i) {
    if (!IsTimeOf(columns.states(i), columns.t_free(i), columns.t_hit(i))) {
      return "a time that is not of its state";
    }
  }
  return "";
}

// Of rows or of listed pairs, by the columns that they have.
template <class Columns>
std::string FaultOfColumns(const Columns& columns) {
  std::string fault = FaultOfLengths(columns, StatesOf(columns).size());
  if constexpr (requires { columns.bodies_a(); }) {
    const int pairs = columns.bodies_a_size();
    const bool are_whole = columns.bodies_b_size() == pairs && columns.is_self_size() == pairs;
    if (fault.empty() && !are_whole) fault = "half a pair";
  }
  if constexpr (requires { columns.lower_bounds(); }) {
    if (fault.empty()) fault = FaultOfBrackets(columns);
  }
  if constexpr (requires { columns.t_free(); }) {
    if (fault.empty()) fault = FaultOfTimes(columns);
  }
  return fault;
}

// The lists of rows: row i has the entries from offsets[i] up to but without offsets[i + 1].
template <class Pairs>
std::string FaultOfLists(const Pairs& pairs, int rows) {
  const auto& offsets = pairs.offsets();
  const int entries = StatesOf(pairs).size();
  if (offsets.size() != rows + 1) return "not a list for each row";
  if (offsets[0] != 0 || offsets[rows] != static_cast<std::uint32_t>(entries) ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    return "lists that do not follow each other";
  }
  return pairs.bodies_a_size() == entries ? FaultOfColumns(pairs) : "half a pair";
}

// "" of a message of another type.
template <class Result>
std::string FaultIf(const Message& message) {
  const auto* const result = dynamic_cast<const Result*>(&message);
  if (result == nullptr) return "";
  const int rows = StatesOf(*result).size();
  if (rows != static_cast<int>(result->count())) return "not a state for each row";
  std::string fault = FaultOfColumns(*result);
  if constexpr (requires { result->pairs(); }) {
    // A list that is never cut short is the answer itself, and always there.
    constexpr bool kIsOptional = requires { result->pairs().truncated(); };
    const bool has_lists = !kIsOptional || result->has_pairs();
    if (fault.empty() && has_lists) fault = FaultOfLists(result->pairs(), rows);
  }
  return fault;
}

std::string FaultOfResult(const Message& message) {
  std::string fault;
#define QUERY(name, field, service, label, states) \
  if (fault.empty())                               \
    fault = FaultIf<std::decay_t<decltype(std::declval<v1::SessionResponse>().field())>>(message);
#include "proto/methods.def"
  return fault;
}

// --- Codes ---------------------------------------------------------------------------------------

using Codes = std::set<int>;

constexpr int kInvalid = grpc::StatusCode::INVALID_ARGUMENT;
constexpr int kNotFound = grpc::StatusCode::NOT_FOUND;
constexpr int kExists = grpc::StatusCode::ALREADY_EXISTS;
constexpr int kExhausted = grpc::StatusCode::RESOURCE_EXHAUSTED;
constexpr int kPrecondition = grpc::StatusCode::FAILED_PRECONDITION;
constexpr int kAborted = grpc::StatusCode::ABORTED;

// What the comments of the methods say, beside INVALID_ARGUMENT and RESOURCE_EXHAUSTED.
Codes CodesOf(const std::string& method) {
  static const std::map<std::string, Codes> kCodesOfMethods = {
      {"RegisterShape", {kExists, kPrecondition}},        {"GetShape", {kNotFound}},
      {"DeleteShape", {kNotFound, kPrecondition}},        {"CreateScene", {kNotFound, kExists}},
      {"GetScene", {kNotFound, kPrecondition}},           {"UpdateScene", {kNotFound, kAborted}},
      {"ForkScene", {kNotFound, kExists, kPrecondition}}, {"DeleteScene", {kNotFound, kAborted}},
      {"WatchScene", {kNotFound, kPrecondition}},
  };
  const auto found = kCodesOfMethods.find(method);
  return found != kCodesOfMethods.end() ? found->second : Codes();
}

// Likewise of the kinds of messages.
Codes CodesOf(v1::SessionRequest::KindCase kind) {
  switch (kind) {
    case v1::SessionRequest::kOpen:
    case v1::SessionRequest::kOpenScene:
    case v1::SessionRequest::kRewindTrack:
    case v1::SessionRequest::kChangeBodies:
      return {kNotFound, kPrecondition};
    case v1::SessionRequest::kClose:
    case v1::SessionRequest::kCloseScene:
      return {kNotFound};
    case v1::SessionRequest::kOpenTrack:
      return {kExists, kPrecondition};
    case v1::SessionRequest::kPublishTick:
    case v1::SessionRequest::kCloseTrack:
      return {kPrecondition};
#define QUERY(name, field, service, label, states)                                             \
  case v1::SessionRequest::k##name:                                                            \
    return std::string_view(#service) == "SceneQueryService" ? Codes{kNotFound, kPrecondition} \
                                                             : Codes();
#include "proto/methods.def"
    default:
      return {};
  }
}

bool IsOfAny(int code) {
  return code == kInvalid || code == kExhausted || code == grpc::StatusCode::DEADLINE_EXCEEDED;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): a message is as deep as its type
std::string FaultOfAnswer(const Message& answer) {
  std::string fault = FaultOfResult(answer);
  std::vector<const FieldDescriptor*> fields;
  answer.GetReflection()->ListFields(answer, &fields);
  for (const FieldDescriptor* const field : fields) {
    if (!fault.empty()) break;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
      const bool is_right =
          field->name() == "distances" ? HasRightNans(answer, field) : !HasNan(answer, field);
      if (!is_right) return "a NaN in " + field->full_name() + ", or a row that needs one";
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    for (const Message* const part : PartsOf(answer, field)) {
      if (fault.empty()) fault = FaultOfAnswer(*part);
    }
  }
  return fault;
}

bool NamesCode(const google::protobuf::MethodDescriptor& method, int code) {
  if (IsOfAny(code)) return true;
  // What the services say of all their methods.
  const std::string& service = method.service()->name();
  if (service == "QueryService" || service == "SceneQueryService") {
    return !method.client_streaming() && (code == kNotFound || code == kPrecondition);
  }
  return CodesOf(method.name()).count(code) > 0;
}

bool NamesCode(v1::SessionRequest::KindCase kind, int code) {
  return IsOfAny(code) || CodesOf(kind).count(code) > 0;
}

}  // namespace clearance::hammer
