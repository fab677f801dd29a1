// SPDX-License-Identifier: Apache-2.0
//
// Valid requests with some bytes or fields changed, to the real server, many at once. Each has to
// be answered: by a message that may be an answer, or by a status whose code its method names.
//
//   mutated_requests [--requests=N] [--seed=S] [--threads=N]
//
// Exits with 1 where one is not, or where the server does not serve afterwards.

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "clearance/v1/query_service.pb.h"
#include "tests/hammer/mutator.h"
#include "tests/hammer/result_line.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"

ABSL_FLAG(int, requests, 1'000'000, "How many are sent.");
ABSL_FLAG(std::uint64_t, seed, 1, "Of requests and changes.");
ABSL_FLAG(int, threads, 8, "How many are sent at once.");

namespace clearance::hammer {
namespace {

constexpr int kCodes = 17;
constexpr const char* kCodeNames[kCodes] = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT", "DEADLINE",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "EXHAUSTED",        "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",         "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

// A request that asks for more than that is cut off: an answer, too.
constexpr std::chrono::seconds kDeadline(20);

bool IsAnswer(int code) {
  return code == grpc::StatusCode::OK || code == grpc::StatusCode::INVALID_ARGUMENT ||
         code == grpc::StatusCode::NOT_FOUND || code == grpc::StatusCode::ALREADY_EXISTS ||
         code == grpc::StatusCode::RESOURCE_EXHAUSTED ||
         code == grpc::StatusCode::FAILED_PRECONDITION ||
         code == grpc::StatusCode::DEADLINE_EXCEEDED;
}

grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

struct Tally {
  std::array<std::uint64_t, kCodes> codes{};
  std::uint64_t refused_in_session = 0;
  std::string fault;
};

// Asks one after the other.
class Sender {
 public:
  Sender(std::shared_ptr<grpc::Channel> channel, std::uint64_t seed)
      : random_(seed), stub_(std::move(channel)) {}

  void Send(int requests) {
    std::vector<Sample> samples;
    constexpr int kUses = 500;  // of the same samples
    for (int i = 0; i < requests && tally_.fault.empty(); ++i) {
      if (i % kUses == 0) samples = AnySamples(&random_);
      const Sample& sample =
          samples[static_cast<std::size_t>(random_.Below(static_cast<int>(samples.size())))];
      const std::string bytes = Mutated(*sample.request, &random_);
      if (sample.is_session) {
        AskInSession(sample, bytes);
      } else {
        Call(sample, bytes);
      }
    }
    EndSession();
  }

  const Tally& tally() const { return tally_; }

 private:
  struct Stream {
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> calls;
  };

  bool Wait() {
    void* tag = nullptr;
    bool is_ok = false;
    return queue_.Next(&tag, &is_ok) && is_ok;
  }

  void Call(const Sample& sample, const std::string& bytes) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kDeadline);
    const auto call = stub_.PrepareUnaryCall(&context, sample.path, BufferOf(bytes), &queue_);
    call->StartCall();
    grpc::ByteBuffer answer;
    grpc::Status status;
    call->Finish(&answer, &status, nullptr);
    Wait();
    Take(sample, status, answer);
  }

  void AskInSession(const Sample& sample, const std::string& bytes) {
    if (stream_ == nullptr) {
      stream_ = std::make_unique<Stream>();
      stream_->calls = stub_.PrepareCall(&stream_->context, sample.path, &queue_);
      stream_->calls->StartCall(nullptr);
      Wait();
    }
    stream_->calls->Write(BufferOf(bytes), nullptr);
    Wait();
    grpc::ByteBuffer answer;
    bool is_last = false;
    // A reply may come in parts: all are taken.
    while (!is_last) {
      stream_->calls->Read(&answer, nullptr);
      if (!Wait()) return EndOfSession(sample);
      is_last = TakeReply(sample, answer);
    }
    ++tally_.codes[grpc::StatusCode::OK];
  }

  void EndOfSession(const Sample& sample) {
    grpc::Status status;
    stream_->calls->Finish(&status, nullptr);
    Wait();
    stream_.reset();
    if (status.ok()) return Fail(sample, "the session ended well before its end");
    Take(sample, status, {});
  }

  // Whether that was the last part of the reply.
  bool TakeReply(const Sample& sample, const grpc::ByteBuffer& answer) {
    const std::string bytes = BytesOf(answer);
    if (const std::string fault = FaultOfAnswer(bytes, *sample.answer); !fault.empty()) {
      Fail(sample, fault);
      return true;
    }
    v1::SessionResponse reply;
    reply.ParseFromString(bytes);
    if (reply.has_status()) {
      ++tally_.refused_in_session;
      if (!IsAnswer(reply.status().code())) Fail(sample, reply.status().message());
    }
    const auto is_last = [](const auto& result) {
      return result.first_row() + result.count() >= result.total_count();
    };
    if (reply.has_distance()) return is_last(reply.distance());
    if (reply.has_intersection()) return is_last(reply.intersection());
    if (reply.has_time_of_collision()) return is_last(reply.time_of_collision());
    return true;
  }

  void EndSession() {
    if (stream_ == nullptr) return;
    stream_->calls->WritesDone(nullptr);
    Wait();
    grpc::Status status;
    stream_->calls->Finish(&status, nullptr);
    Wait();
    stream_.reset();
    if (!status.ok() && tally_.fault.empty()) tally_.fault = "Session: " + status.error_message();
  }

  void Take(const Sample& sample, const grpc::Status& status, const grpc::ByteBuffer& answer) {
    ++tally_.codes[static_cast<std::size_t>(status.error_code())];
    if (!IsAnswer(status.error_code())) {
      return Fail(sample,
                  std::string(kCodeNames[status.error_code()]) + ": " + status.error_message());
    }
    if (!status.ok()) return;
    const std::string fault = FaultOfAnswer(BytesOf(answer), *sample.answer);
    if (!fault.empty()) Fail(sample, fault);
  }

  void Fail(const Sample& sample, const std::string& what) {
    if (tally_.fault.empty()) tally_.fault = std::string(sample.path) + ": " + what;
  }

  testing::Random random_;
  grpc::GenericStub stub_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<Stream> stream_;
  Tally tally_;
};

Tally SendAll(const std::string& address, int requests, int threads, std::uint64_t seed) {
  testing::Random random(seed);
  std::vector<std::unique_ptr<Sender>> senders;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    senders.push_back(std::make_unique<Sender>(
        grpc::CreateChannel(address, grpc::InsecureChannelCredentials()), random.Next()));
    const int share = requests / threads + (i < requests % threads ? 1 : 0);
    running.emplace_back([sender = senders.back().get(), share] { sender->Send(share); });
  }
  for (std::thread& each : running) each.join();
  Tally total;
  for (const auto& sender : senders) {
    const Tally& tally = sender->tally();
    for (std::size_t code = 0; code < kCodes; ++code) total.codes[code] += tally.codes[code];
    total.refused_in_session += tally.refused_in_session;
    if (total.fault.empty()) total.fault = tally.fault;
  }
  return total;
}

int Main() {
  const int requests = absl::GetFlag(FLAGS_requests);
  const std::uint64_t seed = absl::GetFlag(FLAGS_seed);
  std::printf("mutated_requests: --requests=%d --seed=%llu\n", requests,
              static_cast<unsigned long long>(seed));
  const test::TemporaryDirectory directory;
  test::ServerProcess server({"--data_dir=" + directory.File("data"), "--check_sample=100"});
  Tally tally = SendAll(server.grpc_address(), requests, absl::GetFlag(FLAGS_threads), seed);
  std::uint64_t answered = 0;
  for (std::size_t code = 0; code < kCodes; ++code) {
    answered += tally.codes[code];
    if (tally.codes[code] == 0) continue;
    std::printf("  %-20s %9llu\n", kCodeNames[code],
                static_cast<unsigned long long>(tally.codes[code]));
  }
  std::printf("  (%llu of the replies of sessions were refusals)\n",
              static_cast<unsigned long long>(tally.refused_in_session));
  if (tally.fault.empty() && answered != static_cast<std::uint64_t>(requests)) {
    tally.fault = "not all were answered";
  }
  if (tally.fault.empty() && !test::Serves(server)) tally.fault = "the server does not serve";
  server.process().Signal(SIGTERM);
  if (server.process().WaitForExit() != 0) tally.fault += " the server did not end well";
  std::printf("%llu answered%s%s\n", static_cast<unsigned long long>(answered),
              tally.fault.empty() ? "" : "; FAULT: ", tally.fault.c_str());
  PrintResult({.kind = "mutated", .wrong = tally.fault.empty() ? 0U : 1U});
  return tally.fault.empty() ? 0 : 1;
}

}  // namespace
}  // namespace clearance::hammer

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::hammer::Main();
}
