// SPDX-License-Identifier: Apache-2.0
//
// Puts the questions of a file that are about its scene to a server: makes the scene, attaches what
// moves to a session and asks thousands of motions a message. By the stubs of the contract, so that
// what is scored is the server alone.

#pragma once

#include <string>

#include "absl/types/span.h"
#include "clearance/client.h"
#include "tests/acceptance/question.h"

namespace clearance::acceptance {

struct ScoredServer {
  const client::Client& client;
  const std::string& address;
};

// Answers the questions that are in the file's scene and leaves the others; never fails: what went
// wrong is in the answers. Requires: RegisterShapes; as many answers as questions; what moves in
// the scene is the same shape everywhere.
void AskInScene(const ScoredServer& server, const TaskFile& file,
                absl::Span<const Question> questions, absl::Span<Answer> answers);

}  // namespace clearance::acceptance
