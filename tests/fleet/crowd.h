// SPDX-License-Identifier: Apache-2.0
//
// Thousands of clients in one process, each with a session of its own on one of several servers.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "clearance/v1/query_service.grpc.pb.h"

namespace clearance::fleet {

// Thread-compatible. Throws std::runtime_error where a session breaks or an answer is not right.
class Crowd {
 public:
  struct Setup {
    std::string servers;  // ipv4:host:port,…; channels share their sessions out by round_robin
    std::size_t clients = 0;
    std::size_t channels = 0;
    std::size_t in_flight = 0;  // messages of all clients under way at a time, at most
    const std::vector<v1::SessionRequest>& opens;  // what each client sends first
  };
  explicit Crowd(const Setup& setup);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // Whether this is the answer to message i; asked by many threads at once.
  using Judge = absl::FunctionRef<bool(std::size_t i, const v1::SessionResponse& reply)>;

  // Sends the messages, after the last the first again, until there were `count`: the clients take
  // turns, and each waits for its answer.
  void Ask(const std::vector<v1::SessionRequest>& messages, std::size_t count, Judge judge);

  // Ends every session.
  void End();

 private:
  class Client;
  struct Round;

  // One message by the next client, if there is one left to send.
  void SendNext();

  const std::size_t in_flight_;
  std::vector<std::unique_ptr<v1::QueryService::Stub>> stubs_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::atomic<std::size_t> turn_ = 0;  // of clients_
  Round* round_ = nullptr;             // what is asked just now
};

}  // namespace clearance::fleet
