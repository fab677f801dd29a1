// SPDX-License-Identifier: Apache-2.0
//
// Everything an operator can set. ParseArguments returns a validated one.

#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/config/limits.h"
#include "server/config/setting_types.h"

namespace clearance::server {

// PEM files. Without a certificate the server speaks plain text.
struct TlsFiles {
  std::string certificate;  // the server's own, then those up to its CA
  std::string key;          // of the certificate; given if it is
  std::string client_ca;    // whose certificates clients need; empty: they need none
};

// The etcd that servers share a registry in.
struct EtcdConfig {
  std::vector<std::string> endpoints = {};     // host:port of its members; empty: there is none
  std::string prefix = "clearance";            // of all keys
  std::string ca = {};                         // PEM file; empty: plain text
  std::string certificate = {};                // PEM file of the client's own; empty: none
  std::string key = {};                        // of the certificate; given if it is
  std::string user = {};                       // empty: nobody asks
  std::string password_file = {};              // of the user; given if that is
  absl::Duration patience = absl::Seconds(3);  // of who waits for it
  bool ready_without = true;  // the server says that it is ready while etcd does not answer
};

// The table says what each field is for. "Never" is an infinite time.
struct ServerConfig {
#define SETTING(kind, name, default_value, uses, help, ...) \
  setting_types::kind::Value name = default_value;
#include "server/config/settings.def"
  TlsFiles tls;
  EtcdConfig etcd;
  Limits limits;
  PrincipalLimits principal;  // what the policy leaves out of the limits of one
};

}  // namespace clearance::server
