// SPDX-License-Identifier: Apache-2.0

#include "server/fence/stream_fence.h"

#include <tuple>

namespace clearance::server {
namespace {

// The fewest bytes that open a stream. kBytesToLookAfter cannot open more than a few hundred.
constexpr std::uint64_t kLeastStreamBytes = 10;
constexpr std::uint64_t kBytesToLookAfter = 4096;

constexpr absl::Duration kWindow = absl::Seconds(1);

// A TLS handshake with a chain of certificates takes some 10 KB. Everything else that a client says
// before its first stream takes under 200 bytes.
constexpr std::uint64_t kMostWithoutStream = 64 << 10;

constexpr std::uint64_t kSuspectBytes = 1 << 20;

// An excess that lasts this long is not a backlog: some thousand calls are worked off in less.
constexpr absl::Duration kPatience = absl::Milliseconds(100);

// Messages are read at ten times this rate, or at this on a machine that takes ten times as long.
constexpr double kSlowestMessageRate = 40e6;  // bytes a second of processor time

// On any machine endless headers are held some thirty times over, messages once or twice.
constexpr std::uint64_t kMostHeldAByte = 8;
// This much may belong to others: to workers that answer meanwhile.
constexpr std::uint64_t kMostOfOthers = 96 << 20;
// If the bytes also took long, a third of that tells that they are not messages.
constexpr std::uint64_t kMostBesideSlowBytes = 32 << 20;

// See MostWorkWithoutAnEvent().
constexpr std::uint64_t kUsualMessageBytes = 24 << 20;
constexpr absl::Duration kWorkOfUsualMessages = absl::Milliseconds(300);

// Frames and TLS records add a hundredth to messages; and clients send other bytes beside them.
constexpr std::uint64_t kFraming = 4 << 20;

// Returns the bytes read of `received`; in this order, the unread bytes are at most too many.
std::uint64_t ReadOf(std::uint64_t received, const WatchedConnection& connection) {
  return received - std::min(received, connection.BytesUnread());
}

// Bytes to be read of a few calls.
constexpr std::uint64_t kFewCallsBytes = 4096;

std::uint64_t SumOf(const std::vector<StreamHolder>& holders) {
  std::uint64_t sum = 0;
  for (const StreamHolder& holder : holders) sum += holder.streams;
  return sum;
}

}  // namespace

absl::Duration MostWorkWithoutAnEvent(std::uint64_t max_transport_bytes) {
  const double messages =
      static_cast<double>(max_transport_bytes) / static_cast<double>(kUsualMessageBytes);
  return std::max(1.0, messages) * kWorkOfUsualMessages;
}

const CutReason* StreamFence::ReasonToCut(WatchedConnection* connection) {
  FenceNotes& notes = connection->notes;
  // In this order, the bytes read are at most too few.
  const std::uint64_t received = connection->BytesReceived();
  notes.received_now = received;
  const bool is_closely = received >= notes.received + kBytesToLookAfter || notes.is_unknown ||
                          notes.streams.has_value() || notes.resets.has_value() ||
                          MostStreams(notes) > 2 * config_.max_streams_per_connection;
  const std::uint64_t read = is_closely ? ReadOf(received, *connection) : received;
  NoteHold(read, &notes);
  if (is_closely) notes.received = std::max(notes.received, read);
  // It has cost nothing while it sent nothing.
  if (notes.received == notes.received_in_hold) notes.spent_in_hold = held_;
  if (!is_closely) return nullptr;
  // Bytes that it sent before gRPC had it are looked at once gRPC has it.
  const std::optional<StreamCounts> counts = book_.CountsOf(connection->peer);
  notes.is_unknown = !counts.has_value();
  if (!counts.has_value()) return nullptr;
  NoteRead(read, &notes);
  return ReasonOf(*counts, &notes);
}

// gRPC parses what it has read before the reading thread comes back, or soon after if it leaves
// that to another. In the round in progress at the mark, the thread may have come back before the
// mark. In the round that has just ended, it may have done so only after these counts.
void StreamFence::NoteRead(std::uint64_t read, FenceNotes* notes) {
  if (read <= notes->received_by_latest) return;
  const std::uint64_t round = Round();
  const std::optional<ReadMark>& mark = notes->mark;
  if (mark.has_value() && round >= mark->round + 3 && now_ - mark->seen >= kPatience) {
    notes->received_by_latest = mark->read;
    notes->mark.reset();
  }
  if (!mark.has_value() && read > notes->received_by_latest) {
    notes->mark = {.read = read, .seen = now_, .round = round};
  }
}

void StreamFence::BeginLook(SteadyTime now) {
  const absl::Duration held = readers_.longest_hold();
  const bool is_new = held == absl::ZeroDuration() || held < held_;
  if (is_new) {
    ++hold_;
    memory_mark_.reset();
  }
  held_before_ = is_new ? absl::ZeroDuration() : held_;
  held_ = held;
  now_ = now;
  round_.reset();
  read_in_hold_ = 0;
  grown_ = {};
  book_.BeginLook();
}

void StreamFence::NoteMemory() {
  if (held_ < kPatience / 2 || read_in_hold_ < kSuspectBytes) return;
  const std::uint64_t allocated = readers_.allocated_bytes();
  // If a connection has ended, the bytes read of the others since then are unknown.
  if (!memory_mark_.has_value() || read_in_hold_ < memory_mark_->read) {
    memory_mark_ = {.allocated = allocated, .read = read_in_hold_};
    return;
  }
  grown_ = {.allocated = allocated - std::min(allocated, memory_mark_->allocated),
            .read = read_in_hold_ - memory_mark_->read};
}

bool StreamFence::HasGrownBy(std::uint64_t bytes) const {
  return grown_.allocated > std::max(bytes, kMostHeldAByte * grown_.read);
}

std::uint64_t StreamFence::Round() {
  if (!round_.has_value()) round_ = readers_.rounds();
  return *round_;
}

void StreamFence::NoteHold(std::uint64_t received, FenceNotes* notes) {
  if (notes->hold != hold_) {
    notes->hold = hold_;
    notes->received_by_hold = notes->received;
    notes->received_in_hold = notes->received;
    notes->spent_in_hold = held_before_;
  }
  read_in_hold_ += received - std::min(received, notes->received_by_hold);
}

bool StreamFence::IsSuspect(const FenceNotes& notes) const {
  if (notes.hold != hold_ || notes.received < notes.received_in_hold + kSuspectBytes) return false;
  const absl::Duration spent = held_ - notes.spent_in_hold;
  const auto read = static_cast<double>(notes.received - notes.received_in_hold);
  const bool is_dear =
      read < absl::ToDoubleSeconds(spent) * kSlowestMessageRate || HasGrownBy(kMostOfOthers);
  return spent >= most_work_ || (spent >= kPatience && is_dear);
}

const CutReason& StreamFence::ReasonOfHold(const FenceNotes& notes) const {
  const bool is_long = held_ - notes.spent_in_hold >= most_work_;
  return HasGrownBy(kMostBesideSlowBytes) && !is_long ? kHoldsMemory : kHoldsReading;
}

bool StreamFence::IsMostOfTheHold(const FenceNotes& notes) const {
  return 2 * (notes.received - notes.received_in_hold) > read_in_hold_;
}

std::optional<bool> StreamFence::IsIdle(const WatchedConnection& connection) {
  const std::optional<StreamCounts> counts = book_.CountsOf(connection.peer);
  if (!counts.has_value()) return std::nullopt;
  return counts->open() == 0;
}

const CutReason* StreamFence::ReasonOf(const StreamCounts& counts, FenceNotes* notes) {
  notes->latest = counts;
  if (counts.open() <= 2 * config_.max_streams_per_connection) {
    notes->streams.reset();
  } else if (HasLasted(&notes->streams)) {
    return &kStreams;
  }
  if (KeepsResetting(counts, notes)) return &kResets;
  if (counts.started == 0 && notes->received > notes->received_by_then + kMostWithoutStream) {
    return &kBytesBeforeCalls;
  }
  if (counts.events() != notes->events) {
    notes->events = counts.events();
    notes->received_by_event = notes->received;
    notes->received_in_hold = notes->received;
    notes->spent_in_hold = held_;
  } else if (notes->received > notes->received_by_event + MostWithoutEvent(counts)) {
    return &kBytesBesideMessages;
  }
  if (now_ - notes->window_began >= kWindow && !notes->resets.has_value()) {
    notes->is_second_window = false;
    BeginWindow(counts, notes);
  }
  return nullptr;
}

std::uint64_t StreamFence::MostStreams(const FenceNotes& notes) {
  // TCP tells nothing more of a connection that has ended.
  const std::uint64_t known = std::min(notes.received_now, notes.received_by_latest);
  return notes.latest.open() + (notes.received_now - known) / kLeastStreamBytes;
}

std::uint64_t StreamFence::StreamsOf(WatchedConnection* connection) {
  FenceNotes& notes = connection->notes;
  if (const std::optional<StreamCounts> counts = book_.CountsOf(connection->peer)) {
    notes.latest = *counts;
    NoteRead(ReadOf(notes.received_now, *connection), &notes);
  }
  return notes.latest.open();
}

bool StreamFence::HasLasted(std::optional<Excess>* excess) {
  if (!excess->has_value()) {
    *excess = {.seen = now_, .round = Round(), .hold = hold_, .spent_in_hold = held_};
    return false;
  }
  if ((*excess)->hold != hold_) {
    (*excess)->hold = hold_;
    (*excess)->spent_in_hold = held_;
  }
  const bool was_read_alone = held_ - (*excess)->spent_in_hold >= kPatience;
  // The round in progress may have passed the reader by then.
  return was_read_alone || (Round() >= (*excess)->round + 2 && now_ - (*excess)->seen >= kPatience);
}

bool StreamFence::KeepsResetting(const StreamCounts& counts, FenceNotes* notes) {
  const std::uint64_t given_up = counts.given_up - notes->counted.given_up;
  const std::uint64_t answered = counts.answered - notes->counted.answered;
  const bool is_excess = given_up > config_.max_streams_per_connection && given_up > answered;
  if (is_excess && notes->is_second_window) return true;
  if (!is_excess) {
    notes->resets.reset();
  } else if (HasLasted(&notes->resets)) {
    notes->resets.reset();
    notes->is_second_window = true;
    BeginWindow(counts, notes);
  }
  return false;
}

void StreamFence::BeginWindow(const StreamCounts& counts, FenceNotes* notes) const {
  notes->window_began = now_;
  notes->counted = counts;
  notes->received_by_then = notes->received;
}

// The rest of a message may follow a stream that has ended.
std::uint64_t StreamFence::MostWithoutEvent(const StreamCounts& counts) const {
  const std::uint64_t messages = std::max<std::uint64_t>(counts.open(), 1);
  const std::uint64_t most = config_.limits.max_transport_bytes;
  return kFraming + std::min(messages * most, std::max(most, config_.max_total_bytes_in_flight));
}

std::vector<StreamHolder> HoldersToCut(std::vector<StreamHolder> holders, std::uint64_t most) {
  std::vector<StreamHolder> cut;
  absl::flat_hash_map<absl::string_view, std::uint64_t> by_address;
  const auto of_address = [&by_address](const StreamHolder& holder) -> std::uint64_t& {
    return by_address[holder.connection->address_key];
  };
  for (const StreamHolder& holder : holders) of_address(holder) += holder.streams;
  const auto holds_less = [&](const StreamHolder& a, const StreamHolder& b) {
    return std::tuple(of_address(a), a.streams) < std::tuple(of_address(b), b.streams);
  };
  for (std::uint64_t left = SumOf(holders); left > most;) {
    const auto worst = std::max_element(holders.begin(), holders.end(), holds_less);
    cut.push_back(*worst);
    left -= worst->streams;
    of_address(*worst) -= worst->streams;
    holders.erase(worst);
  }
  return cut;
}

std::vector<StreamHolder> StreamFence::InExcess(ConnectionTable* connections) {
  const std::uint64_t most = config_.max_streams;
  std::vector<StreamHolder> holders = CountHolders(connections);
  const std::uint64_t sum = SumOf(holders);
  if (sum <= most) {
    total_excess_.reset();
    return {};
  }
  if (!HasLasted(&total_excess_) && sum <= 2 * most) return {};
  std::vector<StreamHolder> cut = HoldersToCut(std::move(holders), most);
  const std::string& worst = cut.front().connection->address_key;
  connections->ForEach([&](WatchedConnection& connection) {
    if (connection.address_key == worst && connection.BytesUnread() > kFewCallsBytes)
      cut.push_back({&connection});
  });
  return cut;
}

// Counts by each one's last look, and looks again one by one while they may be too many.
std::vector<StreamHolder> StreamFence::CountHolders(ConnectionTable* connections) {
  std::vector<StreamHolder> holders;
  connections->ForEach([&](WatchedConnection& connection) {
    const std::uint64_t streams = MostStreams(connection.notes);
    if (streams > 0 && !connection.is_cut) holders.push_back({&connection, streams});
  });
  std::uint64_t sum = SumOf(holders);
  for (StreamHolder& holder : holders) {
    if (sum <= config_.max_streams) break;
    sum -= holder.streams;
    holder.streams = StreamsOf(holder.connection);
    sum += holder.streams;
  }
  return holders;
}

}  // namespace clearance::server
