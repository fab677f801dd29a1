// SPDX-License-Identifier: Apache-2.0
//
// clearance: the server from a shell.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "client/cli/command.h"

namespace clearance::client {

absl::StatusOr<Client> GlobalOptions::Connect() const {
  return Client::Connect(address, {.timeout = absl::Seconds(timeout_s), .wait_for_server = false});
}

int ReportError(const absl::Status& status) {
  absl::FPrintF(stderr, "error: %s: %s\n", absl::StatusCodeToString(status.code()),
                absl::string_view(status.message()));
  if (const std::optional<Error> error = ErrorDetail(status)) {
    absl::FPrintF(stderr, "  field: %s\n  value: %s\n  limit: %s\n", error->field, error->value,
                  error->limit);
  }
  return kExitError;
}

}  // namespace clearance::client

namespace {

constexpr char kFooter[] = R"(
Shapes are given as a registered name, a digest (v1-sha256-...), a file (OBJ, STL, PLY, OFF: the
hull of the points that its faces use, in single precision, so that 0.1 is 0.100000001490116; JSON:
a clearance.v1.Shape in full precision), or JSON text. Poses are x y z qx qy qz qw, metres.

Exit codes:
  0  done; of queries: every row is proved free (SEPARATED, BEYOND, FREE)
  1  not free: a row is TOUCHING, PENETRATING, HIT or INITIALLY_OVERLAPPING; health: not serving
  2  error: wrong usage, no connection, a refused message or row; nothing may be concluded
  3  unknown: a row is UNDECIDED and none is known not to be free

Examples:
  clearance register crate crate.obj --scale 0.001
  clearance distance crate '{"sphere": {"radius": 0.1}}' --pose-b 1 0 0 0 0 0 1
  clearance toc crate wall.stl --displacement-a 0.5 0 0 --json
  clearance distance --batch questions.json)";

}  // namespace

int main(int argc, char** argv) {
  clearance::client::GlobalOptions options;
  CLI::App app("Asks a clearance server how far apart convex shapes are and when they hit.",
               "clearance");
  app.set_version_flag("--version", CLEARANCE_VERSION);
  app.add_option("--addr", options.address, "Address of the server")
      ->envname("CLEARANCE_ADDR")
      ->capture_default_str();
  app.add_option("--timeout", options.timeout_s,
                 "Seconds for each unary call, and for the whole session of a query")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("-o,--json", options.json, "Print JSON instead of tables");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();
  AddShapeCommands(&app, &options);
  AddQueryCommands(&app, &options);
  AddServerCommands(&app, &options);
  AddBenchCommand(&app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : clearance::client::kExitError;
  }
  return options.exit_code;
}
