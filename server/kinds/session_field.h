// SPDX-License-Identifier: Apache-2.0
//
// The place of a kind in the messages of a session.

#pragma once

#include "clearance/v1/query_service.pb.h"

namespace clearance::server {

template <class Batch, class Result>
struct SessionField {
  const char* name;
  v1::SessionRequest::KindCase kind;
  const Batch& (v1::SessionRequest::*batch)() const;
  Result* (v1::SessionResponse::*result)();
};
template <class Batch, class Result>
SessionField(const char*, v1::SessionRequest::KindCase,
             const Batch& (v1::SessionRequest::*)() const, Result* (v1::SessionResponse::*)())
    -> SessionField<Batch, Result>;

}  // namespace clearance::server
