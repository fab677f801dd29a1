// SPDX-License-Identifier: Apache-2.0

#include "server/engine/row_sampler.h"

namespace clearance::server {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): every bit of the number has its say in every bit of the
// hash.
std::uint64_t Mix(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

}  // namespace

SampledRows::SampledRows(std::uint64_t first_ticket, std::uint64_t window)
    : window_(window), ticket_(first_ticket), winner_(WinnerOf(first_ticket / window)) {
  if (winner_ < ticket_) Advance();
}

std::uint64_t SampledRows::WinnerOf(std::uint64_t window_index) const {
  return window_index * window_ + Mix(window_index) % window_;
}

// From the winner of one window to that of the next.
bool SampledRows::Advance() {
  winner_ = WinnerOf(winner_ / window_ + 1);
  return true;
}

}  // namespace clearance::server
