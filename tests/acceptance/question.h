// SPDX-License-Identifier: Apache-2.0
//
// The questions of the acceptance tool to a server, whatever file they come from, and the form of
// the answers.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "clearance/shape.h"

namespace clearance::acceptance {

// A shape that was not sent, and why: it has no wire form (a word for a number, no kind), so this
// tool refuses it itself.
struct NotSent {
  std::string reason;
};

// One shape of a file: what a session opens, or why it cannot.
using TableShape = std::variant<client::ShapeReference, NotSent>;

// Metres and radians over t in [0, 1], about the origin of the shape's frame at t = 0.
struct Motion {
  client::Vec3 displacement;
  client::Vec3 rotation;
};

// One row: indices of the file's shapes, poses, and motions if a time of collision is asked for. In
// the file's scene, B is the body that A meets first.
struct Question {
  std::size_t shape_a = 0;
  std::size_t shape_b = 0;
  client::Pose pose_a;
  client::Pose pose_b;
  struct Motions {
    Motion a, b;
  };
  std::optional<Motions> motions;
  bool is_in_scene = false;
};

struct Answer {
  enum class Outcome {
    kLost,         // no answer: the connection or the whole message failed
    kAnswered,     // the server proved a state
    kUndecided,    // the server says that it could not
    kRefused,      // a typed refusal by the server
    kSelfRefused,  // a typed refusal by this tool, for what has no wire form
  };
  Outcome outcome = Outcome::kLost;
  std::string reason;       // of everything but kAnswered
  bool intersects = false;  // of a distance: TOUCHING or PENETRATING
  bool touches = false;     // of a distance: TOUCHING
  double distance = 0;      // of a distance: minus the depth if it intersects
  bool hits = false;        // of a time of collision: HIT or INITIALLY_OVERLAPPING
  bool overlaps_at_start = false;
  double toc = 0;       // t_hit; 0 if INITIALLY_OVERLAPPING
  std::size_t met = 0;  // of a hit in the scene: the shape B, which `distance` is also about
};

// The findings about one task. Nothing in `faults`: passed, or not judged at all.
struct Judgement {
  std::vector<std::string> faults;
};

// Questions that are judged together: one row of a file.
struct Task {
  std::string id;
  std::string family;
  std::vector<Question> questions;
  std::function<Judgement(absl::Span<const Answer>)> judge;
};

// Everything that is read of one file or folder.
struct TaskFile {
  std::string name;
  std::vector<TableShape> shapes;
  std::vector<std::string> shape_names;  // to register them under; empty: opened inline
  std::vector<std::size_t> scene;        // shapes that stand in it, each at the world's origin
  std::vector<Task> tasks;
  std::vector<std::string> unreadable;  // lines and files, with the reason
  std::vector<std::string> notes;
};

}  // namespace clearance::acceptance
