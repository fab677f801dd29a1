// SPDX-License-Identifier: Apache-2.0
//
// Options, exit codes and the connection to a server, shared by all commands of the command line.

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "clearance/client.h"
#include "clearance/error.h"

namespace clearance::client {

// Results that a script can distinguish. For several rows, the worst counts, in the order error,
// not free, unknown, free.
enum ExitCode : int {
  kExitFree = 0,  // done; every row is proved free
  kExitNotFree =
      1,  // a row touches, penetrates, hits or overlaps at the start; a server is not serving
  kExitError = 2,  // usage, connection, refusal of a message or of a row: nothing may be concluded
  kExitUnknown = 3,  // a row is undecided, and none is known not to be free
};

// Files of PEM text. Without any of them, and without `use`, the connection is in plain text.
struct TlsArguments {
  bool use = false;
  std::string ca;  // empty: those of the system
  std::string certificate;
  std::string key;
  std::string server_name;
};

// The options before the command's own.
struct GlobalOptions {
  std::string address = "127.0.0.1:50051";
  double timeout_s = 10;
  bool json = false;
  bool wide = false;   // tables with every column and whole digests, however wide
  bool quiet = false;  // no progress, even if stderr is a terminal
  TlsArguments tls;
  std::string token_file;  // empty: the token is that of the environment, if it has one
  bool allow_plaintext_token = false;
  // Set by the command that ran.
  int exit_code = kExitFree;

  absl::StatusOr<ClientOptions> ForClient() const;
  absl::StatusOr<Client> Connect() const;
};

// Checks the number of an option: finite and > 0. (CLI::PositiveNumber lets nan and inf pass.)
CLI::Validator PositiveAndFinite();

// Returns the commands below this one, or the groups of its options, which CLI11 takes for commands
// without a name.
std::vector<const CLI::App*> Below(const CLI::App& app, bool is_group);

// Returns the text of the error in the words of the command line: its options, files, commands.
std::string MessageOf(const Error& error);
// The same of a status; the field, value and limit are only in its detail.
std::string MessageOf(const absl::Status& status);

// Prints the error, with the server's field, value and limit, to stderr and returns kExitError.
int ReportError(const absl::Status& status);

// Each adds its commands to the app; their callbacks set options->exit_code. `options` outlives the
// app.
void AddShapeCommands(CLI::App* app, GlobalOptions* options);
void AddTransferCommands(CLI::App* app, GlobalOptions* options);
void AddQueryCommands(CLI::App* app, GlobalOptions* options);
void AddFileQueryCommand(CLI::App* app, GlobalOptions* options);
void AddSceneCommands(CLI::App* app, GlobalOptions* options);
void AddSceneImport(CLI::App* scene, GlobalOptions* options);   // a word of `scene`
void AddSceneWatch(CLI::App* scene, GlobalOptions* options);    // a word of `scene`
void AddSceneQueries(CLI::App* scene, GlobalOptions* options);  // words of `scene`
void AddServerCommands(CLI::App* app, GlobalOptions* options);
void AddBenchCommand(CLI::App* app, GlobalOptions* options);
void AddDoctorCommand(CLI::App* app, GlobalOptions* options);
void AddWatchCommand(CLI::App* app, GlobalOptions* options);
void AddCompletionCommand(CLI::App* app, GlobalOptions* options);

}  // namespace clearance::client
