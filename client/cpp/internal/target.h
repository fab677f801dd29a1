// SPDX-License-Identifier: Apache-2.0
//
// What an address of ours is to gRPC, which takes a list of numbers but none of names.

#ifndef CLEARANCE_INTERNAL_TARGET_H_
#define CLEARANCE_INTERNAL_TARGET_H_

#include <string>

#include "absl/status/statusor.h"
#include "clearance/client.h"

namespace clearance::client {

struct Target {
  std::string address = {};     // gRPC's
  std::string authority = {};   // whom requests are for, and certificates; empty: gRPC knows
  bool may_be_several = false;  // a list, or a name that may mean several servers
};

// An address with a scheme of gRPC's, or of one server, is its own target. Of a list
// ("a:1,b:1", each with its port) the names are resolved here, once; those that mean nothing are
// left out. Blocks for as long as that takes.
//
// INVALID_ARGUMENT where a place of the list has no port, or where TLS has several hosts and no
// server_name to hold their certificates against; UNAVAILABLE where no name means anything.
absl::StatusOr<Target> ToTarget(const std::string& address, const ClientOptions& options);

}  // namespace clearance::client

#endif  // CLEARANCE_INTERNAL_TARGET_H_
