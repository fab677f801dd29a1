// SPDX-License-Identifier: Apache-2.0
//
// watch: what a server does, read from the metrics of its HTTP port again and again. A terminal
// shows one page that changes; elsewhere it is a line for each look.
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "client/cli/command.h"
#include "client/cli/metrics_page.h"
#include "client/cli/network.h"
#include "client/cli/row_output.h"
#include "internal/steady_clock.h"

namespace clearance::client {
namespace {

constexpr char kHttpPort[] = "9464";  // the server's own default

struct WatchArguments {
  std::string http;  // empty: the port above, of the machine of --addr
  double interval_s = 1;
  std::uint64_t count = 0;  // looks; 0: without end
};

// One look, and what happened since the one before it.
struct Look {
  Series now;
  Series growth;
  double seconds = 0;

  double Rate(absl::string_view name, absl::string_view label = "") const {
    return SumOf(growth, name, label) / seconds;
  }
  // Microseconds; null where nothing happened.
  Json PercentileUs(absl::string_view histogram, double share, absl::string_view label = "") const {
    const double found = Percentile(growth, histogram, share, label);
    return std::isnan(found) ? Json() : Json(1e6 * found);
  }
};

double ErrorRate(const Look& look) {
  constexpr char kHandled[] = "grpc_server_handled_total";
  return look.Rate(kHandled) - look.Rate(kHandled, "grpc_code=\"OK\"") +
         look.Rate("clearance_refused_rows_total");
}

// Rates of answers by kind and state, of those that there were.
Json StatesOf(const Look& look) {
  Json states = Json::object();
  for (const auto& [key, value] : look.growth) {
    if (!absl::StartsWith(key, "clearance_queries_total{") || value <= 0) continue;
    states[LabelOf(key, "kind")][LabelOf(key, "state")] = value / look.seconds;
  }
  return states;
}

Json ToJson(const Look& look) {
  constexpr char kUnary[] = "grpc_type=\"unary\"";
  Json line = {{"seconds", look.seconds},
               {"queries_per_second", look.Rate("clearance_queries_total")},
               {"messages_per_second", look.Rate("grpc_server_msg_received_total")},
               {"calls_per_second", look.Rate("grpc_server_started_total")},
               {"errors_per_second", ErrorRate(look)},
               {"shed_per_second", look.Rate("clearance_shed_messages_total")},
               {"sessions", SumOf(look.now, "clearance_sessions_open")},
               {"connections", SumOf(look.now, "clearance_connections")},
               {"messages_in_flight", SumOf(look.now, "clearance_messages_in_flight")}};
  for (const auto& [name, share] :
       {std::pair("p50", 0.5), {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}}) {
    const std::string end = absl::StrCat("_", name, "_us");
    line["batch" + end] = look.PercentileUs("clearance_batch_compute_seconds", share);
    line["queue" + end] = look.PercentileUs("clearance_queue_seconds", share);
    line["call" + end] = look.PercentileUs("grpc_server_handling_seconds", share, kUnary);
  }
  line["cores"] = look.Rate("process_cpu_seconds_total");
  line["resident_bytes"] = SumOf(look.now, "process_resident_memory_bytes");
  line["states_per_second"] = StatesOf(look);
  return line;
}

// Returns a number of three digits with its unit: 12.3 k.
std::string Scaled(double value, double step, std::initializer_list<const char*> units) {
  constexpr double kFourDigits = 999.5;  // rounds to 1000
  constexpr double kNothing = 0.0005;
  const auto* unit = units.begin();
  while (value >= kFourDigits && unit + 1 != units.end()) {
    value /= step;
    ++unit;
  }
  return absl::StrFormat("%.3g%s", value < kNothing ? 0 : value, *unit);
}

std::string Count(const Json& value) {
  return Scaled(value.get<double>(), 1000, {"", " k", " M", " G"});
}

std::string Bytes(const Json& value) {
  return Scaled(value.get<double>(), 1024, {" B", " KiB", " MiB", " GiB", " TiB"});
}

std::string Time(const Json& microseconds) {
  if (!microseconds.is_number()) return "-";
  return Scaled(microseconds.get<double>(), 1000, {" us", " ms", " s"});
}

std::string ToText(const Json& look) {
  return absl::StrFormat(
      "%s queries/s  %s calls/s  %s errors/s  %s shed/s  %s sessions  batch p50 %s p99 %s  %s "
      "cores",
      Count(look["queries_per_second"]), Count(look["calls_per_second"]),
      Count(look["errors_per_second"]), Count(look["shed_per_second"]), Count(look["sessions"]),
      Time(look["batch_p50_us"]), Time(look["batch_p99_us"]), Count(look["cores"]));
}

struct PageLine {
  const char* label;
  const char* member;
  std::string (*text)(const Json&);
};

constexpr PageLine kPageLines[] = {{"queries/s", "queries_per_second", Count},
                                   {"messages/s", "messages_per_second", Count},
                                   {"calls/s", "calls_per_second", Count},
                                   {"errors/s", "errors_per_second", Count},
                                   {"shed/s", "shed_per_second", Count},
                                   {"sessions", "sessions", Count},
                                   {"connections", "connections", Count},
                                   {"messages in flight", "messages_in_flight", Count},
                                   {"cores", "cores", Count},
                                   {"resident memory", "resident_bytes", Bytes}};

// A page of a terminal, over the one before it.
std::string ToPage(const Json& look, const std::string& address) {
  std::string page = absl::StrCat("\x1b[H\x1b[J", "http://", address, "/metrics\n\n");
  for (const PageLine& line : kPageLines) {
    absl::StrAppendFormat(&page, "%-22s %12s\n", line.label, line.text(look[line.member]));
  }
  absl::StrAppendFormat(&page, "\n%-22s %12s %12s %12s %12s\n", "time", "p50", "p90", "p95", "p99");
  for (const char* const what : {"batch", "queue", "call"}) {
    absl::StrAppendFormat(&page, "%-22s", what);
    for (const char* const share : {"_p50_us", "_p90_us", "_p95_us", "_p99_us"}) {
      absl::StrAppendFormat(&page, " %12s", Time(look[absl::StrCat(what, share)]));
    }
    page += '\n';
  }
  page += "\nanswers/s\n";
  for (const auto& [kind, states] : look["states_per_second"].items()) {
    for (const auto& [state, rate] : states.items()) {
      absl::StrAppendFormat(&page, "%-22s %-22s %12s\n", kind, state, Count(rate));
    }
  }
  return page;
}

std::string HttpAddress(const GlobalOptions& options, const WatchArguments& arguments) {
  if (!arguments.http.empty()) return TextOf(PlacesOf(arguments.http, kHttpPort).front());
  Place place = PlacesOf(options.address).front();
  if (place.host.empty()) place = {.host = "127.0.0.1"};  // of a Unix socket
  place.port = kHttpPort;
  return TextOf(place);
}

int WatchServer(const GlobalOptions& options, const WatchArguments& arguments) {
  const std::string address = HttpAddress(options, arguments);
  const absl::Duration timeout = absl::Seconds(options.timeout_s);
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  absl::StatusOr<Series> before = FetchMetrics(address, timeout);
  if (!before.ok()) return ReportError(before.status());
  SteadyTime then = SteadyNow();
  for (std::uint64_t looks = 0; arguments.count == 0 || looks < arguments.count; ++looks) {
    absl::SleepFor(absl::Seconds(arguments.interval_s));
    absl::StatusOr<Series> now = FetchMetrics(address, timeout);
    if (!now.ok()) return ReportError(now.status());
    const SteadyTime at = SteadyNow();
    const Look look = {*now, Growth(*before, *now), absl::ToDoubleSeconds(at - then)};
    const Json line = ToJson(look);
    const std::string text = options.json  ? JsonText(line) + "\n"
                             : is_terminal ? ToPage(line, address)
                                           : ToText(line) + "\n";
    absl::PrintF("%s", text);
    std::fflush(stdout);
    if (std::ferror(stdout) != 0) break;  // nobody sees it any more, as main() says
    before = *std::move(now);
    then = at;
  }
  return kExitFree;
}

}  // namespace

void AddWatchCommand(CLI::App* app, GlobalOptions* options) {
  const auto arguments = std::make_shared<WatchArguments>();
  CLI::App* const watch = app->add_subcommand(
      "watch", "Show what the server does, from the metrics of its HTTP port, again and again");
  watch
      ->add_option("--http", arguments->http,
                   "host:port of its --http_listen; without: port 9464 where --addr is")
      ->envname("CLEARANCE_HTTP_ADDR");
  watch->add_option("--interval", arguments->interval_s, "Seconds between two looks")
      ->check(PositiveAndFinite())
      ->capture_default_str();
  watch->add_option("--count", arguments->count, "End after so many; without: never")
      ->check(CLI::PositiveNumber);
  watch->callback([=] { options->exit_code = WatchServer(*options, *arguments); });
}

}  // namespace clearance::client
