#include "security/identity/identity.h"

#include <string>
#include <utility>
#include <vector>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "security/identity/authenticate.h"
#include "security/identity/development_identity.h"
#include "tests/support/zone_paths.h"

namespace toolgate::security::identity {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(CheckClaimTest, FillsInTheDefaults) {
  const auto caller = CheckClaim({});
  ASSERT_TRUE(caller.ok());
  EXPECT_EQ(caller->workspace_id, "default");
  EXPECT_EQ(caller->user_id, "default");
}

TEST(CheckClaimTest, NeverTakesRolesFromTheWire) {
  Caller claimed;
  claimed.roles = {"admin"};
  claimed.service = "trusted";
  const auto caller = CheckClaim(claimed);
  ASSERT_TRUE(caller.ok());
  EXPECT_TRUE(caller->roles.empty());
  EXPECT_TRUE(caller->service.empty());
}

struct BadClaim {
  std::string field;
  Caller claimed;
};

TEST(CheckClaimTest, NamesTheFieldThatIsMalformed) {
  std::vector<BadClaim> claims(7);
  claims[0] = {"workspace_id", {.workspace_id = "a/b"}};
  claims[1] = {"workspace_id", {.workspace_id = std::string(129, 'w')}};
  claims[2] = {"user_id", {.user_id = "a\nb"}};
  claims[3] = {"user_name", {.user_name = "\x1b[31mred"}};
  claims[4] = {"user_name", {.user_name = "\xC3\x28"}};
  claims[5] = {"time_zone", {.time_zone = "Mars/Olympus"}};
  claims[6] = {"ai_model", {.ai_model = std::string(201, 'm')}};
  for (const BadClaim& claim : claims) {
    const auto caller = CheckClaim(claim.claimed);
    ASSERT_FALSE(caller.ok()) << claim.field;
    const auto error = GetToolError(caller.status());
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code, ErrorCode::kInvalidParams);
    EXPECT_THAT(error->message, HasSubstr("caller." + claim.field));
  }
}

TEST(CheckClaimTest, AcceptsWhatPeopleAreCalled) {
  EXPECT_TRUE(CheckClaim({.workspace_id = "acme.dev:eu-1",
                          .user_id = "jane@example.org",
                          .user_name = "Jané Döe 田中",
                          .time_zone = "Europe/Berlin"})
                  .ok());
}

TEST(CheckClaimTest, SpellsTheTimeZoneAsTheDatabaseDoes) {
  const auto caller = CheckClaim({.time_zone = "europe/berlin"});
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(caller->time_zone, "Europe/Berlin");
}

TEST(CheckClaimTest, SaysWhatATimeZoneMustBe) {
  const auto refusal = [](std::string zone) {
    return GetToolError(CheckClaim({.time_zone = std::move(zone)}).status())->message;
  };
  EXPECT_EQ(refusal("Mars/Olympus"),
            "caller.time_zone must be the IANA name of a time zone, such as Europe/Berlin, or empty for UTC; it is "
            "\"Mars/Olympus\"");
  EXPECT_THAT(refusal(std::string(3'500'000, 'z')), EndsWith("it is a text of 3500000 bytes"));
  EXPECT_THAT(refusal("a\nb"), EndsWith("it is a text of 3 bytes"));
}

TEST(CheckClaimTest, OpensNoFileThatTheCallerNames) {
  testing::ZonePaths paths;
  for (const std::string& name : paths.names()) {
    const auto caller = CheckClaim({.time_zone = name});
    EXPECT_EQ(GetToolError(caller.status())->code, ErrorCode::kInvalidParams) << name;
    EXPECT_FALSE(paths.Opened()) << name;
  }
}

TEST(DevelopmentIdentityTest, GivesTheRoleOfTheListener) {
  DevelopmentIdentity identity;
  const auto principal = identity.Authenticate({});
  ASSERT_TRUE(principal.ok());
  const auto developer = identity.Identify(*principal, {});
  ASSERT_TRUE(developer.ok());
  EXPECT_THAT(developer->roles, ElementsAre("developer"));
  EXPECT_EQ(developer->service, "development");
  const auto guest = identity.Identify(*principal, {.is_guest = true});
  ASSERT_TRUE(guest.ok());
  EXPECT_THAT(guest->roles, ElementsAre("guest"));
}

TEST(AuthenticateTest, ReplacesTheClaimAndRefusesABadOne) {
  DevelopmentIdentity identity;
  Authenticate layer(identity);
  ToolCall call;
  call.principal = identity.Authenticate({});
  call.claimed.user_id = "ann";
  const auto next = [](ToolCall& passed) -> absl::StatusOr<ToolResult> {
    EXPECT_EQ(passed.caller.user_id, "ann");
    return ToolResult();
  };
  EXPECT_TRUE(layer.Run(call, next).ok());
  ToolCall bad;
  bad.principal = identity.Authenticate({});
  bad.claimed.user_id = "a b";
  const auto never = [](ToolCall&) -> absl::StatusOr<ToolResult> {
    ADD_FAILURE() << "a bad claim went on";
    return ToolResult();
  };
  EXPECT_FALSE(layer.Run(bad, never).ok());
  ToolCall unverified;
  EXPECT_FALSE(layer.Run(unverified, never).ok()) << "credentials that nobody has verified";
  ToolCall refused;
  refused.claimed.user_id = "a b";
  refused.principal = MakeError(ErrorCode::kUnauthorized, "no credentials");
  EXPECT_EQ(GetToolError(layer.Run(refused, never).status())->code, ErrorCode::kUnauthorized) << "comes first";
}

}  // namespace
}  // namespace toolgate::security::identity
