// SPDX-License-Identifier: Apache-2.0
//
// How far long work is: a bar on stderr where that is a terminal, else nothing at all.

#ifndef CLEARANCE_CLIENT_CLI_PROGRESS_H_
#define CLEARANCE_CLIENT_CLI_PROGRESS_H_

#include <cstdint>
#include <string>

#include "client/cli/command.h"
#include "internal/steady_clock.h"

namespace clearance::client {

// Thread-compatible.
class Progress {
 public:
  // `unit` is what is counted ("meshes"); a total of 0 is one that nobody knows. Work that streams
  // rows to a terminal shows how far it is by itself: no bar there.
  struct Work {
    std::string unit;
    std::uint64_t total = 0;
    bool streams_rows = false;
  };

  Progress(const GlobalOptions& options, Work work);
  // Takes the bar away.
  ~Progress() { Hide(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // So much is done by now.
  void Set(std::uint64_t done);
  // Until the next Set: something else is to be written.
  void Hide();

 private:
  void Draw(std::uint64_t done);

  const Work work_;
  const bool is_shown_;
  bool is_drawn_ = false;
  SteadyTime drawn_at_ = -absl::InfiniteDuration();
};

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_CLI_PROGRESS_H_
