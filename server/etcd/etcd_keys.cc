// SPDX-License-Identifier: Apache-2.0

#include "server/etcd/etcd_keys.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace clearance::server {
namespace {

constexpr absl::string_view kRegistry = "registry/";
constexpr std::string_view kDigestHead = "v1-sha256-";
// Number of values of the leading digits of a digest, which determine its part.
constexpr std::uint64_t kFirstDigits = std::uint64_t{1} << 16;

}  // namespace

KeyRange KeysUnder(std::string begin) {
  std::string end = begin;
  ++end.back();
  return {std::move(begin), std::move(end)};
}

KeyRange EtcdKeys::ContentsOf(const ShapeSource::Part& part) const {
  const std::string head = Content(kDigestHead);
  const auto border = [&](std::uint64_t number) {
    return head + absl::StrFormat("%04x", kFirstDigits * number / part.parts);
  };
  return {part.part == 0 ? Contents() : border(part.part),
          part.part + 1 == part.parts ? KeysUnder(Contents()).end : border(part.part + 1)};
}

std::string EtcdKeys::Scene(std::string_view name, std::uint64_t revision) const {
  return ScenesOf(name) + absl::StrFormat("%020u", revision);
}

std::string EtcdKeys::ChunksOf(std::string_view key) const {
  return root_ + "chunks/" + std::string(key.substr(root_.size() + kRegistry.size()));
}

std::string EtcdKeys::Chunk(const std::string& chunks, std::string_view hash,
                            std::uint32_t number) {
  return chunks + "/" + absl::BytesToHexString(absl::string_view(hash.data(), hash.size())) +
         absl::StrFormat("/%06u", number);
}

KeyMeaning EtcdKeys::MeaningOf(std::string_view key) const {
  absl::string_view rest(key.data(), key.size());
  if (!absl::ConsumePrefix(&rest, root_) || !absl::ConsumePrefix(&rest, kRegistry)) return {};
  if (rest == "revision") return {.kind = KeyMeaning::Kind::kRevision, .name = {}};
  if (absl::ConsumePrefix(&rest, "names/"))
    return {.kind = KeyMeaning::Kind::kName, .name = std::string(rest)};
  if (absl::ConsumePrefix(&rest, "contents/"))
    return {.kind = KeyMeaning::Kind::kContent, .name = std::string(rest)};
  if (!absl::ConsumePrefix(&rest, "scenes/")) return {};
  const std::size_t at = rest.find('@');
  if (at == absl::string_view::npos) return {};
  KeyMeaning meaning = {.kind = KeyMeaning::Kind::kScene, .name = std::string(rest.substr(0, at))};
  return absl::SimpleAtoi(rest.substr(at + 1), &meaning.revision) ? meaning : KeyMeaning{};
}

}  // namespace clearance::server
