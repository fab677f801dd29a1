// SPDX-License-Identifier: Apache-2.0
//
// Finds connections that hold or waste more streams than is allowed, or send bytes that no honest
// client sends. MAX_CONCURRENT_STREAMS binds only clients that acknowledge it; gRPC 1.51 takes any
// number of streams from others. It takes any number of resets (CVE-2023-44487) from everyone, and
// reads frames that belong to no message for as long as they come (CVE-2023-33953).

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/config/server_config.h"
#include "server/fence/connection_table.h"
#include "server/observe/log.h"
#include "server/schedule/accept_loop.h"

namespace clearance::server {

// Returns the cost of reading from a connection that proves a flood if no message was whole. It is
// three tenths of a second, in which 150 MB of messages would be read. It grows in proportion to
// `max_transport_bytes` above 24 MiB.
absl::Duration MostWorkWithoutAnEvent(std::uint64_t max_transport_bytes);

// The consequence for the address of a connection that is cut.
enum class AfterCut : std::uint8_t { kNothing, kWarnOrBan, kBan };

// Why a connection is cut, as the metrics and the log tell it, and the consequence.
struct CutReason {
  prometheus::Counter* ConnectionSeries::*counter;
  absl::string_view name;  // the metric's label
  absl::string_view evidence;
  AfterCut after;
};
constexpr CutReason Flood(absl::string_view evidence, AfterCut after) {
  return {&ConnectionSeries::cut_flood, "flood", evidence, after};
}

inline constexpr CutReason kStreams = {&ConnectionSeries::cut_streams, "streams",
                                       "too many calls open", AfterCut::kWarnOrBan};
inline constexpr CutReason kAllStreams = {&ConnectionSeries::cut_streams, "streams",
                                          "most of too many calls that all connections have open",
                                          AfterCut::kWarnOrBan};
inline constexpr CutReason kResets = {&ConnectionSeries::cut_resets, "resets",
                                      "too many calls given up", AfterCut::kWarnOrBan};
inline constexpr CutReason kBytesBeforeCalls = Flood("bytes without a call", AfterCut::kBan);
inline constexpr CutReason kBytesBesideMessages =
    Flood("more bytes than its messages can have", AfterCut::kBan);
// A reading thread may be held by many that each sent little.
inline constexpr CutReason kHoldsReading = Flood("holds a thread that reads", AfterCut::kNothing);
inline constexpr CutReason kHoldsMemory =
    Flood("holds far more memory than it sends", AfterCut::kWarnOrBan);
inline constexpr CutReason kHoldsHandover =
    Flood("holds the thread that hands connections over", AfterCut::kBan);
inline constexpr CutReason kRefusedCalls =
    Flood("too many calls without credentials", AfterCut::kWarnOrBan);

// Logs connections that were cut, so many lines an hour: a client that comes back to be cut again
// must not fill a disk. The metrics count all of them. Thread-safe.
class CutLog {
 public:
  static constexpr std::uint64_t kLinesAnHour = 100;

  // `log` outlives this. Null: nothing is written.
  explicit CutLog(Log* log, SteadyClock clock = SteadyNow)
      : log_(log), clock_(std::move(clock)), allowance_(kLinesAnHour, clock_) {}

  // `is_banned` tells of the address, from now on.
  void Write(const WatchedConnection& cut, const CutReason& reason, std::uint64_t received_bytes,
             bool is_banned) {
    if (log_ == nullptr) return;
    const std::optional<std::uint64_t> held_back = allowance_.Take();
    if (!held_back.has_value()) return;
    const absl::Duration age = clock_() - cut.opened;
    const StreamCounts& calls = cut.notes.latest;
    log_->Warning("cut a connection", {{"peer", cut.peer},
                                       {"reason", reason.name},
                                       {"evidence", reason.evidence},
                                       {"age_seconds", absl::ToDoubleSeconds(age)},
                                       {"received_bytes", received_bytes},
                                       {"calls_open", calls.open()},
                                       {"calls_started", calls.started},
                                       {"calls_answered", calls.answered},
                                       {"calls_given_up", calls.given_up},
                                       {"messages", calls.messages},
                                       {"banned", is_banned},
                                       {"held_back", *held_back}});
  }

 private:
  Log* const log_;
  const SteadyClock clock_;
  LogAllowance allowance_;
};

// The threads that read connections. Only the thread that looks calls these functions.
struct Readers {
  // Returns the most processor time that one of them has spent since it last came back to its
  // calls. It is less than before if that thread has come back.
  std::function<absl::Duration()> longest_hold = [] { return absl::ZeroDuration(); };
  // Asks all of them to come back, and grows when all of them have since it last grew.
  std::function<std::uint64_t()> rounds = [] { return 0; };
  // Returns the bytes that the process has allocated. Called while one of them is held.
  std::function<std::uint64_t()> allocated_bytes = [] { return 0; };
};

// Watches all threads that read connections. For one watching thread.
class ReaderWatch {
 public:
  explicit ReaderWatch(const std::vector<ReadingThread>& readers) {
    for (const ReadingThread& reader : readers) watched_.push_back({reader, reader.loop.turns()});
  }

  // Returns the longest ReadingThread::held_for() of all.
  absl::Duration LongestHold() const {
    absl::Duration longest = absl::ZeroDuration();
    for (const Watched& watched : watched_) longest = std::max(longest, watched.reader.held_for());
    return longest;
  }

  // Returns how often all of them have turned, each at least once since all others had. Asks those
  // that have not turned to do so.
  std::uint64_t Rounds() {
    if (std::ranges::all_of(watched_, &Watched::HasTurned)) {
      ++rounds_;
      for (Watched& watched : watched_) watched.turns_before = watched.reader.loop.turns();
    }
    for (const Watched& watched : watched_) {
      if (!watched.HasTurned()) watched.reader.loop.ask();
    }
    return rounds_;
  }

 private:
  struct Watched {
    bool HasTurned() const { return reader.loop.turns() != turns_before; }

    ReadingThread reader;
    std::uint64_t turns_before;  // this round
  };

  std::vector<Watched> watched_;
  std::uint64_t rounds_ = 0;
};

// A connection with the streams that it has open.
struct StreamHolder {
  WatchedConnection* connection = nullptr;
  std::uint64_t streams = 0;
};

// Returns the holders that must go so that no more than `most` streams stay: of the address that
// holds most, the connection that holds most, and so on.
std::vector<StreamHolder> HoldersToCut(std::vector<StreamHolder> holders, std::uint64_t most);

// Decides which connections are cut. A connection is to be cut
// - when it has more than twice `max_streams_per_connection` streams open, and still has them after
//   a tenth of a second in which the server came back to its calls, or which it spent on reading
//   alone. A server that stood still finds at once what honest clients began and gave up meanwhile;
// - when within about a second more than that limit ended without an answer and fewer with one,
//   and as many more do after that tenth of a second is over;
// - when it has never opened a stream, and more came within about a second than a handshake takes:
//   without a stream HTTP/2 knows only frames of some bytes, which clients send now and then;
// - when more came since the last event of a stream (it began, it ended, a message of it was whole)
//   than the messages of all open streams together can have.
// Another kind is found by its cost to the thread that reads: IsSuspect().
// Thread-compatible.
class StreamFence {
 public:
  // For the connections that were accepted on this port. The settings outlive this.
  StreamFence(int port, const ServerConfig& config)
      : book_(port),
        config_(config),
        most_work_(MostWorkWithoutAnEvent(config.limits.max_transport_bytes)) {}

  void SetReaders(Readers readers) { readers_ = std::move(readers); }

  // Returns the reason to cut the connection; null if it may stay. Looks closely only if enough
  // came since the last look to open many streams, or if bytes from before may not have been parsed
  // by then and could open too many. Otherwise it takes under a microsecond.
  const CutReason* ReasonToCut(WatchedConnection* connection);

  // Returns the reason to cut a connection with these counts, as ReasonToCut().
  const CutReason* ReasonOf(const StreamCounts& counts, FenceNotes* notes);

  // Called before the connections are looked at.
  void BeginLook(SteadyTime now);

  // Called once this look has been at all connections. Notes how much more was allocated and read
  // since the thread had been held for 50 ms. Most holds are over before that.
  void NoteMemory();

  // Returns whether a mebibyte was read of the connection without an event of its streams while
  // that thread spent MostWorkWithoutAnEvent(). A tenth of a second is enough if its bytes take far
  // longer than those of messages, or far more memory. One is to blame if no other can be.
  // Requires: NoteMemory().
  bool IsSuspect(const FenceNotes& notes) const;

  // Returns the reason to cut such a connection.
  const CutReason& ReasonOfHold(const FenceNotes& notes) const;

  // Returns whether its bytes were most of those read of all connections meanwhile. Requires: this
  // look has been at all of them.
  bool IsMostOfTheHold(const FenceNotes& notes) const;

  // Returns how many streams it may have open: those that gRPC had at the last close look, and
  // those that bytes not certainly parsed by then can have opened.
  static std::uint64_t MostStreams(const FenceNotes& notes);

  // Returns the connections to cut if all together have more than `max_streams` open. With
  // them go those of the worst address that have more to be read than a few calls: gRPC reads the
  // received bytes of a hundred connections before it sees that one was cut. Up to twice as many
  // streams are tolerated until the server had the time to work off the backlog that it found when
  // it went on. Requires: this look has been at all connections.
  std::vector<StreamHolder> InExcess(ConnectionTable* connections);

  // Notes how much gRPC has read of the connection, with each close look.
  void NoteRead(std::uint64_t read, FenceNotes* notes);

  // Returns its streams by another close look; those of the last one if gRPC does not have it.
  std::uint64_t StreamsOf(WatchedConnection* connection);

  // Returns whether it has no stream open; nullopt if gRPC does not have it.
  std::optional<bool> IsIdle(const WatchedConnection& connection);

 private:
  // Readers are asked once a look, however many connections there are.
  std::uint64_t Round();
  void NoteHold(std::uint64_t received, FenceNotes* notes);
  // Returns whether the readers have had the time, since the first call, to work off the backlog
  // that they found when the server went on.
  bool HasLasted(std::optional<Excess>* excess);
  // Returns whether that much was allocated, and far more than read.
  bool HasGrownBy(std::uint64_t bytes) const;
  bool KeepsResetting(const StreamCounts& counts, FenceNotes* notes);
  void BeginWindow(const StreamCounts& counts, FenceNotes* notes) const;
  std::uint64_t MostWithoutEvent(const StreamCounts& counts) const;
  std::vector<StreamHolder> CountHolders(ConnectionTable* connections);

  StreamBook book_;
  const ServerConfig& config_;
  const absl::Duration most_work_;
  Readers readers_;
  std::optional<std::uint64_t> round_;
  SteadyTime now_ = SteadyTime();   // when the look began
  std::uint64_t hold_ = 0;          // grows with each hold
  std::uint64_t read_in_hold_ = 0;  // bytes of all connections, as far as this look has come
  absl::Duration held_ = absl::ZeroDuration();
  absl::Duration held_before_ = absl::ZeroDuration();  // in this hold, at the look before
  // In the middle of a hold: the bytes allocated by then, and those read in the hold of all
  // connections that are still there.
  struct MemoryMark {
    std::uint64_t allocated = 0;
    std::uint64_t read = 0;
  };
  std::optional<MemoryMark> memory_mark_;
  MemoryMark grown_;                    // since then, by this look
  std::optional<Excess> total_excess_;  // of the streams of all connections
};

}  // namespace clearance::server
