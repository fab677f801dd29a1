// SPDX-License-Identifier: Apache-2.0
#include "server/config/flags.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/config/flag_types.h"
#include "server/config/optional_parts.h"

namespace clearance::server {
namespace {

// What gRPC takes as the size of a message is an int; rows, slots and vertices are numbered with 32
// bits on the wire.
constexpr std::uint64_t kMostOfInt = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMostOf32Bits = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostOf64Bits = std::numeric_limits<std::int64_t>::max();

using MessageBytes = ByteCount<kMostOfInt>;
using HeldBytes = ByteCount<kMostOf64Bits>;
using WireCount = Count<1, kMostOf32Bits>;
using ThreadCount = Count<0, 1024>;
using Niceness = Count<0, 19>;
using PieceCount = Count<1, 65536>;
using PairCount = Count<1, 65536>;
using SampleCount = Count<0, kMostOf32Bits>;
using ConnectionCount = Count<1, 1'000'000>;
using SessionsOfOne = Count<0, kMostSessionsOfOne>;
using NamesOfOne = Count<0, kMostOf32Bits>;
using BytesOfOne = ByteCount<kMostOf64Bits, 0>;

constexpr Limits kDefaults;

}  // namespace
}  // namespace clearance::server

using clearance::server::BytesOfOne;
using clearance::server::ConnectionCount;
using clearance::server::CoreCount;
using clearance::server::GrpcAddress;
using clearance::server::HeldBytes;
using clearance::server::HttpAddress;
using clearance::server::kDefaults;
using clearance::server::LogFormat;
using clearance::server::LogLevel;
using clearance::server::MessageBytes;
using clearance::server::NamesOfOne;
using clearance::server::Niceness;
using clearance::server::PairCount;
using clearance::server::PieceCount;
using clearance::server::Reflection;
using clearance::server::SampleCount;
using clearance::server::ServerConfig;
using clearance::server::SessionsOfOne;
using clearance::server::StoreAddress;
using clearance::server::ThreadCount;
using clearance::server::WaitTime;
using clearance::server::WireCount;

ABSL_FLAG(GrpcAddress, listen, GrpcAddress{"127.0.0.1:50051"},
          "Address of gRPC: host:port or unix:path. Port 0 takes a free one.");
ABSL_FLAG(HttpAddress, http_listen, HttpAddress{"127.0.0.1:9464"},
          "Address of /metrics, /livez and /readyz over HTTP: host:port.");
ABSL_FLAG(
    std::string, page_dir, "",
    "Directory of the built page, which --http_listen then shows at /, read-only. Empty: no page.");
ABSL_FLAG(std::string, tls_certificate, "",
          "PEM file with the server's certificate, then those up to its CA: gRPC uses TLS only. "
          "This file and the next two are read again when they change. Empty: plain text.");
ABSL_FLAG(std::string, tls_key, "", "PEM file with the private key of --tls_certificate.");
ABSL_FLAG(std::string, tls_client_ca, "",
          "PEM file with the CAs of the certificates that clients must have: mutual TLS. Empty: "
          "clients need none.");
ABSL_FLAG(Reflection, reflection, Reflection::kAuto,
          "Answers which services there are (grpc.reflection): on, off, or auto: only on local "
          "addresses or with --tls_client_ca, and never with a --policy_file, because reflection "
          "does not authenticate.");
ABSL_FLAG(ConnectionCount, max_connections, ConnectionCount{ServerConfig().max_connections},
          "Connections open at once; lowered to what the limit of open files allows.");
ABSL_FLAG(ConnectionCount, max_connections_per_address,
          ConnectionCount{ServerConfig().max_connections_per_address},
          "Connections open at once from one address, or one /64 of IPv6. Behind a proxy all come "
          "from its address.");
ABSL_FLAG(WaitTime, ban_after_cut, WaitTime{ServerConfig().ban_after_cut},
          "Refuses new connections of an address, or a /64 of IPv6, for this long after one of its "
          "connections was cut for abuse. Each repetition soon after doubles it, up to 64 times. "
          "0: never, as is needed behind a proxy.");
ABSL_FLAG(ConnectionCount, max_streams_per_connection,
          ConnectionCount{ServerConfig().max_streams_per_connection},
          "Calls open at once on one connection; a client that exceeds it is cut off.");
ABSL_FLAG(ConnectionCount, max_streams, ConnectionCount{ServerConfig().max_streams},
          "Calls open at once on all connections. Above it the connection with most, of the "
          "address with most, is cut off.");
ABSL_FLAG(WaitTime, first_message_timeout, WaitTime{ServerConfig().first_message_timeout},
          "Ends a session with UNAVAILABLE that sends no message for this long after its start. 0: "
          "never.");
ABSL_FLAG(WaitTime, max_connection_idle, WaitTime{ServerConfig().max_connection_idle},
          "Closes a connection without calls after this time. 0: never.");
ABSL_FLAG(WaitTime, max_connection_age, WaitTime{ServerConfig().max_connection_age},
          "After this time a connection takes no new call, so that the next one may go to another "
          "server; its calls continue. 0: never.");
ABSL_FLAG(WaitTime, max_connection_age_grace, WaitTime{absl::ZeroDuration()},
          "Time after max_connection_age for which calls continue before they end with "
          "UNAVAILABLE. Sessions of our client libraries then continue elsewhere; tracks end. 0: "
          "until they end.");
ABSL_FLAG(ThreadCount, polling_threads, ThreadCount{0},
          "Threads that read and write messages, and parse and answer small ones. 0: one for four "
          "cores.");
ABSL_FLAG(ThreadCount, worker_threads, ThreadCount{0},
          "Threads that build hulls, compute large batches and parse messages above 128 KiB. 0: "
          "one per core.");
ABSL_FLAG(
    Niceness, worker_niceness, Niceness{10},
    "Niceness of worker threads, as in nice(1), so that small questions do not wait for large "
    "ones. 0: as the server; for machines on which other programs are busy outside a container.");
ABSL_FLAG(WaitTime, max_pending_work, WaitTime{ServerConfig().max_pending_work},
          "Processor time, estimated from rows and shapes, of all messages that wait for worker "
          "threads or are worked on. A message above it is refused alone, and one caller's above "
          "the share that all others leave free.");
ABSL_FLAG(HeldBytes, max_total_bytes_in_flight, HeldBytes{ServerConfig().max_total_bytes_in_flight},
          "Bytes of all calls: messages not yet answered, replies not yet taken. Above it sessions "
          "are not read and messages are refused; for one caller above the share that all others "
          "leave free.");
ABSL_FLAG(HeldBytes, max_total_session_bytes, HeldBytes{ServerConfig().max_total_session_bytes},
          "Bytes that all sessions hold between messages, beyond 64 KiB for each session: slots, "
          "inline shapes, query bodies, starts of warm rows. Above it opens and changes are "
          "refused; for one caller above the share that all others leave free.");
ABSL_FLAG(WaitTime, drain_delay, WaitTime{absl::ZeroDuration()},
          "After SIGTERM, time from \"not ready\" to the first refused call. Behind a balancer "
          "(Kubernetes, Compose) set the time that it needs to notice, such as 5s.");
ABSL_FLAG(WaitTime, drain_timeout, WaitTime{absl::Seconds(20)},
          "After drain_delay, time for calls to end before they are cancelled.");
ABSL_FLAG(WaitTime, liveness_patience, WaitTime{ServerConfig().liveness_patience},
          "/livez fails if an I/O loop has not responded for this long (worker threads: 10 times "
          "as long). 0: never.");
ABSL_FLAG(LogFormat, log_format, LogFormat::kHuman, "Form of the log on stderr: human or json.");
ABSL_FLAG(LogLevel, log_level, LogLevel::kInfo,
          "Lowest logged level: debug, info, warning or error.");
ABSL_FLAG(std::string, policy_file, "",
          "JSON with principals, their roles, prefixes of names and limits; read again when it "
          "changes. Empty: every client that reaches the port may do everything.");
ABSL_FLAG(std::string, token_file, "",
          "Lines `ID sha256:HEX` with the hashes of the principals' tokens (--new_token makes "
          "them); read again when it changes. Needs a policy_file.");
ABSL_FLAG(std::string, port_file, "",
          "Writes {\"grpc_port\":N,\"http_port\":N} to this file once the server is ready "
          "(atomically). Empty: no file.");

ABSL_FLAG(std::string, data_dir, "",
          "Directory that stores shapes and scenes of one server; created if missing. Empty: they "
          "live in memory and end with the process.");
ABSL_FLAG(
    StoreAddress, store, StoreAddress{},
    "Stores shapes and scenes without a ttl in etcd, shared with other servers, instead of "
    "--data_dir: etcd://host:port[,host:port...], members of one cluster (tested with 3.4.23).");
ABSL_FLAG(std::string, etcd_prefix, ServerConfig().etcd.prefix,
          "Prefix of all keys of --store: servers with the same prefix share one registry.");
ABSL_FLAG(std::string, etcd_ca, "",
          "PEM file with the CAs of etcd's members, for TLS. Empty: plain text.");
ABSL_FLAG(std::string, etcd_certificate, "",
          "PEM file with the server's certificate for etcd. Empty: none.");
ABSL_FLAG(std::string, etcd_key, "", "PEM file with the private key of --etcd_certificate.");
ABSL_FLAG(std::string, etcd_user, "", "User of etcd. Empty: none.");
ABSL_FLAG(std::string, etcd_password_file, "",
          "File with the password of --etcd_user, read again whenever etcd asks.");
ABSL_FLAG(
    WaitTime, store_patience, WaitTime{ServerConfig().etcd.patience},
    "Time for which changes, and questions about names, wait for --store before they are refused "
    "with UNAVAILABLE.");
ABSL_FLAG(bool, ready_without_store, ServerConfig().etcd.ready_without,
          "Keeps the server ready (/readyz, health) while --store does not answer. Digests, open "
          "sessions and scenes with a ttl do not need it.");

ABSL_FLAG(SampleCount, check_sample, SampleCount{ServerConfig().check_sample},
          "An independent checker proves one of so many answered rows again, and counts and logs "
          "wrong ones; not for scenes' nearest and overlap. 1: every row. 0: none.");

#define CLEARANCE_LIMIT_FLAG(kind, name, default_value, help) \
  ABSL_FLAG(kind, name, {kDefaults.name}, help);
CLEARANCE_SERVER_LIMITS(CLEARANCE_LIMIT_FLAG)
#undef CLEARANCE_LIMIT_FLAG

ABSL_FLAG(SessionsOfOne, principal_sessions, SessionsOfOne{0},
          "Default of the policy for sessions of one principal. 0: only max_sessions applies.");
ABSL_FLAG(CoreCount, principal_cores, CoreCount{0},
          "Default of the policy for processor time of one principal, seconds a second on average. "
          "0: no limit.");
ABSL_FLAG(NamesOfOne, principal_shapes, NamesOfOne{0},
          "Default of the policy for shapes that one principal owns. 0: only max_shapes applies.");
ABSL_FLAG(BytesOfOne, principal_registry_bytes, BytesOfOne{0},
          "Default of the policy for bytes of the shapes that one principal owns. 0: only "
          "max_registry_bytes applies.");
ABSL_FLAG(NamesOfOne, principal_scenes, NamesOfOne{0},
          "Default of the policy for scenes that one principal owns. 0: only max_scenes applies.");
ABSL_FLAG(BytesOfOne, principal_scene_bytes, BytesOfOne{0},
          "Default of the policy for bytes of the scenes that one principal owns, with revisions. "
          "0: only max_scene_bytes applies.");

namespace clearance::server {
namespace {

// Libraries may bring flags of their own; ours are the ones of this file. In the order of the
// names.
std::vector<const absl::CommandLineFlag*> OurFlags() {
  std::vector<const absl::CommandLineFlag*> flags;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (absl::EndsWith(flag->Filename(), "server/config/flags.cc")) flags.push_back(flag);
  }
  std::ranges::sort(flags, {}, &absl::CommandLineFlag::Name);
  return flags;
}

absl::Status ExceedsError(absl::string_view name, absl::string_view bound_name) {
  const auto value = [](absl::string_view flag_name) {
    return absl::FindCommandLineFlag(flag_name)->CurrentValue();
  };
  return absl::InvalidArgumentError(absl::StrCat("--", name, "=", value(name), ": must be at most ",
                                                 bound_name, ", which is ", value(bound_name)));
}

absl::Duration NeverIfZero(const WaitTime& wait) {
  return wait.value == absl::ZeroDuration() ? absl::InfiniteDuration() : wait.value;
}

std::uint64_t NoLimitIfZero(std::uint64_t value) { return value == 0 ? kNoLimit : value; }

HoldingLimits HoldingLimitsFromFlags() {
  return {
      .shapes = NoLimitIfZero(absl::GetFlag(FLAGS_principal_shapes).value),
      .registry_bytes = NoLimitIfZero(absl::GetFlag(FLAGS_principal_registry_bytes).value),
      .scenes = NoLimitIfZero(absl::GetFlag(FLAGS_principal_scenes).value),
      .scene_bytes = NoLimitIfZero(absl::GetFlag(FLAGS_principal_scene_bytes).value),
  };
}

PrincipalLimits PrincipalLimitsFromFlags() {
  PrincipalLimits limits = {.sessions = {}, .cores = {}, .holding = HoldingLimitsFromFlags()};
  const std::uint64_t sessions = absl::GetFlag(FLAGS_principal_sessions).value;
  if (sessions > 0) limits.sessions = sessions;
  const double cores = absl::GetFlag(FLAGS_principal_cores).value;
  if (cores > 0) limits.cores = cores;
  return limits;
}

absl::Status CheckTogether(const TlsFiles& tls) {
  if (tls.certificate.empty() != tls.key.empty()) {
    return absl::InvalidArgumentError("--tls_certificate and --tls_key: must be given together");
  }
  if (tls.certificate.empty() && !tls.client_ca.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--tls_client_ca=", tls.client_ca, ": must come with --tls_certificate"));
  }
  return absl::OkStatus();
}

absl::Status CheckAccess(const TlsFiles& tls) {
  if (!absl::GetFlag(FLAGS_token_file).empty() && absl::GetFlag(FLAGS_policy_file).empty()) {
    return absl::InvalidArgumentError(
        "--token_file needs a --policy_file: a token alone says who somebody is, not what they may "
        "do");
  }
  // Its questions come over plain HTTP, and no certificate with them.
  if (!absl::GetFlag(FLAGS_page_dir).empty() && !tls.client_ca.empty() &&
      absl::GetFlag(FLAGS_policy_file).empty()) {
    return absl::InvalidArgumentError(
        "--page_dir lets in who has no certificate of --tls_client_ca; it needs a --policy_file");
  }
  return absl::OkStatus();
}

EtcdConfig EtcdFromFlags() {
  return {
      .endpoints = absl::GetFlag(FLAGS_store).endpoints,
      .prefix = absl::GetFlag(FLAGS_etcd_prefix),
      .ca = absl::GetFlag(FLAGS_etcd_ca),
      .certificate = absl::GetFlag(FLAGS_etcd_certificate),
      .key = absl::GetFlag(FLAGS_etcd_key),
      .user = absl::GetFlag(FLAGS_etcd_user),
      .password_file = absl::GetFlag(FLAGS_etcd_password_file),
      .patience = absl::GetFlag(FLAGS_store_patience).value,
      .ready_without = absl::GetFlag(FLAGS_ready_without_store),
  };
}

absl::Status CheckStore(const EtcdConfig& etcd) {
  const auto wrong = [](const char* what) { return absl::InvalidArgumentError(what); };
  if (etcd.prefix.empty() || etcd.prefix.back() == '/')
    return wrong("--etcd_prefix: must be given, without a / at its end");
  if (etcd.certificate.empty() != etcd.key.empty())
    return wrong("--etcd_certificate and --etcd_key: must be given together");
  if (etcd.user.empty() != etcd.password_file.empty())
    return wrong("--etcd_user and --etcd_password_file: must be given together");
  if (etcd.ca.empty() && !etcd.certificate.empty())
    return wrong("--etcd_certificate: must come with --etcd_ca");
  const bool has_access = !etcd.ca.empty() || !etcd.user.empty();
  if (etcd.endpoints.empty() && has_access)
    return wrong("--etcd_ca and --etcd_user: must come with --store=etcd://...");
  if (!etcd.endpoints.empty() && !absl::GetFlag(FLAGS_data_dir).empty())
    return wrong("--store and --data_dir: shapes are stored in one place; choose one");
  return absl::OkStatus();
}

Limits LimitsFromFlags() {
  Limits limits;
#define CLEARANCE_LIMIT_FROM_FLAG(kind, name, default_value, help) \
  limits.name = absl::GetFlag(FLAGS_##name).value;
  CLEARANCE_SERVER_LIMITS(CLEARANCE_LIMIT_FROM_FLAG)
#undef CLEARANCE_LIMIT_FROM_FLAG
  return limits;
}

}  // namespace

absl::Status SetFlagByName(absl::string_view name, absl::string_view value) {
  for (const absl::CommandLineFlag* const flag : OurFlags()) {
    if (flag->Name() != name) continue;
    std::string error;
    if (absl::FindCommandLineFlag(name)->ParseFrom(value, &error)) return absl::OkStatus();
    return absl::InvalidArgumentError(error);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("Unknown flag '", name, "' (value '", value, "'); --help lists all"));
}

absl::StatusOr<ServerConfig> ConfigFromFlags() {
  if (absl::Status status = RefuseFlagsOfAbsentParts(); !status.ok()) return status;
  const Limits limits = LimitsFromFlags();
  if (limits.max_request_bytes > limits.max_transport_bytes) {
    return ExceedsError("max_request_bytes", "max_transport_bytes");
  }
  if (limits.max_request_bytes > limits.max_bytes_in_flight) {
    return ExceedsError("max_request_bytes", "max_bytes_in_flight");
  }
  constexpr std::uint64_t kMostMessages = 2;
  if (limits.max_messages_in_flight > kMostMessages) {
    return absl::InvalidArgumentError(
        absl::StrCat("--max_messages_in_flight=", limits.max_messages_in_flight,
                     ": must be 1 or 2; a session reads at most one message ahead"));
  }
  const TlsFiles tls = {.certificate = absl::GetFlag(FLAGS_tls_certificate),
                        .key = absl::GetFlag(FLAGS_tls_key),
                        .client_ca = absl::GetFlag(FLAGS_tls_client_ca)};
  if (absl::Status status = CheckTogether(tls); !status.ok()) return status;
  const EtcdConfig etcd = EtcdFromFlags();
  if (absl::Status status = CheckStore(etcd); !status.ok()) return status;
  if (absl::Status status = CheckAccess(tls); !status.ok()) return status;
  return ServerConfig{
      .listen = absl::GetFlag(FLAGS_listen).value,
      .http_listen = absl::GetFlag(FLAGS_http_listen).value,
      .page_dir = absl::GetFlag(FLAGS_page_dir),
      .tls = tls,
      .reflection = absl::GetFlag(FLAGS_reflection),
      .max_connections = absl::GetFlag(FLAGS_max_connections).value,
      .max_connections_per_address = absl::GetFlag(FLAGS_max_connections_per_address).value,
      .ban_after_cut = absl::GetFlag(FLAGS_ban_after_cut).value,
      .max_streams_per_connection = absl::GetFlag(FLAGS_max_streams_per_connection).value,
      .max_streams = absl::GetFlag(FLAGS_max_streams).value,
      .first_message_timeout = NeverIfZero(absl::GetFlag(FLAGS_first_message_timeout)),
      .max_connection_idle = NeverIfZero(absl::GetFlag(FLAGS_max_connection_idle)),
      .max_connection_age = NeverIfZero(absl::GetFlag(FLAGS_max_connection_age)),
      .max_connection_age_grace = NeverIfZero(absl::GetFlag(FLAGS_max_connection_age_grace)),
      .polling_threads = static_cast<int>(absl::GetFlag(FLAGS_polling_threads).value),
      .worker_threads = static_cast<int>(absl::GetFlag(FLAGS_worker_threads).value),
      .worker_niceness = static_cast<int>(absl::GetFlag(FLAGS_worker_niceness).value),
      .max_pending_work = absl::GetFlag(FLAGS_max_pending_work).value,
      .max_total_bytes_in_flight = absl::GetFlag(FLAGS_max_total_bytes_in_flight).value,
      .max_total_session_bytes = absl::GetFlag(FLAGS_max_total_session_bytes).value,
      .drain_delay = absl::GetFlag(FLAGS_drain_delay).value,
      .drain_timeout = absl::GetFlag(FLAGS_drain_timeout).value,
      .liveness_patience = NeverIfZero(absl::GetFlag(FLAGS_liveness_patience)),
      .log_format = absl::GetFlag(FLAGS_log_format),
      .log_level = absl::GetFlag(FLAGS_log_level),
      .policy_file = absl::GetFlag(FLAGS_policy_file),
      .token_file = absl::GetFlag(FLAGS_token_file),
      .port_file = absl::GetFlag(FLAGS_port_file),
      .data_dir = absl::GetFlag(FLAGS_data_dir),
      .etcd = etcd,
      .check_sample = absl::GetFlag(FLAGS_check_sample).value,
      .limits = limits,
      .principal = PrincipalLimitsFromFlags(),
  };
}

std::vector<std::pair<std::string, std::string>> FlagValues() {
  std::vector<std::pair<std::string, std::string>> values;
  for (const absl::CommandLineFlag* const flag : OurFlags()) {
    values.emplace_back(flag->Name(), flag->CurrentValue());
  }
  return values;
}

std::string DescribeFlags() {
  std::string text;
  for (const absl::CommandLineFlag* const flag : OurFlags()) {
    absl::StrAppend(&text, "  --", flag->Name(), "=", flag->DefaultValue(), "\n      ",
                    flag->Help(), "\n");
  }
  return text;
}

}  // namespace clearance::server
