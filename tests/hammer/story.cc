// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/story.h"

#include <limits>
#include <utility>

#include "clearance/v1/shape.pb.h"
#include "server/convert/shape_content.h"
#include "server/storage/body_codec.h"
#include "tests/support/random.h"

namespace clearance::hammer {
namespace {

using server::ShapeChange;
using server::ShapeContentPtr;

// The last is the one that the afterword registers.
constexpr int kPoints[] = {4, 12, 64, 8, 200, 33, 600, 5, 16, 90};
constexpr int kContents = static_cast<int>(std::size(kPoints));

std::vector<ShapeContentPtr> MakeContents() {
  testing::Random random(20'261'122);
  const server::Registry none({}, nullptr);
  std::vector<ShapeContentPtr> contents;
  for (const int points : kPoints) {
    v1::Shape shape;
    for (int i = 0; i < points; ++i) {
      const Vec3d p = random.Direction();
      for (const double number : {p.x, p.y, p.z}) shape.mutable_hull()->add_vertices(number);
    }
    contents.push_back(*server::BuildContent(shape, {}, none));
  }
  return contents;
}

const std::vector<ShapeContentPtr>& Contents() {
  static const std::vector<ShapeContentPtr>& contents =
      *new std::vector<ShapeContentPtr>(MakeContents());
  return contents;
}

ShapeChange Put(std::string name, int content) {
  return {.name = std::move(name),
          .content = Contents()[static_cast<std::size_t>(content)],
          .options = {.replace = true, .validate_only = false},
          .expected_digest = ""};
}

ShapeChange Delete(std::string name) {
  return {
      .name = std::move(name), .content = ShapeContentPtr(), .options = {}, .expected_digest = ""};
}

}  // namespace

std::vector<std::vector<Order>> MakeStory() {
  return {{{Put("a", 0)},
           {Put("b", 1)},
           {Put("c", 2), Put("d", 3), Put("e", 0)},
           {Put("b", 4)},
           {Delete("a")},
           {Put("a", 5), Delete("d")},
           {Put("large", 6)}},
          {{Put("c", 3)},
           {Delete("e"), Delete("b")},
           {Put("b", 7)},
           {Put("f", 8), Put("g", 8), Put("large", 1)},
           {Delete("c")},
           {Put("large", 6)},
           {Put("c", 2)}}};
}

Order Afterword() { return {Put("afterword", kContents - 1)}; }

State StateOf(const server::Registry& registry) {
  State state;
  const auto page = registry.List("", "", std::numeric_limits<std::size_t>::max());
  for (const server::NamedShape& shape : page.shapes) {
    state.names[shape.name] = {shape.content->digest, shape.revision};
  }
  state.revision = page.revision;
  return state;
}

State After(const State& state, const Order& order) {
  State after = state;
  for (const ShapeChange& change : order) {
    const auto found = after.names.find(change.name);
    if (*change.content == nullptr) {
      if (found == after.names.end()) continue;
      after.names.erase(found);
      ++after.revision;
    } else if (found == after.names.end() || found->second.digest != (*change.content)->digest) {
      after.names[change.name] = {(*change.content)->digest, ++after.revision};
    }
  }
  return after;
}

std::string FaultOfContents(const server::Registry& registry) {
  for (const auto& [name, named] : StateOf(registry).names) {
    const ShapeContentPtr held = registry.FindContent(named.digest);
    bool is_same = false;
    for (const ShapeContentPtr& content : Contents()) {
      is_same = is_same || (content->digest == named.digest && held != nullptr &&
                            held->serialized == content->serialized &&
                            server::EncodeBody(*held->body) == server::EncodeBody(*content->body));
    }
    if (!is_same) return name + " has other bits than were registered";
  }
  return "";
}

}  // namespace clearance::hammer
