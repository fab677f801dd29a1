// SPDX-License-Identifier: Apache-2.0
//
// HTTP by hand, so that the tests see every byte of an answer.

#pragma once

#include <string>

namespace clearance::test {

// Everything that the server on 127.0.0.1:port answers to the bytes of `request` until it closes;
// empty if nothing listens there.
std::string ExchangeHttp(int port, const std::string& request);

// The same for a GET of `path`.
std::string HttpGet(int port, const std::string& path);

// A port of 127.0.0.1 that was free a moment ago, for programs that cannot take port 0.
int FindFreePort();

}  // namespace clearance::test
