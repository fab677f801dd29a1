// SPDX-License-Identifier: Apache-2.0
//
// Ends a call that must end though its client does not take the last message written.

#pragma once

#include <grpcpp/server_context.h>

#include <optional>

#include "absl/time/time.h"
#include "server/observe/steady_clock.h"
#include "server/transport/completion.h"
#include "server/transport/poller.h"

namespace clearance::server {

// Used on the polling thread alone.
class ReplyPatience {
 public:
  // `written` is the write operation of the call, which has one write at a time.
  ReplyPatience(Poller& poller, grpc::ServerContext& context, const Operation& written)
      : poller_(poller), context_(context), written_(written) {}

  // Called at every look once the call must end. A pending write has its time. When that is over,
  // lookers are called again; then the call is cancelled.
  void Urge() {
    if (!since_.has_value()) since_ = SteadyNow();
    if (!written_.is_pending()) return;
    if (SteadyNow() - *since_ < kPatience) return poller_.LookLater(kPatience);
    context_.TryCancel();
  }

 private:
  // A message on its way to a client that takes it is taken by then.
  static constexpr absl::Duration kPatience = absl::Milliseconds(250);

  Poller& poller_;
  grpc::ServerContext& context_;
  const Operation& written_;
  std::optional<SteadyTime> since_;
};

}  // namespace clearance::server
