// SPDX-License-Identifier: Apache-2.0

#include <google/protobuf/descriptor.pb.h>

#include "server/transport/methods.h"

namespace clearance::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using grpc::reflection::v1alpha::ExtensionRequest;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;

const DescriptorPool& Pool() { return *DescriptorPool::generated_pool(); }

void FillError(grpc::StatusCode code, const std::string& text, ServerReflectionResponse* response) {
  response->mutable_error_response()->set_error_code(code);
  response->mutable_error_response()->set_error_message(text);
}

// Adds the file and all files that it imports; NOT_FOUND for null.
void FillFiles(const FileDescriptor* first, ServerReflectionResponse* response) {
  if (first == nullptr) return FillError(grpc::StatusCode::NOT_FOUND, "there is none", response);
  std::vector<const FileDescriptor*> files = {first};
  absl::flat_hash_set<const FileDescriptor*> known = {first};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FileDescriptor& file = *files[i];
    google::protobuf::FileDescriptorProto proto;
    file.CopyTo(&proto);
    response->mutable_file_descriptor_response()->add_file_descriptor_proto(
        proto.SerializeAsString());
    for (int k = 0; k < file.dependency_count(); ++k) {
      if (known.insert(file.dependency(k)).second) files.push_back(file.dependency(k));
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

const FileDescriptor* FileOfExtension(const ExtensionRequest& request) {
  const Descriptor* const type = Pool().FindMessageTypeByName(request.containing_type());
  if (type == nullptr) return nullptr;
  const FieldDescriptor* const found =
      Pool().FindExtensionByNumber(type, request.extension_number());
  return found == nullptr ? nullptr : found->file();
}

void FillExtensionNumbers(const std::string& name, ServerReflectionResponse* response) {
  const Descriptor* const type = Pool().FindMessageTypeByName(name);
  if (type == nullptr) return FillError(grpc::StatusCode::NOT_FOUND, "there is none", response);
  auto* const numbers = response->mutable_all_extension_numbers_response();
  numbers->set_base_type_name(name);
  std::vector<const FieldDescriptor*> extensions;
  Pool().FindAllExtensions(type, &extensions);
  for (const FieldDescriptor* const extension : extensions) {
    numbers->add_extension_number(extension->number());
  }
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
  switch (request.message_request_case()) {
    case ServerReflectionRequest::kFileByFilename:
      FillFiles(Pool().FindFileByName(request.file_by_filename()), &response);
      break;
    case ServerReflectionRequest::kFileContainingSymbol:
      FillFiles(Pool().FindFileContainingSymbol(request.file_containing_symbol()), &response);
      break;
    case ServerReflectionRequest::kFileContainingExtension:
      FillFiles(FileOfExtension(request.file_containing_extension()), &response);
      break;
    case ServerReflectionRequest::kAllExtensionNumbersOfType:
      FillExtensionNumbers(request.all_extension_numbers_of_type(), &response);
      break;
    case ServerReflectionRequest::kListServices:
      FillServices(&response);
      break;
    case ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
      FillError(grpc::StatusCode::INVALID_ARGUMENT, "nothing is asked", &response);
      break;
  }
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
