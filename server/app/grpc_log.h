// SPDX-License-Identifier: Apache-2.0
//
// The logs of gRPC and of Protobuf as records of ours. They write a line for each handshake that
// fails and for each text in a message that is no UTF-8, so that anybody who reaches the port could
// fill a disk: only so many an hour are let through.

#pragma once

#include "server/observe/log.h"

namespace clearance::server {

// From its beginning to its end; one at a time.
class GrpcLog {
 public:
  // `log` outlives this.
  explicit GrpcLog(Log* log);
  ~GrpcLog();
  GrpcLog(const GrpcLog&) = delete;
  GrpcLog& operator=(const GrpcLog&) = delete;
};

}  // namespace clearance::server
