// SPDX-License-Identifier: Apache-2.0
//
// watch: what a server does, read from the metrics of its HTTP port again and again. A terminal
// shows one page that changes; elsewhere it is a line for each look.
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
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

std::string Cell(const Json& value) {
  return value.is_number() ? absl::StrFormat("%.4g", value.get<double>()) : "-";
}

std::string ToText(const Json& look) {
  return absl::StrFormat(
      "%s queries/s  %s messages/s  %s calls/s  %s errors/s  %s shed/s  %s sessions  batch p50 %s "
      "p99 %s us  queue p99 %s us  %s cores",
      Cell(look["queries_per_second"]), Cell(look["messages_per_second"]),
      Cell(look["calls_per_second"]), Cell(look["errors_per_second"]),
      Cell(look["shed_per_second"]), Cell(look["sessions"]), Cell(look["batch_p50_us"]),
      Cell(look["batch_p99_us"]), Cell(look["queue_p99_us"]), Cell(look["cores"]));
}

// A page of a terminal, over the one before it.
std::string ToPage(const Json& look, const std::string& address) {
  std::string page = absl::StrCat("\x1b[H\x1b[J", "http://", address, "/metrics\n\n");
  for (const char* const name : {"queries_per_second", "messages_per_second", "calls_per_second",
                                 "errors_per_second", "shed_per_second", "sessions", "connections",
                                 "messages_in_flight", "cores", "resident_bytes"}) {
    absl::StrAppendFormat(&page, "%-22s %12s\n", name, Cell(look[name]));
  }
  absl::StrAppendFormat(&page, "\n%-22s %12s %12s %12s %12s\n", "microseconds", "p50", "p90", "p95",
                        "p99");
  for (const char* const what : {"batch", "queue", "call"}) {
    absl::StrAppendFormat(&page, "%-22s", what);
    for (const char* const share : {"_p50_us", "_p90_us", "_p95_us", "_p99_us"}) {
      absl::StrAppendFormat(&page, " %12s", Cell(look[absl::StrCat(what, share)]));
    }
    page += '\n';
  }
  page += "\nanswers a second\n";
  for (const auto& [kind, states] : look["states_per_second"].items()) {
    for (const auto& [state, rate] : states.items()) {
      absl::StrAppendFormat(&page, "%-22s %-22s %12s\n", kind, state, Cell(rate));
    }
  }
  return page;
}

std::string HttpAddress(const GlobalOptions& options, const WatchArguments& arguments) {
  if (!arguments.http.empty()) return arguments.http;
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
