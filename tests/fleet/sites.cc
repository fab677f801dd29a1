// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/sites.h"

namespace clearance::fleet {

grpc::ChannelArguments Site::ReconnectSoon() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // Channels with the same arguments would share their connections.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return arguments;
}

void Sites::Set(std::size_t index, const std::string& address) {
  auto site = std::make_shared<Site>(address);
  const std::lock_guard lock(mutex_);
  sites_[index] = std::move(site);
}

SitePtr Sites::Get(std::size_t index) {
  const std::lock_guard lock(mutex_);
  return sites_[index % sites_.size()];
}

}  // namespace clearance::fleet
