// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a stored body: they are refused, or they make a body that encodes to the same bytes.

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "server/storage/body_codec.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const absl::string_view given(reinterpret_cast<const char*>(bytes), size);
  const auto body = clearance::server::DecodeBody(given);
  if (!body.ok()) return 0;
  clearance::fuzz::Require(clearance::server::EncodeBody(**body) == given,
                           "what is taken encodes to the same bytes");
  return 0;
}
