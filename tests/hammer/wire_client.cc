// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/wire_client.h"

#include <thread>

#include "clearance/v1/query_service.grpc.pb.h"

namespace clearance::hammer {

std::shared_ptr<grpc::Channel> NewChannel(int port) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // A call is not silently begun anew: each harm is seen.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  return grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port),
                                   grpc::InsecureChannelCredentials(), arguments);
}

Answers Converse(const std::shared_ptr<grpc::Channel>& channel,
                 const std::vector<v1::SessionRequest>& requests) {
  const auto stub = v1::QueryService::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kHangGuard);
  const auto stream = stub->Session(&context);
  std::thread writer([&] {
    for (const v1::SessionRequest& request : requests) {
      if (!stream->Write(request)) return;
    }
    stream->WritesDone();
  });
  Answers answers;
  v1::SessionResponse response;
  while (stream->Read(&response)) {
    // Of a registry with registrations of its own.
    if (response.has_open()) response.mutable_open()->clear_revision();
    answers.replies.push_back(response.SerializeAsString());
  }
  writer.join();
  answers.status = stream->Finish();
  return answers;
}

}  // namespace clearance::hammer
