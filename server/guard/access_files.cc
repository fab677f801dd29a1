// SPDX-License-Identifier: Apache-2.0

#include "server/guard/access_files.h"

#include <openssl/evp.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/guard/policy.h"
#include "server/guard/token_file.h"

namespace clearance::server {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;
constexpr std::chrono::seconds kPause(1);

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
  return text;
}

// Whatever the parser says, with the path in front of it.
template <class Parsed, class... Defaults>
absl::StatusOr<Parsed> ReadAs(const std::string& path, const Defaults&... defaults) {
  const auto text = ReadWhole(path);
  if (!text.ok()) return text.status();
  auto parsed = Parsed::Parse(*text, defaults...);
  if (parsed.ok()) return parsed;
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", parsed.status().message()));
}

}  // namespace

AccessFiles::AccessFiles(AccessPaths paths, Log& log, Metrics& metrics, const HoldingRules& holding)
    : paths_(std::move(paths)), log_(log), metrics_(metrics), holding_(holding) {}

absl::StatusOr<std::unique_ptr<AccessFiles>> AccessFiles::Load(const AccessPaths& paths, Log& log,
                                                               Metrics& metrics,
                                                               const HoldingRules& holding) {
  std::unique_ptr<AccessFiles> files(new AccessFiles(paths, log, metrics, holding));
  files->seen_ = files->Take();
  if (absl::Status status = files->Read(); !status.ok()) return status;
  return files;
}

AccessFiles::~AccessFiles() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void AccessFiles::Watch() {
  thread_ = std::thread([this] { Run(); });
}

void AccessFiles::Run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    ending_.wait_for(lock, kPause, [this] { return is_ending_ || is_asked_; });
    if (is_ending_) return;
    if (std::exchange(is_asked_, false)) seen_.clear();
    lock.unlock();
    Look();
    lock.lock();
  }
}

void AccessFiles::ReadSoon() {
  {
    const std::lock_guard lock(mutex_);
    is_asked_ = true;
  }
  ending_.notify_all();
}

// The fingerprints are taken before the files are read: what changes meanwhile is read once more.
void AccessFiles::Look() {
  Fingerprints now = Take();
  if (now == seen_) return;
  seen_ = std::move(now);
  const absl::Status status = Read();
  metrics_.access_reloads(status.ok()).Increment();
  if (status.ok()) {
    log_.Info("policy reloaded", {{"policy_file", paths_.policy}});
  } else {
    log_.Error("policy reload failed; keeping previous rules", {{"reason", status.message()}});
  }
}

absl::Status AccessFiles::Read() {
  const auto policy = ReadAs<Policy>(paths_.policy, holding_.defaults);
  if (!policy.ok()) return policy.status();
  auto tokens = paths_.tokens.empty() ? TokenTable::Parse("") : ReadAs<TokenTable>(paths_.tokens);
  if (!tokens.ok()) return tokens.status();
  if (policy->has_certificates() && paths_.client_ca.empty()) {
    log_.Warning("the policy names certificates that no client can show: set --tls_client_ca",
                 {{"policy_file", paths_.policy}});
  }
  if (holding_.quotas != nullptr) holding_.quotas->Replace(*policy);
  if (authenticator_ == nullptr) {
    authenticator_ = std::make_unique<Authenticator>(*std::move(tokens), *policy);
  } else {
    authenticator_->Replace(*std::move(tokens), *policy);
  }
  return absl::OkStatus();
}

AccessFiles::Fingerprint AccessFiles::FingerprintOf(const std::string& path) {
  const auto text = ReadWhole(path);
  Fingerprint fingerprint{};
  if (!text.ok()) return fingerprint;
  unsigned int size = 0;
  EVP_Digest(text->data(), text->size(), fingerprint.data(), &size, EVP_sha256(), nullptr);
  return fingerprint;
}

AccessFiles::Fingerprints AccessFiles::Take() const {
  Fingerprints fingerprints = {FingerprintOf(paths_.policy)};
  if (!paths_.tokens.empty()) fingerprints.push_back(FingerprintOf(paths_.tokens));
  return fingerprints;
}

}  // namespace clearance::server
