// SPDX-License-Identifier: Apache-2.0
//
// The series of connections and of the certificates that they are served with. Handles live as long
// as the Metrics.

#pragma once

#include "prometheus/counter.h"
#include "prometheus/gauge.h"

namespace clearance::server {

struct ConnectionSeries {
  prometheus::Gauge* open = nullptr;
  prometheus::Counter* refused_total = nullptr;        // as many were open as the server takes
  prometheus::Counter* refused_address = nullptr;      // as many of one address
  prometheus::Counter* refused_cut = nullptr;          // one of the address was cut lately
  prometheus::Counter* refused_descriptors = nullptr;  // the process had no descriptor left
  prometheus::Counter* cut_streams = nullptr;          // open, with more streams than are allowed
  prometheus::Counter* cut_resets = nullptr;           // open, with too many streams given up
  prometheus::Counter* cut_flood = nullptr;            // sending what no honest client sends
};

struct TlsSeries {
  prometheus::Gauge* expiry = nullptr;  // of the certificate in use; 0: no TLS
  prometheus::Counter* reloaded = nullptr;
  prometheus::Counter* not_reloaded = nullptr;
};

}  // namespace clearance::server
