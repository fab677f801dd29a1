// SPDX-License-Identifier: Apache-2.0
//
// Picks one of every N rows, whatever batches they come in. Each row gets a ticket; the tickets are
// cut into windows of N, and in each window one wins, at a place given by a hash of the window's
// number. So exactly one row in N is picked, a batch of one row is as likely as any other, and a
// client that repeats its batches does not have the same row picked every time.

#pragma once

#include <atomic>
#include <cstdint>

namespace clearance::server {

// Holds the tickets of some rows, which are used up in order. Value type.
class SampledRows {
 public:
  // No ticket wins.
  SampledRows() = default;
  SampledRows(std::uint64_t first_ticket, std::uint64_t window)
      : window_(window), ticket_(first_ticket), winner_(WinnerOf(first_ticket / window)) {
    if (winner_ < ticket_) winner_ = WinnerOf(first_ticket / window + 1);
  }

  // Returns whether the next row is picked.
  bool Next() {
    if (ticket_++ != winner_) return false;
    winner_ = WinnerOf(winner_ / window_ + 1);
    return true;
  }

 private:
  static constexpr std::uint64_t kNoTicket = ~std::uint64_t{0};

  // SplitMix64 (Steele, Lea, Flood 2014): every bit of the number affects every bit of the hash.
  static std::uint64_t Mix(std::uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
  }
  std::uint64_t WinnerOf(std::uint64_t window_index) const {
    return window_index * window_ + Mix(window_index) % window_;
  }

  std::uint64_t window_ = 0;
  std::uint64_t ticket_ = 0;
  std::uint64_t winner_ = kNoTicket;
};

// Draws tickets for rows. Thread-safe and without a lock: one addition to a shared number for all
// the rows that are drawn at once.
class RowSampler {
 public:
  // Picks one row in `window`; 0: none.
  explicit RowSampler(std::uint64_t window) : window_(window) {}

  SampledRows Draw(std::uint32_t rows) {
    if (window_ == 0) return {};
    return {next_ticket_.fetch_add(rows, std::memory_order_relaxed), window_};
  }

 private:
  static constexpr int kCacheLine = 64;  // bytes; so that two samplers do not share one

  alignas(kCacheLine) std::atomic<std::uint64_t> next_ticket_ = 0;
  const std::uint64_t window_;
};

}  // namespace clearance::server
