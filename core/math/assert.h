// SPDX-License-Identifier: Apache-2.0
//
// Checks of what headers require of their callers, in debug builds and with the sanitizers of
// addresses and threads. In other builds they cost nothing; their conditions are not evaluated.

#pragma once

#include "absl/base/config.h"

#if !defined(NDEBUG) || defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)

#include <cstdio>
#include <cstdlib>

namespace clearance {

[[noreturn]] inline void EndForAssertion(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: required: %s\n", file, line, condition);
  std::abort();
}

}  // namespace clearance

#define CLEARANCE_ASSERT(condition)   \
  ((condition) ? static_cast<void>(0) \
               : ::clearance::EndForAssertion(#condition, __FILE__, __LINE__))

#else

#define CLEARANCE_ASSERT(condition) static_cast<void>(0)

#endif
