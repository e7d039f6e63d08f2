// Contract with clients of the kanban, notes and journal tools: names, types, enums and required lists.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "executors/registration/registration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::planner {
namespace {

struct ContractRow {
  std::string id;
  std::string module;
  Category category;
  std::string permission;
  // name:type, in order; "*" marks required ones.
  std::vector<std::string> arguments;
  std::vector<std::string> result;
};

std::string TypeOf(const Json& schema) {
  const Json& type = schema.at("type");
  if (type.is_array()) return type.at(0).get<std::string>() + "|" + type.at(1).get<std::string>();
  if (type == "array") return "array<" + TypeOf(schema.at("items")) + ">";
  return type.get<std::string>();
}

std::string Summary(const std::string& name, const Json& schema, const Json& required) {
  const bool is_required = std::find(required.begin(), required.end(), name) != required.end();
  return name + (is_required ? "*:" : ":") + TypeOf(schema);
}

class PlannerContractTest : public ::testing::TestWithParam<ContractRow> {};

TEST_P(PlannerContractTest, Holds) {
  const ContractRow& row = GetParam();
  const auto catalog = registration::BuiltInCatalog();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const Tool* tool = (*catalog)->Find(row.id);
  ASSERT_NE(tool, nullptr);
  const ToolDefinition& definition = tool->definition;
  EXPECT_EQ(definition.module, row.module);
  EXPECT_EQ(definition.category, row.category);
  EXPECT_EQ(definition.permissions, std::vector<std::string>{row.permission});
  EXPECT_EQ(definition.confirmation,
            row.category == Category::kDelete ? ConfirmationRule::kAlways : ConfirmationRule::kNever);
  EXPECT_EQ(definition.annotations.read_only, row.category == Category::kRead);
  EXPECT_EQ(tool->read_only(), row.category == Category::kRead);
  EXPECT_TRUE(definition.annotations.reversible);
  EXPECT_GE(definition.examples.size(), 2u);
  EXPECT_EQ(definition.argument_schema["additionalProperties"], false);
  const Json required = definition.argument_schema.value("required", Json::array());
  std::vector<std::string> arguments;
  for (const auto& [name, schema] : definition.argument_schema["properties"].items()) {
    arguments.push_back(Summary(name, schema, required));
    EXPECT_FALSE(schema.contains("enum")) << name << ": no argument of these tools has one";
    EXPECT_FALSE(schema.contains("default")) << name;
    EXPECT_NE(schema.value("description", ""), "") << name;
  }
  EXPECT_EQ(arguments, row.arguments);
  EXPECT_EQ(required.size(), std::count_if(arguments.begin(), arguments.end(), [](const std::string& argument) {
              return argument.find('*') != std::string::npos;
            }));
  std::vector<std::string> result;
  for (const auto& [name, schema] : definition.result_schema["properties"].items()) result.push_back(name);
  EXPECT_EQ(result, row.result);
}

INSTANTIATE_TEST_SUITE_P(
    Tools, PlannerContractTest,
    ::testing::ValuesIn(std::vector<ContractRow>{
        {"kanban_list_boards",
         "kanban",
         Category::kRead,
         "kanban:read",
         {},
         {"boards", "totalCount", "totalIsLowerBound"}},
        {"kanban_list_cards",
         "kanban",
         Category::kRead,
         "kanban:read",
         {"boardId:string"},
         {"cards", "totalCount", "totalIsLowerBound"}},
        {"kanban_create_card",
         "kanban",
         Category::kCreate,
         "kanban:create",
         {"columnId*:string", "title*:string", "description:string", "position:number", "dueDate:string",
          "eventLinks:array<string>"},
         {"cardId", "card"}},
        {"kanban_update_card",
         "kanban",
         Category::kUpdate,
         "kanban:update",
         {"cardId*:string", "title:string", "description:string", "dueDate:string|null", "eventLinks:array<string>"},
         {"cardId", "card"}},
        {"kanban_move_card",
         "kanban",
         Category::kUpdate,
         "kanban:update",
         {"cardId*:string", "columnId*:string", "position:number"},
         {"cardId", "card"}},
        {"kanban_delete_card",
         "kanban",
         Category::kDelete,
         "kanban:delete",
         {"cardId*:string"},
         {"success", "deletedCount"}},
        {"notes_search",
         "notes",
         Category::kRead,
         "note:read",
         {"q:string", "tag:string", "parentId:string"},
         {"notes", "totalCount", "totalIsLowerBound", "lookedAt"}},
        {"notes_create",
         "notes",
         Category::kCreate,
         "note:create",
         {"title*:string", "body:string", "parentId:string", "tags:array<string>", "eventLinks:array<string>"},
         {"noteId", "note"}},
        {"notes_update",
         "notes",
         Category::kUpdate,
         "note:update",
         {"noteId*:string", "title:string", "body:string", "parentId:string|null", "tags:array<string>",
          "eventLinks:array<string>"},
         {"noteId", "note"}},
        {"notes_delete", "notes", Category::kDelete, "note:delete", {"noteId*:string"}, {"success", "deletedCount"}},
        {"journal_list",
         "journal",
         Category::kRead,
         "journal:read",
         {"date:string", "dateFrom:string", "dateTo:string", "q:string", "tag:string"},
         {"entries", "totalCount", "totalIsLowerBound", "lookedAt"}},
        {"journal_get", "journal", Category::kRead, "journal:read", {"entryId*:string"}, {"entry"}},
        {"journal_create",
         "journal",
         Category::kCreate,
         "journal:create",
         {"title*:string", "body:string", "date*:string", "mood:string", "tags:array<string>"},
         {"entryId", "entry"}},
        {"journal_update",
         "journal",
         Category::kUpdate,
         "journal:update",
         {"entryId*:string", "title:string", "body:string", "date:string", "mood:string", "tags:array<string>"},
         {"entryId", "entry"}},
        {"journal_delete",
         "journal",
         Category::kDelete,
         "journal:delete",
         {"entryId*:string"},
         {"success", "deletedCount"}},
    }),
    [](const auto& test) { return test.param.id; });

}  // namespace
}  // namespace toolgate::executors::planner
