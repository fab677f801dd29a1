// SPDX-License-Identifier: Apache-2.0
#include "internal/unreachable.h"

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace clearance::client {
namespace {

// A text in gRPC's error of a failed connection, and the advice for it.
struct Hint {
  absl::string_view said;
  absl::string_view advice;
};
// The first that fits counts: the vague ones come last.
constexpr Hint kHints[] = {
    {"http1.x server", "this is a port of HTTP (--http_listen?): use the one of gRPC (--listen)"},
    {"wrong version number", "the server speaks plain text: leave out TLS"},
    {"WRONG_VERSION_NUMBER", "the server speaks plain text: leave out TLS"},
    {"certificate verify failed", "the server's certificate is not from the given authority"},
    {"CERTIFICATE_VERIFY_FAILED", "the server's certificate is not from the given authority"},
    {"Socket closed", "the server may want TLS: give its certificate authority"},
    {"Connection reset", "the server may want TLS: give its certificate authority"},
};

}  // namespace

absl::string_view HintFor(const absl::Status& status) {
  for (const Hint& hint : kHints) {
    if (absl::StrContains(status.message(), hint.said)) return hint.advice;
  }
  return "";
}

absl::Status Unreachable(const absl::Status& status, const std::string& address) {
  if (!absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status)) return status;
  const absl::string_view hint = HintFor(status);
  absl::Status told(status.code(),
                    absl::StrCat("no clearance server answers at ", address, ": ", status.message(),
                                 "; ", hint, hint.empty() ? "" : "; ", "`clearance doctor --addr ",
                                 address, "` says what is wrong"));
  status.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& payload) { told.SetPayload(type, payload); });
  return told;
}

}  // namespace clearance::client
