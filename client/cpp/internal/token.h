// SPDX-License-Identifier: Apache-2.0
//
// Keeps a bearer token from going where others can read it.

#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "clearance/client.h"

namespace clearance::client {

// True where every place of a gRPC address is this machine: localhost, 127.0.0.0/8, ::1 and Unix
// sockets. Other names are not resolved to find out.
bool IsThisMachine(absl::string_view address);

// INVALID_ARGUMENT where the token has characters that metadata cannot carry (never showing it),
// FAILED_PRECONDITION where it would go to another machine in plain text.
absl::Status CheckToken(const ClientOptions& options, absl::string_view address);

}  // namespace clearance::client
