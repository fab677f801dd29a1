// SPDX-License-Identifier: Apache-2.0
//
// One number of many answers: of their canonical fields, bit by bit.

#pragma once

#include <bit>
#include <cstdint>

#include "core/math/pose.h"
#include "core/query/distance.h"
#include "core/query/time_of_collision.h"

namespace clearance::golden {

// FNV-1a of 64 bits (Fowler, Noll, Vo).
class Digest {
 public:
  void Add(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash_ = (hash_ ^ (value >> shift & 0xff)) * 1099511628211U;
    }
  }
  void Add(double value) { Add(std::bit_cast<std::uint64_t>(value)); }
  void Add(const Vec3d& v) {
    Add(v.x);
    Add(v.y);
    Add(v.z);
  }
  void Add(const Pose& pose) {
    Add(pose.p_WS);
    for (const double x : {pose.q_WS.x, pose.q_WS.y, pose.q_WS.z, pose.q_WS.w}) Add(x);
  }
  void Add(const DistanceAnswer& answer) {
    Add(std::uint64_t{static_cast<std::uint8_t>(answer.state)});
    Add(std::uint64_t{static_cast<std::uint8_t>(answer.reason)});
    Add(std::uint64_t{answer.normal_is_unique});
    for (const double x : {answer.bracket.lower, answer.bracket.upper, answer.distance}) Add(x);
    for (const Vec3d& v : {answer.p_WA, answer.p_WB, answer.p_AoA, answer.n_AB}) Add(v);
    for (int i = 0; i < answer.witness.size; ++i) {
      Add(std::uint64_t{answer.witness.vertices_a[i]} << 32 | answer.witness.vertices_b[i]);
      Add(answer.witness.weights[i]);
    }
  }
  void Add(const TimeOfCollisionAnswer& answer) {
    Add(std::uint64_t{static_cast<std::uint8_t>(answer.state)});
    for (const double x : {answer.t_free, answer.t_hit, answer.t_leave, answer.distance}) Add(x);
    for (const Vec3d& v : {answer.p_WA, answer.p_WB, answer.n_AB}) Add(v);
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};

}  // namespace clearance::golden
