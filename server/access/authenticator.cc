// SPDX-License-Identifier: Apache-2.0

#include "server/access/authenticator.h"

#include "absl/strings/match.h"
#include "server/guard/quota.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

constexpr absl::string_view kScheme = "bearer ";

// The limit of the refusal is what HTTP would say in `www-authenticate`.
absl::Status Unauthenticated(const char* message) {
  return Refuse(absl::StatusCode::kUnauthenticated,
                {.reason = Reason::kCredentialsInvalid,
                 .field = "authorization",
                 .value = "",
                 .limit = "metadata `authorization: Bearer TOKEN`, or a client certificate, of a "
                          "principal that the server's policy names",
                 .message = message});
}

}  // namespace

Credentials CredentialsFrom(const std::vector<std::string_view>& values) {
  Credentials credentials;
  if (values.empty()) return credentials;
  const std::string_view value = values.front();
  const bool is_bearer = absl::StartsWithIgnoreCase({value.data(), value.size()}, kScheme);
  if (values.size() == 1 && is_bearer)
    credentials.token = HashOfToken(value.substr(kScheme.size()));
  credentials.is_malformed = !credentials.token.has_value();
  return credentials;
}

absl::StatusOr<PrincipalPtr> Authenticator::Authenticate(const Credentials& credentials) const {
  if (credentials.is_malformed) {
    return Unauthenticated("malformed authorization metadata: send one `Bearer TOKEN`");
  }
  const std::shared_ptr<const Rules> rules = this->rules();
  if (credentials.token.has_value()) {
    PrincipalPtr principal = rules->Find(rules->tokens.Find(*credentials.token));
    if (principal == nullptr) return Unauthenticated("unknown or withdrawn token");
    return principal;
  }
  for (const std::string& name : credentials.certificate_names) {
    PrincipalPtr principal = rules->Find(rules->policy.FindByCertificate(name));
    if (principal != nullptr) return principal;
  }
  return Unauthenticated(credentials.certificate_names.empty()
                             ? "missing credentials: send `authorization: Bearer TOKEN` or a "
                               "client certificate"
                             : "unknown client certificate: the policy lists none of its names");
}

void Authenticator::Replace(TokenTable tokens, const Policy& policy) {
  auto fresh = std::make_shared<Rules>(Rules{std::move(tokens), policy});
  const std::shared_ptr<const Rules> old = rules();
  for (const Principal& principal : policy.principals()) {
    const auto known = std::make_shared<Principal>(principal);
    const PrincipalPtr before = old->Find(&known->id);
    known->usage = before == nullptr ? std::make_shared<PrincipalUsage>() : before->usage;
    fresh->principals.emplace(known->id, known);
  }
  {
    const std::lock_guard lock(mutex_);
    rules_ = std::move(fresh);
    generation_.fetch_add(1, std::memory_order_release);
  }
  const std::lock_guard lock(watch_mutex_);
  if (watch_) watch_();
}

}  // namespace clearance::server
