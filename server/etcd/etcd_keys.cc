// SPDX-License-Identifier: Apache-2.0

#include "server/etcd/etcd_keys.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace clearance::server {
namespace {

constexpr std::string_view kRegistry = "registry/";
constexpr std::string_view kDigestHead = "v1-sha256-";
// Number of values of the leading digits of a digest, which determine its part.
constexpr std::uint64_t kFirstDigits = std::uint64_t{1} << 16;

// Returns the text after `head`, or nullopt if the text does not begin with it.
std::optional<std::string_view> Behind(std::string_view head, std::string_view text) {
  if (!text.starts_with(head)) return std::nullopt;
  return text.substr(head.size());
}

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
  const auto path = Behind(root_, key);
  const auto inner = path.has_value() ? Behind(kRegistry, *path) : std::nullopt;
  if (!inner.has_value()) return {};
  if (*inner == "revision") return {.kind = KeyMeaning::Kind::kRevision, .name = {}};
  if (const auto name = Behind("names/", *inner))
    return {.kind = KeyMeaning::Kind::kName, .name = std::string(*name)};
  if (const auto digest = Behind("contents/", *inner))
    return {.kind = KeyMeaning::Kind::kContent, .name = std::string(*digest)};
  const auto scene = Behind("scenes/", *inner);
  const std::size_t at = scene.has_value() ? scene->find('@') : std::string_view::npos;
  if (at == std::string_view::npos) return {};
  KeyMeaning meaning = {.kind = KeyMeaning::Kind::kScene,
                        .name = std::string(scene->substr(0, at))};
  const std::string_view digits = scene->substr(at + 1);
  const bool is_number =
      absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), &meaning.revision);
  return is_number ? meaning : KeyMeaning{};
}

}  // namespace clearance::server
