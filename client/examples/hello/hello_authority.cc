// SPDX-License-Identifier: Apache-2.0
//
// Asks whether claimed moves of a player pass through a wall: hello_authority [ADDRESS]
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clearance/client.h"
#include "clearance/proof.h"
#include "clearance/query.h"
#include "clearance/shape.h"

namespace {

using namespace clearance::client;  // NOLINT: short, as in a first program

// A player stands at `from` and claims to have moved by `step`, metres.
struct Claim {
  const char* name;
  Vec3 from, step;
};

const std::vector<Claim> kClaims = {
    {"along the wall", {-1, 0, 0.9}, {0, 3, 0}},
    {"into the wall", {-1, 0, 0.9}, {1, 0, 0}},
    {"through the wall", {-1, 0, 0.9}, {4, 0, 0}},
};

absl::Status JudgeClaims(const std::string& address) {
  const absl::StatusOr<Client> client = Client::Connect(address);
  if (!client.ok()) return client.status();

  const Shape wall{.kind = Box{{0.1, 5, 2}}};
  const Shape player{.kind = Capsule{.radius = 0.4, .half_length = 0.5}};
  TimeOfCollisionBatch batch;  // a row for each claim; A is the wall, B the player
  for (const Claim& claim : kClaims) {
    ++batch.pairs.count;
    AppendPose({.x = claim.from.x, .y = claim.from.y, .z = claim.from.z}, &batch.pairs.poses_b);
    AppendVec3(claim.step, &batch.displacements_b);
  }
  const auto answer = client->TimeOfCollision({{wall, player}}, batch);
  if (!answer.ok()) return answer.status();

  for (std::size_t row = 0; row < kClaims.size(); ++row) {
    const double accepted = ProvedFree(*answer, row) ? 1 : answer->t_free[row];
    std::cout << kClaims[row].name << ": " << Name(answer->states[row]) << ", go " << 100 * accepted
              << " % of the move\n";
  }
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  const absl::Status status = JudgeClaims(argc > 1 ? argv[1] : "127.0.0.1:50051");
  if (!status.ok()) std::cerr << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
