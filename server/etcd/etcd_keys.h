// SPDX-License-Identifier: Apache-2.0
//
// The keys in etcd (proto/clearance/store/v1/store.proto).

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/storage/shape_store.h"

namespace clearance::server {

// The keys from `begin`, inclusive, to `end`, exclusive.
struct KeyRange {
  std::string begin;
  std::string end;
};

// Returns all keys that begin with the text. Requires: it ends with an ASCII character.
KeyRange KeysUnder(std::string begin);

// A parsed key below the prefix.
struct KeyMeaning {
  enum class Kind : std::uint8_t { kOther, kRevision, kName, kContent, kScene };
  Kind kind = Kind::kOther;
  std::string name;            // the digest of a content
  std::uint64_t revision = 0;  // of a scene
};

// Thread-safe.
class EtcdKeys {
 public:
  explicit EtcdKeys(const std::string& prefix) : root_(prefix + "/") {}

  // Returns the keys that every server follows.
  KeyRange Registry() const { return KeysUnder(root_ + "registry/"); }
  std::string Format() const { return root_ + "registry/format"; }
  std::string Revision() const { return root_ + "registry/revision"; }
  std::string Name(std::string_view name) const { return Names() + std::string(name); }
  std::string Names() const { return root_ + "registry/names/"; }
  std::string Content(std::string_view digest) const { return Contents() + std::string(digest); }
  std::string Contents() const { return root_ + "registry/contents/"; }
  // Returns the keys of the contents in one part of all digests, by their first digits.
  KeyRange ContentsOf(const ShapeSource::Part& part) const;
  std::string Scene(std::string_view name, std::uint64_t revision) const;
  std::string Scenes() const { return root_ + "registry/scenes/"; }
  // Returns the beginning of the keys of all revisions of one scene.
  std::string ScenesOf(std::string_view name) const { return Scenes() + std::string(name) + "@"; }

  // Returns the beginning of the chunk keys of the value under `key`, one of the keys above.
  std::string ChunksOf(std::string_view key) const;
  static std::string Chunk(const std::string& chunks, std::string_view hash, std::uint32_t number);

  std::string Writer(const std::string& id) const { return root_ + "writers/" + id; }
  // Returns the key that the writer puts to test whether it can write.
  std::string Probe(const std::string& id) const { return root_ + "probes/" + id; }

  KeyMeaning MeaningOf(std::string_view key) const;

 private:
  const std::string root_;
};

}  // namespace clearance::server
