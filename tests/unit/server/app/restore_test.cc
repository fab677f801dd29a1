// SPDX-License-Identifier: Apache-2.0

#include "server/app/restore.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clearance/v1/shape.pb.h"
#include "server/convert/shape_content.h"
#include "server/storage/body_codec.h"

namespace clearance::server {
namespace {

struct Content {
  std::string digest, shape, body;
};

// What a test says is stored.
class GivenStore final : public ShapeStore {
 public:
  absl::Status Commit(const RegistryChanges&) override { return absl::OkStatus(); }
  absl::Status Probe() override { return absl::OkStatus(); }
  absl::StatusOr<StoredNames> ReadNames() override { return names; }
  absl::Status ReadScenes(const VisitRecord&) override { return absl::OkStatus(); }
  absl::Status ReadContents(const Part& part, const Visit& visit) const override {
    for (std::size_t i = part.part; i < contents.size(); i += part.parts) {
      const Content& content = contents[i];
      absl::Status status = visit({content.digest, content.shape, content.body});
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  std::uint64_t byte_size() const override { return 0; }

  StoredNames names;
  std::vector<Content> contents;
};

ShapeContentPtr Ball(double radius) {
  v1::Shape shape;
  shape.mutable_sphere()->set_radius(radius);
  return *BuildContent(shape, {}, Registry({}, nullptr));
}

class Restore : public ::testing::Test {
 protected:
  Restore() {
    for (const double radius : {1., 2., 3.}) {
      const ShapeContentPtr ball = Ball(radius);
      store_.contents.push_back({ball->digest, ball->serialized, EncodeBody(*ball->body)});
    }
    store_.names.names = {{"one", store_.contents[0].digest, 7},
                          {"two", store_.contents[1].digest, 5},
                          {"three", store_.contents[2].digest, 8},
                          {"also-one", store_.contents[0].digest, 9}};
    store_.names.revision = 12;
  }

  absl::Status Run() { return RestoreShapes(2, &store_, &registry_); }
  void ExpectRefused() {
    EXPECT_EQ(Run().code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(registry_.size(), 0u);
  }

  GivenStore store_;
  Registry registry_{{}, nullptr};
};

TEST_F(Restore, FillsTheRegistryWithWhatIsStored) {
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(registry_.size(), 4u);
  EXPECT_EQ(registry_.revision(), 12u);
  const auto one = registry_.FindByName("one");
  EXPECT_EQ(one->shape.revision, 7u);
  EXPECT_EQ(one->shape.content->serialized, Ball(1)->serialized);
  EXPECT_EQ(one->shape.content->body->bounding_radius(), 1);
  EXPECT_EQ(registry_.FindByName("also-one")->shape.content, one->shape.content);
}

TEST_F(Restore, KnowsWhoseTheNamesAre) {
  store_.names.names[0].owner = store_.names.names[3].owner = "planner";
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(registry_.FindByName("one")->shape.owner, "planner");
  EXPECT_EQ(registry_.FindByName("two")->shape.owner, "");
  EXPECT_EQ(registry_.HoldingOf("planner").count, 2u);
}

TEST_F(Restore, RefusesAnOwnerThatIsNone) {
  store_.names.names[0].owner = "No Principal";
  ExpectRefused();
}

TEST_F(Restore, RefusesAShapeOfAnotherDigest) {
  store_.contents[1].shape = store_.contents[0].shape;
  ExpectRefused();
}

TEST_F(Restore, RefusesAShapeThatIsNone) {
  store_.contents[1].shape = "\xff";
  ExpectRefused();
}

TEST_F(Restore, RefusesABodyThatIsNone) {
  store_.contents[2].body = "body";
  ExpectRefused();
}

TEST_F(Restore, RefusesANameWithoutContent) {
  store_.contents.pop_back();
  ExpectRefused();
}

TEST_F(Restore, RefusesANameThatIsNone) {
  store_.names.names[0].name = "No Name";
  ExpectRefused();
}

TEST_F(Restore, RefusesANameYoungerThanTheRegistry) {
  store_.names.revision = 8;
  ExpectRefused();
}

}  // namespace
}  // namespace clearance::server
