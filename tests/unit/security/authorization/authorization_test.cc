#include "security/authorization/authorization.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/test_tools.h"

namespace toolgate::security::authorization {
namespace {

using config::v1::Identity;
using executors::Tool;
using testing::CodeOf;
using testing::FactOf;
using ::testing::HasSubstr;
using testing::MakeCall;
using testing::MakeTool;
using testing::Success;

Identity Roles(const std::vector<std::pair<std::string, std::vector<std::string>>>& roles) {
  Identity identity;
  for (const auto& [name, permissions] : roles) {
    auto& role = (*identity.mutable_roles())[name];
    for (const std::string& permission : permissions) role.add_permissions(permission);
  }
  return identity;
}

class AuthorizationTest : public ::testing::Test {
 protected:
  AuthorizationTest() {
    tools_ = {MakeTool("get_block", 0), MakeTool("create_task", 1), MakeTool("daily_overview", 2), MakeTool("undo", 3)};
    tools_[1].definition.permissions = {"task:create"};
    tools_[1].definition.argument_schema = Json::parse(R"({"type": "object", "properties": {
        "title": {"type": "string"},
        "assignedTo": {"type": "string", "x-toolgate-permission": "task:assign"},
        "link": {"type": "string", "x-toolgate-permission": "link:create"}}})");
    tools_[2].definition.permissions = {"calendar:read", "task:read"};
    tools_[3].definition.permissions = {};
    tools_[3].definition.internal = true;
    Make(Roles({{"developer", {"*"}},
                {"reader", {"block:read", "task:read"}},
                {"planner", {"calendar:*"}},
                {"writer", {"task:create"}},
                {"manager", {"task:create", "task:assign"}},
                {"nothing", {}}}));
  }

  void Make(const Identity& identity) {
    auto layer = Authorization::Create(tools_, known_, identity);
    ASSERT_TRUE(layer.ok()) << layer.status();
    layer_ = *std::move(layer);
  }
  absl::Status Call(size_t tool, std::vector<std::string> roles, Json arguments = Json::object()) {
    const auto call = MakeCall(tools_[tool]);
    call->caller.roles = std::move(roles);
    call->SetArguments(std::move(arguments));
    ran_ = false;
    return layer_
        ->Run(*call,
              [&](ToolCall&) {
                ran_ = true;
                return Success();
              })
        .status();
  }
  static Caller With(std::vector<std::string> roles) {
    Caller caller;
    caller.roles = std::move(roles);
    return caller;
  }

  const PermissionTable known_ = PermissionTable::Create({"calendar:read", "calendar:update", "link:create"}).value();
  std::vector<Tool> tools_;
  std::unique_ptr<Authorization> layer_;
  bool ran_ = false;
};

TEST_F(AuthorizationTest, PassesACallerWhoHasThePermission) {
  for (const char* role : {"reader", "developer"}) {
    EXPECT_TRUE(Call(0, {role}).ok()) << role;
    EXPECT_TRUE(ran_);
  }
}

TEST_F(AuthorizationTest, RefusesWithTheMissingPermissionsNamed) {
  const std::optional<ToolError> error = GetToolError(Call(2, {"writer"}));
  ASSERT_TRUE(error.has_value());
  EXPECT_FALSE(ran_);
  EXPECT_EQ(error->code, ErrorCode::kForbidden);
  EXPECT_FALSE(error->retryable);
  EXPECT_EQ(FactOf(*error, "missingPermissions"), "calendar:read,task:read");
  EXPECT_EQ(error->message, "calling daily_overview like this needs the permissions calendar:read, task:read");
  EXPECT_EQ(FactOf(*GetToolError(Call(2, {"reader"})), "missingPermissions"), "calendar:read")
      << "only what is missing";
}

TEST_F(AuthorizationTest, RolesAddUp) {
  EXPECT_EQ(CodeOf(Call(2, {"planner"})), ErrorCode::kForbidden);
  EXPECT_TRUE(Call(2, {"planner", "reader"}).ok());
}

TEST_F(AuthorizationTest, ATokensPermissionsAddToThoseOfItsRoles) {
  Caller caller = With({"planner"});
  EXPECT_FALSE(layer_->MayUse(caller, tools_[2]));
  caller.permissions = {"task:read"};
  EXPECT_TRUE(layer_->MayUse(caller, tools_[2]));
  caller = With({});
  caller.permissions = {"task:*", "calendar:read"};
  EXPECT_TRUE(layer_->MayUse(caller, tools_[2]));
  EXPECT_FALSE(layer_->MayUse(caller, tools_[0]));
  for (const char* nothing : {"*", "", "openid", "task", "Task:read", "task:rea", "nothing:*"}) {
    caller.permissions = {nothing};
    EXPECT_FALSE(layer_->MayUse(caller, tools_[2])) << nothing;
  }
}

TEST_F(AuthorizationTest, EverythingInAWorkspaceIsNotWhatWorkspacesShare) {
  EXPECT_TRUE(layer_->May(With({"developer"}), "admin:write"));
  EXPECT_FALSE(layer_->May(With({"developer"}), "system:backup"));
  Make(Roles({{"operator", {"system:*"}}}));
  EXPECT_TRUE(layer_->May(With({"operator"}), "system:backup"));
  EXPECT_TRUE(layer_->May(With({"operator"}), "system:operate"));
  EXPECT_FALSE(layer_->May(With({"operator"}), "admin:read"));
}

TEST_F(AuthorizationTest, DefaultIsDeny) {
  const std::vector<std::vector<std::string>> nobodies = {{}, {"nothing"}, {"unknown"}, {"*"}, {""}, {"Developer"}};
  for (const auto& roles : nobodies) {
    for (size_t tool = 0; tool < tools_.size(); ++tool) {
      EXPECT_EQ(CodeOf(Call(tool, roles)), ErrorCode::kForbidden) << tools_[tool].definition.id;
      EXPECT_FALSE(ran_);
      EXPECT_FALSE(layer_->MayUse(With(roles), tools_[tool]));
    }
    EXPECT_FALSE(layer_->May(With(roles), "block:read"));
  }
}

TEST_F(AuthorizationTest, AnArgumentMayNeedMore) {
  EXPECT_TRUE(Call(1, {"writer"}, {{"title", "x"}}).ok());
  const std::optional<ToolError> error = GetToolError(Call(1, {"writer"}, {{"title", "x"}, {"assignedTo", "bob"}}));
  ASSERT_TRUE(error.has_value());
  EXPECT_FALSE(ran_);
  EXPECT_EQ(FactOf(*error, "missingPermissions"), "task:assign");
  EXPECT_EQ(CodeOf(Call(1, {"writer"}, {{"assignedTo", nullptr}})), ErrorCode::kForbidden) << "present is present";
  EXPECT_TRUE(Call(1, {"manager"}, {{"assignedTo", "bob"}}).ok());
  EXPECT_EQ(FactOf(*GetToolError(Call(1, {"reader"}, {{"assignedTo", "bob"}, {"link", "y"}})), "missingPermissions"),
            "link:create,task:create,task:assign");
  EXPECT_TRUE(layer_->MayUse(With({"writer"}), tools_[1])) << "the tool as such";
}

TEST_F(AuthorizationTest, InternalToolsThatNameNothingAreForEverybodyWithAnyPermission) {
  EXPECT_TRUE(Call(3, {"reader"}).ok());
  EXPECT_TRUE(layer_->MayUse(With({"planner"}), tools_[3]));
}

TEST_F(AuthorizationTest, AnswersForServices) {
  Make(Roles({{"auditor", {"audit:read"}}, {"admin", {"admin:*"}}, {"developer", {"*"}}}));
  EXPECT_TRUE(layer_->May(With({"auditor"}), "audit:read"));
  EXPECT_FALSE(layer_->May(With({"auditor"}), "admin:read"));
  EXPECT_TRUE(layer_->May(With({"admin"}), "admin:write"));
  EXPECT_TRUE(layer_->May(With({"developer"}), "confirmation:decide"));
  for (const char* unknown : {"", "*", "admin:*", "nope:read", "audit", "audit:write"}) {
    EXPECT_FALSE(layer_->May(With({"developer"}), unknown)) << unknown;
  }
}

TEST_F(AuthorizationTest, ApprovesByItselfOnlyWhatARoleLists) {
  Identity identity = Roles({{"writer", {"task:create"}}, {"reader", {"block:read"}}});
  (*identity.mutable_roles())["writer"].add_auto_approve("create_task");
  Make(identity);
  EXPECT_TRUE(layer_->AutoApproves(With({"reader", "writer"}), tools_[1]));
  EXPECT_FALSE(layer_->AutoApproves(With({"writer"}), tools_[0]));
  EXPECT_FALSE(layer_->AutoApproves(With({"reader"}), tools_[1]));
  EXPECT_FALSE(layer_->AutoApproves(With({}), tools_[1]));
}

TEST_F(AuthorizationTest, RefusesARoleWithAnUnknownPermissionOrTool) {
  const auto malformed = Authorization::Create(tools_, known_, Roles({{"r", {"block.read"}}}));
  EXPECT_EQ(malformed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(malformed.status().message()),
              HasSubstr("identity.roles.r.permissions[0]: permission \"block.read\""));
  const auto unknown = Authorization::Create(tools_, known_, Roles({{"r", {"wiki:read"}}}));
  EXPECT_THAT(std::string(unknown.status().message()), HasSubstr("the domains are admin, audit"));
  for (const char* id : {"nope", "*"}) {
    Identity identity = Roles({{"r", {"*"}}});
    (*identity.mutable_roles())["r"].add_auto_approve(id);
    EXPECT_THAT(std::string(Authorization::Create(tools_, known_, identity).status().message()),
                HasSubstr("there is no tool"));
  }
}

struct BadToolRow {
  const char* name;
  std::vector<std::string> permissions;
  const char* schema;
  const char* says;
};

class BadToolTest : public AuthorizationTest, public ::testing::WithParamInterface<BadToolRow> {};

TEST_P(BadToolTest, IsRefused) {
  tools_[0].definition.permissions = GetParam().permissions;
  tools_[0].definition.argument_schema = Json::parse(GetParam().schema);
  const auto layer = Authorization::Create(tools_, known_, Roles({{"r", {"*"}}}));
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(layer.status().message()), HasSubstr("tool get_block: "));
  EXPECT_THAT(std::string(layer.status().message()), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadToolTest,
    ::testing::Values(BadToolRow{"NoPermission", {}, "{}", "names no permission"},
                      BadToolRow{"UnknownPermission", {"block:see"}, "{}", "the actions of block are"},
                      BadToolRow{"Wildcard", {"block:*"}, "{}", "a wildcard stands for many"},
                      BadToolRow{"AnnotationWithUnknownPermission",
                                 {"block:read"},
                                 R"({"properties": {"a": {"x-toolgate-permission": "nope:read"}}})",
                                 "unknown domain"},
                      BadToolRow{"AnnotationThatIsNoName",
                                 {"block:read"},
                                 R"({"properties": {"a": {"x-toolgate-permission": ["task:assign"]}}})",
                                 "/properties/a/x-toolgate-permission: must be one permission's name"},
                      BadToolRow{"AnnotationOfAPattern",
                                 {"block:read"},
                                 R"({"patternProperties": {"^a": {"x-toolgate-permission": "task:assign"}}})",
                                 "/patternProperties/^a/x-toolgate-permission: the annotation would not be enforced"},
                      BadToolRow{"AnnotationReachedByAPattern",
                                 {"block:read"},
                                 R"({"properties": {"a": {"$ref": "#/$defs/d"}},
                                     "patternProperties": {"^b": {"items": {"$ref": "#/$defs/d"}}},
                                     "$defs": {"d": {"x-toolgate-permission": "task:assign"}}})",
                                 "/$defs/d/x-toolgate-permission: the annotation would not be enforced"},
                      BadToolRow{
                          "AnnotationBelowAPropertyNamedLikeAKeyword",
                          {"block:read"},
                          R"({"properties": {"default": {"contains": {"x-toolgate-permission": "task:assign"}}}})",
                          "would not be enforced"},
                      BadToolRow{"AnnotationInAnUnusedDefinition",
                                 {"block:read"},
                                 R"({"$defs": {"d": {"x-toolgate-permission": "task:assign"}}})",
                                 "would not be enforced"},
                      BadToolRow{"ReferenceToAnAnchor",
                                 {"block:read"},
                                 R"({"properties": {"a": {"$ref": "#named"}, "b": {"$ref": "#/$defs/d"}},
                                     "$defs": {"d": {"$anchor": "named", "x-toolgate-permission": "task:assign"}}})",
                                 "/properties/a/$ref"},
                      BadToolRow{"AnnotationOfTheWhole",
                                 {"block:read"},
                                 R"({"x-toolgate-permission": "task:assign"})",
                                 "cannot stand on the arguments as a whole"},
                      BadToolRow{"AnnotationOfTheWholeInABranch",
                                 {"block:read"},
                                 R"({"anyOf": [{"x-toolgate-permission": "task:assign"}]})",
                                 "cannot stand on the arguments as a whole"}),
    [](const auto& row) { return row.param.name; });

TEST_F(AuthorizationTest, TheAnnotationsNameMayStandInDataAndAsAProperty) {
  tools_[0].definition.argument_schema = Json::parse(R"({"properties": {
      "x-toolgate-permission": {"type": "string"},
      "a": {"default": {"x-toolgate-permission": "task:assign"}}}})");
  Make(Roles({{"reader", {"block:read"}}}));
  EXPECT_TRUE(Call(0, {"reader"}, {{"x-toolgate-permission", "x"}, {"a", 1}}).ok());
}

}  // namespace
}  // namespace toolgate::security::authorization
