// SPDX-License-Identifier: Apache-2.0
//
// Asks core everything about a case and judges every answer: by its own numbers (sanity.h), against
// the other answers of the same case, and a share of them by the independent checker of core/proof
// or by the exact oracle.

#pragma once

#include <cstdint>
#include <string>

#include "core/proof/check_distance.h"
#include "tests/soak/case_maker.h"
#include "tests/soak/sanity.h"
#include "tests/soak/tally.h"
#include "tests/soak/watch.h"

namespace clearance::soak {

// Thread-compatible: one for each worker.
class Asker {
 public:
  // `is_telling`: prints every question before it is asked and every answer, and all are proved
  // anew.
  struct Options {
    bool is_telling = false;
  };

  Asker(CaseMaker maker, Post* post, FindingPrinter* printer, Options options)
      : maker_(std::move(maker)), post_(post), printer_(printer), options_(options) {}

  void Ask(std::uint64_t index);

  const Tally& tally() const { return tally_; }

 private:
  // One query of a case, as it is counted.
  struct Query {
    Kind kind;
    Setting setting;
  };

  void AskPair();
  DistanceAnswer AskCold(const PairCase& pair);
  void AskOthers(const PairCase& pair, const DistanceAnswer& cold);
  void AskWarm(const PairCase& pair, const DistanceAnswer& cold);
  void AskWithin(const PairCase& pair, const DistanceAnswer& cold);
  void AskTolerant(const PairCase& pair, const DistanceAnswer& cold);
  void AskDepthProof(const PairCase& pair, const DistanceAnswer& cold);
  void AskExact(const PairCase& pair, const DistanceAnswer& cold);
  void AskIntersection(const PairCase& pair, const DistanceAnswer& cold, bool exact);
  void AskManifold(const PairCase& pair, const DistanceAnswer& cold);
  void AskOracle();
  void AskMotion();
  void AskBodies();
  void AskBodyDistance(const BodyCase& question);
  void AskBodyMotion(const BodyCase& question);

  // Asks one distance and counts it; `other_fault` is what is wrong beyond its own numbers.
  template <class OtherFault>
  DistanceAnswer AskDistance(const Query& query, const PairCase& pair,
                             const DistanceOptions& options, OtherFault other_fault);

  template <class Question>
  void Tell(const Query& query, const Question& question) const;
  // Counts an answer and reports what is wrong with it.
  template <class Answer, class Question>
  void Count(const Query& query, const Answer& answer, const std::string& fault,
             const Question& question);
  // Whether an answer goes to the independent checker: one in so many, all where all is told.
  bool IsChecked(int one_in);
  // What the independent checker says, and counts that it was asked.
  static std::string Judged(const Check& check, Row* row);

  CaseMaker maker_;
  Post* post_;
  FindingPrinter* printer_;
  Options options_;
  std::uint64_t index_ = kNoCase;
  Tally tally_;
};

}  // namespace clearance::soak
