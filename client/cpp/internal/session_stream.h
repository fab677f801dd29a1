// SPDX-License-Identifier: Apache-2.0
//
// One stream of a session. When it breaks, the session goes on with another.

#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "clearance/v1/query_service.grpc.pb.h"
#include "internal/connection.h"

namespace clearance::client {

// One thread may write while another reads, finishes or cancels.
class SessionStream {
 public:
  // `connection` outlives this.
  SessionStream(const Connection& connection, absl::Duration timeout, const CallIds& ids)
      : connection_(connection) {
    connection.Prepare(timeout, ids, &context_);
  }

  // Call once, and before all but Cancel: blocks until the call is on its way or has failed.
  void Start() { stream_ = connection_.queries->Session(&context_); }

  // Returns false once the stream is broken.
  bool Write(const v1::SessionRequest& request) { return stream_->Write(request); }
  void WritesDone() { stream_->WritesDone(); }
  bool Read(v1::SessionResponse* response) { return stream_->Read(response); }
  // Returns the ids under which the server took the stream. Requires: Read returned true.
  CallIds ids() const;
  // Returns the stream's status. Requires: Read returned false, or Cancel was called.
  absl::Status Finish();
  void Cancel() { context_.TryCancel(); }

 private:
  const Connection& connection_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream_;
};

}  // namespace clearance::client
