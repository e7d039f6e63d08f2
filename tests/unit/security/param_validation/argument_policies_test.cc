#include "security/param_validation/argument_policies.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "security/param_validation/param_validation.h"
#include "tests/support/test_tools.h"

namespace toolgate::security::param_validation {
namespace {

using executors::Tool;
using ::testing::HasSubstr;
using testing::MakeCall;
using testing::MakeTool;
using testing::Success;

class ArgumentPoliciesTest : public ::testing::Test {
 protected:
  ArgumentPoliciesTest() {
    tools_ = {MakeTool("create_task", 0), MakeTool("get_block", 1)};
    tools_[0].definition.argument_schema = *ParseJson(R"({"type": "object", "required": ["title", "assignedTo"],
        "properties": {"title": {"type": "string"}, "assignedTo": {"type": "string"},
                       "priority": {"type": "string", "default": "low"}, "tags": {"type": "array"}}})");
    Restrict("worker", R"({"properties": {"priority": {"enum": ["low", "medium"]}}})", {});
    Restrict("own", "", {{"assignedTo", "caller.user_id"}});
    Restrict("team", R"({"required": ["tags"]})", {{"tags", "claims./org/teams"}});
    Restrict("named", "", {{"assignedTo", "claims.employee"}});
  }
  void Restrict(const std::string& role, const std::string& schema,
                const std::vector<std::pair<std::string, std::string>>& bind) {
    auto& policy = (*(*config_.mutable_roles())[role].mutable_arguments())["create_task"];
    policy.set_schema(schema);
    for (const auto& [argument, source] : bind) (*policy.mutable_bind())[argument] = source;
  }
  // Layer 2's result for a call; the arguments that passed are in `passed_`.
  absl::Status Call(std::vector<std::string> roles, Json arguments, const Json& claims = Json::object()) {
    const auto layer = ParamValidation::Create(tools_, config_);
    EXPECT_TRUE(layer.ok()) << layer.status();
    const auto call = MakeCall(tools_[0]);
    call->caller.roles = std::move(roles);
    call->caller.claims = std::make_shared<const Json>(claims);
    call->SetArguments(std::move(arguments));
    passed_ = Json();
    return (*layer)
        ->Run(*call,
              [this](ToolCall& passed) {
                passed_ = passed.arguments();
                return absl::StatusOr<ToolResult>(Success());
              })
        .status();
  }
  static ToolError ErrorOf(const absl::Status& status) { return GetToolError(status).value_or(ToolError()); }

  std::vector<Tool> tools_;
  config::v1::Identity config_;
  Json passed_;
};

TEST_F(ArgumentPoliciesTest, ASchemaOfARoleRestrictsTheToolsOwn) {
  const Json task{{"title", "t"}, {"assignedTo", "bob"}};
  EXPECT_TRUE(Call({"worker"}, task).ok()) << "the default is filled in before";
  Json urgent = task;
  urgent["priority"] = "high";
  EXPECT_TRUE(Call({"manager"}, urgent).ok());
  const ToolError error = ErrorOf(Call({"manager", "worker"}, urgent));
  EXPECT_EQ(error.code, ErrorCode::kForbidden);
  EXPECT_THAT(error.message, HasSubstr("the role worker"));
  ASSERT_EQ(error.violations.size(), 1U);
  EXPECT_EQ(error.violations[0].path, "/priority");
  EXPECT_EQ(error.violations[0].rule, "enum");
  EXPECT_EQ(ErrorOf(Call({"worker"}, {{"title", 1}})).code, ErrorCode::kInvalidParams) << "the tool's schema is first";
}

TEST_F(ArgumentPoliciesTest, ABoundArgumentIsSetBeforeTheToolsSchemaAsksForIt) {
  ASSERT_TRUE(Call({"own"}, {{"title", "t"}}).ok());
  EXPECT_EQ(passed_["assignedTo"], "ada");
  ASSERT_TRUE(Call({"own"}, {{"title", "t"}, {"assignedTo", "ada"}}).ok());
  ASSERT_TRUE(Call({"named"}, {{"title", "t"}}, {{"employee", "e-7"}}).ok());
  EXPECT_EQ(passed_["assignedTo"], "e-7");
  const Json teams{{"org", {{"teams", {"a", "b"}}}}};
  ASSERT_TRUE(Call({"team"}, {{"title", "t"}, {"assignedTo", "x"}}, teams).ok());
  EXPECT_EQ(passed_["tags"], Json({"a", "b"}));
}

TEST_F(ArgumentPoliciesTest, AModelCannotChooseABoundArgument) {
  for (const Json& value : {Json("bob"), Json(""), Json(nullptr), Json({"ada"}), Json("Ada")}) {
    const ToolError error = ErrorOf(Call({"own"}, {{"title", "t"}, {"assignedTo", value}}));
    EXPECT_EQ(error.code, ErrorCode::kForbidden) << value;
    ASSERT_EQ(error.violations.size(), 1U);
    EXPECT_EQ(error.violations[0].path, "/assignedTo");
    EXPECT_EQ(error.violations[0].rule, "binding");
    EXPECT_THAT(error.message, HasSubstr("has another value; leave it out"));
  }
}

TEST_F(ArgumentPoliciesTest, ACallerWithoutTheClaimIsRefused) {
  EXPECT_EQ(ErrorOf(Call({"named"}, {{"title", "t"}, {"assignedTo", "x"}})).code, ErrorCode::kForbidden);
  EXPECT_EQ(ErrorOf(Call({"named"}, {{"title", "t"}}, {{"employee", nullptr}})).code, ErrorCode::kForbidden);
  EXPECT_THAT(ErrorOf(Call({"named"}, {{"title", "t"}})).message, HasSubstr("who has no such value"));
}

TEST_F(ArgumentPoliciesTest, TwoRolesThatBindDifferentlyRefuse) {
  EXPECT_EQ(ErrorOf(Call({"own", "named"}, {{"title", "t"}}, {{"employee", "e-7"}})).code, ErrorCode::kForbidden);
  EXPECT_TRUE(Call({"own", "named"}, {{"title", "t"}}, {{"employee", "ada"}}).ok());
}

TEST_F(ArgumentPoliciesTest, RefusesPoliciesThatCannotHold) {
  const struct {
    std::string tool;
    std::string schema;
    std::string argument;
    std::string source;
    std::string problem;
  } rows[] = {
      {"create_taks", "{}", "", "",
       "identity.roles.r.arguments.create_taks: there is no tool \"create_taks\"; did you mean"},
      {"create_task", "{", "", "", "schema"},
      {"create_task", R"({"type": "objekt"})", "", "", "schema"},
      {"create_task", R"({"propertys": {}})", "", "",
       "schema: cannot be used: /propertys: is no keyword; did you mean \"properties\"?"},
      {"create_task", R"({"properties": {"a": {"format": "uuuid"}}})", "", "",
       "/format: is no known format; did you mean"},
      {"create_task", R"({"$ref": "https://example.org/x"})", "", "", "schema"},
      {"create_task", "", "asignedTo", "caller.user_id", "no argument \"asignedTo\""},
      {"create_task", "", "assignedTo", "caller.user", "is no source"},
      {"create_task", "", "assignedTo", "claims.", "is no source"},
      {"create_task", "", "assignedTo", "ada", "is no source"},
  };
  for (const auto& row : rows) {
    config::v1::Identity config;
    auto& policy = (*(*config.mutable_roles())["r"].mutable_arguments())[row.tool];
    policy.set_schema(row.schema);
    if (!row.argument.empty()) (*policy.mutable_bind())[row.argument] = row.source;
    const auto policies = ArgumentPolicies::Create(tools_, config);
    ASSERT_FALSE(policies.ok()) << row.problem;
    EXPECT_THAT(std::string(policies.status().message()), HasSubstr(row.problem));
  }
}

}  // namespace
}  // namespace toolgate::security::param_validation
