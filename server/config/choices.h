// SPDX-License-Identifier: Apache-2.0
//
// Settings with a few named values.

#pragma once

namespace clearance::server {

// Whether callers may ask which services and messages there are. Each who asks holds a thread.
enum class Reflection { kAuto, kOn, kOff };

// AUDIT is for what must be in the log whatever its level is.
enum class LogLevel { kDebug, kInfo, kWarning, kError, kAudit };
enum class LogFormat { kHuman, kJson };

}  // namespace clearance::server
