// SPDX-License-Identifier: Apache-2.0
//
// A file descriptor that is closed with its owner.

#pragma once

#include <unistd.h>

#include <utility>

namespace clearance::server {

// Thread-compatible.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.Release()) {}
  Descriptor& operator=(Descriptor other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }  // -1: none

  // Gives it to a new owner.
  int Release() { return std::exchange(number_, -1); }

  void Close() {
    if (is_open()) close(Release());
  }

 private:
  int number_ = -1;
};

}  // namespace clearance::server
