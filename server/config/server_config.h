// SPDX-License-Identifier: Apache-2.0
//
// Everything an operator can set, validated: a ServerConfig that came from LoadConfig can be run.

#ifndef CLEARANCE_SERVER_CONFIG_SERVER_CONFIG_H_
#define CLEARANCE_SERVER_CONFIG_SERVER_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/config/holding_limits.h"
#include "server/config/limits.h"
#include "server/observe/log.h"

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

// Whether callers may ask which services and messages there are. Each who asks holds a thread.
enum class Reflection { kAuto, kOn, kOff };

struct ServerConfig {
  std::string listen;       // gRPC: host:port or unix:path; port 0 takes a free one
  std::string http_listen;  // /metrics, /livez, /readyz: host:port
  std::string page_dir;     // the built files of client/page; empty: no page is shown
  TlsFiles tls;
  Reflection reflection = Reflection::kAuto;
  std::uint64_t max_connections = 4096;                     // in all
  std::uint64_t max_connections_per_address = 256;          // of one address, or of one IPv6 /64
  absl::Duration ban_after_cut = absl::Seconds(10);         // of its address; 0: none
  std::uint64_t max_streams_per_connection = 1024;          // calls on one
  std::uint64_t max_streams = 65'536;                       // calls on all together
  absl::Duration first_message_timeout = absl::Minutes(1);  // of a session; may be infinite
  absl::Duration max_connection_idle = absl::Minutes(5);    // without a call; may be infinite
  absl::Duration max_connection_age = absl::Minutes(30);    // calls after it go elsewhere; likewise
  absl::Duration max_connection_age_grace = absl::InfiniteDuration();  // then its calls end too
  int polling_threads = 0;   // of the completion queues; 0: one for four cores
  int worker_threads = 0;    // for hulls and storage; 0: one per core
  int worker_niceness = 10;  // to the threads that read and write, and to other programs
  absl::Duration max_pending_work = absl::Minutes(2);     // of messages at workers, as estimated
  std::uint64_t max_total_bytes_in_flight = kGibibyte;    // messages and replies of all calls
  std::uint64_t max_total_session_bytes = 2 * kGibibyte;  // what all sessions hold between them
  absl::Duration drain_delay;    // from "not ready" to the first refused call
  absl::Duration drain_timeout;  // from there until what still runs is cancelled
  absl::Duration liveness_patience = absl::Seconds(30);  // with a loop that is silent; may be inf.
  LogFormat log_format = LogFormat::kHuman;
  LogLevel log_level = LogLevel::kInfo;
  std::string policy_file;  // who may do what; empty: everybody everything
  std::string token_file;   // hashes of the tokens; empty: nobody comes in by a token
  std::string port_file;    // gets the bound ports once the server is ready; empty: none
  std::string data_dir;     // where shapes are stored; empty: in memory alone
  EtcdConfig etcd;          // or where they are stored and shared
  std::uint64_t check_sample = 10'000;  // one answer in so many is checked; 0: none
  Limits limits;
  PrincipalLimits principal;  // what the policy leaves out of the limits of one
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONFIG_SERVER_CONFIG_H_
