// Contract with clients of the workspace tools: names, types, enums, defaults, maxima and required lists.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "executors/blocks/block_types.h"
#include "executors/registration/registration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::workspace {
namespace {

struct WorkspaceRow {
  std::string id;
  std::string name;
  Category category;
  std::string permission;
  ConfirmationRule confirmation;
  // name:type[=default][<=maximum][<=length], in order; "*" marks required ones.
  std::vector<std::string> arguments;
  std::vector<std::string> result;
};

std::string BlockSummary(const std::string& name, const Json& schema, const Json& required) {
  std::string text = name;
  if (std::find(required.begin(), required.end(), name) != required.end()) text += "*";
  const Json& type = schema.at("type");
  text += ":" + (type.is_string() ? type.get<std::string>() : absl::StrJoin(type.get<std::vector<std::string>>(), "|"));
  if (schema.contains("default")) text += "=" + schema["default"].dump();
  if (schema.contains("maximum")) text += "<=" + schema["maximum"].dump();
  return text;
}

class WorkspaceContractTest : public ::testing::TestWithParam<WorkspaceRow> {};

TEST_P(WorkspaceContractTest, Holds) {
  const WorkspaceRow& row = GetParam();
  const auto catalog = registration::BuiltInCatalog();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const Tool* tool = (*catalog)->Find(row.id);
  ASSERT_NE(tool, nullptr);
  const ToolDefinition& definition = tool->definition;
  EXPECT_EQ(definition.display_name, row.name);
  EXPECT_EQ(definition.category, row.category);
  EXPECT_EQ(definition.permissions, std::vector<std::string>{row.permission});
  EXPECT_EQ(definition.confirmation, row.confirmation);
  EXPECT_EQ(definition.annotations.read_only, row.category == Category::kRead);
  EXPECT_TRUE(definition.annotations.reversible);
  EXPECT_EQ(definition.argument_schema["additionalProperties"], false);
  std::vector<std::string> arguments;
  const Json required = definition.argument_schema.value("required", Json::array());
  for (const auto& [name, schema] : definition.argument_schema["properties"].items()) {
    arguments.push_back(BlockSummary(name, schema, required));
  }
  EXPECT_EQ(arguments, row.arguments);
  std::vector<std::string> result;
  for (const auto& [name, schema] : definition.result_schema["properties"].items()) result.push_back(name);
  EXPECT_EQ(result, row.result);
}

INSTANTIATE_TEST_SUITE_P(Tools, WorkspaceContractTest,
                         ::testing::ValuesIn(std::vector<WorkspaceRow>{
                             {"search_workspace",
                              "Search Workspace",
                              Category::kRead,
                              "block:read",
                              ConfirmationRule::kNever,
                              {"query*:string", "blockTypes:array", "limit:number=10<=50"},
                              {"results", "totalCount", "totalIsLowerBound", "lookedAt"}},
                             {"get_block",
                              "Get Block",
                              Category::kRead,
                              "block:read",
                              ConfirmationRule::kNever,
                              {"blockId*:string", "includeChildren:boolean=true", "depth:number=1<=5"},
                              {"block", "children", "truncated"}},
                             {"query_database",
                              "Query Database",
                              Category::kRead,
                              "database:read",
                              ConfirmationRule::kNever,
                              {"databaseId*:string", "filter:object", "sort:object", "limit:number=25<=100"},
                              {"rows", "totalCount", "totalIsLowerBound", "lookedAt", "hasMore"}},
                             {"list_tasks",
                              "List Tasks",
                              Category::kRead,
                              "task:read",
                              ConfirmationRule::kNever,
                              {"status:string", "priority:string", "overdue:boolean", "dueBefore:string",
                               "assignedTo:string", "boardId:string", "limit:number=20<=100"},
                              {"tasks", "totalCount", "totalIsLowerBound", "lookedAt"}},
                             {"create_block",
                              "Create Block",
                              Category::kCreate,
                              "block:create",
                              ConfirmationRule::kNever,
                              {"type*:string", "parentId:string|null", "data*:object", "position:number"},
                              {"blockId", "block"}},
                             {"create_task",
                              "Create Task",
                              Category::kCreate,
                              "task:create",
                              ConfirmationRule::kNever,
                              {"title*:string", "description:string", "columnId:string", "boardId:string",
                               "priority:string=\"medium\"", "dueDate:string", "tags:array", "assignedTo:string",
                               "subtasks:array"},
                              {"taskId", "task"}},
                             {"update_block",
                              "Update Block",
                              Category::kUpdate,
                              "block:update",
                              ConfirmationRule::kConditional,
                              {"blockId*:string", "data*:object"},
                              {"success", "block", "previousData"}},
                             {"update_task_status",
                              "Update Task Status",
                              Category::kUpdate,
                              "task:update",
                              ConfirmationRule::kNever,
                              {"taskId*:string", "status:string", "columnId:string"},
                              {"success", "previousStatus", "newStatus"}},
                             {"add_property",
                              "Add Property to Database",
                              Category::kUpdate,
                              "database:update",
                              ConfirmationRule::kNever,
                              {"databaseId*:string", "name*:string", "type*:string", "options:object"},
                              {"propertyId", "success"}},
                             {"delete_block",
                              "Delete Block",
                              Category::kDelete,
                              "block:delete",
                              ConfirmationRule::kAlways,
                              {"blockId*:string", "deleteChildren:boolean=true"},
                              {"success", "deletedCount"}},
                             {"trigger_automation",
                              "Trigger Automation",
                              Category::kExecute,
                              "automation:trigger",
                              ConfirmationRule::kConditional,
                              {"automationId*:string", "context:object"},
                              {"success", "executionId", "result"}},
                         }),
                         [](const auto& test) { return test.param.id; });

class ContractDetailTest : public ::testing::Test {
 protected:
  const ToolDefinition& Get(std::string_view id) { return catalog_->Find(id)->definition; }
  Json At(std::string_view id, const std::string& pointer) {
    return Get(id).argument_schema.at(Json::json_pointer(pointer));
  }
  std::shared_ptr<const Catalog> catalog_ = *registration::BuiltInCatalog();
};

TEST_F(ContractDetailTest, EnumsAreThoseOfTheContract) {
  const Json priorities = {"low", "medium", "high", "critical"};
  EXPECT_EQ(At("list_tasks", "/properties/priority/enum"), priorities);
  EXPECT_EQ(At("create_task", "/properties/priority/enum"), priorities);
  EXPECT_EQ(At("list_tasks", "/properties/status/enum"), Json({"todo", "in_progress", "done", "all"}));
  EXPECT_EQ(At("query_database", "/properties/filter/properties/operator/enum"),
            Json({"equals", "not_equals", "contains", "greater_than", "less_than", "is_empty", "is_not_empty"}));
  EXPECT_EQ(At("query_database", "/properties/sort/properties/direction/enum"), Json({"asc", "desc"}));
  EXPECT_EQ(At("add_property", "/properties/type/enum"), Json({"text", "number", "select", "multi_select", "date",
                                                               "checkbox", "url", "email", "phone", "relation"}));
  EXPECT_EQ(At("create_task", "/properties/title/maxLength"), 500);
  EXPECT_EQ(At("create_task", "/properties/subtasks/items/properties/completed/default"), false);
}

TEST_F(ContractDetailTest, EveryBlockTypeIsOffered) {
  Json names = Json::array();
  for (const blocks::BlockType& type : blocks::BlockTypes()) names.push_back(std::string(type.name));
  EXPECT_EQ(At("create_block", "/properties/type/enum"), names);
  EXPECT_EQ(At("search_workspace", "/properties/blockTypes/items/enum"), names);
}

TEST_F(ContractDetailTest, LimitsAreThoseOfTheContract) {
  const auto limits = [&](std::string_view id) {
    std::vector<std::pair<int, absl::Duration>> rows;
    for (const RateLimit& limit : Get(id).limits) rows.emplace_back(limit.max_calls, limit.window);
    return rows;
  };
  using Rows = std::vector<std::pair<int, absl::Duration>>;
  EXPECT_EQ(limits("delete_block"), (Rows{{100, absl::Hours(1)}, {500, absl::Hours(24)}}));
  EXPECT_EQ(limits("create_block"), (Rows{{500, absl::Hours(1)}, {2000, absl::Hours(24)}}));
  EXPECT_EQ(limits("trigger_automation"), (Rows{{50, absl::Hours(1)}, {200, absl::Hours(24)}}));
  EXPECT_EQ(limits("get_block"), Rows());
}

TEST_F(ContractDetailTest, AssigningNeedsItsOwnPermission) {
  EXPECT_EQ(At("create_task", "/properties/assignedTo/x-toolgate-permission"), "task:assign");
  for (const char* id : {"create_block", "update_block"}) {
    EXPECT_EQ(At(id, "/properties/data/properties/assignedTo/x-toolgate-permission"), "task:assign") << id;
  }
}

// Every string that a caller writes declares how it is cleaned and scanned.
void ExpectAnnotated(const std::string& place, const Json& schema) {
  if (schema.contains("properties")) {
    for (const auto& [name, child] : schema["properties"].items()) ExpectAnnotated(place + "/" + name, child);
  }
  if (schema.contains("items")) ExpectAnnotated(place + "/items", schema["items"]);
  const bool free_form =
      schema.value("type", Json()) == "object" && schema.value("additionalProperties", Json()) == true;
  if (schema.value("type", Json()) != "string" && !free_form) return;
  EXPECT_TRUE(schema.contains("x-toolgate-injection")) << place;
  EXPECT_TRUE(schema.contains("enum") || schema.contains("x-toolgate-sanitize")) << place;
}

TEST_F(ContractDetailTest, StringsSayHowTheyAreCleanedAndWatched) {
  for (const Tool& tool : catalog_->tools()) ExpectAnnotated(tool.definition.id, tool.definition.argument_schema);
}

}  // namespace
}  // namespace toolgate::executors::workspace
