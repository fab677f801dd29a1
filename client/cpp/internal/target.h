// SPDX-License-Identifier: Apache-2.0
//
// Converts our addresses to gRPC's, which allow a list of numbers but not of names.

#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "clearance/client.h"

namespace clearance::client {

struct Target {
  std::string address = {};     // gRPC's
  std::string authority = {};   // the host of requests and certificates; empty: gRPC knows
  bool may_be_several = false;  // a list, or a name that may mean several servers
};

// Converts an address. A missing port is 50051. An address with a scheme of gRPC's, or of one
// server, is its own target. For a list ("a:1,b:1") the names are resolved here, once; those
// without addresses are left out. Blocks for as long as that takes.
//
// INVALID_ARGUMENT if a place has no host or a malformed port, or if TLS has several hosts and no
// server_name to check their certificates against; UNAVAILABLE if no name has an address.
absl::StatusOr<Target> ToTarget(const std::string& address, const ClientOptions& options);

}  // namespace clearance::client
