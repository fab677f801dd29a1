// SPDX-License-Identifier: Apache-2.0

#include "server/etcd/etcd_client.h"

#include <grpc/support/time.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

namespace clearance::server {
namespace {

// Pause after a round in which no member answered.
constexpr absl::Duration kRoundPause = absl::Milliseconds(50);

// Below a tenth of what etcd allows between pings, and above its least.
constexpr int kPingMilliseconds = 10'000;
constexpr int kPingPatienceMilliseconds = 3'000;
constexpr int kReconnectMilliseconds = 100;
constexpr int kMostReconnectMilliseconds = 1'000;

gpr_timespec DeadlineAfter(absl::Duration patience) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_millis(absl::ToInt64Milliseconds(patience), GPR_TIMESPAN));
}

absl::Status AsAbsl(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

absl::StatusOr<std::string> ReadText(const char* flag, const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file && !text.empty()) return text;
  return absl::FailedPreconditionError(
      absl::StrCat("--", flag, "=", path, ": cannot be read, or is empty"));
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> CredentialsOf(const EtcdConfig& config) {
  if (config.ca.empty()) return grpc::InsecureChannelCredentials();
  const auto ca = ReadText("etcd_ca", config.ca);
  if (!ca.ok()) return ca.status();
  const auto certificate = ReadText("etcd_certificate", config.certificate);
  if (!certificate.ok()) return certificate.status();
  const auto key = ReadText("etcd_key", config.key);
  if (!key.ok()) return key.status();
  return grpc::SslCredentials({*ca, *key, *certificate});
}

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);  // pages are as long as they are
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kPingMilliseconds);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingPatienceMilliseconds);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectMilliseconds);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kReconnectMilliseconds);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMostReconnectMilliseconds);
  return arguments;
}

// etcd reports this with several codes.
bool IsOldToken(absl::string_view message) {
  return absl::StrContains(message, "invalid auth token") ||
         absl::StrContains(message, "revision of auth store is old");
}

// For a watch, etcd 3.4 reports the same for an unknown token and for a user who may not watch.
bool MayBeOldToken(const etcdserverpb::WatchResponse& response) {
  return response.canceled() && (IsOldToken(response.cancel_reason()) ||
                                 absl::StrContains(response.cancel_reason(), "permission denied"));
}

// A younger token is not old: asking for a new one is work for etcd.
constexpr absl::Duration kLeastTokenAge = absl::Seconds(1);

}  // namespace

absl::StatusOr<std::unique_ptr<EtcdClient>> EtcdClient::Open(const EtcdConfig& config,
                                                             StoreSeries* series) {
  const auto credentials = CredentialsOf(config);
  if (!credentials.ok()) return credentials.status();
  if (const auto password = ReadText("etcd_password_file", config.password_file); !password.ok())
    return password.status();
  std::unique_ptr<EtcdClient> client(new EtcdClient(config, series));
  for (const std::string& endpoint : config.endpoints) {
    const auto channel = grpc::CreateCustomChannel(endpoint, *credentials, Arguments());
    client->members_.push_back({etcdserverpb::KV::NewStub(channel),
                                etcdserverpb::Watch::NewStub(channel),
                                etcdserverpb::Auth::NewStub(channel)});
  }
  return client;
}

bool EtcdClient::IsInDoubt(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsCancelled(status) || absl::IsUnknown(status) || absl::IsInternal(status);
}

void EtcdClient::Leave(std::size_t member) {
  std::size_t current = current_.load();
  if (current % members_.size() != member) return;
  current_.compare_exchange_strong(current, current + 1);
  const std::lock_guard lock(mutex_);
  if (watching_ != nullptr && watched_ == member) watching_->TryCancel();
}

// Reads the password again each time, because it may have been changed.
absl::StatusOr<std::string> EtcdClient::Token(const Member& member, absl::Duration patience) {
  {
    const std::lock_guard lock(mutex_);
    if (!token_.empty()) return token_;
  }
  const auto password = ReadText("etcd_password_file", config_.password_file);
  if (!password.ok()) return password.status();
  etcdserverpb::AuthenticateRequest request;
  request.set_name(config_.user);
  request.set_password(std::string(absl::StripTrailingAsciiWhitespace(*password)));
  etcdserverpb::AuthenticateResponse response;
  grpc::ClientContext context;
  context.set_deadline(DeadlineAfter(patience));
  absl::Status status = AsAbsl(member.auth->Authenticate(&context, request, &response));
  if (!status.ok()) return status;
  const std::lock_guard lock(mutex_);
  token_ = response.token();
  token_since_ = SteadyNow();
  return token_;
}

// Asks a member without a leader to report that immediately.
absl::Status EtcdClient::Prepare(const Member& member, absl::Duration patience,
                                 grpc::ClientContext* context) {
  context->AddMetadata("hasleader", "true");
  if (config_.user.empty()) return absl::OkStatus();
  const auto token = Token(member, patience);
  if (!token.ok()) return token.status();
  context->AddMetadata("token", *token);
  return absl::OkStatus();
}

template <class Request, class Response>
absl::StatusOr<Response> EtcdClient::Try(Method<Request, Response> method, const Request& request,
                                         absl::Duration patience) {
  const std::size_t member = this->member();
  const SteadyTime began = SteadyNow();
  Response response;
  absl::Status status;
  for (int tries = 0; tries < 2; ++tries) {
    grpc::ClientContext context;
    context.set_deadline(DeadlineAfter(patience));
    status = Prepare(members_[member], patience, &context);
    if (status.ok()) status = AsAbsl((*members_[member].kv.*method)(&context, request, &response));
    if (!IsOldToken(status.message())) break;
    const std::lock_guard lock(mutex_);
    token_.clear();
  }
  if (IsInDoubt(status)) Leave(member);
  if (series_ != nullptr)
    series_->round_trip_seconds->Observe(absl::ToDoubleSeconds(SteadyNow() - began));
  if (!status.ok()) return status;
  return response;
}

template <class Request, class Response>
absl::StatusOr<Response> EtcdClient::Repeat(Method<Request, Response> method,
                                            const Request& request, const Patience& patience,
                                            IsWorthATry is_worth_a_try) {
  constexpr std::size_t kMostDoublings = 4;
  const SteadyTime end = SteadyNow() + patience.in_all;
  std::size_t silences = 0;
  for (std::size_t tries = 1;; ++tries) {
    const std::size_t doublings = std::min(silences / members_.size(), kMostDoublings);
    const absl::Duration left = end - SteadyNow();
    auto response = Try(method, request, std::min(patience.of_member * (1 << doublings), left));
    if (response.ok() || !is_worth_a_try(response.status())) return response;
    if (SteadyNow() + kRoundPause >= end) return response;
    if (absl::IsDeadlineExceeded(response.status())) ++silences;
    if (tries % members_.size() == 0) absl::SleepFor(kRoundPause);
  }
}

absl::StatusOr<etcdserverpb::RangeResponse> EtcdClient::Range(
    const etcdserverpb::RangeRequest& request, const Patience& patience) {
  return Repeat(&etcdserverpb::KV::Stub::Range, request, patience);
}

absl::StatusOr<etcdserverpb::RangeResponse> EtcdClient::Get(const std::string& key,
                                                            const Patience& patience,
                                                            std::int64_t revision) {
  etcdserverpb::RangeRequest request;
  request.set_key(key);
  request.set_revision(revision);
  return Range(request, patience);
}

absl::Status EtcdClient::Put(const etcdserverpb::PutRequest& request, const Patience& patience) {
  return Repeat(&etcdserverpb::KV::Stub::Put, request, patience).status();
}

absl::StatusOr<etcdserverpb::TxnResponse> EtcdClient::Txn(const etcdserverpb::TxnRequest& request,
                                                          absl::Duration patience) {
  return Try(&etcdserverpb::KV::Stub::Txn, request, patience);
}

absl::StatusOr<etcdserverpb::TxnResponse> EtcdClient::Txn(const etcdserverpb::TxnRequest& request,
                                                          const Patience& patience,
                                                          IsWorthATry is_worth_a_try) {
  return Repeat(&etcdserverpb::KV::Stub::Txn, request, patience, is_worth_a_try);
}

absl::Status EtcdClient::Watch(const etcdserverpb::WatchCreateRequest& request, const Take& take) {
  constexpr absl::Duration kTokenPatience = absl::Seconds(1);
  const std::size_t member = this->member();
  grpc::ClientContext context;
  absl::Status status = Prepare(members_[member], kTokenPatience, &context);
  if (!status.ok()) {
    if (IsInDoubt(status)) Leave(member);
    return status;
  }
  {
    const std::lock_guard lock(mutex_);
    watching_ = &context;
    watched_ = member;
  }
  const auto stream = members_[member].watch->Watch(&context);
  etcdserverpb::WatchRequest create;
  *create.mutable_create_request() = request;
  etcdserverpb::WatchResponse response;
  bool is_wanted = stream->Write(create);
  bool may_be_old = false;
  while (is_wanted && stream->Read(&response)) {
    may_be_old = MayBeOldToken(response);
    is_wanted = take(&response);
  }
  context.TryCancel();
  status = AsAbsl(stream->Finish());
  {
    const std::lock_guard lock(mutex_);
    watching_ = nullptr;
    may_be_old = may_be_old && SteadyNow() - token_since_ >= kLeastTokenAge;
    if (may_be_old || IsOldToken(status.message())) token_.clear();
  }
  if (is_wanted) Leave(member);
  return is_wanted ? status : absl::OkStatus();
}

void EtcdClient::InterruptWatch() {
  const std::lock_guard lock(mutex_);
  if (watching_ != nullptr) watching_->TryCancel();
}

}  // namespace clearance::server
