// SPDX-License-Identifier: Apache-2.0
//
// How much a message will become, known before it is parsed. A sub-message, a string or a field
// that the schema does not know takes two bytes on the wire and up to hundreds in memory; numbers
// take what they take on the wire.

#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include <cstdint>

namespace clearance::server {

// The number of sub-messages, strings and unknown fields that parsing the bytes as such a message
// makes, at least: those that a later field replaces count too, since they hold their memory until
// the end. Bytes that are no such message are counted up to where the parser gives up, or beyond;
// what is no field there counts as one, since the parser may make it before it sees that.
// Stops, with a larger number, once it has passed `most`. Costs a few nanoseconds a field, whatever
// the field's length.
std::uint64_t CountObjects(google::protobuf::io::ZeroCopyInputStream* bytes,
                           const google::protobuf::Descriptor& type, std::uint64_t most);

}  // namespace clearance::server
