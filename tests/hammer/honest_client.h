// SPDX-License-Identifier: Apache-2.0
//
// Who keeps to all rules beside an attacker: asks one small question after the other.

#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"

namespace clearance::test {

// On one connection.
class HonestClient {
 public:
  // `repeats`: whether it asks again if it is told UNAVAILABLE. Behind a proxy that is its part: a
  // connection to the server that breaks may be one with that of others.
  // `token` says who it is; "": it does not say so.
  HonestClient(int port, bool repeats, std::string token = "");
  virtual ~HonestClient() = default;
  HonestClient(const HonestClient&) = delete;
  HonestClient& operator=(const HonestClient&) = delete;

  // Whether it was answered within this time, and well.
  bool Ask(std::chrono::milliseconds within);
  // What the last call that failed ended with; "" if none did.
  const std::string& fault() const { return fault_; }
  int repeated() const { return repeated_; }

  // The times that the questions took: their 99th percentile and the longest, in milliseconds.
  double Percentile99();
  double Longest() const;

 protected:
  virtual bool AskOnce(std::chrono::milliseconds within);

  // Puts the token into a call.
  void Introduce(grpc::ClientContext* context) const;
  // Keeps what the call ended with; returns whether it ended well.
  bool Note(const grpc::Status& status, bool is_right);

  const std::unique_ptr<v1::QueryService::Stub> stub_;
  v1::DistanceRequest request_;

 private:
  const bool repeats_;
  const std::string token_;
  std::vector<double> milliseconds_;
  bool is_unavailable_ = false;  // by the last call
  int repeated_ = 0;
  std::string fault_;
};

// Asks the same in one session, which begins anew where it broke.
class HonestSession final : public HonestClient {
 public:
  using HonestClient::HonestClient;
  ~HonestSession() override { End(); }

 private:
  struct Call {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream;
  };

  bool AskOnce(std::chrono::milliseconds within) override;
  bool Begin();
  bool Exchange(const v1::SessionRequest& request, v1::SessionResponse* response);
  grpc::Status End();

  std::unique_ptr<Call> call_;  // null: none is open
};

}  // namespace clearance::test
