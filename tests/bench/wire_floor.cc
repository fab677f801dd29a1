// SPDX-License-Identifier: Apache-2.0
//
// The cost of the wire alone: a server that speaks the Session of clearance.v1 with the same
// messages but answers every row with the sum of its pose numbers. It has one completion queue, one
// polling thread and generated messages, but no shapes, limits, metrics or log. The further cost of
// clearance-server is geometry, checks and accounts.
//
//   wire_floor [--row_work_ns=N]
//
// With N it spends this much processor time on each row, as an answer would. Then it is as busy as
// clearance-server, and its client waits as long; waking the client is a part of a message's cost
// for the sender. Reading a thread's clock takes some tenths of a microsecond, so it spends that
// much more on a message: for one row, nearly as much as on the row.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "clearance/v1/query_service.grpc.pb.h"
#include "server/transport/completion.h"
#include "tests/bench/report.h"

ABSL_FLAG(double, row_work_ns, 0, "Processor time that each row takes beside its sum.");

namespace clearance::bench {
namespace {

using Service = v1::QueryService::WithAsyncMethod_Session<v1::QueryService::Service>;
using Stream = grpc::ServerAsyncReaderWriter<v1::SessionResponse, v1::SessionRequest>;
using server::Completion;
using server::Detached;
using server::Operation;

constexpr int kPoseNumbers = 7;
constexpr int kVectorNumbers = 3;

template <class T>
void Fill(google::protobuf::RepeatedField<T>* column, int numbers, T value) {
  column->Resize(numbers, value);
}

// Columns of the sizes that clearance-server sends for distances, bounds, points and normals.
void AnswerRows(const v1::DistanceBatch& batch, v1::DistanceBatchResult* result) {
  const int rows = static_cast<int>(batch.pairs().count());
  result->set_count(batch.pairs().count());
  result->set_total_count(batch.pairs().count());
  Fill<int>(result->mutable_states(), rows, v1::STATE_SEPARATED);
  Fill(result->mutable_flags(), rows, 0U);
  Fill(result->mutable_distances(), rows, 0.0);
  Fill(result->mutable_lower_bounds(), rows, 0.0);
  Fill(result->mutable_upper_bounds(), rows, 0.0);
  Fill(result->mutable_points_a(), kVectorNumbers * rows, 0.0);
  Fill(result->mutable_points_b(), kVectorNumbers * rows, 0.0);
  Fill(result->mutable_normals(), kVectorNumbers * rows, 0.0);
  const double* a = batch.pairs().poses_a().data();
  const double* b = batch.pairs().poses_b().data();
  double* const distances = result->mutable_distances()->mutable_data();
  double* point_a = result->mutable_points_a()->mutable_data();
  double* point_b = result->mutable_points_b()->mutable_data();
  double* normal = result->mutable_normals()->mutable_data();
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int k = 0; k < kPoseNumbers; ++k) sum += *a++ + *b++;
    distances[i] = sum;
    point_a = std::fill_n(point_a, kVectorNumbers, sum);
    point_b = std::fill_n(point_b, kVectorNumbers, sum);
    normal = std::fill_n(normal, kVectorNumbers, sum);
  }
}

void Work(double nanoseconds) {
  const double end = ThreadNanoseconds() + nanoseconds;
  while (ThreadNanoseconds() < end) {
  }
}

bool HasWholeColumns(const v1::DistanceBatch& batch) {
  const std::uint64_t numbers = kPoseNumbers * std::uint64_t{batch.pairs().count()};
  return static_cast<std::uint64_t>(batch.pairs().poses_a_size()) == numbers &&
         static_cast<std::uint64_t>(batch.pairs().poses_b_size()) == numbers;
}

void Answer(const v1::SessionRequest& request, v1::SessionResponse* response) {
  response->set_tag(request.tag());
  if (request.has_open()) response->mutable_open()->set_slot(request.open().slot());
  if (request.has_distance() && HasWholeColumns(request.distance())) {
    AnswerRows(request.distance(), response->mutable_distance());
    const double work = absl::GetFlag(FLAGS_row_work_ns) * request.distance().pairs().count();
    if (work > 0) Work(work);
  }
}

// Reads the next message while one is answered and written.
Detached Serve(Service& service, grpc::ServerCompletionQueue* queue) {
  grpc::ServerContext context;
  Stream stream(&context);
  Operation requested, read, written, finished;
  service.RequestSession(&context, &stream, queue, queue, requested.Start());
  if (!co_await requested) co_return;
  Serve(service, queue);

  std::array<v1::SessionRequest, 2> requests;
  v1::SessionResponse response;
  stream.Read(&requests[0], read.Start());
  for (std::size_t current = 0; co_await read; current = 1 - current) {
    stream.Read(&requests[1 - current], read.Start());
    Answer(requests[current], &response);
    stream.Write(response, written.Start());
    if (!co_await written) break;
  }
  co_await read;
  stream.Finish(grpc::Status::OK, finished.Start());
  co_await finished;
}

int Main() {
  Service service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  Serve(service, queue.get());
  std::fprintf(stderr, "serving on port %d\n", port);
  void* tag = nullptr;
  bool is_ok = false;
  while (queue->Next(&tag, &is_ok)) static_cast<Completion*>(tag)->Complete(is_ok);
  return 0;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::bench::Main();
}
