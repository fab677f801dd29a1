// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/loads.h"

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/notification.h"

namespace clearance::fleet {
namespace {

// Before a server is asked again that did not answer.
constexpr std::chrono::milliseconds kPause{20};
// Between two questions of one session.
constexpr std::chrono::milliseconds kPace{5};

void SetDeadline(grpc::ClientContext* context) {
  context->set_deadline(std::chrono::system_clock::now() + kCallPatience);
}

bool MayPass(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE ||
         status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED ||
         status.error_code() == grpc::StatusCode::CANCELLED;
}

v1::GetShapeRequest GetRequest(const std::string& name) {
  v1::GetShapeRequest request;
  request.set_name(name);
  request.set_include_content(true);
  return request;
}

// The radius that the name means, 0 of none; -1 where nobody answered.
double RadiusOf(const grpc::Status& status, const v1::GetShapeResponse& response) {
  if (status.error_code() == grpc::StatusCode::NOT_FOUND) return 0;
  return status.ok() ? response.shape().sphere().radius() : -1;
}

void AddDistance(std::uint64_t tag, v1::SessionRequest* request) {
  request->set_tag(tag);
  auto* const pairs = request->mutable_distance()->mutable_pairs();
  pairs->set_count(1);
  for (const double number : {10. + static_cast<double>(tag % 1000), 0., 0., 0., 0., 0., 1.})
    pairs->add_poses_b(number);
}

// A session on one server with the steady ball in slots 0 and 1.
class Conversation {
 public:
  // False where it cannot be begun.
  bool Begin(const SitePtr& site) {
    site_ = site;
    stream_ = site->queries->Session(&context_);
    for (const std::uint32_t slot : {0, 1}) {
      v1::SessionRequest open;
      open.mutable_open()->set_slot(slot);
      open.mutable_open()->mutable_shape()->set_name(kSteadyName);
      v1::SessionResponse opened;
      if (!stream_->Write(open) || !stream_->Read(&opened) || !opened.has_open()) return false;
    }
    return true;
  }
  // None where the session ended before the answer.
  std::optional<v1::SessionResponse> Ask(std::uint64_t tag) {
    v1::SessionRequest request;
    AddDistance(tag, &request);
    v1::SessionResponse response;
    if (!stream_->Write(request) || !stream_->Read(&response)) return std::nullopt;
    return response;
  }
  // Why it ended. Once, and nothing after it.
  grpc::Status End() {
    context_.TryCancel();
    return stream_->Finish();
  }

 private:
  SitePtr site_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream_;
};

}  // namespace

void Account::Note(std::size_t server, const grpc::Status& status) {
  const double at = std::chrono::duration<double>(Clock::now() - began_).count();
  const std::string what = absl::StrCat("server ", server, " said: ", status.error_message());
  if (told_.empty() || told_.back().what != what) told_.push_back({.what = what, .first = at});
  told_.back().last = at;
  ++told_.back().times;
}

std::string Account::Phase(const std::string& what) const {
  std::string text = what;
  for (const Told& told : told_) {
    absl::StrAppendFormat(&text, "; from %.2f to %.2f s, %u times, %s", told.first, told.last,
                          told.times, told.what);
  }
  return text;
}

std::string Writer::NameOf(std::size_t i) const { return absl::StrCat("w", number_, "/", i); }

// A look at one server, while others are looked at.
struct Writer::Glance {
  Glance(std::size_t of_number, SitePtr of) : number(of_number), site(std::move(of)) {}

  void Begin(const std::string& name) {
    SetDeadline(&context);
    request = GetRequest(name);
    site->shapes->async()->GetShape(&context, &request, &response, [this](grpc::Status of) {
      status = std::move(of);
      answered = Clock::now();
      done.Notify();
    });
  }

  const std::size_t number;
  const SitePtr site;
  grpc::ClientContext context;
  v1::GetShapeRequest request;
  v1::GetShapeResponse response;
  grpc::Status status;
  Clock::time_point answered;
  absl::Notification done;
};

void Writer::Step() {
  const std::size_t i = random_() % kNames;
  // Radii are never used twice, so each content tells which change it came from.
  ++changes_;
  const bool deletes = radii_[i] != 0 && random_() % 4 == 0;
  const double radius =
      deletes ? 0 : static_cast<double>(changes_) + static_cast<double>(number_) / 64;
  const std::optional<std::size_t> by = Change(i, radius);
  radii_[i] = radius;
  if (!by.has_value()) return;
  const Account account;
  findings_->Add(&findings_->acknowledged);
  std::deque<Glance> glances;
  for (std::size_t site = 0; site < sites_->size(); ++site) {
    if (site != *by) glances.emplace_back(site, sites_->Get(site)).Begin(NameOf(i));
  }
  bool is_seen = true;
  for (Glance& glance : glances) is_seen = IsSeen(&glance, i, account) && is_seen;
  if (is_seen) findings_->Add(&findings_->seen);
}

bool Writer::IsSeen(Glance* glance, std::size_t i, Account account) {
  glance->done.WaitForNotification();
  auto answered = glance->answered;
  double seen = RadiusOf(glance->status, glance->response);
  const bool is_at_once = seen >= 0;
  grpc::Status status = glance->status;
  while (seen < 0 && answered - account.began() < kEndless) {
    account.Note(glance->number, status);
    std::this_thread::sleep_for(kPause);
    status = Look(*glance->site, NameOf(i), &seen);
    answered = Clock::now();
  }
  const auto lag = answered - account.began();
  if (!is_at_once || lag > kNoticed) {
    const std::string what = absl::StrCat("a look at server ", glance->number);
    findings_->gaps.Add({"look", account.Phase(what), account.began(), answered});
  }
  findings_->AddLag(lag);
  findings_->Add(&findings_->looked);
  if (seen == radii_[i]) return true;
  findings_->Add(&findings_->wrong);
  findings_->Complain(absl::StrCat(NameOf(i), " is ", seen, " and was made ", radii_[i]));
  return false;
}

std::optional<std::size_t> Writer::Change(std::size_t i, double radius) {
  Account account;
  for (std::size_t tries = 1;; ++tries) {
    std::uint64_t revision = 0;
    const std::size_t site = random_() % sites_->size();
    const grpc::Status status = Ask(*sites_->Get(site), NameOf(i), radius, &revision);
    const auto gap = Clock::now() - account.began();
    // A deletion that was made before its answer was lost finds nothing any more.
    const bool is_gone = radius == 0 && status.error_code() == grpc::StatusCode::NOT_FOUND;
    if (status.ok() || (is_gone && tries > 1)) {
      const std::string what = absl::StrCat("a change by server ", site);
      if (tries > 1 || gap > kNoticed)
        findings_->gaps.Add({"change", account.Phase(what), account.began()});
      if (tries == 1 && !revisions_.insert(revision).second) {
        findings_->Add(&findings_->twice);
        findings_->Complain(absl::StrCat("revision ", revision, " was given twice"));
      }
      return site;
    }
    if (!MayPass(status) || gap > kEndless) {
      findings_->Add(&findings_->wrong);
      findings_->Complain(absl::StrCat("a change of ", NameOf(i), ": ", status.error_message()));
      return std::nullopt;
    }
    account.Note(site, status);
    std::this_thread::sleep_for(kPause);
  }
}

grpc::Status Writer::Ask(const Site& site, const std::string& name, double radius,
                         std::uint64_t* revision) const {
  grpc::ClientContext context;
  SetDeadline(&context);
  if (radius == 0) {
    v1::DeleteShapeRequest request;
    request.set_name(name);
    v1::DeleteShapeResponse response;
    grpc::Status status = site.shapes->DeleteShape(&context, request, &response);
    *revision = response.revision();
    return status;
  }
  v1::RegisterShapeRequest request;
  request.set_name(name);
  request.mutable_shape()->mutable_sphere()->set_radius(radius);
  request.set_replace(true);
  v1::RegisterShapeResponse response;
  grpc::Status status = site.shapes->RegisterShape(&context, request, &response);
  *revision = response.revision();
  return status;
}

grpc::Status Writer::Look(const Site& site, const std::string& name, double* radius) const {
  grpc::ClientContext context;
  SetDeadline(&context);
  v1::GetShapeResponse response;
  grpc::Status status = site.shapes->GetShape(&context, GetRequest(name), &response);
  *radius = RadiusOf(status, response);
  return status;
}

void Writer::Verify(const Site& site) {
  for (std::size_t i = 0; i < kNames; ++i) {
    double seen = -1;
    const auto began = Clock::now();
    while (seen < 0 && Clock::now() - began < kEndless) Look(site, NameOf(i), &seen);
    if (seen == radii_[i]) continue;
    findings_->Add(&findings_->lost);
    findings_->Complain(absl::StrCat(NameOf(i), " is ", seen, " at the end, not ", radii_[i]));
  }
}

void Asker::Run(const std::atomic<bool>& is_over) {
  for (std::size_t next = number_; !is_over; ++next) {
    Conversation conversation;
    const bool is_begun = conversation.Begin(sites_->Get(next));
    while (is_begun && !is_over) {
      const auto response = conversation.Ask(tag_);
      if (!response.has_value()) break;
      Take(*response);
      std::this_thread::sleep_for(kPace);
    }
    is_broken_ = true;
    account_.Note(next % sites_->size(), conversation.End());
    if (!is_begun) std::this_thread::sleep_for(kPause);
  }
  // One that has been without an answer until the end counts as well.
  findings_->gaps.Add({"session", account_.Phase("an answer until the end"), account_.began()});
  if (tag_ > 0) return;
  findings_->Complain("a session was never answered");
  findings_->Add(&findings_->wrong);
}

void Asker::Take(const v1::SessionResponse& response) {
  if (is_broken_ || Clock::now() - account_.began() > kNoticed)
    findings_->gaps.Add({"session", account_.Phase("an answer"), account_.began()});
  is_broken_ = false;
  account_ = {};
  if (response.tag() != tag_) findings_->Add(&findings_->twice);
  const double expected = 8 + static_cast<double>(tag_ % 1000);
  const bool is_right = response.has_distance() && response.distance().distances_size() == 1 &&
                        response.distance().distances(0) == expected;
  if (!is_right) {
    findings_->Add(&findings_->wrong);
    findings_->Complain(absl::StrCat("a session: ", response.ShortDebugString()));
  }
  ++tag_;
  findings_->Add(&findings_->answered);
}

}  // namespace clearance::fleet
