// SPDX-License-Identifier: Apache-2.0

#include "server/observe/connection_series.h"

namespace clearance::server {

ConnectionSeries MakeConnectionSeries(prometheus::Registry* registry) {
  auto& open = prometheus::BuildGauge()
                   .Name("clearance_connections")
                   .Help("Connections open now, looked at up to 50 times a second.")
                   .Register(*registry);
  auto& refused = prometheus::BuildCounter()
                      .Name("clearance_connections_refused_total")
                      .Help("Connections that were closed as soon as they came, by reason.")
                      .Register(*registry);
  auto& cut = prometheus::BuildCounter()
                  .Name("clearance_connections_cut_total")
                  .Help("Connections that were ended for what they did, by reason.")
                  .Register(*registry);
  return {.open = &open.Add({}),
          .refused_total = &refused.Add({{"reason", "total"}}),
          .refused_address = &refused.Add({{"reason", "address"}}),
          .refused_cut = &refused.Add({{"reason", "cut"}}),
          .refused_descriptors = &refused.Add({{"reason", "descriptors"}}),
          .cut_streams = &cut.Add({{"reason", "streams"}}),
          .cut_resets = &cut.Add({{"reason", "resets"}}),
          .cut_flood = &cut.Add({{"reason", "flood"}})};
}

TlsSeries MakeTlsSeries(prometheus::Registry* registry) {
  auto& expiry = prometheus::BuildGauge()
                     .Name("clearance_tls_certificate_expiry_timestamp_seconds")
                     .Help("When the certificate in use expires, since the epoch; 0: no TLS.")
                     .Register(*registry);
  auto& reloads = prometheus::BuildCounter()
                      .Name("clearance_tls_reloads_total")
                      .Help("Changed certificate files that were taken, or were not usable.")
                      .Register(*registry);
  return {.expiry = &expiry.Add({}),
          .reloaded = &reloads.Add({{"result", "ok"}}),
          .not_reloaded = &reloads.Add({{"result", "failed"}})};
}

}  // namespace clearance::server
