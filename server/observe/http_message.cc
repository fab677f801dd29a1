// SPDX-License-Identifier: Apache-2.0

#include "server/observe/http_message.h"

#include <arpa/inet.h>

namespace clearance::server {

bool NamesAddress(const HttpRequest& request) {
  const std::string host = request.host.substr(0, request.host.find_last_of(':'));
  if (host == "localhost" || request.host.starts_with('[')) return true;
  in_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

}  // namespace clearance::server
