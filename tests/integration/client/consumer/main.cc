// SPDX-License-Identifier: Apache-2.0
#include <clearance/client.h>
#include <clearance/proof.h>
#include <clearance/session.h>

int main() {
  using namespace clearance::client;
  const auto client = Client::Connect("unix:/nonexistent");
  return client.ok() || ProvedFree(DistanceResult{}, 0) ? 1 : 0;
}
