// SPDX-License-Identifier: Apache-2.0

#include "server/access/access_files.h"

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "server/access/policy.h"
#include "server/access/token_file.h"

namespace clearance::server {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", std::generic_category().message(errno)));
  }
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be read"));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": has more than ", kMaxFileBytes, " bytes"));
  }
  text.shrink_to_fit();  // it is kept
  return text;
}

// Whatever the parser says, with the path in front of it.
template <class Parsed, class... Defaults>
absl::StatusOr<Parsed> Parse(const absl::StatusOr<std::string>& text, const std::string& path,
                             const Defaults&... defaults) {
  if (!text.ok()) return text.status();
  auto parsed = Parsed::Parse(*text, defaults...);
  if (parsed.ok()) return parsed;
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", parsed.status().message()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<AccessFiles>> AccessFiles::Load(const ServerConfig& config, Log& log,
                                                               Metrics& metrics,
                                                               HoldingQuotas* quotas) {
  std::unique_ptr<AccessFiles> files(new AccessFiles(config, log, metrics, quotas));
  files->seen_ = files->Read();
  if (absl::Status status = files->Apply(); !status.ok()) return status;
  return files;
}

void AccessFiles::Watch() {
  thread_.emplace(std::chrono::seconds(1), [this](bool is_asked) { Look(is_asked); });
}

void AccessFiles::Look(bool is_asked) {
  Texts now = Read();
  if (!is_asked && seen_ == now) return;
  seen_ = std::move(now);
  const absl::Status status = Apply();
  metrics_.access_reloads(status.ok()).Increment();
  if (status.ok()) {
    log_.Info("policy reloaded", {{"policy_file", config_.policy_file}});
  } else {
    log_.Error("policy reload failed; keeping previous rules", {{"reason", status.message()}});
  }
}

AccessFiles::Texts AccessFiles::Read() const {
  return {ReadWhole(config_.policy_file),
          config_.token_file.empty() ? "" : ReadWhole(config_.token_file)};
}

absl::Status AccessFiles::Apply() {
  const auto policy = Parse<Policy>(seen_.policy, config_.policy_file, config_.principal);
  if (!policy.ok()) return policy.status();
  auto tokens = Parse<TokenTable>(seen_.tokens, config_.token_file);
  if (!tokens.ok()) return tokens.status();
  if (policy->has_certificates() && config_.tls.client_ca.empty()) {
    log_.Warning("the policy names certificates that no client can show: set --tls_client_ca",
                 {{"policy_file", config_.policy_file}});
  }
  if (quotas_ != nullptr) quotas_->Replace(policy->principals());
  if (authenticator_ == nullptr) {
    authenticator_ = std::make_unique<Authenticator>(*std::move(tokens), *policy);
  } else {
    authenticator_->Replace(*std::move(tokens), *policy);
  }
  return absl::OkStatus();
}

}  // namespace clearance::server
