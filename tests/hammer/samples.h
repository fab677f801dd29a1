// SPDX-License-Identifier: Apache-2.0
//
// Valid requests of every method and of every kind of message of a session.

#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <vector>

#include "clearance/v1/query_service.pb.h"
#include "tests/support/random.h"

namespace clearance::hammer {

struct Sample {
  const google::protobuf::MethodDescriptor* method = nullptr;
  std::unique_ptr<google::protobuf::Message> request;
};

// "/clearance.v1.ShapeService/GetShape"
std::string PathOf(const google::protobuf::MethodDescriptor& method);

// One at least of every method, and of every kind of message of a session.
std::vector<Sample> AnySamples(testing::Random* random);

// The shapes and scenes that the samples refer to, to be registered first; hardly any sample takes
// one of them away.
std::vector<Sample> BaseSamples(testing::Random* random);

// How a session begins, so that its other samples find what they are about: shapes in slots, a
// scene, query bodies, a track with two ticks.
std::vector<v1::SessionRequest> AnyGreeting(testing::Random* random);

}  // namespace clearance::hammer
