// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/wire_client.h"

#include <algorithm>
#include <thread>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"

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

bool IsClean(const grpc::Status& status) {
  return status.ok() || status.error_code() == grpc::StatusCode::UNAVAILABLE;
}

std::string FaultOf(const Answers& answers, const Answers& right, bool has_to_be_whole) {
  if (answers.replies.size() > right.replies.size()) return "more replies than messages";
  if (!std::equal(answers.replies.begin(), answers.replies.end(), right.replies.begin())) {
    return "a reply with other bytes";
  }
  if (!IsClean(answers.status) || (has_to_be_whole && !answers.status.ok())) {
    return "status " + std::to_string(answers.status.error_code()) + ": " +
           answers.status.error_message();
  }
  const bool is_whole = answers.replies.size() == right.replies.size();
  return answers.status.ok() && !is_whole ? "ended well without all replies" : "";
}

grpc::Status Register(const std::shared_ptr<grpc::Channel>& channel, const std::string& name,
                      const v1::Shape& shape) {
  const auto stub = v1::ShapeService::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kHangGuard);
  v1::RegisterShapeRequest request;
  request.set_name(name);
  *request.mutable_shape() = shape;
  v1::RegisterShapeResponse response;
  return stub->RegisterShape(&context, request, &response);
}

bool IsThere(const std::shared_ptr<grpc::Channel>& channel, const std::string& name,
             const v1::Shape& shape) {
  const auto stub = v1::ShapeService::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kHangGuard);
  v1::GetShapeRequest request;
  request.set_name(name);
  request.set_include_content(true);
  v1::GetShapeResponse response;
  return stub->GetShape(&context, request, &response).ok() &&
         response.shape().SerializeAsString() == shape.SerializeAsString();
}

}  // namespace clearance::hammer
