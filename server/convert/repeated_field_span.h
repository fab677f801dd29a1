// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a message's field, looked at where they are. Thread-safe as the message is.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <cstddef>

#include "absl/types/span.h"

namespace clearance::server {

// Valid until the field is changed.
template <class T>
absl::Span<const T> SpanOf(const google::protobuf::RepeatedField<T>& field) {
  return absl::MakeConstSpan(field.data(), static_cast<std::size_t>(field.size()));
}

}  // namespace clearance::server
