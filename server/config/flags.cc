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
using PieceCount = Count<1, 65536>;
using SampleCount = Count<0, kMostOf32Bits>;

constexpr Limits kDefaults;

}  // namespace
}  // namespace clearance::server

using clearance::server::GrpcAddress;
using clearance::server::HeldBytes;
using clearance::server::HttpAddress;
using clearance::server::kDefaults;
using clearance::server::LogFormat;
using clearance::server::LogLevel;
using clearance::server::MessageBytes;
using clearance::server::PieceCount;
using clearance::server::SampleCount;
using clearance::server::ServerConfig;
using clearance::server::ThreadCount;
using clearance::server::WaitTime;
using clearance::server::WireCount;

ABSL_FLAG(GrpcAddress, listen, GrpcAddress{"127.0.0.1:50051"},
          "Where gRPC is served: host:port or unix:path. Port 0 takes a free one.");
ABSL_FLAG(HttpAddress, http_listen, HttpAddress{"127.0.0.1:9464"},
          "Where /metrics, /livez and /readyz are served over HTTP: host:port.");
ABSL_FLAG(ThreadCount, polling_threads, ThreadCount{0},
          "Threads that serve the completion queues. 0: one per core.");
ABSL_FLAG(ThreadCount, worker_threads, ThreadCount{0},
          "Threads that build hulls and compute large batches. 0: one per core.");
ABSL_FLAG(WaitTime, drain_delay, WaitTime{absl::ZeroDuration()},
          "After SIGTERM, time from saying \"not ready\" to refusing calls. Behind a balancer "
          "(Kubernetes, "
          "Compose) set what it takes to notice, such as 5s; alone nobody has to notice.");
ABSL_FLAG(
    WaitTime, drain_timeout, WaitTime{absl::Seconds(20)},
    "After drain_delay, time that calls have to end by themselves before they are cancelled.");
ABSL_FLAG(LogFormat, log_format, LogFormat::kHuman, "Form of the log on stderr: human or json.");
ABSL_FLAG(LogLevel, log_level, LogLevel::kInfo,
          "Lowest level that is logged: debug, info, warning or error.");
ABSL_FLAG(std::string, port_file, "",
          "Once ready, write {\"grpc_port\":N,\"http_port\":N} to this file (atomically). Empty: "
          "no file.");

ABSL_FLAG(SampleCount, check_sample, SampleCount{ServerConfig().check_sample},
          "One answered row in so many is proved anew by an independent checker, which counts and "
          "logs what it finds wrong. 1: every row. 0: none.");

ABSL_FLAG(MessageBytes, max_request_bytes, MessageBytes{kDefaults.max_request_bytes},
          "Bytes of one request message; a larger one is refused by itself.");
ABSL_FLAG(MessageBytes, max_transport_bytes, MessageBytes{kDefaults.max_transport_bytes},
          "Bytes of one message as the transport takes it; a larger one ends the stream.");
ABSL_FLAG(MessageBytes, max_reply_bytes, MessageBytes{kDefaults.max_reply_bytes},
          "Bytes of one reply message, whatever the client accepts.");
ABSL_FLAG(WireCount, max_batch_rows, WireCount{kDefaults.max_batch_rows}, "Rows of one batch.");
ABSL_FLAG(WireCount, max_batch_shapes, WireCount{kDefaults.max_batch_shapes},
          "Items of one BatchRegisterShapes.");
ABSL_FLAG(WireCount, max_shape_vertices, WireCount{kDefaults.max_shape_vertices},
          "Points of one shape.");
ABSL_FLAG(WireCount, max_shapes, WireCount{kDefaults.max_shapes}, "Shapes in the registry.");
ABSL_FLAG(HeldBytes, max_registry_bytes, HeldBytes{kDefaults.max_registry_bytes},
          "Bytes of all shapes in the registry together.");
ABSL_FLAG(WireCount, max_slots_per_session, WireCount{kDefaults.max_slots_per_session},
          "Slots of one session, and shapes of one unary call.");
ABSL_FLAG(WireCount, max_sessions, WireCount{kDefaults.max_sessions},
          "Sessions of the whole server.");
ABSL_FLAG(WireCount, max_messages_in_flight, WireCount{kDefaults.max_messages_in_flight},
          "Messages of one session read and not yet answered: 2 reads one ahead, 1 none.");
ABSL_FLAG(HeldBytes, max_bytes_in_flight, HeldBytes{kDefaults.max_bytes_in_flight},
          "Bytes of one session read and not yet answered.");
ABSL_FLAG(HeldBytes, max_session_shape_bytes, HeldBytes{kDefaults.max_session_shape_bytes},
          "Bytes of all inline shapes that one session holds.");
ABSL_FLAG(PieceCount, max_pieces_per_shape, PieceCount{kDefaults.max_pieces_per_shape},
          "Pieces of one compound.");

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
  return absl::InvalidArgumentError(absl::StrCat("--", name, "=", value(name),
                                                 ": has to be at most ", bound_name, ", which is ",
                                                 value(bound_name)));
}

Limits LimitsFromFlags() {
  return {
      .max_request_bytes = absl::GetFlag(FLAGS_max_request_bytes).value,
      .max_transport_bytes = absl::GetFlag(FLAGS_max_transport_bytes).value,
      .max_reply_bytes = absl::GetFlag(FLAGS_max_reply_bytes).value,
      .max_batch_rows = absl::GetFlag(FLAGS_max_batch_rows).value,
      .max_batch_shapes = absl::GetFlag(FLAGS_max_batch_shapes).value,
      .max_shape_vertices = absl::GetFlag(FLAGS_max_shape_vertices).value,
      .max_shapes = absl::GetFlag(FLAGS_max_shapes).value,
      .max_registry_bytes = absl::GetFlag(FLAGS_max_registry_bytes).value,
      .max_slots_per_session = absl::GetFlag(FLAGS_max_slots_per_session).value,
      .max_sessions = absl::GetFlag(FLAGS_max_sessions).value,
      .max_messages_in_flight = absl::GetFlag(FLAGS_max_messages_in_flight).value,
      .max_bytes_in_flight = absl::GetFlag(FLAGS_max_bytes_in_flight).value,
      .max_session_shape_bytes = absl::GetFlag(FLAGS_max_session_shape_bytes).value,
      .max_pieces_per_shape = absl::GetFlag(FLAGS_max_pieces_per_shape).value,
  };
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
                     ": has to be 1 or 2; a session reads at most one message ahead"));
  }
  return ServerConfig{
      .listen = absl::GetFlag(FLAGS_listen).value,
      .http_listen = absl::GetFlag(FLAGS_http_listen).value,
      .polling_threads = static_cast<int>(absl::GetFlag(FLAGS_polling_threads).value),
      .worker_threads = static_cast<int>(absl::GetFlag(FLAGS_worker_threads).value),
      .drain_delay = absl::GetFlag(FLAGS_drain_delay).value,
      .drain_timeout = absl::GetFlag(FLAGS_drain_timeout).value,
      .log_format = absl::GetFlag(FLAGS_log_format),
      .log_level = absl::GetFlag(FLAGS_log_level),
      .port_file = absl::GetFlag(FLAGS_port_file),
      .check_sample = absl::GetFlag(FLAGS_check_sample).value,
      .limits = limits,
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
