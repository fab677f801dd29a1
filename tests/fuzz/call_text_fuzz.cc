// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the small texts of a call: page tokens of both kinds, a request id, a traceparent.
// Each is refused, or it is one that the server makes, and means what it says.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/guard/caller.h"
#include "server/registry/shape_name.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

void FuzzPageToken(std::string_view token, std::string_view prefix) {
  const auto name = server::ParsePageToken(token, prefix);
  if (!name.ok()) return Require(!name.status().message().empty(), "a refusal says why");
  Require(server::CheckShapeName(*name, "").ok() && name->starts_with(prefix),
          "a page goes on after a name of the listing");
  const auto again = server::ParsePageToken(server::MakePageToken(prefix, *name), prefix);
  Require(again.ok() && *again == *name, "and the server's own token says so");
}

void FuzzScenePageToken(std::string_view token) {
  const auto page = server::ParseScenePageToken(token);
  if (!page.ok()) return Require(!page.status().message().empty(), "a refusal says why");
  const auto again = server::ParseScenePageToken(server::MakeScenePageToken(*page));
  Require(again.ok() && again->incarnation == page->incarnation &&
              again->revision == page->revision && again->first_id == page->first_id,
          "the server's own token says the same");
  Require(page->revision > 0, "a page is of a revision");
}

// A line of the log is in quotes, a header of printable ASCII: nothing of either gets out of it.
void RequirePlain(std::string_view text) {
  for (const char c : text)
    Require(c > ' ' && c < 0x7f && c != '"' && c != '\\', "what is taken stays in its quotes");
}

void FuzzIds(std::string_view text) {
  if (server::IsRequestId(text)) {
    Require(text.size() <= 128, "a request id is short");
    RequirePlain(text);
  }
  const std::string parent = server::TraceParentOf(text);
  const std::string trace = server::TraceIdOf(text);
  Require(parent.empty() == trace.empty(), "a trace has its id");
  if (parent.empty()) return;
  RequirePlain(parent);
  Require(trace.find_first_not_of('0') != std::string::npos, "an id is not all zeros");
  Require(parent.size() == 55 && parent.starts_with("00-" + trace + "-"), "it has its form");
  Require(text.substr(2, 53) == std::string_view(parent).substr(2), "and is the caller's");
  Require(server::TraceParentOf(parent) == parent, "what is passed on is taken as it is");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace clearance;  // NOLINT(google-build-using-namespace): outside of it by its linkage
  fuzz::ByteReader data(bytes, size);
  // The first byte is how long the prefix of the listing is.
  auto prefix_size = static_cast<std::size_t>(data.TakeBelow(8));
  const auto* const prefix = reinterpret_cast<const char*>(data.TakeBytes(&prefix_size));
  std::size_t text_size = SIZE_MAX;
  const auto* const text = reinterpret_cast<const char*>(data.TakeBytes(&text_size));
  fuzz::FuzzPageToken({text, text_size}, {prefix, prefix_size});
  fuzz::FuzzScenePageToken({text, text_size});
  fuzz::FuzzIds({text, text_size});
  return 0;
}
