#include "security/authorization/permissions.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::authorization {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PermissionsTest, KnowsEveryPermission) {
  const char* const kAll[] = {
      "block:read",         "block:create",      "block:update",    "block:delete",      "block:move",
      "task:read",          "task:create",       "task:update",     "task:delete",       "task:assign",
      "database:read",      "database:create",   "database:update", "database:delete",   "automation:read",
      "automation:trigger", "automation:create", "calendar:read",   "calendar:create",   "calendar:update",
      "calendar:delete",    "kanban:read",       "kanban:create",   "kanban:update",     "kanban:delete",
      "note:read",          "note:create",       "note:update",     "note:delete",       "journal:read",
      "journal:create",     "journal:update",    "journal:delete",  "link:read",         "link:create",
      "link:update",        "link:delete",       "file:read",       "file:write",        "shell:execute",
      "graph:read",         "memory:write",      "sql:execute",     "artifact:generate", "image:generate",
      "web:search",         "audit:read",        "admin:read",      "admin:write",       "confirmation:decide",
      "instruction:read",   "instruction:write", "chat:use"};
  PermissionSet together;
  for (const char* name : kAll) {
    const auto set = ParsePermission(name);
    ASSERT_TRUE(set.ok()) << set.status();
    EXPECT_EQ(set->count(), 1u) << name;
    EXPECT_THAT(NamesOf(*set), ElementsAre(name));
    EXPECT_TRUE((together & *set).none()) << name << " has a bit of its own";
    together |= *set;
  }
  EXPECT_EQ(together, *ParsePattern("*"));
}

TEST(PermissionsTest, TheWildcardForEverythingLeavesOutWhatWorkspacesShare) {
  EXPECT_THAT(NamesOf(*ParsePattern("system:*")), ElementsAre("system:backup", "system:operate"));
  EXPECT_TRUE((*ParsePattern("*") & *ParsePattern("system:*")).none());
}

TEST(PermissionsTest, AWildcardStandsForTheWholeDomain) {
  EXPECT_THAT(NamesOf(*ParsePattern("task:*")),
              ElementsAre("task:read", "task:create", "task:update", "task:delete", "task:assign"));
  EXPECT_THAT(NamesOf(*ParsePattern("shell:*")), ElementsAre("shell:execute"));
}

struct BadRow {
  const char* name;
  const char* text;
  const char* says;
};

class BadPermissionTest : public ::testing::TestWithParam<BadRow> {};

TEST_P(BadPermissionTest, IsRefusedAndWhatWouldBeRightIsNamed) {
  const auto set = ParsePattern(GetParam().text);
  EXPECT_EQ(set.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(set.status().message()), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadPermissionTest,
    ::testing::Values(BadRow{"Empty", "", "domain:action"}, BadRow{"NoAction", "block", "domain:action"},
                      BadRow{"EmptyAction", "block:", "domain:action"}, BadRow{"EmptyDomain", ":read", "domain:action"},
                      BadRow{"UnknownDomain", "blocks:read",
                             "the domains are admin, artifact, audit, automation, block"},
                      BadRow{"UnknownAction", "block:write", "the actions of block are read, create, update, delete"},
                      BadRow{"AnyDomain", "*:read", "unknown domain"},
                      BadRow{"Capitals", "Block:read", "unknown domain"},
                      BadRow{"Blank", "block: read", "unknown action"}, BadRow{"Prefix", "block:re*", "unknown action"},
                      BadRow{"TwoColons", "block:read:all", "unknown action"}),
    [](const auto& row) { return row.param.name; });

TEST(PermissionsTest, OnePermissionIsNoWildcard) {
  for (const char* text : {"*", "block:*"}) {
    EXPECT_EQ(ParsePermission(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace toolgate::security::authorization
