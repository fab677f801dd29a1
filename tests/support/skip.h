// SPDX-License-Identifier: Apache-2.0
//
// How a test says that it is skipped: by a line "SKIPPED: reason". Reasons that name no missing
// program are listed in allowed_skips.txt.

#pragma once

#include <fcntl.h>
#include <netdb.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace clearance::test {

// For tests and benchmarks that read recorded data.
inline constexpr char kNoDataSets[] = "SKIPPED: no data sets in ../shared/data";

// For tests that call this machine by name, which a bare system may not know.
inline constexpr char kNoLocalhost[] = "SKIPPED: needs the host name localhost";
inline bool IsLocalhostKnown() {
  addrinfo* found = nullptr;
  if (getaddrinfo("localhost", nullptr, nullptr, &found) != 0) return false;
  freeaddrinfo(found);
  return true;
}

// For tests that write to a terminal; a container may have no /dev/pts.
inline constexpr char kNoTerminals[] = "SKIPPED: needs pseudo-terminals";
inline bool HasTerminals() {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  const bool is_usable = terminal >= 0 && unlockpt(terminal) == 0 && ptsname(terminal) != nullptr &&
                         access(ptsname(terminal), R_OK | W_OK) == 0;
  if (terminal >= 0) close(terminal);
  return is_usable;
}

// Prints why a program is skipped. Returns the exit status that ctest takes for that.
[[nodiscard]] inline int Skip(const std::string& reason) {
  constexpr int kSkipped = 77;
  std::printf("SKIPPED: %s\n", reason.c_str());
  return kSkipped;
}

}  // namespace clearance::test
