// SPDX-License-Identifier: Apache-2.0
#include "server/access/authenticator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/guard/quota.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kPlannerToken = "clearance_" + std::string(43, 'p');
const std::string kStrayToken = "clearance_" + std::string(43, 's');  // of no principal
constexpr char kTwoPrincipals[] = R"({"principals": {
  "planner": {"role": "register", "limits": {"sessions": 1}},
  "robot": {"role": "query", "certificates": ["robot.example.org"]}
}})";

TokenTable Tokens() {
  return *TokenTable::Parse("planner " + FormatTokenHash(*HashOfToken(kPlannerToken)) + "\nstray " +
                            FormatTokenHash(*HashOfToken(kStrayToken)) + "\n");
}

Credentials BearerOf(const std::string& value) { return CredentialsFrom({value}); }

std::string WhoIs(const Authenticator& authenticator, const Credentials& credentials) {
  const auto principal = authenticator.Authenticate(credentials);
  if (principal.ok()) return (*principal)->id;
  EXPECT_EQ(principal.status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(ErrorOf(principal.status()).field(), "authorization");
  EXPECT_EQ(ErrorOf(principal.status()).value(), "");
  EXPECT_THAT(ErrorOf(principal.status()).limit(), HasSubstr("authorization: Bearer TOKEN"));
  return std::string(principal.status().message());
}

TEST(Authenticator, KnowsAPrincipalByItsToken) {
  const Authenticator authenticator(Tokens(), *Policy::Parse(kTwoPrincipals));
  EXPECT_EQ(WhoIs(authenticator, BearerOf("Bearer " + kPlannerToken)), "planner");
  EXPECT_EQ(WhoIs(authenticator, BearerOf("bearer " + kPlannerToken)), "planner");
}

TEST(Authenticator, KnowsAPrincipalByItsCertificate) {
  const Authenticator authenticator(Tokens(), *Policy::Parse(kTwoPrincipals));
  Credentials credentials;
  credentials.certificate_names = {"other.example.org", "robot.example.org"};
  EXPECT_EQ(WhoIs(authenticator, credentials), "robot");
  credentials.certificate_names = {"other.example.org"};
  EXPECT_THAT(WhoIs(authenticator, credentials), HasSubstr("unknown client certificate"));
}

TEST(Authenticator, RefusesWhoeverShowsNothingOrTheWrongThing) {
  const Authenticator authenticator(Tokens(), *Policy::Parse(kTwoPrincipals));
  EXPECT_THAT(WhoIs(authenticator, CredentialsFrom({})), HasSubstr("missing credentials"));
  const std::string unknown = "clearance_" + std::string(43, 'x');
  for (const std::string& token : {unknown, kStrayToken}) {
    const std::string said = WhoIs(authenticator, BearerOf("Bearer " + token));
    EXPECT_EQ(said, "unknown or withdrawn token");
  }
  for (const std::string& value :
       {std::string(), kPlannerToken, "Basic " + kPlannerToken, "Bearer  " + kPlannerToken,
        "Bearer " + kPlannerToken + " ", std::string("Bearer password"), std::string("Bearer ")}) {
    EXPECT_THAT(WhoIs(authenticator, BearerOf(value)), HasSubstr("malformed authorization"))
        << value;
  }
  const std::string good = "Bearer " + kPlannerToken;
  EXPECT_THAT(WhoIs(authenticator, CredentialsFrom({good, good})),
              HasSubstr("malformed authorization"));
}

TEST(Authenticator, LetsNoCertificateSaveAWrongToken) {
  const Authenticator authenticator(Tokens(), *Policy::Parse(kTwoPrincipals));
  Credentials credentials = BearerOf("Bearer " + kStrayToken);
  credentials.certificate_names = {"robot.example.org"};
  EXPECT_THAT(WhoIs(authenticator, credentials), HasSubstr("unknown or withdrawn"));
}

TEST(Authenticator, GoesByTheNewestRulesAndCountsThem) {
  Authenticator authenticator(Tokens(), *Policy::Parse(kTwoPrincipals));
  const std::uint64_t before = authenticator.generation();
  authenticator.Replace(TokenTable(), *Policy::Parse(kTwoPrincipals));
  EXPECT_EQ(authenticator.generation(), before + 1);
  EXPECT_THAT(WhoIs(authenticator, BearerOf("Bearer " + kPlannerToken)),
              HasSubstr("unknown or withdrawn"));
}

TEST(Authenticator, CallsWhoWatchesItsRulesOnceTheyAreNew) {
  Authenticator authenticator(Tokens(), *Policy::Parse(kTwoPrincipals));
  std::vector<std::string> seen;
  authenticator.WatchRules(
      [&] { seen.push_back(WhoIs(authenticator, BearerOf("Bearer " + kPlannerToken))); });
  authenticator.Replace(TokenTable(), *Policy::Parse(kTwoPrincipals));
  authenticator.Replace(Tokens(), *Policy::Parse(kTwoPrincipals));
  authenticator.WatchRules(nullptr);
  authenticator.Replace(TokenTable(), *Policy::Parse(kTwoPrincipals));
  EXPECT_THAT(seen, ElementsAre(HasSubstr("unknown or withdrawn"), "planner"));
}

TEST(Authenticator, ForgivesNobodyWhatTheyUseByAReload) {
  Authenticator authenticator(Tokens(), *Policy::Parse(kTwoPrincipals));
  const Credentials credentials = BearerOf("Bearer " + kPlannerToken);
  const auto wait = [&] {
    return (*authenticator.Authenticate(credentials))->usage->TimeUntilEven(1);
  };
  EXPECT_EQ(wait(), absl::ZeroDuration());
  (*authenticator.Authenticate(credentials))->usage->Charge(absl::Hours(1));
  authenticator.Replace(Tokens(), *Policy::Parse(kTwoPrincipals));
  EXPECT_GT(wait(), absl::Minutes(30));
}

}  // namespace
}  // namespace clearance::server
