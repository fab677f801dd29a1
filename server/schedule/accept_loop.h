// SPDX-License-Identifier: Apache-2.0
//
// An accept loop in place of gRPC's own. An optional part of the server has one (server/fence); a
// build without that part lets gRPC accept connections.

#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "server/observe/descriptor.h"
#include "server/observe/liveness.h"

namespace clearance::server {

// A thread that reads connections. For one watching thread.
struct ReadingThread {
  WatchedLoop loop;
  // Returns the processor time that it has spent since its loop last turned.
  std::function<absl::Duration()> held_for;
};

class AcceptLoop {
 public:
  // Takes a connection. If it does not return in time, the connection is cut.
  using Handler = std::function<void(Descriptor connection)>;

  virtual ~AcceptLoop() = default;

  // Returns the bound port; 0 for a unix path.
  virtual int port() const = 0;

  // Starts to accept connections and to watch the open ones. At most once. The readers are called
  // until Close() returns.
  virtual void Start(Handler handler, const std::vector<ReadingThread>& readers) = 0;

  // Returns its own loops. Requires: Start() was called. Not to be used once Close() is called.
  virtual std::vector<WatchedLoop> Loops() = 0;

  // Stops accepting; connections that were not taken are reset. After it returns, the handler is
  // not running and is never called again. Connections that were handed on are looked at as before.
  // After a while those without a stream are ended: clients that are told to go elsewhere do, but
  // an idle one may not hear of it for seconds.
  virtual void StopAccepting() = 0;

  // The same, and stops looking. Connections that were handed on stay.
  virtual void Close() = 0;

  // Counts a call without valid credentials. `peer` is as gRPC writes it ("ipv4:192.0.2.1:5000").
  // Thread-safe.
  virtual void CountRefusedCall(std::string_view peer) = 0;
};

}  // namespace clearance::server
