// SPDX-License-Identifier: Apache-2.0
//
// Valid requests with some bytes or fields changed, of every method and every kind of message of a
// session, to the real server, many at once. Each must be answered: by a message that may be an
// answer, or by a status whose code its method names; and of each method and kind some must be
// answered well.
//
//   mutated_requests [--requests=N] [--seed=S] [--threads=N]
//
// Exits with 1 where one is not, or where the server does not serve afterwards.

#include <google/protobuf/stubs/logging.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "clearance/v1/query_service.pb.h"
#include "tests/hammer/answer_faults.h"
#include "tests/hammer/mutator.h"
#include "tests/hammer/result_line.h"
#include "tests/hammer/samples.h"
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

// The field of the kind that a message of a session, or a reply, has; null of one without a kind.
const google::protobuf::FieldDescriptor* KindOf(const google::protobuf::Message& message) {
  return message.GetReflection()->GetOneofFieldDescriptor(
      message, message.GetDescriptor()->FindOneofByName("kind"));
}

// A method or, in a session, a kind of message: "SceneService.GetScene", "Session.open_scene".
std::string LabelOf(const Sample& sample) {
  if (sample.method->client_streaming()) return "Session." + KindOf(*sample.request)->name();
  return sample.method->service()->name() + "." + sample.method->name();
}

struct Tally {
  std::array<std::uint64_t, kCodes> codes{};
  std::uint64_t refused_in_session = 0;
  std::map<std::string, std::uint64_t> well;  // by label
  std::string fault;
};

// Else more rows of the same answer follow.
bool IsLastPart(const v1::SessionResponse& reply) {
  const auto* const kind = KindOf(reply);
  if (kind == nullptr) return true;
  const auto& result = reply.GetReflection()->GetMessage(reply, kind);
  const auto* const type = result.GetDescriptor();
  if (type->FindFieldByName("total_count") == nullptr) return true;
  const auto number = [&](const char* name) {
    return result.GetReflection()->GetUInt32(result, type->FindFieldByName(name));
  };
  return number("first_row") + number("count") >= number("total_count");
}

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
      Ask(sample, Mutated(*sample.request, &random_));
    }
    EndSession();
  }

  // As they are; each must succeed.
  void SendWell(const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) {
      Call(sample, sample.request->SerializeAsString());
      if (tally_.codes[grpc::StatusCode::OK] == 0) Fail(sample, "a valid request is refused");
      tally_.codes = {};
    }
    tally_.well.clear();
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

  void Ask(const Sample& sample, const std::string& bytes) {
    if (sample.method->client_streaming()) return AskInSession(sample, bytes);
    if (sample.method->server_streaming()) return Watch(sample, bytes);
    Call(sample, bytes);
  }

  void Call(const Sample& sample, const std::string& bytes) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kDeadline);
    const auto call =
        stub_.PrepareUnaryCall(&context, PathOf(*sample.method), BufferOf(bytes), &queue_);
    call->StartCall();
    grpc::ByteBuffer answer;
    grpc::Status status;
    call->Finish(&answer, &status, nullptr);
    Wait();
    if (status.ok()) return TakeAnswer(sample, answer);
    TakeStatus(sample, status);
  }

  // The first message of a stream, which is left then, or its end.
  void Watch(const Sample& sample, const std::string& bytes) {
    Stream stream;
    stream.context.set_deadline(std::chrono::system_clock::now() + kDeadline);
    stream.calls = stub_.PrepareCall(&stream.context, PathOf(*sample.method), &queue_);
    stream.calls->StartCall(nullptr);
    Wait();
    stream.calls->WriteLast(BufferOf(bytes), grpc::WriteOptions(), nullptr);
    Wait();
    grpc::ByteBuffer answer;
    stream.calls->Read(&answer, nullptr);
    const bool is_told = Wait();
    if (is_told) stream.context.TryCancel();
    grpc::Status status;
    stream.calls->Finish(&status, nullptr);
    Wait();
    if (is_told) return TakeAnswer(sample, answer);
    if (status.ok()) return Fail(sample, "a watch that tells nothing");
    TakeStatus(sample, status);
  }

  void AskInSession(const Sample& sample, const std::string& bytes) {
    if (stream_ == nullptr) Greet(sample);
    stream_->calls->Write(BufferOf(bytes), nullptr);
    Wait();
    grpc::ByteBuffer answer;
    bool is_last = false;
    v1::SessionRequest request;
    request.ParseFromString(bytes);
    // A reply may come in parts: all are taken.
    while (!is_last) {
      stream_->calls->Read(&answer, nullptr);
      if (!Wait()) return EndOfSession(sample);
      is_last = TakeReply(sample, request.kind_case(), answer);
    }
    ++tally_.codes[grpc::StatusCode::OK];
  }

  // Of these messages each has one reply, whatever it is: another session may have the track.
  void Greet(const Sample& sample) {
    stream_ = std::make_unique<Stream>();
    stream_->calls = stub_.PrepareCall(&stream_->context, PathOf(*sample.method), &queue_);
    stream_->calls->StartCall(nullptr);
    Wait();
    for (const v1::SessionRequest& message : AnyGreeting(&random_)) {
      stream_->calls->Write(BufferOf(message.SerializeAsString()), nullptr);
      Wait();
      grpc::ByteBuffer answer;
      stream_->calls->Read(&answer, nullptr);
      Wait();
    }
  }

  void EndOfSession(const Sample& sample) {
    grpc::Status status;
    stream_->calls->Finish(&status, nullptr);
    Wait();
    stream_.reset();
    if (status.ok()) return Fail(sample, "the session ended well before its end");
    TakeStatus(sample, status);
  }

  // Whether that was the last part of the reply.
  bool TakeReply(const Sample& sample, v1::SessionRequest::KindCase kind,
                 const grpc::ByteBuffer& answer) {
    v1::SessionResponse reply;
    if (!reply.ParseFromString(BytesOf(answer))) Fail(sample, "no SessionResponse");
    if (const std::string fault = FaultOfAnswer(reply); !fault.empty()) Fail(sample, fault);
    const int code = reply.status().code();
    if (reply.has_status()) {
      ++tally_.refused_in_session;
      if (!NamesCode(kind, code)) Fail(sample, Told(code, reply.status().message()));
    } else {
      ++tally_.well["Session." + KindOf(reply)->name()];
    }
    return !tally_.fault.empty() || IsLastPart(reply);
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

  void TakeAnswer(const Sample& sample, const grpc::ByteBuffer& bytes) {
    ++tally_.codes[grpc::StatusCode::OK];
    ++tally_.well[LabelOf(sample)];
    const std::unique_ptr<google::protobuf::Message> answer(
        google::protobuf::MessageFactory::generated_factory()
            ->GetPrototype(sample.method->output_type())
            ->New());
    if (!answer->ParseFromString(BytesOf(bytes))) {
      return Fail(sample, "no " + answer->GetTypeName());
    }
    if (const std::string fault = FaultOfAnswer(*answer); !fault.empty()) Fail(sample, fault);
  }

  void TakeStatus(const Sample& sample, const grpc::Status& status) {
    const int code = status.error_code();
    ++tally_.codes[static_cast<std::size_t>(code)];
    if (!NamesCode(*sample.method, code)) Fail(sample, Told(code, status.error_message()));
  }

  static std::string Told(int code, const std::string& message) {
    return (code >= 0 && code < kCodes ? kCodeNames[code] : "?") + (": " + message);
  }

  void Fail(const Sample& sample, const std::string& what) {
    if (tally_.fault.empty()) tally_.fault = LabelOf(sample) + ": " + what;
  }

  testing::Random random_;
  grpc::GenericStub stub_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<Stream> stream_;
  Tally tally_;
};

std::shared_ptr<grpc::Channel> ChannelTo(const std::string& address) {
  return grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
}

void Add(const Tally& tally, Tally* total) {
  for (std::size_t code = 0; code < kCodes; ++code) total->codes[code] += tally.codes[code];
  total->refused_in_session += tally.refused_in_session;
  for (const auto& [label, count] : tally.well) total->well[label] += count;
  if (total->fault.empty()) total->fault = tally.fault;
}

Tally SendAll(const std::string& address, int requests, int threads, std::uint64_t seed) {
  testing::Random random(seed);
  Sender first(ChannelTo(address), random.Next());
  first.SendWell(BaseSamples(&random));
  std::vector<std::unique_ptr<Sender>> senders;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    senders.push_back(std::make_unique<Sender>(ChannelTo(address), random.Next()));
    const int share = requests / threads + (i < requests % threads ? 1 : 0);
    running.emplace_back([sender = senders.back().get(), share] { sender->Send(share); });
  }
  for (std::thread& each : running) each.join();
  Tally total = first.tally();
  for (const auto& sender : senders) Add(sender->tally(), &total);
  return total;
}

// What must be answered well now and then: every method of the API, every kind of message.
std::set<std::string> AllLabels() {
  std::set<std::string> labels;
  for (const char* const name :
       {"QueryService", "ShapeService", "SceneService", "SceneQueryService", "ServerService"}) {
    const auto* const service =
        google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(
            std::string("clearance.v1.") + name);
    for (int i = 0; i < service->method_count(); ++i) {
      if (!service->method(i)->client_streaming()) {
        labels.insert(service->name() + "." + service->method(i)->name());
      }
    }
  }
  const auto* const kinds = v1::SessionRequest::descriptor()->FindOneofByName("kind");
  for (int i = 0; i < kinds->field_count(); ++i) {
    labels.insert("Session." + kinds->field(i)->name());
  }
  return labels;
}

std::uint64_t Answered(const Tally& tally) {
  std::uint64_t answered = 0;
  for (const std::uint64_t count : tally.codes) answered += count;
  return answered;
}

void Print(const Tally& tally) {
  for (std::size_t code = 0; code < kCodes; ++code) {
    if (tally.codes[code] == 0) continue;
    std::printf("  %-20s %9llu\n", kCodeNames[code],
                static_cast<unsigned long long>(tally.codes[code]));
  }
  std::printf("  (%llu of the replies of sessions were refusals)\n",
              static_cast<unsigned long long>(tally.refused_in_session));
  std::printf("answered well:\n");
  for (const auto& [label, count] : tally.well) {
    std::printf("  %-34s %9llu\n", label.c_str(), static_cast<unsigned long long>(count));
  }
}

// Of the whole run, each request of which was answered as it may be.
std::string FaultOfRun(const Tally& tally, std::uint64_t requests,
                       const test::ServerProcess& server) {
  if (Answered(tally) != requests) return "not all were answered";
  for (const std::string& label : AllLabels()) {
    if (tally.well.count(label) == 0) return label + " was never answered well";
  }
  return test::Serves(server) ? "" : "the server does not serve";
}

int Main() {
  // Of each text that is no UTF-8 a line.
  google::protobuf::SetLogHandler(nullptr);
  const int requests = absl::GetFlag(FLAGS_requests);
  const std::uint64_t seed = absl::GetFlag(FLAGS_seed);
  std::printf("mutated_requests: --requests=%d --seed=%llu\n", requests,
              static_cast<unsigned long long>(seed));
  const test::TemporaryDirectory directory;
  test::ServerProcess server({"--data_dir=" + directory.File("data"), "--check_sample=100"});
  Tally tally = SendAll(server.grpc_address(), requests, absl::GetFlag(FLAGS_threads), seed);
  Print(tally);
  if (tally.fault.empty()) {
    tally.fault = FaultOfRun(tally, static_cast<std::uint64_t>(requests), server);
  }
  server.process().Signal(SIGTERM);
  if (server.process().WaitForExit() != 0) tally.fault += " the server did not end well";
  std::printf("%llu answered%s%s\n", static_cast<unsigned long long>(Answered(tally)),
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
