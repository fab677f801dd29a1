// SPDX-License-Identifier: Apache-2.0
//
// Valid requests of every method, made invalid: byte by byte or field by field.

#ifndef CLEARANCE_TESTS_HAMMER_MUTATOR_H_
#define CLEARANCE_TESTS_HAMMER_MUTATOR_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/random.h"

namespace clearance::hammer {

// A method with a valid request and what its answer is.
struct Sample {
  const char* path;
  bool is_session = false;  // a message of a session, else the request of a call
  std::unique_ptr<google::protobuf::Message> request;
  const google::protobuf::Message* answer = nullptr;  // an instance of the type
};

std::vector<Sample> AnySamples(testing::Random* random);

// Some bytes are changed, taken out, put in, doubled or cut off, or some fields of the message.
std::string Mutated(const google::protobuf::Message& message, testing::Random* random);

// "" where an answer is one that may be given: of its type, without a NaN, and each bracket the
// right way round and of its state.
std::string FaultOfAnswer(const std::string& bytes, const google::protobuf::Message& type);

}  // namespace clearance::hammer

#endif  // CLEARANCE_TESTS_HAMMER_MUTATOR_H_
