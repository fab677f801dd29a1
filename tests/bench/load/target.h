// SPDX-License-Identifier: Apache-2.0
//
// A server under load, and its cost of a query: processor time is read from outside. The first pass
// of every batch size is compared with the right answers, and every later reply must be the same
// bytes.

#pragma once

#include <sys/types.h>
#include <time.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "clearance/v1/query_service.pb.h"
#include "tests/bench/load/questions.h"
#include "tests/bench/load/session_client.h"
#include "tests/bench/report.h"
#include "tests/integration/process/server_process.h"

namespace clearance::bench {

inline constexpr const char* kCpu = "server_cpu_ns_per_query";
inline constexpr const char* kRate = "queries_per_second";
inline constexpr const char* kMiddle = "round_trip_p50_us";
inline constexpr const char* kTail = "round_trip_p99_us";

// Thrown, not exit(): servers are children, and end with the objects that started them.
[[noreturn]] void Fail(const std::string& what);

// Runs a benchmark. An exception is reported, and ends it with 1.
int RunBench(const char* name, absl::FunctionRef<int()> bench);

// Writes the report, unless `file` is empty.
void WriteCsv(const Report& report, const std::string& file);

double Nanoseconds(clockid_t clock);

// clearance-server, started and ready.
class BenchServer {
 public:
  explicit BenchServer(const std::vector<std::string>& flags = {});

  pid_t pid() { return server_.process().pid(); }
  std::string address() const { return server_.grpc_address(); }
  // Ends the server as an orchestrator does. Sessions must be over.
  void End();

 private:
  test::ServerProcess server_;
};

class Target {
 public:
  // Returns "" if the rows from `first_row` on have the answers of `result`, else the difference.
  using FaultFinder = std::string (*)(const LoadQuestions&, std::size_t first_row,
                                      const v1::DistanceBatchResult&);

  Target(std::string name, pid_t pid, const std::string& address, FaultFinder find_fault);

  void OpenAll(const Pool& pool);

  // Compares every answer with the right one, and keeps its bytes.
  void FirstPass(const LoadQuestions& questions, const std::vector<v1::SessionRequest>& messages,
                 int batch);

  // Sends all messages once more. Returns how many there were.
  std::size_t Pass(const std::vector<v1::SessionRequest>& messages, int batch);

  // Half a second of messages of so many rows, to kCpu and kRate of Row(batch).
  void Measure(const std::vector<v1::SessionRequest>& messages, int batch, Report* report);

  // Messages of so many rows, one at a time, to kMiddle and kTail of Row(batch).
  void MeasureRoundTrips(const std::vector<v1::SessionRequest>& messages, Report* report,
                         int batch = 1);

  std::string Row(int batch) const;

 private:
  struct SameBytes {
    const std::vector<std::string>& kept;
    bool operator()(std::size_t i, const v1::SessionResponse& reply) const {
      return reply.SerializeAsString() == kept[i];
    }
  };
  SameBytes SameAsFirst(int batch) { return {replies_[batch]}; }

  const std::string name_;
  const pid_t pid_;
  SessionClient client_;
  const FaultFinder find_fault_;
  std::map<int, std::vector<std::string>> replies_;  // by batch size
};

}  // namespace clearance::bench
