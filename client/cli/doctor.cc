// SPDX-License-Identifier: Apache-2.0
//
// doctor: checks everything between this machine and an answer, from the bottom up. A failed check
// ends it if the checks after it would only fail for the same reason.
#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "clearance/proof.h"
#include "clearance/session.h"
#include "client/cli/command.h"
#include "client/cli/diagnosis.h"
#include "client/cli/network.h"
#include "client/cli/output.h"
#include "client/cli/tls_probe.h"
#include "internal/steady_clock.h"
#include "internal/target.h"
#include "internal/token.h"
#include "internal/unreachable.h"
#include "internal/wall_clock.h"

namespace clearance::client {
namespace {

// A certificate is renewed before its remaining time gets this short.
constexpr absl::Duration kShortValidity = absl::Hours(14 * 24);
// With longer round trips, one question a message is mostly waiting.
constexpr absl::Duration kLongRoundTrip = absl::Milliseconds(50);
constexpr int kRoundTrips = 11;
// Clocks that are set over the network differ by less.
constexpr absl::Duration kLargeClockError = absl::Seconds(2);
// Below these limits a client splits its questions into many small messages.
constexpr std::uint64_t kFewRows = 256;
constexpr std::uint64_t kFewBytes = 64 << 10;

constexpr std::array<const char*, 6> kServices = {"",
                                                  "clearance.v1.QueryService",
                                                  "clearance.v1.SceneService",
                                                  "clearance.v1.SceneQueryService",
                                                  "clearance.v1.ShapeService",
                                                  "clearance.v1.ServerService"};

std::string Milliseconds(absl::Duration duration) {
  return absl::StrFormat("%.3g ms", absl::ToDoubleMilliseconds(duration));
}

std::string TextOf(const absl::Status& status) {
  std::string text = absl::StrCat(absl::StatusCodeToString(status.code()), ": ", MessageOf(status));
  if (const std::optional<Error> error = ErrorDetail(status); error && !error->value.empty()) {
    absl::StrAppend(&text, " (", error->value, ")");
  }
  return text;
}

Check Failed(const char* name, const std::string& found, const std::string& advice) {
  return {Finding::kFailure, name, found, advice};
}

Check Warned(const char* name, const std::string& found, const std::string& advice) {
  return {Finding::kWarning, name, found, advice};
}

Check Fine(const char* name, const std::string& found) { return {Finding::kOk, name, found}; }

// A place that resolves: its addresses, and one that takes connections.
struct Reached {
  Place place;
  Peer peer;
};

bool TlsIsWanted(const ClientOptions& options) { return options.tls.has_value(); }

Check CertificateCheck(const TlsArguments& arguments, const TlsPeer& peer) {
  const std::string names = absl::StrJoin(peer.names, ", ");
  switch (peer.fault) {
    case CertificateFault::kName:
      return Failed("tls", absl::StrCat(peer.fault_text, ": the certificate is for ", names),
                    "ask for one of these names: --addr or --tls-server-name");
    case CertificateFault::kExpired:
      return Failed("tls", absl::StrCat(peer.fault_text, ", ", absl::FormatTime(peer.expiry)),
                    "renew the server's certificate, and look at this machine's clock");
    case CertificateFault::kUntrusted:
      return Failed("tls", peer.fault_text,
                    arguments.ca.empty() ? "name the CA's certificate: --tls-ca FILE"
                                         : "--tls-ca names another CA than the server's");
    case CertificateFault::kNone:
      break;
  }
  if (!peer.refusal_text.empty()) {
    return Failed("tls", absl::StrCat("the server ends the connection: ", peer.refusal_text),
                  "it wants a certificate that it trusts: --tls-certificate and --tls-key");
  }
  const absl::Duration left = peer.expiry - absl::Now();
  const std::string found = absl::StrFormat("%s, certificate for %s, %.0f days to go",
                                            peer.protocol, names, absl::ToDoubleHours(left) / 24);
  return left < kShortValidity ? Warned("tls", found, "renew the server's certificate soon")
                               : Fine("tls", found);
}

// Returns the numbers before the first part that is not a number: 1.2.3-dev is 1, 2, 3.
std::vector<int> VersionNumbers(absl::string_view version) {
  std::vector<int> numbers;
  for (const absl::string_view part : absl::StrSplit(version, absl::ByAnyChar(".-+"))) {
    int number = 0;
    if (!absl::SimpleAtoi(part, &number)) break;
    numbers.push_back(number);
  }
  return numbers;
}

// Returns the numbers that distinguish incompatible versions: the first, after a 0 also the second.
std::vector<int> Generation(absl::string_view version) {
  std::vector<int> numbers = VersionNumbers(version);
  const std::size_t telling = !numbers.empty() && numbers[0] == 0 ? 2 : 1;
  numbers.resize(std::min(numbers.size(), telling));
  return numbers;
}

Check VersionCheck(const std::string& server) {
  const std::string found = absl::StrCat("server ", server, ", this client ", CLEARANCE_VERSION);
  return Generation(server) == Generation(CLEARANCE_VERSION)
             ? Fine("version", found)
             : Warned("version", found, "use a client of the server's version");
}

Check LimitsCheck(const ServerInfo& info) {
  const Limits& limits = info.limits;
  std::string found =
      absl::StrFormat("%d rows or %d bytes a message, %d messages ahead", limits.max_batch_rows,
                      limits.max_request_bytes, limits.max_messages_in_flight);
  const Json named = ToJson(info)["limits"];
  for (const char* const things : {"sessions", "shapes", "scenes"})
    absl::StrAppend(&found, ", ", named[absl::StrCat("max_", things)].get<std::uint64_t>(), " ",
                    things);
  const bool is_small = limits.max_batch_rows < kFewRows || limits.max_request_bytes < kFewBytes;
  return is_small ? Warned("limits", found,
                           "large batches travel in many small messages: raise the server's "
                           "--max_batch_rows and --max_request_bytes")
                  : Fine("limits", found);
}

// `ahead`: how far the server's clock is ahead of this machine's, to within `doubt`.
Check ClockCheck(absl::Duration ahead, absl::Duration doubt) {
  const absl::Duration off = absl::AbsDuration(ahead);
  if (off - doubt <= kLargeClockError) {
    return Fine("clock", absl::StrFormat("at most %s off the server's", Milliseconds(off + doubt)));
  }
  return Warned(
      "clock",
      absl::StrFormat("the server's is %.1f s %s of this machine's", absl::ToDoubleSeconds(off),
                      ahead > absl::ZeroDuration() ? "ahead" : "behind"),
      "set the one that is wrong (NTP): certificates and the times of logs go by it");
}

std::string AccessAdvice(const absl::Status& status, const ClientOptions& options) {
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
      return options.token.empty() ? "say who you are: --token-file FILE, CLEARANCE_TOKEN, or "
                                     "--tls-certificate and --tls-key"
                                   : "the server does not know this token: ask its operator";
    case absl::StatusCode::kPermissionDenied:
      return "ask the server's operator for the role `query`";
    case absl::StatusCode::kFailedPrecondition:
      return "ask over TLS (--tls), or add --allow-plaintext-token if the network is trusted";
    case absl::StatusCode::kUnimplemented:
      return "not a clearance server, or one of another major version: check --addr";
    default:
      return "look at the server's log";
  }
}

// Shapes whose distance is a closed form: a unit cube about the origin, and a tetrahedron whose
// corner is nearest to a face of it.
constexpr double kKnownDistance = 0.25;

DistanceBatch KnownQuestion() {
  DistanceBatch batch;
  batch.pairs.count = 1;
  AppendPose({.x = 0.5 + kKnownDistance}, &batch.pairs.poses_b);
  batch.detail.points = batch.detail.normals = batch.detail.witnesses = true;
  return batch;
}

Check ProofCheck(const Shape& a, const Shape& b, const DistanceResult& result) {
  const Pose at_a, at_b = {.x = 0.5 + kKnownDistance};
  const std::vector<Violation> violations = VerifyDistance({a, at_a}, {b, at_b}, result, 0);
  constexpr char kAdvice[] =
      "take no answer of this server for proved; tell its operator, with the server's version";
  if (!violations.empty()) return Failed("proof", violations.front().message, kAdvice);
  const double off = result.distances.at(0) - kKnownDistance;
  if (std::abs(off) > 1e-9) {
    return Failed("proof", absl::StrFormat("a known distance is off by %g m", off), kAdvice);
  }
  return Fine("proof", absl::StrFormat("%s by %g m, verified here, over a session",
                                       Name(result.states[0]), result.distances[0]));
}

class Doctor {
 public:
  explicit Doctor(const GlobalOptions& options) : options_(options), diagnosis_(options.json) {}

  int Run() {
    Examine();
    return diagnosis_.Conclude();
  }

 private:
  void Examine();
  std::optional<ClientOptions> ReadOptions();
  std::optional<Reached> Reach();
  bool CheckTls(const Reached& reached, const ClientOptions& client_options);
  bool CheckPlainText(const ClientOptions& client_options);
  bool CheckHealth(const Reached& reached, const ClientOptions& client_options);
  bool SpeaksTls(const Reached& reached) const;
  std::optional<Client> CheckAccess(const ClientOptions& client_options);
  void CheckRole(const Client& client);
  void CheckRoundTrip(const Client& client);
  void CheckClock(const Client& client);
  void CheckProof(const Client& client);

  absl::Duration timeout() const { return absl::Seconds(options_.timeout_s); }

  const GlobalOptions& options_;
  Diagnosis diagnosis_;
};

void Doctor::Examine() {
  const std::optional<ClientOptions> client_options = ReadOptions();
  if (!client_options) return;
  const std::optional<Reached> reached = Reach();
  if (!reached || !CheckTls(*reached, *client_options)) return;
  if (!CheckHealth(*reached, *client_options)) return;
  const std::optional<Client> client = CheckAccess(*client_options);
  if (!client) return;
  CheckRole(*client);
  const absl::StatusOr<ServerInfo> info = client->GetServerInfo();
  if (!info.ok()) {
    diagnosis_.Tell(Failed("version", TextOf(info.status()), "look at the server's log"));
    return;
  }
  diagnosis_.Tell(VersionCheck(info->version));
  diagnosis_.Tell(LimitsCheck(*info));
  CheckRoundTrip(*client);
  CheckClock(*client);
  CheckProof(*client);
}

std::optional<ClientOptions> Doctor::ReadOptions() {
  absl::StatusOr<ClientOptions> read = options_.ForClient();
  if (!read.ok()) {
    diagnosis_.Tell(
        Failed("options", TextOf(read.status()), "correct --token-file or the --tls-… options"));
    return std::nullopt;
  }
  // The check must find out that a server does not answer.
  read->retry = false;
  return *std::move(read);
}

std::optional<Reached> Doctor::Reach() {
  std::optional<Reached> reached;
  if (const auto target = ToTarget(options_.address, ClientOptions{});
      absl::IsInvalidArgument(target.status())) {
    diagnosis_.Tell(Failed("address", std::string(target.status().message()), "correct --addr"));
    return reached;
  }
  for (const Place& place : PlacesOf(options_.address)) {
    const absl::StatusOr<std::vector<Peer>> peers = Resolve(place);
    if (!peers.ok()) {
      diagnosis_.Tell(Failed("address", std::string(peers.status().message()),
                             "look at --addr, or at this machine's name resolution"));
      continue;
    }
    const auto append = [](std::string* out, const Peer& peer) { absl::StrAppend(out, peer.text); };
    diagnosis_.Tell(
        Fine("address", absl::StrCat(TextOf(place), " is ", absl::StrJoin(*peers, ", ", append))));
    std::vector<std::string> refusals;
    for (const Peer& peer : *peers) {
      const SteadyTime start = SteadyNow();
      const absl::StatusOr<Socket> socket = ConnectTo(peer, timeout());
      if (!socket.ok()) {
        refusals.emplace_back(socket.status().message());
        continue;
      }
      diagnosis_.Tell(
          Fine("connection", absl::StrCat(peer.text, " took ", Milliseconds(SteadyNow() - start))));
      if (!reached) reached = {place, peer};
    }
    if (refusals.size() == peers->size()) {
      diagnosis_.Tell(Failed("connection", absl::StrJoin(refusals, "; "),
                             "is the server running, and does a firewall let this port through?"));
    }
  }
  return reached;
}

bool Doctor::CheckTls(const Reached& reached, const ClientOptions& client_options) {
  if (!TlsIsWanted(client_options)) return CheckPlainText(client_options);
  const absl::StatusOr<Socket> socket = ConnectTo(reached.peer, timeout());
  if (!socket.ok()) {
    return diagnosis_.Tell(
        Failed("tls", std::string(socket.status().message()), "look at the server's log"));
  }
  const absl::StatusOr<TlsPeer> peer = ProbeTls(options_.tls, reached.place.host, *socket);
  if (peer.ok()) return diagnosis_.Tell(CertificateCheck(options_.tls, *peer));
  const bool is_local = absl::IsInvalidArgument(peer.status());
  return diagnosis_.Tell(
      Failed("tls", std::string(peer.status().message()),
             is_local ? "correct the --tls-… options"
                      : "the server may speak plain text: leave the --tls-… options out"));
}

bool Doctor::CheckPlainText(const ClientOptions& client_options) {
  if (IsThisMachine(options_.address)) {
    return diagnosis_.Tell(Fine("tls", "plain text, within this machine"));
  }
  const bool sends_token = !client_options.token.empty() && options_.allow_plaintext_token;
  return diagnosis_.Tell(Warned("tls",
                                absl::StrCat("plain text", sends_token ? ", and a token in it" : "",
                                             "; traffic can be read and changed"),
                                "ask over TLS: --tls, --tls-ca FILE"));
}

bool Doctor::SpeaksTls(const Reached& reached) const {
  const absl::StatusOr<Socket> socket = ConnectTo(reached.peer, timeout());
  return socket.ok() && ProbeTls({}, reached.place.host, *socket).ok();
}

bool Doctor::CheckHealth(const Reached& reached, const ClientOptions& client_options) {
  std::vector<std::string> unhealthy;
  for (const char* const service : kServices) {
    const absl::StatusOr<Health> health =
        Client::HealthOf(options_.address, client_options, service);
    if (absl::IsUnimplemented(health.status())) {
      return diagnosis_.Tell(Warned("health", "the server has no service that tells of its health",
                                    "look at --addr: a clearance server has one"));
    }
    if (absl::IsNotFound(health.status())) {
      unhealthy.push_back(absl::StrCat(service, " UNKNOWN"));
    } else if (!health.ok()) {
      const bool is_tls = !TlsIsWanted(client_options) && SpeaksTls(reached);
      const absl::string_view hint = HintFor(health.status());
      const absl::string_view other =
          hint.empty() ? "does a gRPC server listen there, and no proxy without HTTP/2?" : hint;
      return diagnosis_.Tell(
          Failed("health", TextOf(health.status()),
                 is_tls ? "the server speaks TLS: --tls, or --tls-ca FILE" : std::string(other)));
    } else if (*health != Health::kServing) {
      unhealthy.push_back(absl::StrCat(*service == '\0' ? "the server" : service, " NOT_SERVING"));
    }
  }
  if (unhealthy.empty()) {
    diagnosis_.Tell(Fine(
        "health", absl::StrCat("SERVING, and so are its ", kServices.size() - 1, " services")));
  } else {
    diagnosis_.Tell(
        Failed("health", absl::StrJoin(unhealthy, ", "),
               "it drains, or cannot write its store, or is older: look at its log and /readyz"));
  }
  return true;
}

std::optional<Client> Doctor::CheckAccess(const ClientOptions& client_options) {
  absl::StatusOr<Client> client = Client::Connect(options_.address, client_options);
  if (!client.ok()) {
    diagnosis_.Tell(
        Failed("access", TextOf(client.status()), AccessAdvice(client.status(), client_options)));
    return std::nullopt;
  }
  diagnosis_.Tell(Fine("access", client_options.token.empty()
                                     ? "may ask, without a token"
                                     : "may ask, with this token; a server "
                                       "without a policy takes any"));
  return *std::move(client);
}

// Registering to validate only changes nothing. A caller without the permission is told their role.
void Doctor::CheckRole(const Client& client) {
  const auto tried = client.Register("clearance/doctor", {Sphere{0.5}, 0},
                                     {.replace = false, .validate_only = true});
  const std::optional<Error> error = ErrorDetail(tried.status());
  const bool is_denied = absl::IsPermissionDenied(tried.status()) && error.has_value();
  if (is_denied && error->field == "authorization") {
    diagnosis_.Tell(Fine("role", absl::StrCat(error->value, ": may ask, not register")));
  } else if (is_denied) {
    diagnosis_.Tell(Fine("role", absl::StrCat("may register; ", error->limit)));
  } else if (tried.ok() || absl::IsAlreadyExists(tried.status())) {
    diagnosis_.Tell(Fine("role", "may register shapes and make scenes"));
  } else {
    diagnosis_.Tell(Warned("role", TextOf(tried.status()),
                           "asking goes on; to register, look at the server's log and limits"));
  }
}

void Doctor::CheckRoundTrip(const Client& client) {
  std::vector<absl::Duration> times;
  for (int i = 0; i < kRoundTrips; ++i) {
    const SteadyTime start = SteadyNow();
    if (!client.GetServerInfo().ok()) continue;
    times.push_back(SteadyNow() - start);
  }
  if (times.empty()) {
    diagnosis_.Tell(Failed("round trip", "no call was answered", "look at the server's log"));
    return;
  }
  std::sort(times.begin(), times.end());
  const absl::Duration median = times[times.size() / 2];
  const std::string found =
      absl::StrFormat("%s in the middle, %s at most, of %d calls", Milliseconds(median),
                      Milliseconds(times.back()), times.size());
  diagnosis_.Tell(median > kLongRoundTrip
                      ? Warned("round trip", found,
                               "ask from nearer, or many rows a message and many messages ahead")
                      : Fine("round trip", found));
}

// The server reads its clock at some moment between the question and the answer.
void Doctor::CheckClock(const Client& client) {
  const SteadyTime start = SteadyNow();
  const absl::Time asked = WallNow();
  const absl::StatusOr<ServerInfo> info = client.GetServerInfo();
  const absl::Duration doubt = (SteadyNow() - start) / 2;
  if (!info.ok()) {
    diagnosis_.Tell(Failed("clock", TextOf(info.status()), "look at the server's log"));
  } else if (!info->server_time) {
    diagnosis_.Tell(Fine("clock", "not compared: this server does not tell its time"));
  } else {
    diagnosis_.Tell(ClockCheck(*info->server_time - (asked + doubt), doubt));
  }
}

void Doctor::CheckProof(const Client& client) {
  const Shape cube{Box{{0.5, 0.5, 0.5}}, 0};
  const Shape corner{Hull{{0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1}, {}, {}}, 0};
  const std::unique_ptr<Session> session =
      client.OpenSession({.timeout = timeout(), .reopen = false});
  absl::Status opened = session->Open(0, cube).status();
  if (opened.ok()) opened = session->Open(1, corner).status();
  const absl::StatusOr<DistanceResult> result =
      opened.ok() ? session->Ask(KnownQuestion()) : absl::StatusOr<DistanceResult>(opened);
  if (!result.ok()) {
    diagnosis_.Tell(
        Failed("proof", TextOf(result.status()),
               "calls get through and a session does not: look for a proxy that holds streams up"));
    return;
  }
  diagnosis_.Tell(ProofCheck(cube, corner, *result));
}

}  // namespace

void AddDoctorCommand(CLI::App* app, GlobalOptions* options) {
  CLI::App* const doctor = app->add_subcommand(
      "doctor", "Check all that stands between here and a proved answer, and say what to do");
  doctor->callback([=] {
    // A peer that goes away is a finding.
    std::signal(SIGPIPE, SIG_IGN);
    options->exit_code = Doctor(*options).Run();
  });
}

}  // namespace clearance::client
