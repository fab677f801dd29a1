// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/describe.h"

#include <algorithm>
#include <cstdio>

namespace clearance::soak {
namespace {

std::string Hex(const char* name, double x) {
  char text[96];
  std::snprintf(text, sizeof(text), "  %s %a (%.17g)\n", name, x, x);
  return text;
}

std::string Hex(const char* name, const Vec3d& v) {
  char text[160];
  std::snprintf(text, sizeof(text), "  %s %a %a %a\n", name, v.x, v.y, v.z);
  return text;
}

std::string Whole(const char* name, long long value) {
  return std::string("  ") + name + " " + std::to_string(value) + "\n";
}

std::string States(int state, UndecidedReason reason) {
  return "\n" + Whole("state", state) + Whole("reason", static_cast<int>(reason));
}

std::string Hex(const Bracket& bracket) {
  return Hex("lower", bracket.lower) + Hex("upper", bracket.upper);
}

}  // namespace

std::string Describe(const Witness& witness) {
  std::string text;
  for (int i = 0; i < std::clamp(witness.size, 0, Witness::kCapacity); ++i) {
    char line[96];
    std::snprintf(line, sizeof(line), "  witness %u - %u weight %a\n", witness.vertices_a[i],
                  witness.vertices_b[i], witness.weights[i]);
    text += line;
  }
  return text;
}

std::string Describe(const DistanceAnswer& answer) {
  return States(static_cast<int>(answer.state), answer.reason) + Hex(answer.bracket) +
         Hex("distance", answer.distance) + Hex("tolerance", answer.tolerance) +
         Whole("normal_is_unique", answer.normal_is_unique ? 1 : 0) + Hex("n_AB", answer.n_AB) +
         Hex("p_WA", answer.p_WA) + Hex("p_WB", answer.p_WB) + Hex("p_AoA", answer.p_AoA) +
         Hex("p_AoB", answer.p_AoB) + Describe(answer.witness) + Whole("piece_a", answer.piece_a) +
         Whole("piece_b", answer.piece_b) + Whole("iterations", answer.iterations);
}

std::string Describe(const IntersectionAnswer& answer) {
  return States(static_cast<int>(answer.state), answer.reason) + Hex(answer.bracket) +
         Whole("iterations", answer.iterations);
}

std::string Describe(const TimeOfCollisionAnswer& answer) {
  return States(static_cast<int>(answer.state), answer.reason) + Hex("t_free", answer.t_free) +
         Hex("t_hit", answer.t_hit) + Hex("t_leave", answer.t_leave) +
         Hex("distance", answer.distance) + Hex("n_AB", answer.n_AB) + Hex("p_WA", answer.p_WA) +
         Hex("p_WB", answer.p_WB) + Whole("piece_a", answer.piece_a) +
         Whole("piece_b", answer.piece_b) + Whole("iterations", answer.iterations);
}

std::string Describe(const ContactManifold& manifold) {
  std::string text = "\n" + Whole("size", manifold.size);
  for (int i = 0; i < std::clamp(manifold.size, 0, ContactManifold::kCapacity); ++i) {
    const ContactPoint& p = manifold.points[i];
    text += Hex("p_AoA", p.p_AoA) + Hex("p_AoB", p.p_AoB) + Hex("distance", p.distance);
  }
  return text;
}

std::string Describe(const DepthProof& proof) {
  return "\n" + Whole("vertices", proof.vertex_count) + Whole("facets", proof.facet_count) +
         Whole("truncated", proof.is_truncated ? 1 : 0);
}

}  // namespace clearance::soak
