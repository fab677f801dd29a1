// SPDX-License-Identifier: Apache-2.0
//
// A connection to a clearance server: the registry of shapes and occasional queries. For streams of
// queries see session.h. No generated type and no gRPC type shows here.
//
//   absl::StatusOr<Client> client = Client::Connect("localhost:50051");
//   client->Register("crate", {.kind = Box{{0.2, 0.2, 0.1}}});
//   client->Register("ball", {.kind = Sphere{0.05}});
//   DistanceBatch batch{.pairs = {.count = 1, .poses_b = {1, 0, 0, 0, 0, 0, 1}}};
//   absl::StatusOr<DistanceResult> answer = client->Distance({{ByName{"crate"}, ByName{"ball"}}},
//   batch); if (answer.ok() && ProvedFree(*answer, 0, /*margin=*/0.01)) …

#ifndef CLEARANCE_CLIENT_H_
#define CLEARANCE_CLIENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clearance/query.h"
#include "clearance/server_info.h"
#include "clearance/shape.h"

namespace clearance::client {

struct Connection;
class Session;

// PEM texts, not file names. With certificate_chain and private_key the client proves itself too
// (mutual TLS).
struct TlsOptions {
  std::string root_certificates = {};  // empty: those of the system
  std::string certificate_chain = {};
  std::string private_key = {};
};

struct ClientOptions {
  absl::Duration timeout = absl::Seconds(10);  // of each unary call, and of connecting
  int max_send_bytes = 64 << 20;
  int max_receive_bytes = 64 << 20;
  // Let Connect wait for a server that is not there yet; otherwise it fails at once.
  bool wait_for_server = true;
  // Repeat idempotent calls that end with UNAVAILABLE: up to 4 tries, 20 ms to 1 s apart.
  bool retry = true;
  absl::Duration keepalive = absl::Seconds(30);
  std::optional<TlsOptions> tls = std::nullopt;  // unset: plain text
};

struct SessionOptions {
  absl::Duration timeout = absl::InfiniteDuration();  // of the whole session
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
// answer or their deadline. Errors keep the server's code and text; ErrorDetail decodes what the
// server said of field, value and limit.
class Client {
 public:
  // Waits until the server is there and asks for its limits. `address` is gRPC's: "host:port",
  // "dns:///name:port", "unix:/path", "ipv4:a:p,b:p".
  static absl::StatusOr<Client> Connect(const std::string& address,
                                        const ClientOptions& options = {});

  // The same connection with another time for each call.
  Client WithTimeout(absl::Duration timeout) const;

  absl::StatusOr<Registration> Register(const std::string& name, const Shape& shape,
                                        const RegisterOptions& options = {}) const;
  absl::StatusOr<BatchRegistration> BatchRegister(const HullColumns& hulls) const;
  absl::StatusOr<FoundShape> Get(const ShapeKey& key, bool include_content = false) const;
  absl::StatusOr<ShapePage> ListPage(const ListOptions& options) const;
  // All pages one after another.
  absl::StatusOr<std::vector<ShapeInfo>> List(const std::string& prefix = "") const;
  // Returns the registry's revision after it. With a digest: only if the name still has it.
  absl::StatusOr<std::uint64_t> Delete(const std::string& name,
                                       const std::string& expected_digest = "") const;

  // One message each: a batch beyond the server's limits is refused. A Session splits it.
  absl::StatusOr<DistanceResult> Distance(const ShapeTable& shapes,
                                          const DistanceBatch& batch) const;
  absl::StatusOr<IntersectionResult> Intersection(const ShapeTable& shapes,
                                                  const IntersectionBatch& batch) const;
  absl::StatusOr<TimeOfCollisionResult> TimeOfCollision(const ShapeTable& shapes,
                                                        const TimeOfCollisionBatch& batch) const;

  // Never waits: a server that refuses says so as the stream's status (session.h).
  std::unique_ptr<Session> OpenSession(const SessionOptions& options = {}) const;

  absl::StatusOr<ServerInfo> GetServerInfo() const;
  // grpc.health.v1 of one service; empty: of the server as a whole.
  absl::StatusOr<Health> CheckHealth(const std::string& service = "") const;

 private:
  explicit Client(std::shared_ptr<const Connection> connection, absl::Duration timeout);

  std::shared_ptr<const Connection> connection_;
  absl::Duration timeout_;
};

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_H_
