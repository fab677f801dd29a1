// SPDX-License-Identifier: Apache-2.0

#include "server/fence/listener.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "server/guard/share_ledger.h"

namespace clearance::server {
namespace {

// How often open connections are looked at, and the pause for each of them, which limits the share
// of time that looks take: a connection costs under a microsecond. A core opens about a hundred
// streams a millisecond, so an attack may open some thousands before it is seen.
constexpr absl::Duration kLookEvery = absl::Milliseconds(20);
constexpr absl::Duration kPauseForEach = absl::Microseconds(20);
// How long clients may take to go elsewhere when they are told to, or to end calls that they are
// about to begin. A client that does not attend to its connection may take five seconds to see it.
constexpr absl::Duration kFarewell = absl::Milliseconds(500);
// The processor time that a new connection may cost before gRPC has it. Bytes that a client sends
// before it was answered are read in a thousandth of that.
constexpr absl::Duration kMostHandoverWork = absl::Milliseconds(100);
// Connections of an address that gRPC is given per second before their clients have sent anything.
constexpr int kMostUnheard = 64;
// How long clients of the others may stay silent: as long as gRPC gives them for their handshake.
constexpr absl::Duration kMostSilence = absl::Seconds(5);
// To the threads that answer: clients that connect tens of thousands of times a second must not
// take half a processor from them. The tenth that is left is enough to look at all that is open.
constexpr int kNiceness = 10;
// Connections taken from one socket before the others have their turn.
constexpr int kAcceptsInARow = 64;

Descriptor MakeReserve() { return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

// Closes with a reset: the refused side must learn of it at once, and no state of it may stay here.
void Reset(Descriptor connection) {
  const linger at_once = {.l_onoff = 1, .l_linger = 0};
  setsockopt(connection.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

// Returns whether the peer has not acknowledged some of the written bytes yet.
bool HasUnsent(int connection) {
  int unsent = 0;
  return ioctl(connection, SIOCOUTQ, &unsent) == 0 && unsent > 0;
}

// Returns the bytes in all arenas of the allocator and outside them.
std::uint64_t AllocatedBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(const ServerConfig& config,
                                                         const ConnectionSeries& series, Log* log) {
  absl::StatusOr<ListenSockets> listening = Listen(config.listen);
  if (!listening.ok()) return listening.status();
  std::unique_ptr<Listener> listener(new Listener(*std::move(listening), config, series, log));
  if (listener->wake_.is_open() && listener->reserve_.is_open() && listener->silent_.is_open()) {
    return listener;
  }
  return absl::UnavailableError("cannot listen on " + config.listen + ": no descriptor is left");
}

Listener::Listener(ListenSockets listening, const ServerConfig& config,
                   const ConnectionSeries& series, Log* log)
    : listening_(std::move(listening)),
      config_(config),
      series_(series),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      reserve_(MakeReserve()),
      fence_(listening_.port, config_),
      bans_(config.ban_after_cut),
      cut_log_(log) {}

void Listener::Start(Handler handler, const std::vector<ReadingThread>& readers) {
  const auto watch = std::make_shared<ReaderWatch>(readers);
  Run(std::move(handler), {.longest_hold = [watch] { return watch->LongestHold(); },
                           .rounds = [watch] { return watch->Rounds(); },
                           .allocated_bytes = AllocatedBytes});
}

void Listener::Run(Handler handler, const Readers& readers) {
  fence_.SetReaders(readers);
  handover_ = std::make_unique<Handover>(std::move(handler));
  thread_ = std::thread([this] {
    RunNicely(kNiceness);
    Loop();
  });
}

void Listener::Wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.number(), &one, sizeof one);
}

std::vector<WatchedLoop> Listener::Loops() {
  return {{.kind = LoopKind::kAccept,
           .turns = [this] { return turns_.load(); },
           .ask = [this] { Wake(); }},
          {.kind = LoopKind::kHandover, .turns = [this] { return handover_->turns(); }}};
}

void Listener::StopAccepting() {
  if (!thread_.joinable()) return CloseSockets();
  is_draining_ = true;
  Wake();
  has_stopped_accepting_.WaitForNotification();
}

void Listener::Close() {
  if (thread_.joinable()) {
    StopAccepting();
    is_closing_ = true;
    Wake();
    thread_.join();
  }
  handover_.reset();
  CloseSockets();
}

void Listener::CloseSockets() {
  listening_.sockets.clear();
  if (!listening_.unix_path.empty()) unlink(listening_.unix_path.c_str());
  listening_.unix_path.clear();
}

void Listener::Loop() {
  while (Await()) {
    if (is_draining_) BeginDrain();
    for (const Descriptor& socket : listening_.sockets) AcceptFrom(socket);
    for (Descriptor& connection : silent_.TakeSpoken()) handover_->Add(std::move(connection));
    if (connections_.size() > 0 && SteadyNow() - last_sweep_ >= Pause()) Look();
    series_.open->Set(static_cast<double>(connections_.size()));
    ++turns_;
  }
}

void Listener::Look() {
  silent_.EndOlderThan(SteadyNow() - kMostSilence);
  recent_.Forget(SteadyNow());
  Sweep();
  fence_.BeginLook(SteadyNow());
  connections_.ForEach([this](WatchedConnection& connection) {
    if (const CutReason* const reason = fence_.ReasonToCut(&connection)) Cut(&connection, *reason);
  });
  CutWhatHolds();
  CutWhatIsHeld();
  for (const StreamHolder& holder : fence_.InExcess(&connections_)) {
    Cut(holder.connection, kAllStreams);
  }
  CutOffenders();
  if (end_idle_after_.has_value() && SteadyNow() >= *end_idle_after_) EndIdle();
}

// If several could be to blame, one of them may be honest: they are left to the fence.
void Listener::CutWhatHolds() {
  fence_.NoteMemory();
  WatchedConnection* suspect = nullptr;
  int suspects = 0;
  connections_.ForEach([&](WatchedConnection& connection) {
    if (!fence_.IsSuspect(connection.notes)) return;
    ++suspects;
    suspect = &connection;
  });
  if (suspects != 1 || !fence_.IsMostOfTheHold(suspect->notes)) return;
  Cut(suspect, fence_.ReasonOfHold(suspect->notes));
}

void Listener::CutWhatIsHeld() {
  const std::optional<int> held = handover_->HeldFor(kMostHandoverWork);
  if (!held.has_value()) return;
  connections_.ForEach([&](WatchedConnection& connection) {
    if (connection.descriptor == *held) Cut(&connection, kHoldsHandover);
  });
}

// Cuts nothing if bans are off: that tells that there is a proxy, whose connections also carry
// calls of others. Other connections of an offender's address are cut with it if they have many
// calls open and no call was ever answered. Otherwise a crowd of them would be found one by one.
void Listener::CutOffenders() {
  constexpr auto kCallsOfACrowd = static_cast<std::uint64_t>(RefusedCalls::kMostAtOnce);
  const absl::flat_hash_set<std::string> offenders = refused_calls_.TakeOffenders();
  if (offenders.empty() || config_.ban_after_cut == absl::ZeroDuration()) return;
  absl::flat_hash_set<std::string> addresses;
  connections_.ForEach([&](WatchedConnection& connection) {
    if (!offenders.contains(connection.peer)) return;
    Cut(&connection, kRefusedCalls);
    if (!connection.address_key.empty()) addresses.insert(connection.address_key);
  });
  connections_.ForEach([&](WatchedConnection& connection) {
    if (!addresses.contains(connection.address_key)) return;
    const bool is_crowd = fence_.StreamsOf(&connection) >= kCallsOfACrowd;
    if (is_crowd && connection.notes.latest.answered == 0) Cut(&connection, kRefusedCalls);
  });
}

void Listener::Cut(WatchedConnection* connection, const CutReason& reason) {
  // TCP's count is lost with the connection.
  const std::uint64_t received = connection->BytesReceived();
  if (!connection->Cut()) return;
  const std::string& address_key = connection->address_key;
  const SteadyTime now = SteadyNow();
  (series_.*reason.counter)->Increment();
  if (reason.after == AfterCut::kWarnOrBan) bans_.WarnOrBan(address_key, connection->opened, now);
  if (reason.after == AfterCut::kBan) bans_.Ban(address_key, now);
  cut_log_.Write(*connection, reason, received, bans_.IsBanned(address_key, now));
}

// A flood may hold the connection that is being handed over; the next looks end it.
void Listener::BeginDrain() {
  if (!end_idle_after_.has_value()) {
    CloseSockets();
    silent_.EndAll();
    handover_->Stop();
    end_idle_after_ = SteadyNow() + kFarewell;
  }
  if (!has_stopped_accepting_.HasBeenNotified() && handover_->is_idle()) {
    has_stopped_accepting_.Notify();
  }
}

// Also ends those still shaking hands. To gRPC a stream has ended once its trailers are in its own
// buffer. Bytes that the socket has not taken would be lost with the connection. So nothing may be
// unsent at two looks in a row: in between, gRPC has continued to write if the socket had room.
void Listener::EndIdle() {
  connections_.ForEach([this](WatchedConnection& connection) {
    const bool is_quiet =
        fence_.IsIdle(connection).value_or(true) && !HasUnsent(connection.descriptor);
    if (is_quiet && connection.was_quiet) connection.End();
    connection.was_quiet = is_quiet;
  });
}

// Blocks until a connection waits or it is time to look at the open ones; false when it must end.
bool Listener::Await() {
  std::vector<pollfd> awaited;
  // Without the reserve no connection could be refused, and waiting ones would wake this for ever.
  const bool may_refuse = reserve_.is_open();
  for (const Descriptor& socket : listening_.sockets) {
    awaited.push_back({.fd = may_refuse ? socket.number() : -1, .events = POLLIN, .revents = 0});
  }
  awaited.push_back({.fd = silent_.number(), .events = POLLIN, .revents = 0});
  awaited.push_back({.fd = wake_.number(), .events = POLLIN, .revents = 0});
  const bool may_sleep = connections_.size() == 0 && may_refuse && handover_->is_idle();
  poll(awaited.data(), awaited.size(),
       may_sleep ? -1 : static_cast<int>(absl::ToInt64Milliseconds(Pause())));
  if (!reserve_.is_open()) reserve_ = MakeReserve();
  std::uint64_t wakes = 0;
  [[maybe_unused]] const ssize_t taken = read(wake_.number(), &wakes, sizeof wakes);
  return !is_closing_;
}

void Listener::AcceptFrom(const Descriptor& socket) {
  for (int i = 0; i < kAcceptsInARow; ++i) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    Descriptor connection(accept4(socket.number(), reinterpret_cast<sockaddr*>(&peer), &size,
                                  SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!connection.is_open()) {
      if (errno == EMFILE || errno == ENFILE) return RefuseWithReserve(socket);
      // A connection that was gone before it was taken is followed by the next one.
      if (errno == ECONNABORTED || errno == EINTR) continue;
      return;
    }
    if (prometheus::Counter* const reason = ReasonToRefuse(AddressKey(peer))) {
      reason->Increment();
      Reset(std::move(connection));
      continue;
    }
    Admit(std::move(connection), peer);
  }
}

// Hands the connection on at once unless its address opens many. Every client may send before it
// hears from the server, so all could be made to send first. But a gRPC client looks for the
// server's first bytes while it connects, and perhaps not again before it has a call. gRPC sends
// them once it has the connection; so honest clients find them in time.
void Listener::Admit(Descriptor connection, const sockaddr_storage& peer) {
  // Before it is handed on: from then on others may close it.
  connections_.Add(connection.number(), peer);
  const SteadyTime now = SteadyNow();
  if (recent_.Add(AddressKey(peer), now) <= kMostUnheard) {
    handover_->Add(std::move(connection));
  } else {
    silent_.Add(std::move(connection), now);
  }
}

// Returns null if there is none. Ended connections cause no refusal, except those that ended in the
// last moments of a full server: it must not spend its time on looking.
prometheus::Counter* Listener::ReasonToRefuse(const std::string& address_key) {
  if (connections_.size() >= config_.max_connections && SteadyNow() - last_sweep_ >= Pause())
    Sweep();
  if (connections_.size() >= config_.max_connections) return series_.refused_total;
  if (bans_.IsBanned(address_key, SteadyNow())) return series_.refused_cut;
  if (HasRoomFor(address_key)) return nullptr;
  connections_.Sweep(address_key);
  return HasRoomFor(address_key) ? nullptr : series_.refused_address;
}

// An address may have as many as all others leave free. So a crowd of addresses leaves one to each
// address that has none. The rule does not hold if the limits give all to one address.
bool Listener::HasRoomFor(const std::string& address_key) const {
  const std::size_t count = connections_.CountOf(address_key);
  if (count >= config_.max_connections_per_address) return false;
  return config_.max_connections_per_address >= config_.max_connections ||
         IsFair(count, 1, LeftBeside(connections_.size(), config_.max_connections));
}

// Something else took the last descriptor. A waiting connection is refused with the reserve: left
// to wait, it would wake the loop for ever.
void Listener::RefuseWithReserve(const Descriptor& socket) {
  reserve_.Close();
  Descriptor refused(accept4(socket.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (refused.is_open()) series_.refused_descriptors->Increment();
  Reset(std::move(refused));
  reserve_ = MakeReserve();
}

absl::Duration Listener::Pause() const {
  return std::max(kLookEvery, kPauseForEach * static_cast<std::int64_t>(connections_.size()));
}

void Listener::Sweep() {
  connections_.Sweep();
  last_sweep_ = SteadyNow();
}

}  // namespace clearance::server
