// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a token file: refused with a line or a reason, or read into a table that finds
// nothing but what stands in it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/access/token_file.h"
#include "server/guard/caller.h"
#include "tests/fuzz/fuzz_check.h"

using clearance::fuzz::Require;
using clearance::server::TokenHash;
using clearance::server::TokenTable;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto table = TokenTable::Parse(text);
  if (!table.ok()) {
    Require(!table.status().message().empty(), "a refusal says why");
    return 0;
  }
  const TokenHash nobody{};
  const std::string* const id = table->Find(nobody);
  Require(id == nullptr || clearance::server::IsPrincipalId(*id), "an id has its form");
  Require(id == nullptr || text.find(*id) != std::string_view::npos, "an id stands in the file");
  std::string twice(text);
  twice.append("\n").append(text);
  Require(TokenTable::Parse(twice).ok() == (table->size() == 0), "no token stands there twice");
  return 0;
}
