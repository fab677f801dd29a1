// SPDX-License-Identifier: Apache-2.0
//
// clearance: the server from a shell.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "client/cli/command.h"
#include "client/cli/read_file.h"
#include "client/cli/shape_argument.h"
#include "client/cli/token.h"
#include "client/cli/unknown_word.h"

namespace clearance::client {

namespace {

// The heading of options in --help.
constexpr char kConnectionGroup[] = "Connection";

absl::Status ReadTlsFile(const std::string& path, std::string* text) {
  if (path.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> read = ReadFile(path);
  if (!read.ok()) return read.status();
  // An empty text would be treated as if the option were not given.
  if (read->empty()) return absl::InvalidArgumentError(path + ": is empty, must be PEM text");
  *text = *std::move(read);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<TlsOptions>> ReadTls(const TlsArguments& arguments) {
  TlsOptions tls = {.server_name = arguments.server_name};
  absl::Status status = ReadTlsFile(arguments.ca, &tls.root_certificates);
  if (status.ok()) status = ReadTlsFile(arguments.certificate, &tls.certificate_chain);
  if (status.ok()) status = ReadTlsFile(arguments.key, &tls.private_key);
  if (!status.ok()) return status;
  const bool is_wanted = arguments.use || !tls.root_certificates.empty() ||
                         !tls.certificate_chain.empty() || !tls.server_name.empty();
  return is_wanted ? std::make_optional(std::move(tls)) : std::nullopt;
}

void AddTlsOptions(CLI::App* app, TlsArguments* tls) {
  app->add_flag("--tls", tls->use, "Ask over TLS; implied by the options below")
      ->group(kConnectionGroup);
  app->add_option("--tls-ca", tls->ca, "PEM file of the CAs to trust instead of the system's")
      ->envname("CLEARANCE_TLS_CA")
      ->group(kConnectionGroup);
  auto* const certificate =
      app->add_option("--tls-certificate", tls->certificate,
                      "PEM file with the certificate to prove oneself with (mutual TLS)")
          ->envname("CLEARANCE_TLS_CERTIFICATE")
          ->group(kConnectionGroup);
  auto* const key = app->add_option("--tls-key", tls->key, "PEM file with the certificate's key")
                        ->envname("CLEARANCE_TLS_KEY")
                        ->group(kConnectionGroup);
  certificate->needs(key);
  key->needs(certificate);
  app->add_option("--tls-server-name", tls->server_name,
                  "The name that the server's certificate is for, where --addr has another")
      ->group(kConnectionGroup);
}

void AddConnectionOptions(CLI::App* app, GlobalOptions* options) {
  app->add_option("--addr", options->address, "Address of the server, port 50051 if it has none")
      ->envname("CLEARANCE_ADDR")
      ->capture_default_str()
      ->group(kConnectionGroup);
  app->add_option("--timeout", options->timeout_s,
                  "Seconds for each unary call, for the whole session of a question, and until the "
                  "session of a file of questions is open again")
      ->check(PositiveAndFinite())
      ->capture_default_str()
      ->group(kConnectionGroup);
  AddTlsOptions(app, &options->tls);
  app->add_option("--token-file", options->token_file,
                  "File with the bearer token; without: the variable CLEARANCE_TOKEN")
      ->group(kConnectionGroup);
  app->add_flag("--allow-plaintext-token", options->allow_plaintext_token,
                "Send the token to another machine even over plain text")
      ->group(kConnectionGroup);
}

}  // namespace

absl::StatusOr<ClientOptions> GlobalOptions::ForClient() const {
  absl::StatusOr<std::optional<TlsOptions>> read = ReadTls(tls);
  if (!read.ok()) return read.status();
  const absl::StatusOr<std::string> token = ReadToken(token_file);
  if (!token.ok()) return token.status();
  return ClientOptions{.timeout = absl::Seconds(timeout_s),
                       .tls = *std::move(read),
                       .token = *token,
                       .allow_token_in_plain_text = allow_plaintext_token};
}

absl::StatusOr<Client> GlobalOptions::Connect() const {
  const absl::StatusOr<ClientOptions> options = ForClient();
  if (!options.ok()) return options.status();
  return Client::Connect(address, *options);
}

std::vector<const CLI::App*> Below(const CLI::App& app, bool is_group) {
  return app.get_subcommands(
      [is_group](const CLI::App* below) { return below->get_name().empty() == is_group; });
}

CLI::Validator PositiveAndFinite() {
  const auto check = [](const std::string& text) -> std::string {
    double number = 0;
    if (absl::SimpleAtod(text, &number) && std::isfinite(number) && number > 0) return "";
    return text + ": must be a finite number > 0";
  };
  return {check, "POSITIVE"};
}

std::string MessageOf(const Error& error) {
  // Other names are of scenes, or of shapes to be registered.
  const bool is_shape =
      absl::StrContains(error.field, "shape") && absl::EndsWith(error.field, ".name");
  const bool is_unknown = error.reason == "SHAPE_NOT_REGISTERED" ||
                          (error.reason == "NAME_INVALID" && LooksLikeFile(error.value));
  if (is_shape && is_unknown) return NoSuchShape(error.value);
  return absl::StrReplaceAll(error.message, {{"`replace`", "--replace"}});
}

std::string MessageOf(const absl::Status& status) {
  const std::optional<Error> error = ErrorDetail(status);
  return error && !error->message.empty() ? MessageOf(*error) : std::string(status.message());
}

int ReportError(const absl::Status& status) {
  absl::FPrintF(stderr, "error: %s: %s\n", absl::StatusCodeToString(status.code()),
                MessageOf(status));
  if (const std::optional<Error> error = ErrorDetail(status)) {
    if (!error->reason.empty()) absl::FPrintF(stderr, "  reason: %s\n", error->reason);
    absl::FPrintF(stderr, "  field: %s\n  value: %s\n  limit: %s\n", error->field, error->value,
                  error->limit);
    if (error->retry_after) {
      const absl::Duration wait = absl::Ceil(*error->retry_after, absl::Milliseconds(1));
      absl::FPrintF(stderr, "  retry after: %s\n", absl::FormatDuration(wait));
    }
  }
  if (const std::string id = IdsOf(status).request_id; !id.empty()) {
    absl::FPrintF(stderr, "  request id: %s\n", id);
  }
  return kExitError;
}

}  // namespace clearance::client

namespace {

constexpr char kFooter[] = R"(
Shapes are given as a registered name, a digest (v1-sha256-...), a file (OBJ, STL, PLY, OFF: the
hull of the points that its faces use; JSON: a clearance.v1.Shape), or JSON text such as
{"box": {"half_extents": {"x": 1, "y": 1, "z": 1}}} (client/guide/shapes.md has all kinds). Poses are
x y z qx qy qz qw, metres.

Exit codes:
  0  done; of queries: every row is proved free (SEPARATED, BEYOND, FREE)
  1  not free: a row, or a pair that a row lists, is TOUCHING, PENETRATING, HIT or
     INITIALLY_OVERLAPPING; health: not serving
  2  error: wrong usage, no connection, a refused message or row; nothing may be concluded
  3  unknown: a row is UNDECIDED and none is known not to be free

Examples:
  clearance register crate crate.obj --scale 0.001
  clearance distance crate '{"sphere": {"radius": 0.1}}' --pose-b 1 0 0 0 0 0 1
  clearance toc crate wall.stl --displacement-a 0.5 0 0 --json
  clearance distance --batch questions.json
  clearance query distance poses.csv crate wall.stl --csv > answers.csv
  clearance scene import cell meshes/ poses.json
  clearance scene check cell gripper.obj --pose 0 0 1 0 0 0 1 --all 10
  clearance scene ray cell --origin 0 0 2 --displacement 0 0 -3
  clearance doctor
  source <(clearance completion bash))";

// Opens /dev/null in place of closed standard streams: else the next opened file would take their
// numbers. Writing to them fails, as before.
void OccupyClosedStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", O_RDONLY);  // takes the lowest that is free
  }
}

// The status of a program that SIGPIPE ends: the reader left before the end of the answer.
constexpr int kExitPipe = 128 + SIGPIPE;

// Returns the exit code of a command that ends with `code`: an unwritten answer is no success.
int AfterOutput(int code) {
  errno = 0;
  std::cout.flush();
  const bool is_flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (is_flushed && std::ferror(stdout) == 0 && std::cout.good()) return code;
  // The reader has seen enough, as `head` has.
  if (error == EPIPE) return kExitPipe;
  const std::string why = error == 0 ? "" : ": " + std::generic_category().message(error);
  return clearance::client::ReportError(
      absl::UnavailableError(absl::StrCat("stdout: cannot be written", why)));
}

// Help of a command that also shows the options by which it connects.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_subcommands(app, mode);
    const CLI::App* root = app;
    while (root->get_parent() != nullptr) root = root->get_parent();
    // A group of options is a command without a name.
    const bool has_below = !clearance::client::Below(*app, /*is_group=*/false).empty();
    if (root == app || has_below || app->get_name().empty() || app->get_name() == "completion")
      return text;
    const auto connects = [](const CLI::Option* option) {
      return option->get_group() == clearance::client::kConnectionGroup;
    };
    const std::vector<const CLI::Option*> options = root->get_options(connects);
    return text + make_group(clearance::client::kConnectionGroup, /*is_positional=*/false, options);
  }
};

int RunCommand(int argc, char** argv) {
  clearance::client::GlobalOptions options;
  CLI::App app("Asks a clearance server how far apart convex shapes are and when they hit.",
               "clearance");
  app.set_version_flag("--version", CLEARANCE_VERSION);
  clearance::client::AddConnectionOptions(&app, &options);
  app.add_flag("-o,--json", options.json, "Print JSON instead of tables");
  app.add_flag("--wide", options.wide, "Print tables with every column and whole digests");
  app.add_flag("-q,--quiet", options.quiet, "Show no progress of long work");
  app.footer(kFooter);
  app.formatter(std::make_shared<HelpFormatter>());
  app.failure_message(clearance::client::UsageError);
  app.require_subcommand(1);
  app.fallthrough();
  AddShapeCommands(&app, &options);
  AddTransferCommands(&app, &options);
  AddQueryCommands(&app, &options);
  AddFileQueryCommand(&app, &options);
  AddSceneCommands(&app, &options);
  AddServerCommands(&app, &options);
  AddBenchCommand(&app, &options);
  AddDoctorCommand(&app, &options);
  AddWatchCommand(&app, &options);
  AddCompletionCommand(&app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    if (const std::string unknown = clearance::client::UnknownWord(app); !unknown.empty()) {
      std::cerr << unknown;
    } else {
      app.exit(error);
    }
    return clearance::client::kExitError;
  }
  return options.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  OccupyClosedStreams();
  return AfterOutput(RunCommand(argc, argv));
}
