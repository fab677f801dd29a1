// SPDX-License-Identifier: Apache-2.0
//
// A server with a policy: one principal for each role, and one that is held to prefixes.

#pragma once

#include <string>

#include "server/access/authenticator.h"
#include "tests/integration/service/harness.h"

namespace clearance::testing {

inline constexpr char kGuardPolicy[] = R"({"principals": {
  "viewer": {"role": "query"},
  "maker": {"role": "register"},
  "owner": {"role": "admin"},
  "arm": {"role": "admin", "prefixes": ["arm/", "tool/"]},
  "one-session": {"role": "query", "limits": {"sessions": 1}},
  "slow": {"role": "register", "limits": {"cores": 0.001}}
}})";

// The token of a principal: its letters and dashes to the full length. Only tests have such tokens.
inline std::string TokenOf(std::string id) {
  id.resize(43, '_');
  return "clearance_" + id;
}

inline Metadata AuthorizationOf(const std::string& id) {
  return {{"authorization", "Bearer " + TokenOf(id)}};
}

inline server::TokenTable TokensOf(const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) {
    text += id + " " + server::FormatTokenHash(*server::HashOfToken(TokenOf(id))) + "\n";
  }
  return *server::TokenTable::Parse(text);
}

struct GuardedServer {
  server::Authenticator authenticator{
      TokensOf({"viewer", "maker", "owner", "arm", "one-session", "slow"}),
      *server::Policy::Parse(kGuardPolicy)};
  TestServer server{{}, {}, &authenticator};
};

// Calls a unary method with what `metadata` says of the caller.
template <class Stub, class Request, class Response>
grpc::Status CallWith(const Metadata& metadata, Stub& stub,
                      grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                      const Request& request, Response* response) {
  grpc::ClientContext context;
  context.set_deadline(HangGuard());
  for (const auto& [name, value] : metadata) context.AddMetadata(name, value);
  return (stub.*method)(&context, request, response);
}

}  // namespace clearance::testing
