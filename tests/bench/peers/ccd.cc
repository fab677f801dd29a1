// SPDX-License-Identifier: Apache-2.0
//
// libccd, which leaves the shapes to its caller: boxes answer a support by signs, hulls by a scan.

#include <ccd/ccd.h>

#include <limits>

#include "tests/bench/peers/peer.h"

namespace clearance::bench {
namespace {

constexpr double kFailed = std::numeric_limits<double>::quiet_NaN();
constexpr unsigned long kMostIterations = 500;  // by default it does not give up at all

struct Shape {
  std::vector<Vec3d> vertices;  // of a box none
  Vec3d half_extents;
};

struct Object {
  const Shape* shape;
  Rotation R_WS;
  Vec3d p_WS;
};

Vec3d ToShape(const Object& object, const ccd_vec3_t& direction_W) {
  const auto& r = object.R_WS.rows;
  const double* d = direction_W.v;
  return {r[0][0] * d[0] + r[1][0] * d[1] + r[2][0] * d[2],
          r[0][1] * d[0] + r[1][1] * d[1] + r[2][1] * d[2],
          r[0][2] * d[0] + r[1][2] * d[1] + r[2][2] * d[2]};
}

Vec3d SupportVertex(const std::vector<Vec3d>& vertices, const Vec3d& direction) {
  const Vec3d* best = vertices.data();
  double height = Dot(*best, direction);
  for (const Vec3d& vertex : vertices) {
    const double candidate = Dot(vertex, direction);
    if (candidate > height) {
      height = candidate;
      best = &vertex;
    }
  }
  return *best;
}

void Support(const void* object_pointer, const ccd_vec3_t* direction_W, ccd_vec3_t* p_W) {
  const Object& object = *static_cast<const Object*>(object_pointer);
  const Vec3d d = ToShape(object, *direction_W);
  const Vec3d& half = object.shape->half_extents;
  const Vec3d p = object.shape->vertices.empty()
                      ? Vec3d{d.x < 0 ? -half.x : half.x, d.y < 0 ? -half.y : half.y,
                              d.z < 0 ? -half.z : half.z}
                      : SupportVertex(object.shape->vertices, d);
  const auto& r = object.R_WS.rows;
  ccdVec3Set(p_W, r[0][0] * p.x + r[0][1] * p.y + r[0][2] * p.z + object.p_WS.x,
             r[1][0] * p.x + r[1][1] * p.y + r[1][2] * p.z + object.p_WS.y,
             r[2][0] * p.x + r[2][1] * p.y + r[2][2] * p.z + object.p_WS.z);
}

void Center(const void* object_pointer, ccd_vec3_t* p_W) {
  const Vec3d& p = static_cast<const Object*>(object_pointer)->p_WS;
  ccdVec3Set(p_W, p.x, p.y, p.z);
}

ccd_t MakeSettings() {
  constexpr double kEpaTolerance = 1e-7;  // metres: what its depths are judged by is 1e-6
  ccd_t settings;
  CCD_INIT(&settings);
  settings.support1 = settings.support2 = Support;
  settings.center1 = settings.center2 = Center;
  settings.max_iterations = kMostIterations;
  settings.epa_tolerance = kEpaTolerance;
  return settings;
}

class Ccd final : public Peer {
 public:
  explicit Ccd(CcdAlgorithm algorithm)
      : Peer({.name = algorithm == CcdAlgorithm::kGjk ? "libccd-gjk" : "libccd-mpr",
              .note = algorithm == CcdAlgorithm::kGjk
                          ? "libccd 2.1, double: GJK and EPA; it knows no distances and no "
                            "shapes: supports by a scan written here"
                          : "libccd 2.1, double: Minkowski portal refinement, booleans only, for "
                            "its depth is not the least one; supports by a scan written here"}),
        algorithm_(algorithm) {}

  bool Answers(Kind kind) const override {
    return kind == Kind::kIntersection ||
           (kind == Kind::kDepth && algorithm_ == CcdAlgorithm::kGjk);
  }

  void Load(const Pool& pool) override {
    shapes_.clear();
    for (std::size_t i = 0; i < pool.shapes.size(); ++i) {
      if (IsOfBoxes(pool)) {
        shapes_.push_back({{}, HalfExtentsOf(pool, i)});
      } else {
        shapes_.push_back({VerticesOf(pool, i), {}});
      }
    }
  }

  void Prepare(const Questions& questions) override {
    kind_ = questions.kind;
    objects_.clear();
    for (const Pair& pair : questions.pairs) {
      objects_.push_back({&shapes_[pair.a], RotationOf(pair.X_WA.q_WS), pair.X_WA.p_WS});
      objects_.push_back({&shapes_[pair.b], RotationOf(pair.X_WB.q_WS), pair.X_WB.p_WS});
    }
  }

  void Answer(std::vector<double>* answers) override {
    for (std::size_t i = 0; i < answers->size(); ++i) {
      const Object* a = &objects_[2 * i];
      (*answers)[i] = kind_ == Kind::kDepth ? AskDepth(a, a + 1) : AskIntersection(a, a + 1);
    }
  }

 private:
  double AskIntersection(const Object* a, const Object* b) const {
    return algorithm_ == CcdAlgorithm::kGjk ? ccdGJKIntersect(a, b, &settings_)
                                            : ccdMPRIntersect(a, b, &settings_);
  }

  double AskDepth(const Object* a, const Object* b) const {
    double depth = 0;
    ccd_vec3_t direction;
    ccd_vec3_t position;
    const int status = ccdGJKPenetration(a, b, &settings_, &depth, &direction, &position);
    return status == 0 ? -depth : kFailed;
  }

  CcdAlgorithm algorithm_;
  ccd_t settings_ = MakeSettings();
  Kind kind_ = Kind::kIntersection;
  std::vector<Shape> shapes_;
  std::vector<Object> objects_;  // A and B of each question
};

}  // namespace

std::unique_ptr<Peer> MakeCcd(CcdAlgorithm algorithm) { return std::make_unique<Ccd>(algorithm); }

}  // namespace clearance::bench
