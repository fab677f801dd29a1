// SPDX-License-Identifier: Apache-2.0
#include "match_log.h"

#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace game {
namespace {

constexpr absl::string_view kMagic = "clearance game match 1\n";
// Marks the next part of the file.
enum Mark : std::uint64_t { kEnd = 0x656e64, kTick = 0x7469636b };

class Bytes {
 public:
  void Put(std::uint64_t number) {
    char bytes[sizeof(number)];
    std::memcpy(bytes, &number, sizeof(number));
    text_.append(bytes, sizeof(number));
  }
  void Put(double number) { Put(std::bit_cast<std::uint64_t>(number)); }
  void Put(const Vec3& vector) {
    Put(vector.x);
    Put(vector.y);
    Put(vector.z);
  }
  void Put(const Way& way) {
    Put(way.from);
    Put(way.move);
  }
  void Put(const std::string& text) {
    Put(std::uint64_t{text.size()});
    text_ += text;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Takes from the front. Missing parts are 0, and is_ok() is false from then on.
class Cursor {
 public:
  explicit Cursor(absl::string_view text) : rest_(text) {}

  bool is_ok() const { return is_ok_; }
  std::uint64_t Number() {
    std::uint64_t number = 0;
    const absl::string_view bytes = Take(sizeof(number));
    if (is_ok_) std::memcpy(&number, bytes.data(), sizeof(number));
    return number;
  }
  double Real() { return std::bit_cast<double>(Number()); }
  Vec3 Vector() {
    const double x = Real();
    const double y = Real();
    return {x, y, Real()};
  }
  Way WayOf() {
    const Vec3 from = Vector();
    return {from, Vector()};
  }
  std::string Text() { return std::string(Take(Number())); }
  // Returns the number of items that take at least so many bytes each: never more than can be
  // there.
  std::size_t Count(std::size_t bytes_each) {
    const std::uint64_t count = Number();
    if (count > rest_.size() / bytes_each) is_ok_ = false;
    return is_ok_ ? count : 0;
  }
  absl::string_view Take(std::size_t size) {
    if (size > rest_.size()) is_ok_ = false;
    if (!is_ok_) return {};
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

 private:
  absl::string_view rest_;
  bool is_ok_ = true;
};

constexpr std::size_t kWayBytes = 6 * sizeof(double);

void PutLevel(const Level& level, Bytes* bytes) {
  bytes->Put(level.name);
  bytes->Put(level.player_half_size);
  bytes->Put(std::uint64_t{level.bodies.size()});
  for (const LevelBody& body : level.bodies) {
    bytes->Put(body.name);
    bytes->Put(std::uint64_t{body.vertices.size()});
    for (const double number : body.vertices) bytes->Put(number);
  }
}

Level TakeLevel(Cursor* cursor) {
  Level level;
  level.name = cursor->Text();
  level.player_half_size = cursor->Vector();
  level.bodies.resize(cursor->Count(2 * sizeof(std::uint64_t)));
  for (LevelBody& body : level.bodies) {
    body.name = cursor->Text();
    body.vertices.resize(cursor->Count(sizeof(double)));
    for (double& number : body.vertices) number = cursor->Real();
  }
  return level;
}

void PutTick(const Tick& tick, Bytes* bytes) {
  bytes->Put(tick.number);
  bytes->Put(std::uint64_t{tick.claims.size()});
  for (const Way& claim : tick.claims) bytes->Put(claim);
  bytes->Put(std::uint64_t{tick.shots.size()});
  for (const Shot& shot : tick.shots) {
    bytes->Put(std::uint64_t{shot.shooter});
    bytes->Put(shot.seen.tick);
    bytes->Put(shot.seen.fraction);
    bytes->Put(shot.way);
  }
}

Tick TakeTick(Cursor* cursor) {
  Tick tick;
  tick.number = cursor->Number();
  tick.claims.resize(cursor->Count(kWayBytes));
  for (Way& claim : tick.claims) claim = cursor->WayOf();
  tick.shots.resize(cursor->Count(kWayBytes));
  for (Shot& shot : tick.shots) {
    shot.shooter = static_cast<std::uint32_t>(cursor->Number());
    shot.seen.tick = cursor->Number();
    shot.seen.fraction = cursor->Real();
    shot.way = cursor->WayOf();
  }
  return tick;
}

}  // namespace

absl::StatusOr<MatchLogWriter> MatchLogWriter::Open(const std::string& path, const Level& level) {
  MatchLogWriter writer;
  if (path.empty()) return writer;
  writer.is_wanted_ = true;
  writer.file_.open(path, std::ios::binary);
  Bytes bytes;
  PutLevel(level, &bytes);
  writer.file_ << kMagic << bytes.text();
  if (!writer.file_) return absl::UnavailableError(absl::StrCat(path, ": cannot be written"));
  return writer;
}

void MatchLogWriter::Add(const MatchLog::Entry& entry) {
  if (!is_wanted_) return;
  Bytes bytes;
  bytes.Put(std::uint64_t{kTick});
  PutTick(entry.tick, &bytes);
  bytes.Put(entry.digest);
  file_ << bytes.text();
}

absl::Status MatchLogWriter::Finish() {
  if (!is_wanted_) return absl::OkStatus();
  Bytes bytes;
  bytes.Put(std::uint64_t{kEnd});
  file_ << bytes.text();
  file_.close();
  if (!file_) return absl::DataLossError("the log could not be written to its end");
  return absl::OkStatus();
}

absl::StatusOr<MatchLog> ReadMatchLog(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  Cursor cursor(text);
  if (cursor.Take(kMagic.size()) != kMagic) {
    return absl::DataLossError(absl::StrCat(path, ": no log of a match"));
  }
  MatchLog log;
  log.level = TakeLevel(&cursor);
  while (cursor.is_ok()) {
    const std::uint64_t mark = cursor.Number();
    if (mark == kEnd) return log;
    if (mark != kTick) break;
    MatchLog::Entry entry{TakeTick(&cursor)};
    entry.digest = cursor.Number();
    log.entries.push_back(std::move(entry));
  }
  return absl::DataLossError(
      absl::StrCat(path, ": ends early, after ", log.entries.size(), " ticks"));
}

}  // namespace game
