// SPDX-License-Identifier: Apache-2.0
//
// A session's query bodies and rules after the answered changes. A new stream gets the same ones.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "clearance/v1/query_service.pb.h"

namespace clearance::client {

// A shape to be opened again: the request that opened it, whatever slot that names, and the digest
// of its content.
struct HeldShape {
  std::shared_ptr<const v1::SessionRequest> open;
  std::string digest;
};

// Thread-compatible.
class QueryBodies {
 public:
  // Applies a change that the server made. The slots hold what they held for the server then.
  void Apply(const v1::ChangeBodies& change, absl::FunctionRef<HeldShape(std::uint32_t)> shape_in);
  // Notes a change that the server refused: questions about query bodies are refused until one with
  // `reset` is made.
  void Doubt() { is_in_doubt_ = true; }

  // The bodies of one shape, to be attached once it is open in slot 0.
  struct Attachment {
    HeldShape shape;  // null `open`: the change needs none
    v1::SessionRequest change;
  };
  // Returns the changes that make a new session's bodies these, in this order; if they are in
  // doubt, one change that is certainly refused.
  std::vector<Attachment> Attachments() const;

  bool is_in_doubt() const { return is_in_doubt_; }

 private:
  struct Body {
    HeldShape shape;
    std::array<double, 7> pose = {0, 0, 0, 0, 0, 0, 1};
    std::uint32_t group = 1;
    std::uint32_t mask = 0xffffffff;
    double margin = 0;
  };
  struct Rule {
    v1::PairRuleKind kind = v1::PAIR_RULE_KIND_MAY_TOUCH;
    double margin = 0;
  };

  void Put(const v1::BodyColumns& columns, absl::FunctionRef<HeldShape(std::uint32_t)> shape_in);
  void Move(const v1::BodyPoseColumns& columns);
  void AddRules(v1::PairRuleColumns* columns) const;

  std::map<std::uint32_t, Body> bodies_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Rule> rules_;  // the lesser id first
  bool is_in_doubt_ = false;
};

}  // namespace clearance::client
