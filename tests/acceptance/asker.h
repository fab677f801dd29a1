// SPDX-License-Identifier: Apache-2.0
//
// Puts the questions of a file to a server, through sessions of the client library: thousands of
// rows a message, each session with as many shapes as the server lets it hold.

#pragma once

#include <vector>

#include "absl/types/span.h"
#include "clearance/client.h"
#include "tests/acceptance/question.h"

namespace clearance::acceptance {

// Answers in the order of the questions, but of those in a scene, which are not asked; never fails:
// what went wrong is in the answers.
std::vector<Answer> AskAll(const client::Client& client, const client::Limits& limits,
                           absl::Span<const TableShape> shapes,
                           absl::Span<const Question> questions);

}  // namespace clearance::acceptance
