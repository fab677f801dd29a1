// SPDX-License-Identifier: Apache-2.0
//
// Asks a session with a MESSAGE. A message that is no question does not compile.
#include "clearance/session.h"

namespace clearance::client {

bool Ask(Session* session, const MESSAGE& message) { return session->Ask(message).ok(); }

}  // namespace clearance::client
