// SPDX-License-Identifier: Apache-2.0
//
// Any sequence of messages through a session, without the stream: opens, closes and batches as
// bytes, each with its length before it (2 bytes, little-endian). Whatever they are, every message
// is answered as session_replies.h says, and a second session gives the same bytes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "clearance/v1/query_service.pb.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/quiet_protobuf.h"
#include "tests/fuzz/session_replies.h"

namespace clearance::fuzz {
namespace {

constexpr std::size_t kMaxMessages = 8;

// The message's own time is taken away: what is answered within it is not the same twice.
template <class Batch>
void ForgetTime(Batch* batch) {
  if (batch->has_options()) batch->mutable_options()->clear_time_budget();
}

std::vector<v1::SessionRequest> ReadMessages(ByteReader& data) {
  std::vector<v1::SessionRequest> messages;
  while (!data.empty() && messages.size() < kMaxMessages) {
    std::size_t size = data.Take<std::uint16_t>();
    const std::uint8_t* const bytes = data.TakeBytes(&size);
    v1::SessionRequest message;
    if (!message.ParseFromArray(bytes, static_cast<int>(size))) continue;
#define QUERY(name, field, service, label, states) \
  if (message.has_##field()) ForgetTime(message.mutable_##field());
#include "proto/methods.def"
    messages.push_back(std::move(message));
  }
  return messages;
}

void FuzzSession(ByteReader& data) {
  static Server& server = *new Server;
  const std::vector<v1::SessionRequest> messages = ReadMessages(data);
  const std::string replies = BytesOf(RunSession(messages, server.parts));
  Require(replies == BytesOf(RunSession(messages, server.parts)),
          "the same messages, the same bytes");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::ByteReader data(bytes, size);
  clearance::fuzz::FuzzSession(data);
  return 0;
}
