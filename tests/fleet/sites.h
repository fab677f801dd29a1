// SPDX-License-Identifier: Apache-2.0
//
// Where the servers of a fleet are just now, for callers that go to the next when one is gone.

#ifndef CLEARANCE_TESTS_FLEET_SITES_H_
#define CLEARANCE_TESTS_FLEET_SITES_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"

namespace clearance::fleet {

using Clock = std::chrono::steady_clock;

// How long one server may take for one call: longer than a server waits for etcd. Who gives up
// before it does may find what he asked for made after what he asked for later.
inline constexpr std::chrono::milliseconds kCallPatience{10'000};

// Who waits longer for an answer notices.
inline constexpr std::chrono::milliseconds kNoticed{100};
// Who waits so long gives up; that is as bad as a wrong answer.
inline constexpr std::chrono::seconds kEndless{60};

struct Site {
  explicit Site(const std::string& address)
      : channel(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())),
        shapes(v1::ShapeService::NewStub(channel)),
        queries(v1::QueryService::NewStub(channel)) {}

  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::ShapeService::Stub> shapes;
  std::unique_ptr<v1::QueryService::Stub> queries;
};
using SitePtr = std::shared_ptr<Site>;

// Thread-safe.
class Sites {
 public:
  explicit Sites(std::size_t count) : sites_(count) {}

  void Set(std::size_t index, const std::string& address);
  SitePtr Get(std::size_t index);
  std::size_t size() const { return sites_.size(); }

 private:
  std::mutex mutex_;
  std::vector<SitePtr> sites_;
};

// What callers noticed. Thread-safe.
class Findings {
 public:
  // Times without an answer, of those who had to ask again or waited long.
  void AddGap(Clock::duration gap);
  void Add(std::size_t* counter, std::size_t number = 1);
  void Complain(const std::string& what);

  // From the acknowledgement of a change to the answer of another server that knows it.
  void AddLag(Clock::duration lag);

  // Seconds: of all, what half of them and 99 in 100 are not above, and the longest.
  struct Times {
    std::size_t count = 0;
    double middle = 0;
    double nearly_all = 0;
    double longest = 0;
  };
  Times gaps();
  Times lags();

  std::size_t acknowledged = 0;         // changes
  std::size_t seen = 0;                 // of these, by every other server at once
  std::size_t looked = 0;               // at a name, after its change, on one other server
  std::size_t answered = 0;             // questions in streams
  std::size_t answered_to_library = 0;  // questions in sessions of the client library
  std::size_t lost = 0;                 // acknowledged and not there
  std::size_t wrong = 0;                // answers, the stale ones included
  std::size_t twice = 0;                // revisions or tags that came twice

 private:
  std::mutex mutex_;
  std::vector<double> gaps_;
  std::vector<double> lags_;
};

}  // namespace clearance::fleet

#endif  // CLEARANCE_TESTS_FLEET_SITES_H_
