#include "security/authorization/permissions.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::authorization {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

PermissionTable Table(const std::vector<std::string>& declared = {"shell:execute", "gong:strike", "gong:wake"}) {
  return PermissionTable::Create(declared).value();
}

TEST(PermissionsTest, EachHasABitOfItsOwn) {
  const PermissionTable table = Table();
  PermissionSet together;
  for (const std::string& name : table.DomainPatterns()) {
    if (name.ends_with(":*")) continue;
    const auto set = table.ParsePermission(name);
    ASSERT_TRUE(set.ok()) << set.status();
    EXPECT_EQ(set->count(), 1u) << name;
    EXPECT_THAT(table.NamesOf(*set), ElementsAre(name));
    EXPECT_TRUE((together & *set).none()) << name;
    together |= *set;
  }
  EXPECT_EQ(together, *table.ParsePattern("*") | *table.ParsePattern("system:*"));
}

TEST(PermissionsTest, ThoseThatFamiliesDeclareStandBesideTheServicesOwn) {
  const PermissionTable table = Table({"gong:wake", "block:paint", "gong:strike", "block:read"});
  EXPECT_THAT(table.NamesOf(*table.ParsePattern("gong:*")), ElementsAre("gong:wake", "gong:strike"));
  EXPECT_THAT(table.NamesOf(*table.ParsePattern("block:*")),
              ElementsAre("block:read", "block:create", "block:update", "block:delete", "block:move", "block:paint"));
  EXPECT_TRUE((*table.ParsePattern("gong:*") & ~*table.ParsePattern("*")).none()) << "part of everything";
  EXPECT_FALSE(Table({}).ParsePattern("gong:strike").ok());
}

TEST(PermissionsTest, WhatCannotBeGrantedCannotBeDeclared) {
  for (const char* name :
       {"", "gong", "gong:", ":strike", "gong:*", "*", "gong:strike:twice", "Gong:strike", "gong: strike"}) {
    EXPECT_THAT(std::string(PermissionTable::Create({name}).status().message()), HasSubstr("must be declared as"))
        << name;
  }
  EXPECT_THAT(std::string(PermissionTable::Create({"system:gong"}).status().message()),
              HasSubstr("permission \"system:gong\": the domain system is the service's own"));
  std::vector<std::string> many;
  for (size_t i = 0; i < kMaxPermissions; ++i) many.push_back("gong:" + std::string(i + 1, 'x'));
  EXPECT_THAT(std::string(PermissionTable::Create(many).status().message()), HasSubstr("at most 128 are possible"));
}

TEST(PermissionsTest, TheWildcardForEverythingLeavesOutWhatWorkspacesShare) {
  const PermissionTable table = Table();
  EXPECT_THAT(table.NamesOf(*table.ParsePattern("system:*")), ElementsAre("system:backup", "system:operate"));
  EXPECT_TRUE((*table.ParsePattern("*") & *table.ParsePattern("system:*")).none());
}

TEST(PermissionsTest, AWildcardStandsForTheWholeDomain) {
  const PermissionTable table = Table();
  EXPECT_THAT(table.NamesOf(*table.ParsePattern("task:*")),
              ElementsAre("task:read", "task:create", "task:update", "task:delete", "task:assign"));
  EXPECT_THAT(table.NamesOf(*table.ParsePattern("shell:*")), ElementsAre("shell:execute"));
}

struct BadRow {
  const char* name;
  const char* text;
  const char* says;
};

class BadPermissionTest : public ::testing::TestWithParam<BadRow> {};

TEST_P(BadPermissionTest, IsRefusedAndWhatWouldBeRightIsNamed) {
  const auto set = Table().ParsePattern(GetParam().text);
  EXPECT_EQ(set.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(set.status().message()), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadPermissionTest,
    ::testing::Values(BadRow{"Empty", "", "domain:action"}, BadRow{"NoAction", "block", "domain:action"},
                      BadRow{"EmptyAction", "block:", "domain:action"}, BadRow{"EmptyDomain", ":read", "domain:action"},
                      BadRow{"UnknownDomain", "blocks:read", "the domains are admin, audit, automation, block, chat"},
                      BadRow{"UnknownAction", "block:write", "the actions of block are read, create, update, delete"},
                      BadRow{"AnyDomain", "*:read", "unknown domain"},
                      BadRow{"Capitals", "Block:read", "unknown domain"},
                      BadRow{"Blank", "block: read", "unknown action"}, BadRow{"Prefix", "block:re*", "unknown action"},
                      BadRow{"TwoColons", "block:read:all", "unknown action"}),
    [](const auto& row) { return row.param.name; });

TEST(PermissionsTest, OnePermissionIsNoWildcard) {
  for (const char* text : {"*", "block:*"}) {
    EXPECT_EQ(Table().ParsePermission(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace toolgate::security::authorization
