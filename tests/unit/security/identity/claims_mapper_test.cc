#include "security/identity/claims_mapper.h"

#include <string>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::identity {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

config::v1::Jwt MapperConfig() {
  config::v1::Jwt config;
  config.mutable_claims()->set_workspace("https://example.org/tenant");
  config.mutable_claims()->set_user("sub");
  config.mutable_claims()->set_name("name");
  config.mutable_claims()->set_roles("/realm_access/roles");
  config.mutable_claims()->set_permissions("scope");
  config.add_roles("everyone");
  return config;
}

Json TenantClaims() { return {{"https://example.org/tenant", "acme"}, {"sub", "ann"}}; }

TEST(ClaimsMapperTest, NamesTheCaller) {
  Json claims = TenantClaims();
  claims["name"] = "Ann";
  claims["realm_access"] = {{"roles", {"writer", "everyone", "writer"}}};
  claims["scope"] = "openid block:read task:*";
  const auto caller = ClaimsMapper(MapperConfig()).Map(claims);
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(caller->workspace_id, "acme");
  EXPECT_EQ(caller->user_id, "ann");
  EXPECT_EQ(caller->user_name, "Ann");
  EXPECT_EQ(caller->service, "token");
  EXPECT_THAT(caller->roles, ElementsAre("everyone", "writer"));
  EXPECT_THAT(caller->permissions, ElementsAre("openid", "block:read", "task:*"));
  EXPECT_EQ((*caller->claims)["sub"], "ann");
}

TEST(ClaimsMapperTest, NoTokenGrantsEverythingOrWhatWorkspacesShare) {
  Json claims = TenantClaims();
  claims["scope"] = {"*", "system:backup", "system:*", "block:read"};
  EXPECT_THAT(ClaimsMapper(MapperConfig()).Map(claims)->permissions, ElementsAre("block:read"));
  config::v1::Jwt config = MapperConfig();
  config.mutable_claims()->set_permissions("");
  EXPECT_THAT(ClaimsMapper(config).Map(claims)->permissions, IsEmpty());
}

TEST(ClaimsMapperTest, AUserIsNotGivenWhatIsForGuests) {
  Json claims = TenantClaims();
  claims["realm_access"] = {{"roles", {"guest", "writer"}}};
  EXPECT_THAT(ClaimsMapper(MapperConfig()).Map(claims)->roles, ElementsAre("everyone", "writer"));
}

TEST(ClaimsMapperTest, RefusesClaimsThatNameNobody) {
  const struct {
    std::string claim;
    Json value;
  } rows[] = {
      {"https://example.org/tenant", nullptr},
      {"https://example.org/tenant", ""},
      {"https://example.org/tenant", "a/b"},
      {"https://example.org/tenant", {"acme"}},
      {"sub", nullptr},
      {"sub", 7},
      {"sub", std::string(129, 'u')},
      {"sub", "a\nb"},
      {"name", "\x1b[31m"},
      {"name", 1},
      {"scope", {{"a", 1}}},
      {"scope", {1}},
      {"scope", Json(101, "x")},
  };
  for (const auto& row : rows) {
    Json claims = TenantClaims();
    claims[row.claim] = row.value;
    if (row.value.is_null()) claims.erase(row.claim);
    const auto caller = ClaimsMapper(MapperConfig()).Map(claims);
    ASSERT_FALSE(caller.ok()) << row.claim << row.value;
    const auto error = GetToolError(caller.status());
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code, ErrorCode::kUnauthorized);
    EXPECT_THAT(error->message, HasSubstr("\"" + row.claim + "\""));
  }
}

}  // namespace
}  // namespace toolgate::security::identity
