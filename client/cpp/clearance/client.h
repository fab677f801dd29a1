// SPDX-License-Identifier: Apache-2.0
//
// A connection to a clearance server, for the registry of shapes and single questions.
//
// See session.h for streams of questions. No generated type and no gRPC type is visible here.
//
//   absl::StatusOr<Client> client = Client::Connect("127.0.0.1:50051");
//   client->Register("crate", {.kind = Box{{0.2, 0.2, 0.1}}});
//   client->Register("ball", {.kind = Sphere{0.05}});
//   DistanceBatch batch{.pairs = {.count = 1, .poses_b = {1, 0, 0, 0, 0, 0, 1}}};
//   absl::StatusOr<DistanceResult> answer =
//       client->Distance({{ByName{"crate"}, ByName{"ball"}}}, batch);
//   const bool is_free = answer.ok() && ProvedFree(*answer, 0, /*margin=*/0.01);

#pragma once

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

// TLS of a connection; the fields are PEM texts, not file names. certificate_chain and private_key
// are the client's, for mutual TLS.
struct TlsOptions {
  std::string root_certificates = {};  // empty: those of the system
  std::string certificate_chain = {};
  std::string private_key = {};
  // The name in the server's certificate, or in those of all servers. Empty: the address's host.
  std::string server_name = {};
};

struct ClientOptions {
  absl::Duration timeout = absl::Seconds(10);  // of each unary call, and of connecting
  int max_send_bytes = 64 << 20;
  int max_receive_bytes = 64 << 20;
  // How long Connect waits for a missing server. By default it fails at once.
  absl::Duration wait = absl::ZeroDuration();
  // Repeats calls that end with UNAVAILABLE or CANCELLED, 20 ms to 1 s apart, within `timeout`. It
  // does not repeat Delete, changes of scenes (scene.h) and health checks. A repeated Registration
  // may report that nothing was `created`. If it replaces, it may replace another client's content
  // too.
  bool retry = true;
  // A server that has sent nothing for `keepalive` gets a ping. If it does not answer within
  // `keepalive_timeout`, it is given up. Until then calls wait, at most for their timeout; sessions
  // wait, then continue elsewhere. Servers allow a ping every 10 s. A machine that is gone is
  // noticed after keepalive_timeout alone if data was sent to it.
  absl::Duration keepalive = absl::Seconds(30);  // infinite: never
  absl::Duration keepalive_timeout = absl::Seconds(20);
  std::optional<TlsOptions> tls = std::nullopt;  // unset: plain text
  // The caller's token, sent as `authorization: Bearer TOKEN`. Over plain text it is sent only to
  // this machine (loopback, Unix sockets), because it can be read on the path.
  std::string token = {};
  bool allow_token_in_plain_text = false;  // send it over plain text all the same
};

struct SessionOptions {
  CallIds ids = {};                                   // sent with each of its streams
  absl::Duration timeout = absl::InfiniteDuration();  // of the whole session
  // Continues on another stream if one ends with UNAVAILABLE or CANCELLED, and repeats there what
  // was not answered. See session.h.
  bool reopen = true;
  // Gives up if a stream breaks this long after the first break since the last answer. A session
  // without unanswered messages waits for its next message.
  absl::Duration reopen_within = absl::Seconds(30);
};

struct RegisterOptions {
  bool replace = false;
  bool validate_only = false;
};

struct Registration {
  ShapeInfo info;
  std::uint64_t revision = 0;
  bool created = false;
};

// Many hulls in columns. Item i has names[i] and vertex_counts[i] points, taken in order from
// `vertices`.
struct HullColumns {
  std::vector<std::string> names = {};
  std::vector<std::uint32_t> vertex_counts = {};
  std::vector<double> vertices = {};
  std::vector<double> swept_sphere_radii = {};  // none, one for all, or one an item; metres
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

// A connection to a server; copies share it. Thread-safe.
//
// Calls block until their answer or their deadline. With ClientOptions::retry they outlast a
// restart of the server. Errors keep the server's code and text; ErrorDetail returns its field,
// value and limit.
class Client {
 public:
  // Connects to a server and asks for its limits.
  //
  // `address` is gRPC's ("host:port", "dns:///name:port", "unix:/path") or a list of servers
  // ("a:port,b:port"). A missing port is 50051. Calls and sessions take the servers in turn and
  // move on if one fails. Names of a list are resolved once, here; those that cannot be are left
  // out. A dns: name is resolved again as servers come and go. With TLS, a list of different hosts
  // needs a server_name.
  //
  // UNAVAILABLE: no server answers, or no name can be resolved. FAILED_PRECONDITION: a token would
  // go to another machine in plain text. INVALID_ARGUMENT: the address, the TLS options or the
  // token are malformed.
  static absl::StatusOr<Client> Connect(const std::string& address,
                                        const ClientOptions& options = {});

  // Returns the health (grpc.health.v1) of a server, without a token. It fails at once if no server
  // is there.
  static absl::StatusOr<Health> HealthOf(const std::string& address, ClientOptions options = {},
                                         const std::string& service = "");

  // Returns the same connection with another timeout.
  Client WithTimeout(absl::Duration timeout) const;
  // Returns the same connection with ids that are sent with each call and logged by the server. It
  // makes a request id if none is sent, and ignores malformed ids. Errors return the ids in use
  // (IdsOf).
  Client WithIds(CallIds ids) const;

  absl::StatusOr<Registration> Register(const std::string& name, const Shape& shape,
                                        const RegisterOptions& options = {}) const;
  absl::StatusOr<BatchRegistration> BatchRegisterHulls(const HullColumns& hulls) const;
  absl::StatusOr<FoundShape> Get(const ShapeKey& key, bool include_content = false) const;
  absl::StatusOr<ShapePage> ListPage(const ListOptions& options) const;
  // Returns the shapes of all pages.
  absl::StatusOr<std::vector<ShapeInfo>> List(const std::string& prefix = "") const;
  // Removes a name and returns the registry's revision. With an etag: only if the name still has
  // that digest. It is never repeated: after UNAVAILABLE it may have been done. NOT_FOUND after a
  // repetition usually means that the first one succeeded.
  absl::StatusOr<std::uint64_t> Delete(const std::string& name, const std::string& etag = "") const;

  // Returns the distance of two shapes at their poses in the world.
  absl::StatusOr<PairDistance> Distance(const ShapeReference& shape_a, const Pose& pose_a,
                                        const ShapeReference& shape_b, const Pose& pose_b) const;
  // Ask one batch in one message each. A batch above the server's limits is refused; a Session
  // splits it.
  absl::StatusOr<DistanceResult> Distance(const ShapeTable& shapes,
                                          const DistanceBatch& batch) const;
  absl::StatusOr<IntersectionResult> Intersection(const ShapeTable& shapes,
                                                  const IntersectionBatch& batch) const;
  absl::StatusOr<TimeOfCollisionResult> TimeOfCollision(const ShapeTable& shapes,
                                                        const TimeOfCollisionBatch& batch) const;

  // Opens a session without waiting. A refusal is the session's status (session.h).
  std::unique_ptr<Session> OpenSession(const SessionOptions& options = {}) const;

  absl::StatusOr<ServerInfo> GetServerInfo() const;
  // Returns the health of one service; empty: of the whole server.
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
