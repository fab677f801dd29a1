// SPDX-License-Identifier: Apache-2.0
#include "match.h"

#include <bit>

namespace game {
namespace {

void AddVerdict(const Verdict& verdict, Digest* digest) {
  digest->Add(static_cast<std::uint64_t>(verdict.state));
  digest->Add(verdict.t_free);
  digest->Add(verdict.t_hit);
  digest->Add(std::uint64_t{verdict.body});
}

void AddRewound(const clearance::client::Rewound& rewound, Digest* digest) {
  for (const std::uint64_t number :
       {rewound.at.tick, static_cast<std::uint64_t>(rewound.clamp), rewound.earlier_tick,
        rewound.later_tick, std::uint64_t{rewound.body_count}}) {
    digest->Add(number);
  }
  digest->Add(rewound.at.fraction);
  digest->Add(rewound.weight);
}

}  // namespace

void Digest::Add(std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) {
    value_ = (value_ ^ ((number >> shift) & 0xff)) * 1099511628211U;
  }
}

void Digest::Add(double number) { Add(std::bit_cast<std::uint64_t>(number)); }

void Digest::Add(const Vec3& vector) {
  Add(vector.x);
  Add(vector.y);
  Add(vector.z);
}

void Digest::Add(const TickAnswers& answers) {
  for (const Verdict& verdict : answers.verdicts) AddVerdict(verdict, this);
  for (const ShotVerdict& shot : answers.shots) {
    AddVerdict(shot.verdict, this);
    AddRewound(shot.rewound, this);
    Add(shot.point);
    Add(shot.normal);
  }
}

std::uint64_t MatchLog::digest() const {
  Digest digest;
  for (const Entry& entry : entries) digest.Add(entry.digest);
  return digest.value();
}

}  // namespace game
