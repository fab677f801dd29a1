// SPDX-License-Identifier: Apache-2.0
//
// The cost of a scene of 100,000 bodies at clearance-server: to make it, to change a thousand
// poses, to fork it. It is measured once with a time to live, so that the scene lives in memory
// alone, and once kept, so that each change is stored before it is acknowledged. Time is the
// caller's, from the call of the C++ library to its answer. Processor time is the server's, read
// from outside, the wire included. The scene at the end, and its fork, are compared with the data
// that was sent.
//
//   scene_service_bench [--short] [--csv=FILE]
//
// (scene_bench has the same of the core alone.)

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "clearance/client.h"
#include "clearance/query.h"
#include "clearance/scene.h"
#include "tests/bench/load/target.h"
#include "tests/bench/report.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/random.h"

ABSL_FLAG(bool, short, false, "A small scene, hardly timed: checks what it is only.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");

namespace clearance::bench {
namespace {

constexpr std::uint32_t kMovesAChange = 1000;
constexpr std::size_t kNumbersAPose = 7;
constexpr const char* kCpuOfCall = "server_cpu_us";
constexpr const char* kMiddleOfCalls = "p50_us";
constexpr const char* kTailOfCalls = "p99_us";
constexpr const char* kBytesABody = "bytes_per_body";

// The limits promised for 100,000 bodies.
constexpr double kMostBuildMicros = 1e6;
constexpr double kMostChangeMicros = 2000;

struct Scale {
  std::uint32_t bodies;
  int creations;
  int changes;
  int forks;         // of the scene that has a time to live
  int stored_forks;  // of the kept one, into kept ones: each stores all bodies
};

Scale WantedScale() {
  if (absl::GetFlag(FLAGS_short)) return {2000, 1, 5, 3, 2};
  return {100'000, 5, 200, 50, 5};
}

template <class T>
T OrFail(absl::StatusOr<T> value, const char* what) {
  if (!value.ok()) Fail(absl::StrCat(what, ": ", value.status().ToString()));
  return *std::move(value);
}

void OrFail(const absl::Status& status, const char* what) {
  if (!status.ok()) Fail(absl::StrCat(what, ": ", status.ToString()));
}

// Boxes and hulls of 16 vertices, a metre across, one in three cubic metres; ids are their places
// in the columns.
class Content {
 public:
  explicit Content(std::uint32_t count) : half_side_(std::cbrt(3.0 * count) / 2) {
    bodies_.count = count;
    bodies_.shapes = {client::ByName{"box"}, client::ByName{"hull"}};
    for (std::uint32_t i = 0; i < count; ++i) {
      bodies_.ids.push_back(i);
      bodies_.shape_slots.push_back(i % 2);
      const Vec3d p = random_.InCube(half_side_);
      const Quaternion q = random_.Rotation();
      client::AppendPose({p.x, p.y, p.z, q.x, q.y, q.z, q.w}, &bodies_.poses);
    }
  }

  void Register(const client::Client& client) {
    OrFail(client.Register("box", {.kind = client::Box{{0.3, 0.4, 0.5}}}).status(), "a box");
    client::Hull hull;
    for (int i = 0; i < 3 * 16; ++i) hull.vertices.push_back(random_.Uniform(-0.5, 0.5));
    OrFail(client.Register("hull", {.kind = hull}).status(), "a hull");
  }

  client::SceneChange whole() const { return {.bodies = bodies_}; }
  const std::vector<double>& poses() const { return bodies_.poses; }

  // A thousand bodies by a few centimetres each, here and in the change that says so.
  client::SceneChange Move() {
    client::SceneChange change;
    change.poses.count = std::min(kMovesAChange, bodies_.count);
    // One of each stretch, so that none is named twice.
    const std::uint32_t stretch = bodies_.count / change.poses.count;
    for (std::uint32_t i = 0; i < change.poses.count; ++i) {
      const std::uint32_t id =
          i * stretch + static_cast<std::uint32_t>(random_.Below(static_cast<int>(stretch)));
      const auto pose = bodies_.poses.begin() + static_cast<std::ptrdiff_t>(id * kNumbersAPose);
      const Vec3d by = random_.InCube(0.05);
      pose[0] += by.x;
      pose[1] += by.y;
      pose[2] += by.z;
      change.poses.ids.push_back(id);
      change.poses.poses.insert(change.poses.poses.end(), pose, pose + kNumbersAPose);
    }
    return change;
  }

 private:
  testing::Random random_{1};
  double half_side_;
  client::SceneBodies bodies_;
};

// Many calls of one kind.
class Calls {
 public:
  explicit Calls(pid_t server) {
    if (clock_getcpuclockid(server, &clock_) != 0) Fail("the server is gone");
  }

  void Time(absl::FunctionRef<void()> call) {
    const double cpu_before = Nanoseconds(clock_);
    const absl::Time began = absl::Now();
    call();
    micros_.push_back(absl::ToDoubleMicroseconds(absl::Now() - began));
    cpu_micros_ += (Nanoseconds(clock_) - cpu_before) / 1e3;
  }

  void AddTo(const std::string& name, Report* report) {
    std::sort(micros_.begin(), micros_.end());
    report->Add(name, kMiddleOfCalls, micros_[micros_.size() / 2]);
    report->Add(name, kTailOfCalls, micros_[micros_.size() * 99 / 100]);
    report->Add(name, kCpuOfCall, cpu_micros_ / static_cast<double>(micros_.size()));
  }

 private:
  clockid_t clock_ = {};
  std::vector<double> micros_;
  double cpu_micros_ = 0;
};

// The scenes of one kind, at one server.
class Bench {
 public:
  Bench(std::string kind, client::SceneClient::Ttl ttl, BenchServer* server)
      : kind_(std::move(kind)),
        ttl_(ttl),
        server_(*server),
        client_(OrFail(client::Client::Connect(server->address(), {.timeout = absl::Minutes(2)}),
                       "connecting")),
        scenes_(client_) {}

  void Run(Report* report) {
    content_.Register(client_);
    Create(report);
    Ask(report);
    const std::vector<double> before = content_.poses();
    OrFail(scenes_.Fork("before", {.name = "scene"}, ttl_).status(), "a fork");
    Change(report);
    Fork(report);
    CheckPoses("scene", content_.poses());
    CheckPoses("before", before);
  }

 private:
  std::string Row(const char* what) const {
    return absl::StrCat("scene_service/", what, "/", kind_, "/", scale_.bodies);
  }

  void Create(Report* report) {
    const client::SceneChange whole = content_.whole();
    Calls calls(server_.pid());
    for (int i = 0; i < scale_.creations; ++i) {
      if (i > 0) OrFail(scenes_.Delete("scene"), "a deletion");
      client::SceneInfo info;
      calls.Time([&] { info = OrFail(scenes_.Create("scene", whole, ttl_), "a creation"); });
      if (info.body_count != scale_.bodies) Fail("a scene has other bodies");
      report->Add(Row("create"), kBytesABody, static_cast<double>(info.bytes) / scale_.bodies);
    }
    calls.AddTo(Row("create"), report);
  }

  // Measures the cost of any call: this one only looks at the scene's name.
  void Ask(Report* report) {
    Calls calls(server_.pid());
    for (int i = 0; i < scale_.changes; ++i) {
      calls.Time([&] { OrFail(scenes_.Get("scene").status(), "a look"); });
    }
    calls.AddTo(Row("get"), report);
  }

  void Change(Report* report) {
    Calls calls(server_.pid());
    for (int i = 0; i < scale_.changes; ++i) {
      const client::SceneChange change = content_.Move();
      calls.Time([&] { OrFail(scenes_.Update("scene", change).status(), "a change"); });
    }
    calls.AddTo(Row("move_1000"), report);
  }

  // Each is deleted before the next is made: all that is stored would add up.
  void Fork(Report* report) {
    Calls calls(server_.pid());
    const int forks = ttl_.has_value() ? scale_.forks : scale_.stored_forks;
    for (int i = 0; i < forks; ++i) {
      calls.Time([&] { OrFail(scenes_.Fork("fork", {.name = "scene"}, ttl_).status(), "a fork"); });
      OrFail(scenes_.Delete("fork"), "a deletion");
    }
    calls.AddTo(Row("fork"), report);
  }

  void CheckPoses(const std::string& scene, const std::vector<double>& poses) const {
    const client::FoundScene found =
        OrFail(scenes_.Get(scene, {.include_content = true}), "the content");
    const client::SceneBodies& bodies = found.content.bodies;
    bool is_same = bodies.count == scale_.bodies;
    for (std::uint32_t i = 0; is_same && i < bodies.count; ++i) is_same = bodies.ids[i] == i;
    if (!is_same || bodies.poses != poses) Fail(scene + ": not the poses that were sent");
  }

  const Scale scale_ = WantedScale();
  const std::string kind_;
  const client::SceneClient::Ttl ttl_;
  BenchServer& server_;
  Content content_{scale_.bodies};
  const client::Client client_;
  const client::SceneClient scenes_;
};

void PrintTable(const Report& report, const std::vector<std::string>& kinds) {
  const std::uint32_t bodies = WantedScale().bodies;
  std::printf("%-44s%14s%14s%14s%10s\n", "", "p50 us", "p99 us", "server us", "B/body");
  for (const std::string& kind : kinds) {
    for (const char* what : {"create", "get", "move_1000", "fork"}) {
      const std::string name = absl::StrCat("scene_service/", what, "/", kind, "/", bodies);
      std::printf("%-44s%14.0f%14.0f%14.0f%10.0f\n", name.c_str(),
                  report.Median(name, kMiddleOfCalls), report.Median(name, kTailOfCalls),
                  report.Median(name, kCpuOfCall), report.Median(name, kBytesABody));
    }
  }
  for (const auto& [what, most] :
       {std::pair{"create", kMostBuildMicros}, std::pair{"move_1000", kMostChangeMicros}}) {
    const std::string name = absl::StrCat("scene_service/", what, "/ephemeral/", bodies);
    const double p50 = report.Median(name, kMiddleOfCalls);
    std::printf("%s: %.2f ms in the median, under %.0f ms: %s\n", name.c_str(), p50 / 1e3,
                most / 1e3, p50 < most ? "yes" : "no");
  }
}

int Main() {
  Report report;
  {
    BenchServer server;
    Bench("ephemeral", absl::Hours(1), &server).Run(&report);
    server.End();
  }
  {
    const test::TemporaryDirectory directory;
    BenchServer server({"--data_dir=" + directory.File("data")});
    Bench("kept", {}, &server).Run(&report);
    server.End();
  }
  std::printf("scenes of %u bodies: all as they were sent\n", WantedScale().bodies);
  if (absl::GetFlag(FLAGS_short)) return 0;
  PrintTable(report, {"ephemeral", "kept"});
  WriteCsv(report, absl::GetFlag(FLAGS_csv));
  return 0;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::bench::RunBench("scene_service_bench", clearance::bench::Main);
}
