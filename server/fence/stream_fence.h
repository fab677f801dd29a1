// SPDX-License-Identifier: Apache-2.0
//
// Finds connections that hold or waste more streams than is allowed, or send what no honest client
// sends. MAX_CONCURRENT_STREAMS binds only clients that acknowledge it: gRPC 1.51 takes any number
// of streams from one that does not, any number of resets (CVE-2023-44487) from everyone, and reads
// frames that belong to no message for as long as they come (CVE-2023-33953).

#ifndef CLEARANCE_SERVER_FENCE_STREAM_FENCE_H_
#define CLEARANCE_SERVER_FENCE_STREAM_FENCE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/fence/connection_table.h"
#include "server/fence/stream_counts.h"
#include "server/observe/connection_series.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

struct FenceLimits {
  std::uint64_t max_streams = 1024;
  std::uint64_t max_message_bytes = 24 << 20;       // that gRPC takes
  std::uint64_t max_unfinished_bytes = 1024 << 20;  // of messages that are not whole, all together
};

// A connection that gRPC has read from at such cost without a message of it being whole has a flood
// for a client. Three tenths of a second, in which 150 MB of messages would be read, or as much
// more as `max_message_bytes` is more than 24 MiB.
absl::Duration MostWorkWithoutAnEvent(const FenceLimits& limits);

// What a connection is cut for. All but the first three are floods.
enum class CutReason : std::uint8_t {
  kStreams,
  kAllStreams,
  kResets,
  kBytesBeforeCalls,
  kBytesBesideMessages,
  kHoldsReading,
  kHoldsMemory,
  kHoldsHandover,
  kRefusedCalls,
};

// What counts it, and what the log says of it.
prometheus::Counter* CounterOf(CutReason reason, const ConnectionSeries& series);
absl::string_view NameOf(CutReason reason);  // the metric's label
absl::string_view EvidenceOf(CutReason reason);

// The threads that read connections. All are called by the thread that looks alone.
struct Readers {
  // Processor time that one of them has spent without anything to show for it: the most.
  std::function<absl::Duration()> longest_hold = [] { return absl::ZeroDuration(); };
  // Asks all of them to come back, and grows when all of them have since it last grew.
  std::function<std::uint64_t()> rounds = [] { return 0; };
  // What the process has allocated: asked while one of them is held.
  std::function<std::uint64_t()> allocated_bytes = [] { return 0; };
  // The peers whose calls were refused too often since it was last asked, as gRPC writes them.
  std::function<absl::flat_hash_set<std::string>()> offenders = [] {
    return absl::flat_hash_set<std::string>();
  };
};

// A connection is to be cut
// - when it has more than twice `max_streams` streams open, and still has them after a tenth of a
//   second in which the server came back to its calls, or which it spent on reading alone: one that
//   stood still finds at once what honest clients began and gave up meanwhile;
// - when within about a second more than `max_streams` ended without an answer and fewer with one,
//   and as many once more when that tenth of a second is over;
// - when it has never opened a stream, and more came within about a second than a handshake takes:
//   without a stream HTTP/2 knows only frames of some bytes, which clients send now and then;
// - when more came since anything happened to a stream (it began, it ended, a message of it was
//   whole) than the messages of all open streams together can have.
// Another is told by what it costs the thread that reads: IsSuspect().
// Thread-compatible.
class StreamFence {
 public:
  // Of the connections that were accepted on this port.
  StreamFence(int port, const FenceLimits& limits) : book_(port), limits_(limits) {}

  void SetReaders(Readers readers) { readers_ = std::move(readers); }

  // What the connection is to be cut for; nullopt where it may stay. Looks closely only where
  // enough has come since the last look to open many streams, or what came before may not have been
  // parsed by then and could open too many: else it takes under a microsecond.
  std::optional<CutReason> ReasonToCut(WatchedConnection* connection);

  // What ReasonToCut() says of a connection with these counts.
  std::optional<CutReason> ReasonOf(const StreamCounts& counts, FenceNotes* notes);

  // Before the connections are looked at: what a thread that reads them has spent since it last
  // came back to what they are read for; less than before where it has come back.
  void BeginLook(absl::Duration held, SteadyTime now);

  // Once this look has been at all connections: how much more was allocated, and read, since the
  // thread had been held for half a tenth of a second. Most holds are over before that.
  void NoteMemory();

  // Whether, while that thread spent MostWorkWithoutAnEvent(), a mebibyte was read of the
  // connection and nothing happened to any stream of it; or while it spent a tenth of a second, if
  // its bytes take far longer than those of messages, or far more memory. One is to blame if no
  // other can be. Requires: NoteMemory().
  bool IsSuspect(const FenceNotes& notes) const;

  // What such a connection is to be cut for.
  CutReason ReasonOfHold(const FenceNotes& notes) const;

  // Whether that was most of what was read of all connections meanwhile. Requires: this look has
  // been at all of them.
  bool IsMostOfTheHold(const FenceNotes& notes) const;

  // How many streams it may have open: those that gRPC had at the last close look, and what those
  // bytes can have opened that it need not have parsed by then.
  static std::uint64_t MostStreams(const FenceNotes& notes);

  // That gRPC has read so much of the connection, with each close look.
  void NoteRead(std::uint64_t read, FenceNotes* notes);

  // How many it has, by another close look; those of the last where gRPC does not have it.
  std::uint64_t StreamsOf(WatchedConnection* connection);

  // From when it is first asked: whether the readers have since had the time to work off what they
  // found when the server went on.
  bool HasLasted(std::optional<Excess>* excess);

  // Whether it has no stream open. nullopt where gRPC does not have it.
  std::optional<bool> IsIdle(const WatchedConnection& connection);

 private:
  // Readers are asked once a look, however many connections there are.
  std::uint64_t Round();
  void NoteHold(std::uint64_t received, FenceNotes* notes);
  // Whether that much was allocated, and far more than read.
  bool HasGrownBy(std::uint64_t bytes) const;
  bool KeepsResetting(const StreamCounts& counts, FenceNotes* notes);
  void BeginWindow(const StreamCounts& counts, FenceNotes* notes) const;
  std::uint64_t MostWithoutEvent(const StreamCounts& counts) const;

  StreamBook book_;
  const FenceLimits limits_;
  Readers readers_;
  std::optional<std::uint64_t> round_;
  SteadyTime now_ = SteadyTime();   // when the look began
  std::uint64_t hold_ = 0;          // grows with each
  std::uint64_t read_in_hold_ = 0;  // bytes of all connections, as far as this look has come
  absl::Duration held_ = absl::ZeroDuration();
  absl::Duration held_before_ = absl::ZeroDuration();  // in this hold, at the look before
  // In the midst of a hold: what was allocated, and had been read in it of all connections that are
  // there yet.
  struct MemoryMark {
    std::uint64_t allocated = 0;
    std::uint64_t read = 0;
  };
  std::optional<MemoryMark> memory_mark_;
  MemoryMark grown_;  // since then, by this look
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_FENCE_STREAM_FENCE_H_
