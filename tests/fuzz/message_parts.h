// SPDX-License-Identifier: Apache-2.0
//
// Parts of well-formed messages out of the bytes of a fuzzer. Numbers have a few values, so that
// bodies meet.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "clearance/v1/query.pb.h"
#include "tests/fuzz/byte_reader.h"

namespace clearance::fuzz {

using Column = google::protobuf::RepeatedField<double>;
using Slots = google::protobuf::RepeatedField<std::uint32_t>;

inline void AddNumbers(int count, ByteReader& data, Column* column) {
  for (int i = 0; i < count; ++i) column->Add(0.25 * data.Take<std::int8_t>());
}

// Few are refused.
inline void AddPose(ByteReader& data, Column* column) {
  AddNumbers(3, data, column);
  // Quarters of a turn about the axes; the last is no quaternion.
  constexpr std::array<std::array<double, 4>, 6> kTurns = {{{0, 0, 0, 1},
                                                            {1, 0, 0, 0},
                                                            {0, 1, 0, 0},
                                                            {0.6, 0, 0, 0.8},
                                                            {0.5, 0.5, 0.5, 0.5},
                                                            {1, 1, 1, 1}}};
  for (const double number : kTurns[static_cast<std::size_t>(data.TakeBelow(kTurns.size()))])
    column->Add(number);
}

// Absent, one for all, or one a row.
inline int TakeLength(int rows, ByteReader& data) {
  const std::array<int, 3> lengths = {rows, 1, 0};
  return lengths[static_cast<std::size_t>(data.TakeBelow(3))];
}

// Half of the replies must come in parts.
inline void TakeReplyLimit(ByteReader& data, v1::BatchOptions* options) {
  if (data.TakeBelow(2) == 0) options->set_max_reply_bytes(200U + 50U * data.Take<std::uint8_t>());
}

}  // namespace clearance::fuzz
