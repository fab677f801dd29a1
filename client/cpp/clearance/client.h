// SPDX-License-Identifier: Apache-2.0
//
// A connection to a clearance server: the registry of shapes and occasional queries. For streams of
// queries see session.h. No generated type and no gRPC type shows here.
//
//   absl::StatusOr<Client> client = Client::Connect("127.0.0.1:50051");
//   client->Register("crate", {.kind = Box{{0.2, 0.2, 0.1}}});
//   client->Register("ball", {.kind = Sphere{0.05}});
//   DistanceBatch batch{.pairs = {.count = 1, .poses_b = {1, 0, 0, 0, 0, 0, 1}}};
//   absl::StatusOr<DistanceResult> answer =
//       client->Distance({{ByName{"crate"}, ByName{"ball"}}}, batch);
//   const bool is_free = answer.ok() && ProvedFree(*answer, 0, /*margin=*/0.01);

#ifndef CLEARANCE_CLIENT_H_
#define CLEARANCE_CLIENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clearance/error.h"
#include "clearance/query.h"
#include "clearance/server_info.h"
#include "clearance/shape.h"

namespace clearance::client {

struct Connection;
class SceneClient;       // scene.h
class SceneQueryClient;  // scene_query.h
class Session;

// PEM texts, not file names. With certificate_chain and private_key the client proves itself too
// (mutual TLS).
struct TlsOptions {
  std::string root_certificates = {};  // empty: those of the system
  std::string certificate_chain = {};
  std::string private_key = {};
  // The name that the server's certificate must be for; empty: the address's own host. Of several
  // servers all prove that they are it.
  std::string server_name = {};
};

struct ClientOptions {
  absl::Duration timeout = absl::Seconds(10);  // of each unary call, and of connecting
  int max_send_bytes = 64 << 20;
  int max_receive_bytes = 64 << 20;
  // How long Connect waits for a server that is not there yet, whatever `retry` says. By default it
  // fails at once.
  absl::Duration wait = absl::ZeroDuration();
  // Repeat calls that end with UNAVAILABLE or CANCELLED (a server that drains, restarts or cannot
  // be reached), 20 ms to 1 s apart, for as long as `timeout` allows. Not Delete, what changes
  // scenes (scene.h) and the questions for health. The others do no more twice than once, but a
  // Registration may then say that nothing was `created`, and one that replaces also replaces what
  // somebody else registered in between.
  bool retry = true;
  // A server that falls silent (it hangs, its machine or the way there is gone) is given up when it
  // has sent nothing for `keepalive` and then not answered a ping for `keepalive_timeout`. Until
  // then what it was asked waits: calls for their timeout, after which they fail, sessions for all
  // of it, and go on elsewhere. Less of both finds it sooner and gives up one that is only slow;
  // servers allow a ping every 10 s. (Machines that are gone, whose data nobody acknowledges, are
  // noticed after keepalive_timeout alone where anything was sent.)
  absl::Duration keepalive = absl::Seconds(30);  // infinite: never
  absl::Duration keepalive_timeout = absl::Seconds(20);
  std::optional<TlsOptions> tls = std::nullopt;  // unset: plain text
  // Says who calls, as `authorization: Bearer TOKEN`. Over plain text it is sent only to this
  // machine (loopback, Unix sockets): whoever reads it on the way is whoever it names.
  std::string token = {};
  bool allow_token_in_plain_text = false;  // send it over plain text all the same
};

struct SessionOptions {
  CallIds ids = {};                                   // sent with each of its streams
  absl::Duration timeout = absl::InfiniteDuration();  // of the whole session
  // Go on with another stream where one ends with UNAVAILABLE or CANCELLED, and repeat there what
  // was not answered: session.h says how and what it costs.
  bool reopen = true;
  // Give up when a stream breaks so long after the first break since the last answer, or would be
  // opened later than that. A session that is owed nothing waits, however long, for its next
  // message.
  absl::Duration reopen_within = absl::Seconds(30);
};

struct RegisterOptions {
  bool replace = false;
  bool validate_only = false;
};

struct Registration {
  ShapeInfo shape;
  std::uint64_t revision = 0;
  bool created = false;
};

// Many hulls in columns: item i has names[i] and vertex_counts[i] points, taken in order from
// `vertices`.
struct HullColumns {
  std::vector<std::string> names = {};
  std::vector<std::uint32_t> vertex_counts = {};
  std::vector<double> vertices = {};
  std::vector<double> radii = {};  // none, one for all, or one an item; metres
  bool replace = false;
};

struct BatchRegistration {
  std::vector<std::string> digests;  // empty for a refused item
  std::vector<Error> errors;         // the refused items, by index
  std::uint64_t revision = 0;
};

struct FoundShape {
  ShapeInfo info;
  std::optional<Shape> content;  // if it was asked for
  std::uint64_t revision = 0;
};

struct ShapePage {
  std::vector<ShapeInfo> shapes;
  std::string next_page_token;  // empty after the last page
  std::uint64_t revision = 0;
};

struct ListOptions {
  std::string prefix = {};
  int page_size = 0;
  std::string page_token = {};
};

// The shapes of a unary query: slot i is shapes[i].
struct ShapeTable {
  std::vector<ShapeReference> shapes = {};
  std::uint64_t min_revision = 0;
};

enum class Health { kUnknown, kServing, kNotServing };

// A handle on a connection of its own: copies share it. Thread-safe; the calls block until their
// answer or their deadline, and with ClientOptions::retry outlast a server's restart. Errors keep
// the server's code and text; ErrorDetail decodes what the server said of field, value and limit.
class Client {
 public:
  // FAILED_PRECONDITION where a token would go to another machine in plain text, INVALID_ARGUMENT
  // where it is none that metadata can carry; nothing is sent then.
  //
  // Waits until the server is there and asks for its limits. `address` is gRPC's: "host:port",
  // "dns:///name:port", "unix:/path", "ipv4:a:p,b:p"; or a list of servers, "a:port,b:port". Calls
  // and sessions go to all servers of a list, or of a name that has several addresses, in turn, and
  // where one fails to the others. The names of a list are resolved here, once, and those that
  // cannot be are left out (UNAVAILABLE if none can be); one name, "dns:///name:port", is resolved
  // again as servers come and go, and is what to give where their addresses change. Over TLS a list
  // of different hosts needs a server_name (INVALID_ARGUMENT).
  static absl::StatusOr<Client> Connect(const std::string& address,
                                        const ClientOptions& options = {});

  // grpc.health.v1 of a server, which it tells anyone: no token is sent. Fails at once where there
  // is no server.
  static absl::StatusOr<Health> HealthOf(const std::string& address, ClientOptions options = {},
                                         const std::string& service = "");

  // The same connection with another time for each call.
  Client WithTimeout(absl::Duration timeout) const;
  // The same connection with ids that are sent with each call, so that both sides' logs have them:
  // one handle for each piece of work that a trace follows. The server makes a request id where
  // none is sent, and takes no notice of what has not its form. Errors tell what it took (IdsOf).
  Client WithIds(CallIds ids) const;

  absl::StatusOr<Registration> Register(const std::string& name, const Shape& shape,
                                        const RegisterOptions& options = {}) const;
  absl::StatusOr<BatchRegistration> BatchRegister(const HullColumns& hulls) const;
  absl::StatusOr<FoundShape> Get(const ShapeKey& key, bool include_content = false) const;
  absl::StatusOr<ShapePage> ListPage(const ListOptions& options) const;
  // All pages one after another.
  absl::StatusOr<std::vector<ShapeInfo>> List(const std::string& prefix = "") const;
  // Returns the registry's revision after it. With a digest: only if the name still has it. Never
  // repeated by the library: after UNAVAILABLE it may be done or not, and NOT_FOUND of a repetition
  // is most likely the success of the first.
  absl::StatusOr<std::uint64_t> Delete(const std::string& name,
                                       const std::string& expected_digest = "") const;

  // One message each: a batch beyond the server's limits is refused. A Session splits it.
  absl::StatusOr<DistanceResult> Distance(const ShapeTable& shapes,
                                          const DistanceBatch& batch) const;
  absl::StatusOr<IntersectionResult> Intersection(const ShapeTable& shapes,
                                                  const IntersectionBatch& batch) const;
  absl::StatusOr<TimeOfCollisionResult> TimeOfCollision(const ShapeTable& shapes,
                                                        const TimeOfCollisionBatch& batch) const;

  // Never waits: a server that refuses says so as the session's status (session.h).
  std::unique_ptr<Session> OpenSession(const SessionOptions& options = {}) const;

  absl::StatusOr<ServerInfo> GetServerInfo() const;
  // grpc.health.v1 of one service; empty: of the server as a whole.
  absl::StatusOr<Health> CheckHealth(const std::string& service = "") const;

 private:
  friend class SceneClient;
  friend class SceneQueryClient;
  friend class TrackSession;
  Client(std::shared_ptr<const Connection> connection, absl::Duration timeout, CallIds ids = {});

  std::shared_ptr<const Connection> connection_;
  absl::Duration timeout_;
  CallIds ids_;
};

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_H_
