// SPDX-License-Identifier: Apache-2.0
//
// The server's own accept loop. gRPC 1.51 stops accepting for good once accept(2) has failed for
// want of a descriptor (CVE-2023-4785). This one keeps a descriptor in reserve to refuse with, and
// prevents that state: connections are capped, in all and for each address. If an address opens
// many at once, gRPC is given them only after their clients have sent something. It also ends
// connections that do what no honest client does (stream_fence.h).

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "server/fence/address_bans.h"
#include "server/fence/handover.h"
#include "server/fence/stream_fence.h"

namespace clearance::server {

// The sockets behind `--listen`: one for a unix path, or one for each address of a host name.
// Bound, listening and non-blocking. Connections accepted there have Nagle's algorithm off.
struct ListenSockets {
  std::vector<Descriptor> sockets;
  int port = 0;           // of all sockets; 0 for a unix path
  std::string unix_path;  // to be removed when the sockets are closed; empty: none
};

// Binds and listens. `address` is host:port, with an IPv6 host in brackets, or unix:path. 0.0.0.0
// is every IPv4 address of the machine, [::] every address of both families. Port 0 takes a free
// one. A socket that an earlier process left at a unix path is replaced. UNAVAILABLE, with the
// address and the reason, if the address cannot be had or another process listens there.
absl::StatusOr<ListenSockets> Listen(const std::string& address);

class Listener final : public AcceptLoop {
 public:
  // Listens on config.listen. Connections wait from now on; Start() takes them. UNAVAILABLE if the
  // address cannot be had. Cut connections are written to the log, which may be null and otherwise
  // outlives this.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const ServerConfig& config,
                                                        const ConnectionSeries& series,
                                                        Log* log = nullptr);
  // As Close().
  ~Listener() override { Close(); }

  int port() const override { return listening_.port; }

  // Starts the thread that accepts and looks at open connections, and the one that calls the
  // handler. The first thread calls the readers.
  void Start(Handler handler, const std::vector<ReadingThread>& readers) override;
  // The same, with other functions that ask the readers.
  void Run(Handler handler, const Readers& readers = Readers());

  std::vector<WatchedLoop> Loops() override;
  void StopAccepting() override;
  void Close() override;
  void CountRefusedCall(std::string_view peer) override { refused_calls_.Count(peer, SteadyNow()); }

 private:
  Listener(ListenSockets listening, const ServerConfig& config, const ConnectionSeries& series,
           Log* log);

  void Loop();
  void Wake();
  bool Await();
  void CloseSockets();
  void AcceptFrom(const Descriptor& socket);
  void Admit(Descriptor connection, const sockaddr_storage& peer);
  void Look();
  void CutWhatHolds();
  void CutWhatIsHeld();
  void CutOffenders();
  void Cut(WatchedConnection* connection, const CutReason& reason);
  void BeginDrain();
  void EndIdle();
  prometheus::Counter* ReasonToRefuse(const std::string& address_key);
  bool HasRoomFor(const std::string& address_key) const;
  void RefuseWithReserve(const Descriptor& socket);
  absl::Duration Pause() const;
  void Sweep();

  ListenSockets listening_;
  const ServerConfig config_;
  const ConnectionSeries series_;
  Descriptor wake_;
  Descriptor reserve_;
  ConnectionTable connections_;
  RecentConnections recent_;
  SilentConnections silent_;
  StreamFence fence_;
  AddressBans bans_;
  CutLog cut_log_;
  RefusedCalls refused_calls_;
  std::atomic<std::uint64_t> turns_ = 0;  // of Loop(), which alone writes it
  std::atomic<bool> is_draining_ = false;
  std::atomic<bool> is_closing_ = false;
  absl::Notification has_stopped_accepting_;
  std::optional<SteadyTime> end_idle_after_;
  SteadyTime last_sweep_ = SteadyTime();
  std::unique_ptr<Handover> handover_;
  std::thread thread_;
};

}  // namespace clearance::server
