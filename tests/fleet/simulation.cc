// SPDX-License-Identifier: Apache-2.0
//
// Thousands of clients, each with a session of its own, of fleets of one, two and four servers,
// which are processes of the real program: whether processor time, memory, sessions and the load of
// etcd grow as docker/scale.md reckons. Every answer is held against the core's, bit for bit. The
// constants of the model are taken from the smallest crowd in the same run, so that it is the model
// that is judged and not the machine. Each server has one message at a time, so that all are
// equally busy: then a message costs what it costs at most, as what wakes up for it sleeps again
// after it.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "tests/bench/load/questions.h"
#include "tests/fleet/crowd.h"
#include "tests/fleet/replicas.h"
#include "tests/support/optional_program.h"
#include "tests/support/skip.h"

ABSL_FLAG(double, share, 1, "Of the clients and of the messages.");
ABSL_FLAG(int, turns, 7, "Measurements of each cost, of which the middle one counts.");
ABSL_FLAG(double, most_ratio, 1.75,
          "Between what is measured and what the model says, either way.");

namespace clearance::fleet {
namespace {

constexpr std::size_t kShapes = 8;
constexpr int kRowsOfAll = 4096;
constexpr std::array<int, 4> kRowsOfMessage = {1, 16, 64, 256};
constexpr std::size_t kLeastRows = 0;  // of kRowsOfMessage: the constants are taken from these two
constexpr std::size_t kMoreRows = 2;
constexpr std::size_t kClientsOfChannel = 50;
constexpr std::size_t kInFlightOfServer = 16;
constexpr double kMessagesOfOneRow = 20'000;  // fewer of the larger ones
// What etcd sends each replica of one registration: docker/scale.py. Counted, not timed, so it is
// the same on every machine.
constexpr double kBytesOfEvent = 5.85e3;
constexpr double kMostOfCounted = 1.25;
// A server looks after its etcd every few seconds, whatever it is asked.
constexpr double kMostReads = 0.01;  // a message

struct Size {
  std::size_t servers;
  std::size_t clients;
};
// The constants are those of the first.
constexpr std::array<Size, 4> kSizes = {{{1, 200}, {1, 5000}, {2, 2000}, {4, 2000}}};

std::size_t ShareOf(double number) {
  return static_cast<std::size_t>(std::ceil(number * absl::GetFlag(FLAGS_share)));
}

struct Questions {
  bench::LoadQuestions load;
  std::vector<v1::Shape> shapes;
  std::vector<v1::SessionRequest> opens;                  // by name
  std::vector<std::vector<v1::SessionRequest>> messages;  // for each of kRowsOfMessage
};

Questions MakeQuestions() {
  Questions made;
  made.load = bench::MakeQuestions(bench::kSizes[2], bench::Regime::kNear, kShapes, kRowsOfAll);
  for (std::size_t i = 0; i < kShapes; ++i) {
    v1::SessionRequest open = bench::MakeOpen(made.load.pool, i);
    v1::ShapeReference* const shape = open.mutable_open()->mutable_shape();
    made.shapes.push_back(shape->inline_shape());
    shape->set_name(absl::StrCat("shape-", i));
    made.opens.push_back(open);
  }
  for (const int rows : kRowsOfMessage) made.messages.push_back(MakeMessages(made.load, rows));
  return made;
}

// One fleet with its clients, and what was measured of it.
class World {
 public:
  World(const Size& size, const Questions* questions);

  // What messages of kRowsOfMessage[k] rows cost.
  void Measure(std::size_t k);
  // What one of them takes of all processors, the middle of all measurements, microseconds.
  double CostOf(std::size_t k) const;

  void End() { crowd_->End(); }

  const Size size;
  double etcd_bytes = 0;       // that etcd sent for the registration of all shapes
  double bytes_a_session = 0;  // resident, of a server
  double most_sessions = 0;    // of a server, in shares of what each would have were they even
  double messages = 0;         // measured so far
  double etcd_reads = 0;       // while they were

 private:
  // Messages of kRowsOfMessage[k] rows.
  void Ask(std::size_t k, std::size_t count);

  const Questions* const questions_;
  Replicas replicas_;
  std::unique_ptr<Crowd> crowd_;
  std::array<std::vector<double>, kRowsOfMessage.size()> costs_;
};

World::World(const Size& of, const Questions* questions)
    : size{of.servers, ShareOf(static_cast<double>(of.clients))},
      questions_(questions),
      replicas_(of.servers) {
  const double sent = replicas_.BytesSentByEtcd();
  replicas_.Register(questions->shapes);
  etcd_bytes = replicas_.BytesSentByEtcd() - sent;
  const double resident = replicas_.ResidentBytes();
  crowd_ = std::make_unique<Crowd>(Crowd::Setup{
      .servers = replicas_.addresses(),
      .clients = size.clients,
      .channels = (size.clients + kClientsOfChannel - 1) / kClientsOfChannel,
      .in_flight = kInFlightOfServer * size.servers,
      .opens = questions->opens,
  });
  const double clients = static_cast<double>(size.clients);
  bytes_a_session = (replicas_.ResidentBytes() - resident) / clients;
  const std::vector<double> sessions = replicas_.SessionsOfEach();
  most_sessions = *std::ranges::max_element(sessions) * static_cast<double>(size.servers) / clients;
  Ask(kLeastRows, size.clients);  // so that nothing is measured that is done once
}

void World::Ask(std::size_t k, std::size_t count) {
  const auto rows = static_cast<std::size_t>(kRowsOfMessage[k]);
  const auto is_right = [&](std::size_t i, const v1::SessionResponse& reply) {
    return reply.has_distance() && FindFault(questions_->load, i * rows, reply.distance()).empty();
  };
  crowd_->Ask(questions_->messages[k], count, is_right);
}

void World::Measure(std::size_t k) {
  const std::size_t count = ShareOf(kMessagesOfOneRow / std::sqrt(kRowsOfMessage[k]));
  const double reads = replicas_.ReadsOfEtcd();
  const double seconds = replicas_.ProcessorSeconds();
  Ask(k, count);
  costs_[k].push_back((replicas_.ProcessorSeconds() - seconds) / static_cast<double>(count) * 1e6);
  messages += static_cast<double>(count);
  etcd_reads += replicas_.ReadsOfEtcd() - reads;
}

double World::CostOf(std::size_t k) const {
  std::vector<double> costs = costs_[k];
  std::ranges::sort(costs);
  return costs[costs.size() / 2];
}

// Whether the two are as near as they must be.
bool IsAsReckoned(double measured, double reckoned, double most) {
  const double ratio = measured / reckoned;
  return ratio <= most && ratio >= 1 / most;
}

// Servers that share processors share caches too: what they cost is told, and no proof against the
// model.
bool HasProcessorEach(const World& world) {
  return world.size.servers <= std::thread::hardware_concurrency();
}

// processor time = messages × (message + rows × row)
bool ReportCosts(const std::deque<World>& worlds) {
  const double least = worlds.front().CostOf(kLeastRows);
  const double more = worlds.front().CostOf(kMoreRows);
  const double row = (more - least) / (kRowsOfMessage[kMoreRows] - kRowsOfMessage[kLeastRows]);
  const double message = least - kRowsOfMessage[kLeastRows] * row;
  std::printf("a message takes %.2f us and each of its rows %.3f us\n", message, row);
  std::printf("%8s %8s %6s %12s %12s %7s\n", "servers", "clients", "rows", "us/message", "reckoned",
              "ratio");
  bool is_well = true;
  for (const World& world : worlds) {
    for (std::size_t k = 0; k < kRowsOfMessage.size(); ++k) {
      const double reckoned = message + kRowsOfMessage[k] * row;
      const double measured = world.CostOf(k);
      const bool is_judged = HasProcessorEach(world);
      std::printf("%8zu %8zu %6d %12.2f %12.2f %7.3f%s\n", world.size.servers, world.size.clients,
                  kRowsOfMessage[k], measured, reckoned, measured / reckoned,
                  is_judged ? "" : "  (more servers than processors: not judged)");
      is_well = is_well &&
                (!is_judged || IsAsReckoned(measured, reckoned, absl::GetFlag(FLAGS_most_ratio)));
    }
  }
  return is_well;
}

// Bytes of a session, the share of the fullest server, reads of etcd for queries.
bool ReportSessions(const std::deque<World>& worlds) {
  std::printf("%8s %8s %14s %16s %10s %14s\n", "servers", "clients", "kB a session",
              "fullest server", "messages", "reads of etcd");
  bool is_well = true;
  for (const World& world : worlds) {
    std::printf("%8zu %8zu %14.1f %16.3f %10.0f %14.0f\n", world.size.servers, world.size.clients,
                world.bytes_a_session / 1e3, world.most_sessions, world.messages, world.etcd_reads);
    is_well = is_well && world.most_sessions <= absl::GetFlag(FLAGS_most_ratio) &&
              world.etcd_reads <= kMostReads * world.messages;
  }
  return is_well;
}

// What etcd sends for a registration is as much for every replica more.
bool ReportRegistrations(const std::deque<World>& worlds) {
  std::printf("%8s %24s %12s %7s\n", "servers", "etcd's bytes/shape", "reckoned", "ratio");
  bool is_well = true;
  for (const World& world : worlds) {
    const double measured = world.etcd_bytes / kShapes;
    const double reckoned = kBytesOfEvent * static_cast<double>(world.size.servers);
    std::printf("%8zu %24.0f %12.0f %7.3f\n", world.size.servers, measured, reckoned,
                measured / reckoned);
    is_well = is_well && IsAsReckoned(measured, reckoned, kMostOfCounted);
  }
  return is_well;
}

int Run() {
  const std::string missing = test::MissingReason({"etcd", "etcdctl"});
  if (!missing.empty()) return test::Skip(missing);
  const Questions questions = MakeQuestions();
  std::deque<World> worlds;
  for (const Size& size : kSizes) worlds.emplace_back(size, &questions);
  // They take turns, so that what else runs on the machine is in all of them.
  for (int turn = 0; turn < absl::GetFlag(FLAGS_turns); ++turn) {
    for (std::size_t k = 0; k < kRowsOfMessage.size(); ++k) {
      for (World& world : worlds) world.Measure(k);
    }
  }
  bool is_well = ReportCosts(worlds);
  is_well = ReportSessions(worlds) && is_well;
  is_well = ReportRegistrations(worlds) && is_well;
  for (World& world : worlds) world.End();
  if (!is_well) std::fprintf(stderr, "FOUND: not what the model says\n");
  return is_well ? 0 : 1;
}

}  // namespace
}  // namespace clearance::fleet

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  try {
    return clearance::fleet::Run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "FOUND: %s\n", error.what());
    return 1;
  }
}
