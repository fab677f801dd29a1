// SPDX-License-Identifier: Apache-2.0
//
// What callers of a fleet do while it is harmed, and what they then know must be there.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "clearance/v1/query_service.pb.h"
#include "tests/fleet/findings.h"
#include "tests/fleet/sites.h"

namespace clearance::fleet {

// Who waits since when, and which server said what to him meanwhile.
class Account {
 public:
  void Note(std::size_t server, const grpc::Status& status);
  Clock::time_point began() const { return began_; }
  // Of who waited for this.
  std::string Phase(const std::string& what) const;

 private:
  // The same from the same, one time after another; when, in seconds since it began.
  struct Told {
    std::string what;
    double first;
    double last = 0;
    std::size_t times = 0;
  };

  Clock::time_point began_ = Clock::now();
  std::vector<Told> told_;
};

// Replaces and deletes names of its own, each change by any server, and looks at once at all others
// whether it is so. One thread's.
class Writer {
 public:
  Writer(std::size_t number, std::uint64_t seed, Sites* sites, Findings* findings)
      : number_(number), random_(seed), sites_(sites), findings_(findings) {}

  // One change and a look at every other server than the one that acknowledged it, at all of them
  // together; each until it is answered.
  void Step();
  // Whether each name means on this server what was acknowledged last.
  void Verify(const Site& site);
  const std::set<std::uint64_t>& revisions() const { return revisions_; }

 private:
  static constexpr std::size_t kNames = 8;

  std::string NameOf(std::size_t i) const;
  // Until it is acknowledged, by the server with this number; a repetition may find it made. None
  // where it is not.
  std::optional<std::size_t> Change(std::size_t i, double radius);
  // Whether the answer that is asked for is right.
  struct Glance;
  bool IsSeen(Glance* glance, std::size_t i, Account account);
  grpc::Status Ask(const Site& site, const std::string& name, double radius,
                   std::uint64_t* revision) const;
  // Of the radius that the name means, 0 of none; -1 where nobody answers.
  grpc::Status Look(const Site& site, const std::string& name, double* radius) const;

  const std::size_t number_;
  std::mt19937_64 random_;
  Sites* const sites_;
  Findings* const findings_;
  std::array<double, kNames> radii_ = {};  // 0: the name has nothing
  std::uint64_t changes_ = 0;
  std::set<std::uint64_t> revisions_;  // of changes that were made at the first try
};

// Keeps a session on some server and asks one thing after another in it; of a session that breaks
// it asks again elsewhere what was not answered. One thread's.
class Asker {
 public:
  Asker(std::size_t number, Sites* sites, Findings* findings)
      : number_(number), sites_(sites), findings_(findings) {}

  // Returns once told so.
  void Run(const std::atomic<bool>& is_over);

 private:
  void Take(const v1::SessionResponse& response);

  const std::size_t number_;
  Sites* const sites_;
  Findings* const findings_;
  std::uint64_t tag_ = 0;
  Account account_;  // since the last answer
  bool is_broken_ = false;
};

// The names that sessions open.
inline constexpr const char* kSteadyName = "steady";

}  // namespace clearance::fleet
