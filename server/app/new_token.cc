// SPDX-License-Identifier: Apache-2.0
#include "server/app/new_token.h"

#include <cstdlib>
#include <iostream>

#include "server/guard/principal.h"
#include "server/guard/secret_token.h"

namespace clearance::server {

int PrintNewToken(const std::string& id) {
  constexpr int kWrongArguments = 2;
  if (!IsPrincipalId(id)) {
    std::cerr << "clearance-server: --new_token=" << id
              << ": must name a principal: 1 to 64 characters of [a-z0-9][a-z0-9._-]*\n";
    return kWrongArguments;
  }
  const absl::StatusOr<std::string> token = MakeToken();
  if (!token.ok()) {
    std::cerr << "clearance-server: " << token.status().message() << '\n';
    return EXIT_FAILURE;
  }
  std::cout << *token << '\n' << id << ' ' << FormatTokenHash(*HashOfToken(*token)) << '\n';
  return EXIT_SUCCESS;
}

}  // namespace clearance::server
