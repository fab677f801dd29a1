// SPDX-License-Identifier: Apache-2.0
//
// The descriptions of all kinds against the fields of their messages.

#include "server/kinds/kinds.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "server/kinds/reply_columns.h"

namespace clearance::server {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::uint32_t kKindRows = 10;
constexpr RowRange kPart = {4, 3};

// Sets every flag of the message and of its detail.
void WantAll(Message* message) {
  const auto& reflection = *message->GetReflection();
  for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* const field = message->GetDescriptor()->field(i);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL)
      reflection.SetBool(message, field, true);
    if (field->name() == "max_pairs") reflection.SetUInt32(message, field, 2);
    if (field->name() == "detail") WantAll(reflection.MutableMessage(message, field));
  }
}

bool IsOfVectors(const std::string& name) {
  return name.find("points") != std::string::npos || name == "normals";
}

template <class Column>
void ExpectSlice(const Column& column, const Columns& part, const Columns& whole) {
  if constexpr (requires { whole.*column.span; }) {
    const auto& all = whole.*column.span;
    const std::size_t width = all.size() / kKindRows;
    EXPECT_EQ((part.*column.span).data(), all.data() + width * kPart.first);
    EXPECT_EQ((part.*column.span).size(), width * kPart.count);
  }
}

template <class Kind>
class KindTest : public ::testing::Test {
 protected:
  KindTest() { WantAll(&batch_); }

  typename Kind::Batch batch_;
  typename Kind::Result result_;
};

template <class None, class... Kind>
struct TestsOf {
  using Type = ::testing::Types<Kind...>;
};
using AllKinds = TestsOf<void
#define QUERY(name, field, service, label, states) , name##Kind
#include "proto/methods.def"
                         >::Type;
TYPED_TEST_SUITE(KindTest, AllKinds);

TYPED_TEST(KindTest, DescribesEveryFieldOfItsResult) {
  MakeColumns<TypeParam>(this->batch_, kKindRows, &this->result_);
  const auto& reflection = *this->result_.GetReflection();
  for (int i = 0; i < this->result_.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* const field = this->result_.GetDescriptor()->field(i);
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const bool is_of_motions = field->name() == "t_leave";  // a ray has none
    if (is_message && !field->is_repeated()) {
      EXPECT_TRUE(reflection.HasField(this->result_, field)) << field->full_name();
    } else if (!is_message && field->is_repeated() &&
               !(is_of_motions && TypeParam::kKind == QueryKind::kRay)) {
      const int width = IsOfVectors(field->name()) ? 3 : 1;
      EXPECT_EQ(reflection.FieldSize(this->result_, field), width * static_cast<int>(kKindRows))
          << field->full_name();
    }
  }
}

TYPED_TEST(KindTest, LeavesRoomForEveryFieldOfItsResult) {
  MakeColumns<TypeParam>(this->batch_, kKindRows, &this->result_);
  const std::uint64_t bytes = kMaxReplyOverhead + kKindRows * MaxRowBytes<TypeParam>(this->batch_);
  EXPECT_LE(this->result_.ByteSizeLong(), bytes);
}

TYPED_TEST(KindTest, SlicesItsColumns) {
  const auto whole = MakeColumns<TypeParam>(this->batch_, kKindRows, &this->result_);
  const auto part = Slice<TypeParam>(whole, kPart);
  ForEachColumn<typename TypeParam::Result>(
      kColumns, [&](const auto& column) { ExpectSlice(column, part, whole); });
  EXPECT_EQ(part.states.size(), kPart.count);
  EXPECT_EQ(part.HasLists(), whole.HasLists());
}

TYPED_TEST(KindTest, IsFoundInASessionByItsField) {
  v1::SessionRequest request;
  const auto& reflection = *request.GetReflection();
  v1::SessionResponse response;
  TypeParam::ResultIn(&response);
  const auto* const answered = response.GetReflection()->GetOneofFieldDescriptor(
      response, response.GetDescriptor()->FindOneofByName("kind"));
  const auto* const field = request.GetDescriptor()->FindFieldByName(answered->name());
  ASSERT_NE(field, nullptr);
  reflection.MutableMessage(&request, field);
  bool is_found = false;
  const auto visit = [&]<class Kind>(Kind, const typename Kind::Batch&) {
    is_found = std::is_same_v<Kind, TypeParam>;
  };
  EXPECT_TRUE(VisitBatch(request, visit));
  EXPECT_TRUE(is_found);
}

TYPED_TEST(KindTest, RowsOfWhichNothingIsKnownHaveNoDistance) {
  MakeColumns<TypeParam>(this->batch_, kKindRows, &this->result_);
  const Message& result = this->result_;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const auto all = [&](const char* name, const auto& is_right) {
    const FieldDescriptor* const field = result.GetDescriptor()->FindFieldByName(name);
    if (field == nullptr) return true;
    const auto numbers = result.GetReflection()->GetRepeatedFieldRef<double>(result, field);
    return std::all_of(numbers.begin(), numbers.end(), is_right);
  };
  EXPECT_TRUE(all("distances", [](double number) { return std::isnan(number); }));
  EXPECT_TRUE(all("lower_bounds", [](double number) { return number == -kInfinite; }));
  EXPECT_TRUE(all("upper_bounds", [](double number) { return number == kInfinite; }));
}

TEST(Columns, ThatAreNotWantedStayEmptyInASlice) {
  EXPECT_TRUE(Slice<DistanceKind>({}, kPart).states.empty());
  EXPECT_TRUE(Slice<DistanceKind>({}, kPart).points_a.empty());
  EXPECT_TRUE(Slice<TimeOfCollisionKind>({}, kPart).t_free.empty());
}

TEST(Columns, ThatAreListsAreKnown) {
  v1::WitnessColumns witnesses;
  v1::ContactColumns contacts;
  v1::DepthProofColumns depth_proofs;
  v1::MotionProofColumns proofs;
  Columns with_witnesses, with_contacts, with_depth_proofs, with_motion_proofs;
  with_witnesses.witnesses = &witnesses;
  with_contacts.contacts = &contacts;
  with_depth_proofs.depth_proofs = &depth_proofs;
  with_motion_proofs.motion_proofs = &proofs;
  for (const auto& columns : {with_witnesses, with_contacts, with_depth_proofs, with_motion_proofs})
    EXPECT_TRUE(columns.HasLists());
  EXPECT_FALSE(Columns().HasLists());
}

}  // namespace
}  // namespace clearance::server
