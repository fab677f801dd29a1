// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/library_load.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "clearance/client.h"
#include "clearance/session.h"
#include "tests/fleet/loads.h"

namespace clearance::fleet {
namespace {

constexpr const char* kCaller = "session of the library";
constexpr std::uint64_t kOnTheWay = 24;
// Between two answers that are taken.
constexpr std::chrono::milliseconds kBreath{5};

double GapOf(std::uint64_t tag) { return 8 + static_cast<double>(tag % 1000); }

client::DistanceBatch QuestionOf(std::uint64_t tag) {
  client::DistanceBatch batch;
  batch.pairs.count = 1;
  // The two balls have a radius of 1 each.
  client::AppendPose({.x = GapOf(tag) + 2, .qw = 1}, &batch.pairs.poses_b);
  return batch;
}

// What is wrong with it, or "".
std::string FaultOf(std::uint64_t tag, const client::Reply& reply) {
  if (reply.tag != tag) return absl::StrCat("has tag ", reply.tag);
  if (!reply.status.ok()) return reply.status.ToString();
  const auto* const distance = std::get_if<client::DistanceResult>(&reply.answer);
  if (distance == nullptr || distance->distances.size() != 1) return "is of another kind";
  if (distance->distances.front() == GapOf(tag)) return "";
  return absl::StrCat("is ", distance->distances.front());
}

class LibraryLoad {
 public:
  LibraryLoad(client::Session* session, Findings* findings)
      : session_(session), findings_(findings) {}

  // OK, or why the session ended before its time.
  absl::Status Run(const std::atomic<bool>& is_over);

 private:
  void Take(const client::Reply& reply);

  client::Session* const session_;
  Findings* const findings_;
  std::uint64_t sent_ = 0;
  std::uint64_t taken_ = 0;
  Clock::time_point answered_ = Clock::now();
};

absl::Status LibraryLoad::Run(const std::atomic<bool>& is_over) {
  for (const std::uint32_t slot : {0U, 1U}) {
    const auto opened = session_->Open(slot, client::ByName{kSteadyName});
    if (!opened.ok()) return opened.status();
  }
  while (!is_over || taken_ < sent_) {
    for (; !is_over && sent_ - taken_ < kOnTheWay; ++sent_) {
      absl::Status status = session_->Send(QuestionOf(sent_), sent_);
      if (!status.ok()) return status;
    }
    if (taken_ == sent_) break;
    const absl::StatusOr<client::Reply> reply = session_->Next();
    if (!reply.ok()) return reply.status();
    Take(*reply);
    std::this_thread::sleep_for(kBreath);
  }
  findings_->gaps.Add({kCaller, "an answer until the end", answered_});
  return session_->Finish();
}

void LibraryLoad::Take(const client::Reply& reply) {
  if (Clock::now() - answered_ > kNoticed) {
    const std::string phase = absl::StrCat("the first answer of ", sent_ - taken_, " under way");
    findings_->gaps.Add({kCaller, phase, answered_});
  }
  answered_ = Clock::now();
  const std::string fault = FaultOf(taken_, reply);
  if (!fault.empty()) {
    // Answers come in the order of the messages: one with another's tag came twice, or is missing.
    findings_->Add(reply.tag == taken_ ? &findings_->wrong : &findings_->twice);
    findings_->Complain(absl::StrCat("answer ", taken_, " of the library ", fault));
  }
  ++taken_;
  findings_->Add(&findings_->answered_to_library);
}

}  // namespace

void KeepInFlight(const std::string& addresses, const std::atomic<bool>& is_over,
                  Findings* findings) {
  client::ClientOptions options;
  options.timeout = absl::FromChrono(kEndless);
  const absl::StatusOr<client::Client> client = client::Client::Connect(addresses, options);
  absl::Status status = client.status();
  if (status.ok()) {
    client::SessionOptions lasting;
    lasting.reopen_within = absl::FromChrono(kEndless);
    const std::unique_ptr<client::Session> session = client->OpenSession(lasting);
    status = LibraryLoad(session.get(), findings).Run(is_over);
  }
  if (status.ok()) return;
  findings->Add(&findings->wrong);
  findings->Complain(absl::StrCat("a session of the library ended: ", status.ToString()));
}

}  // namespace clearance::fleet
