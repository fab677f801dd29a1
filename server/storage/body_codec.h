// SPDX-License-Identifier: Apache-2.0
//
// A built body as bytes, to the last bit of everything that the core works with, so that a restart
// reads hulls instead of building them. Derived values (bounding radii, blocks to scan) are
// computed again.
//
// The bytes begin with kBodyFormat. It increases whenever the layout changes, or the core builds
// something else from the same points. Then a migration of the store (sqlite_shape_store.h)
// must build the bodies again.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/shape/rigid_body.h"

namespace clearance::server {

inline constexpr std::uint8_t kBodyFormat = 1;

std::string EncodeBody(const RigidBody& body);

// DATA_LOSS unless EncodeBody could have written these bytes, as far as can be seen without
// building the hull: every index is valid, every number is finite, and the body encodes to the same
// bytes. A checksum must prove that they are the bytes that were written.
absl::StatusOr<RigidBodyPtr> DecodeBody(absl::string_view bytes);

// Returns the SHA-256 over all parts, each with its length before it; 32 bytes. Stored bytes are
// compared with it when they are read: neither SQLite nor etcd has checksums of single values.
// Thread-safe.
std::string ChecksumOf(std::initializer_list<absl::string_view> parts);

}  // namespace clearance::server
