// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/service/open_fence.h"

#include <gtest/gtest.h>

#include <utility>

#include "server/fence/listener.h"
#include "tests/support/local_config.h"

namespace clearance::testing {

std::unique_ptr<server::AcceptLoop> OpenFence(server::Metrics& metrics, server::Log* log) {
  auto listener = server::Listener::Open(server::LocalConfig(), metrics.connections(), log);
  EXPECT_TRUE(listener.ok()) << listener.status();
  if (!listener.ok()) return nullptr;
  return *std::move(listener);
}

}  // namespace clearance::testing
