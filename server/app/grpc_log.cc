// SPDX-License-Identifier: Apache-2.0
#include "server/app/grpc_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace clearance::server {
namespace {

constexpr std::uint64_t kRecordsAnHour = 100;

// gRPC takes a plain function, so what it needs is of the process.
struct Target {
  std::mutex mutex;  // guards the log, which is null outside of a GrpcLog's life
  Log* log = nullptr;
  LogAllowance allowance{kRecordsAnHour};
};

// Never destroyed: threads of gRPC may outlive main.
Target& TheTarget() {
  static Target& target = *new Target;
  return target;
}

void Write(const char* whose, const std::string& text) {
  Target& target = TheTarget();
  const std::lock_guard lock(target.mutex);
  if (target.log == nullptr) return;
  const std::optional<std::uint64_t> held_back = target.allowance.Take();
  if (!held_back.has_value()) return;
  target.log->Warning(whose, {{"text", text}, {"held_back", *held_back}});
}

void SetLog(Log* log) {
  const std::lock_guard lock(TheTarget().mutex);
  TheTarget().log = log;
}

}  // namespace

GrpcLog::GrpcLog(Log* log) {
  SetLog(log);
  gpr_set_log_function([](gpr_log_func_args* record) {
    if (record->severity == GPR_LOG_SEVERITY_ERROR) Write("gRPC reports", record->message);
  });
  namespace protobuf = google::protobuf;
  protobuf::SetLogHandler(
      [](protobuf::LogLevel level, const char* /*file*/, int /*line*/, const std::string& message) {
        if (level >= protobuf::LOGLEVEL_ERROR) Write("Protobuf reports", message);
      });
}

GrpcLog::~GrpcLog() {
  google::protobuf::SetLogHandler(nullptr);
  gpr_set_log_function(nullptr);
  SetLog(nullptr);
}

}  // namespace clearance::server
