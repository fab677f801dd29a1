// SPDX-License-Identifier: Apache-2.0
//
// Progress of long work: a bar on stderr if that is a terminal, else nothing.

#pragma once

#include <cstdint>
#include <string>

#include "client/cli/command.h"
#include "internal/steady_clock.h"

namespace clearance::client {

// Thread-compatible.
class Progress {
 public:
  // `unit` is the counted thing ("meshes"); a total of 0 is unknown. Work that streams rows to a
  // terminal shows its progress by itself, without a bar.
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

  // Sets how much is done by now.
  void Set(std::uint64_t done);
  // Hides the bar until the next Set(), so that something else can be written.
  void Hide();

 private:
  void Draw(std::uint64_t done);

  const Work work_;
  const bool is_shown_;
  bool is_drawn_ = false;
  SteadyTime drawn_at_ = -absl::InfiniteDuration();
};

}  // namespace clearance::client
