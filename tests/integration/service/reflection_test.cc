// SPDX-License-Identifier: Apache-2.0

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <string>

#include "server/transport/methods.h"
#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

using grpc::reflection::v1alpha::ServerReflection;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;
using server::AnswerReflection;

constexpr char kQueryFile[] = "clearance/v1/query_service.proto";

// Does the same as a tool with the answer: finds the symbol with the files that it got, and no
// others.
bool Finds(const ServerReflectionResponse& response, const std::string& symbol) {
  google::protobuf::SimpleDescriptorDatabase files;
  for (const std::string& bytes : response.file_descriptor_response().file_descriptor_proto()) {
    google::protobuf::FileDescriptorProto file;
    if (!file.ParseFromString(bytes) || !files.Add(file)) return false;
  }
  google::protobuf::DescriptorPool pool(&files);
  return pool.FindFileContainingSymbol(symbol) != nullptr;
}

TEST(ReflectionAnswer, HasTheFileOfASymbolAndAllThatItImports) {
  ServerReflectionRequest request;
  request.set_host("here");
  request.set_file_containing_symbol("clearance.v1.QueryService.Distance");
  const ServerReflectionResponse response = AnswerReflection(request);
  EXPECT_EQ(response.valid_host(), "here");
  EXPECT_EQ(response.original_request().file_containing_symbol(), request.file_containing_symbol());
  EXPECT_TRUE(Finds(response, "clearance.v1.QueryService"));
  // Itself, and what each imports: queries, shapes, errors, google.rpc.Status, Any, Duration.
  EXPECT_GE(response.file_descriptor_response().file_descriptor_proto_size(), 6);

  request.set_file_by_filename(kQueryFile);
  EXPECT_EQ(AnswerReflection(request).file_descriptor_response().SerializeAsString(),
            response.file_descriptor_response().SerializeAsString());
}

TEST(ReflectionAnswer, OfWhatIsNotThereIsAnError) {
  ServerReflectionRequest request;
  EXPECT_EQ(AnswerReflection(request).error_response().error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  request.set_file_by_filename("nothing.proto");
  EXPECT_EQ(AnswerReflection(request).error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  request.set_file_containing_symbol("clearance.v1.Nothing");
  EXPECT_EQ(AnswerReflection(request).error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  request.set_all_extension_numbers_of_type("clearance.v1.Nothing");
  EXPECT_EQ(AnswerReflection(request).error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  for (const char* type : {"clearance.v1.Nothing", "clearance.v1.Shape"}) {
    request.mutable_file_containing_extension()->set_containing_type(type);
    EXPECT_EQ(AnswerReflection(request).error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  }
}

TEST(ReflectionAnswer, ShapesHaveNoExtensions) {
  ServerReflectionRequest request;
  request.set_all_extension_numbers_of_type("clearance.v1.Shape");
  const ServerReflectionResponse response = AnswerReflection(request);
  EXPECT_EQ(response.all_extension_numbers_response().base_type_name(), "clearance.v1.Shape");
  EXPECT_EQ(response.all_extension_numbers_response().extension_number_size(), 0);
}

TEST(ReflectionStream, AnswersOneAfterAnotherUntilTheDrain) {
  TestServer server;
  const auto stub = ServerReflection::NewStub(server.channel);
  grpc::ClientContext context;
  context.set_deadline(HangGuard());
  const auto stream = stub->ServerReflectionInfo(&context);
  ServerReflectionResponse response;
  for (const char* symbol : {"clearance.v1.ShapeService", "clearance.v1.QueryService"}) {
    ServerReflectionRequest request;
    request.set_file_containing_symbol(symbol);
    ASSERT_TRUE(stream->Write(request) && stream->Read(&response));
    EXPECT_TRUE(Finds(response, symbol));
  }
  server.grpc->BeginDrain();
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(ReflectionStream, EndsWithItsClient) {
  TestServer server;
  const auto stub = ServerReflection::NewStub(server.channel);
  grpc::ClientContext context;
  context.set_deadline(HangGuard());
  const auto stream = stub->ServerReflectionInfo(&context);
  ServerReflectionResponse response;
  ASSERT_TRUE(stream->Write(ServerReflectionRequest()) && stream->Read(&response));
  stream->WritesDone();
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::OK);
}

}  // namespace
}  // namespace clearance::testing
