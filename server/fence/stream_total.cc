// SPDX-License-Identifier: Apache-2.0

#include "server/fence/stream_total.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kFewCallsBytes = 4096;

std::uint64_t SumOf(const std::vector<StreamHolder>& holders) {
  std::uint64_t sum = 0;
  for (const StreamHolder& holder : holders) sum += holder.streams;
  return sum;
}

}  // namespace

std::vector<StreamHolder> HoldersToCut(std::vector<StreamHolder> holders, std::uint64_t most) {
  std::vector<StreamHolder> cut;
  absl::flat_hash_map<absl::string_view, std::uint64_t> of_address;
  for (const StreamHolder& holder : holders) of_address[*holder.address_key] += holder.streams;
  const auto holds_less = [&of_address](const StreamHolder& a, const StreamHolder& b) {
    return std::tuple(of_address[*a.address_key], a.streams) <
           std::tuple(of_address[*b.address_key], b.streams);
  };
  for (std::uint64_t left = SumOf(holders); left > most;) {
    const auto worst = std::max_element(holders.begin(), holders.end(), holds_less);
    cut.push_back(*worst);
    left -= worst->streams;
    of_address[*worst->address_key] -= worst->streams;
    holders.erase(worst);
  }
  return cut;
}

std::vector<StreamHolder> StreamTotal::InExcess(ConnectionTable* connections) {
  std::vector<StreamHolder> holders = Count(connections);
  const std::uint64_t sum = SumOf(holders);
  if (sum <= most_) {
    excess_.reset();
    return {};
  }
  if (!fence_.HasLasted(&excess_) && sum <= 2 * most_) return {};
  std::vector<StreamHolder> cut = HoldersToCut(std::move(holders), most_);
  AddUnread(*cut.front().address_key, connections, &cut);
  return cut;
}

void StreamTotal::AddUnread(const std::string& address_key, ConnectionTable* connections,
                            std::vector<StreamHolder>* cut) {
  connections->ForEach([&](const std::string& key, WatchedConnection& connection) {
    if (key == address_key && connection.BytesUnread() > kFewCallsBytes) {
      cut->push_back({&key, &connection});
    }
  });
}

// Counts by each one's last look, and looks again one by one while they may be too many.
std::vector<StreamHolder> StreamTotal::Count(ConnectionTable* connections) {
  std::vector<StreamHolder> holders;
  connections->ForEach([&](const std::string& address_key, WatchedConnection& connection) {
    const std::uint64_t streams = StreamFence::MostStreams(connection.notes);
    if (streams > 0 && !connection.is_cut) holders.push_back({&address_key, &connection, streams});
  });
  std::uint64_t sum = SumOf(holders);
  for (StreamHolder& holder : holders) {
    if (sum <= most_) break;
    sum -= holder.streams;
    holder.streams = fence_.StreamsOf(holder.connection);
    sum += holder.streams;
  }
  return holders;
}

}  // namespace clearance::server
