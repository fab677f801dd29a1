// SPDX-License-Identifier: Apache-2.0

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>

#include <deque>

#include "server/transport/methods.h"

namespace clearance::server {
namespace {

using google::protobuf::DescriptorPoolDatabase;
using google::protobuf::FileDescriptorProto;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;

void FillError(grpc::StatusCode code, const std::string& text, ServerReflectionResponse* response) {
  response->mutable_error_response()->set_error_code(code);
  response->mutable_error_response()->set_error_message(text);
}

// Adds the file and all files that it imports.
void FillFiles(const FileDescriptorProto& first, DescriptorPoolDatabase* pool,
               ServerReflectionResponse* response) {
  std::deque<FileDescriptorProto> files = {first};
  absl::flat_hash_set<std::string> known = {first.name()};
  for (std::size_t i = 0; i < files.size(); ++i) {
    response->mutable_file_descriptor_response()->add_file_descriptor_proto(
        files[i].SerializeAsString());
    for (const std::string& name : files[i].dependency()) {
      if (known.insert(name).second) pool->FindFileByName(name, &files.emplace_back());
    }
  }
}

void FillServices(ServerReflectionResponse* response) {
  auto* const services = response->mutable_list_services_response();
  for (const char* name : kServices) services->add_service()->set_name(name);
  services->add_service()->set_name(grpc::health::v1::Health::service_full_name());
  services->add_service()->set_name(
      grpc::reflection::v1alpha::ServerReflection::service_full_name());
}

// Far longer than any name of a symbol or file.
constexpr std::size_t kMaxReflectionBytes = 4096;

struct ReflectionCall : RawCall<TwoWayStream> {
  explicit ReflectionCall(Poller& poller)
      : on_look(poller, [this, &poller] {
          if (poller.is_draining()) read.Interrupt();
        }) {}

  Operation read;
  Poller::Hook on_look;
};

}  // namespace

ServerReflectionResponse AnswerReflection(const ServerReflectionRequest& request) {
  ServerReflectionResponse response;
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  DescriptorPoolDatabase pool(*google::protobuf::DescriptorPool::generated_pool());
  FileDescriptorProto file;
  std::vector<int> numbers;
  bool is_found = true;
  switch (request.message_request_case()) {
    case ServerReflectionRequest::kFileByFilename:
      is_found = pool.FindFileByName(request.file_by_filename(), &file);
      break;
    case ServerReflectionRequest::kFileContainingSymbol:
      is_found = pool.FindFileContainingSymbol(request.file_containing_symbol(), &file);
      break;
    case ServerReflectionRequest::kFileContainingExtension:
      is_found = pool.FindFileContainingExtension(
          request.file_containing_extension().containing_type(),
          request.file_containing_extension().extension_number(), &file);
      break;
    case ServerReflectionRequest::kAllExtensionNumbersOfType: {
      const std::string& type = request.all_extension_numbers_of_type();
      is_found = pool.FindAllExtensionNumbers(type, &numbers);
      if (!is_found) break;
      auto* const all = response.mutable_all_extension_numbers_response();
      all->set_base_type_name(type);
      all->mutable_extension_number()->Add(numbers.begin(), numbers.end());
      break;
    }
    case ServerReflectionRequest::kListServices:
      FillServices(&response);
      break;
    case ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
      FillError(grpc::StatusCode::INVALID_ARGUMENT, "nothing is asked", &response);
      break;
  }
  if (!is_found) FillError(grpc::StatusCode::NOT_FOUND, "there is none", &response);
  if (file.has_name()) FillFiles(file, &pool, &response);
  return response;
}

Detached ServeReflection(ReflectionService& service, Poller& poller) {
  const Poller::Presence presence(poller);
  ReflectionCall call(poller);
  service.Request(service.IndexOf("ServerReflectionInfo"), &call, poller.queue());
  if (!co_await call.requested) co_return;
  ServeReflection(service, poller);

  grpc::Status status;
  while (status.ok()) {
    call.stream.Read(&call.incoming, call.read.Start());
    const bool is_asked = !poller.is_draining() && co_await call.read;
    if (!is_asked && !call.read.is_pending()) break;
    ServerReflectionRequest request;
    status = is_asked ? TakeShort(&call.incoming, kMaxReflectionBytes, &request)
                      : grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining");
    if (!status.ok()) break;
    call.stream.Write(SerializeMessage(AnswerReflection(request)), call.written.Start());
    if (!co_await call.written) break;
  }
  call.stream.Finish(status, call.finished.Start());
  co_await call.finished;
  while (call.read.is_pending()) co_await call.read;
}

}  // namespace clearance::server
