// SPDX-License-Identifier: Apache-2.0
//
// CountObjects against the parser: whatever the bytes, the parser makes no more objects than were
// counted. The first byte chooses the message, the second how the bytes are cut into slices.

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/shape_service.pb.h"
#include "server/guard/object_count.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/quiet_protobuf.h"
#include "tests/support/parsed_objects.h"

namespace clearance::fuzz {
namespace {

std::unique_ptr<google::protobuf::Message> MakeMessage(std::uint8_t choice) {
  switch (choice % 4) {
    case 0:
      return std::make_unique<v1::SessionRequest>();
    case 1:
      return std::make_unique<v1::DistanceRequest>();
    case 2:
      return std::make_unique<v1::RegisterShapeRequest>();
    default:
      return std::make_unique<v1::BatchRegisterHullsRequest>();
  }
}

void Check(google::protobuf::Message* message, const std::uint8_t* bytes, std::size_t size,
           int slice) {
  google::protobuf::io::ArrayInputStream stream(bytes, static_cast<int>(size), slice);
  const std::uint64_t counted = server::CountObjects(&stream, *message->GetDescriptor(),
                                                     std::numeric_limits<std::uint64_t>::max());
  message->ParseFromArray(bytes, static_cast<int>(size));
  Require(counted >= test::ParsedObjects(*message), "no more is made than was counted");
  // One, where groups are never closed.
  Require(counted <= size + 1, "an object takes a byte");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2) return 0;
  const auto message = clearance::fuzz::MakeMessage(bytes[0]);
  clearance::fuzz::Check(message.get(), bytes + 2, size - 2, 1 + bytes[1] % 32);
  return 0;
}
