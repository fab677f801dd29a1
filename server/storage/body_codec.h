// SPDX-License-Identifier: Apache-2.0
//
// A built body as bytes, so that a restart reads hulls instead of building them: everything that
// the core works with, to the last bit. What follows from the rest (bounding radii, blocks to scan)
// is computed anew.
//
// The bytes begin with kBodyFormat. It goes up whenever the layout changes, or what the core builds
// from the same points does: then a migration of the store (schema.h) must build the bodies again.

#ifndef CLEARANCE_SERVER_STORAGE_BODY_CODEC_H_
#define CLEARANCE_SERVER_STORAGE_BODY_CODEC_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/shape/rigid_body.h"

namespace clearance::server {

inline constexpr std::uint8_t kBodyFormat = 1;

std::string EncodeBody(const RigidBody& body);

// DATA_LOSS unless these are bytes that EncodeBody could have written, as far as can be seen
// without building the hull: every index points at something, every number is finite, and what is
// taken encodes to the same bytes. That they are the bytes that were written is for a checksum to
// say.
absl::StatusOr<RigidBodyPtr> DecodeBody(absl::string_view bytes);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_BODY_CODEC_H_
