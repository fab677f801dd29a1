// SPDX-License-Identifier: Apache-2.0
//
// The parts of HTTP that the operators' port needs: requests, as far as the server reads them, and
// whole replies.

#pragma once

#include <string>

namespace clearance::server {

struct HttpRequest {
  std::string method;  // GET, HEAD or POST
  std::string path;    // without its query; begins with a slash
  std::string content_type;
  std::string authorization;
  std::string host;
  std::string body;  // of a POST to a path that takes one
};

// Returns whether a request names this server by an address or localhost, and not by a name that
// another page may have made to mean it.
bool NamesAddress(const HttpRequest& request);

struct HttpReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

}  // namespace clearance::server
