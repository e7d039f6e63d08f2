#include <string>
#include <vector>

#include "executors/blocks/block_types.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::workspace {
namespace {

using testing::FailsWith;
using testing::WorkspaceTest;

class CreateBlockTest : public WorkspaceTest {};

TEST_F(CreateBlockTest, NullAsParentIsTheRoot) {
  const Json created = Do("create_block", {{"type", "page"}, {"parentId", nullptr}, {"data", {{"title", "P"}}}});
  EXPECT_EQ(created["block"]["parentId"], Json());
}

TEST_F(CreateBlockTest, CreatesEveryTypeFromItsSmallestData) {
  const std::string board = Create("kanban_board", "", R"({"title": "B"})");
  const std::string column = Create("kanban_column", board, R"({"title": "C"})");
  const std::string database = Create("database", "", R"({"title": "D"})");
  for (const blocks::BlockType& type : blocks::BlockTypes()) {
    Json data = Json::object();
    for (const blocks::Field& field : type.fields) {
      if (!field.required) continue;
      if (field.kind == blocks::FieldKind::kDay) data[std::string(field.name)] = "2026-03-02";
      if (field.kind == blocks::FieldKind::kLine || field.kind == blocks::FieldKind::kText) {
        data[std::string(field.name)] = "x";
      }
      if (field.kind == blocks::FieldKind::kTable) data[std::string(field.name)] = Json::array();
      if (field.kind == blocks::FieldKind::kSteps) data[std::string(field.name)] = Parse(R"([{"tool": "get_block"}])");
    }
    Json arguments = {{"type", std::string(type.name)}, {"data", data}};
    if (type.name == "kanban_column") arguments["parentId"] = board;
    if (type.name == "kanban_card") arguments["parentId"] = column;
    if (type.name == "database_row") arguments["parentId"] = database;
    const absl::StatusOr<Json> result = Call("create_block", arguments);
    ASSERT_TRUE(result.ok()) << type.name << ": " << result.status();
    EXPECT_EQ((*result)["block"]["version"], 1);
    EXPECT_EQ((*result)["block"]["createdBy"], "ann");
    EXPECT_EQ((*result)["block"]["createdAt"], "2026-03-02T09:00:00.000Z");
  }
}

TEST_F(CreateBlockTest, PutsTheBlockAtItsPosition) {
  const std::string page = Create("page", "", R"({"title": "P"})");
  const std::string first = Create("paragraph", page, R"({"content": "1"})");
  const std::string last = Create("paragraph", page, R"({"content": "3"})");
  const std::string middle =
      Do("create_block", {{"type", "paragraph"}, {"parentId", page}, {"data", {{"content", "2"}}}, {"position", 1}})
          .value("blockId", "");
  const std::string beyond =
      Do("create_block", {{"type", "paragraph"}, {"parentId", page}, {"data", {{"content", "4"}}}, {"position", 99.0}})
          .value("blockId", "");
  EXPECT_EQ(Pluck(Do("get_block", {{"blockId", page}})["children"], "id"),
            (std::vector<std::string>{first, middle, last, beyond}));
}

TEST_F(CreateBlockTest, NormalisesDates) {
  harness_.caller().time_zone = "America/New_York";
  EXPECT_EQ(harness_.Data(Create("todo", "", R"({"content": "x", "dueDate": "tomorrow"})"))["dueDate"], "2026-03-03");
  EXPECT_EQ(harness_.Data(Create("todo", "", R"({"content": "x", "dueDate": "2026-03-05T10:00:00+02:00"})"))["dueDate"],
            "2026-03-05T08:00:00Z");
  const Json event = harness_.Data(
      Create("calendar_event", "", R"({"title": "x", "date": "friday", "time": "9am", "endTime": "10:30"})"));
  EXPECT_EQ(event["date"], "2026-03-06");
  EXPECT_EQ(event["time"], "09:00");
}

TEST_F(CreateBlockTest, KeepsStatusAndCompletedInStep) {
  const auto status_and_completed = [&](const std::string& data) {
    const Json stored = harness_.Data(Create("todo", "", data));
    return stored["status"].get<std::string>() + (stored["completed"].get<bool>() ? " ticked" : " open");
  };
  EXPECT_EQ(status_and_completed(R"({"content": "x"})"), "todo open");
  EXPECT_EQ(status_and_completed(R"({"content": "x", "completed": true})"), "done ticked");
  EXPECT_EQ(status_and_completed(R"({"content": "x", "status": "done"})"), "done ticked");
  EXPECT_EQ(status_and_completed(R"({"content": "x", "status": "in_progress"})"), "in_progress open");
  EXPECT_EQ(status_and_completed(R"({"content": "x", "completed": false, "status": "in_progress"})"),
            "in_progress open");
}

TEST_F(CreateBlockTest, JudgesAColumnsStatusFromItsTitle) {
  const std::string board = Create("kanban_board", "", R"({"title": "B"})");
  for (const auto& [title, status] : std::vector<std::pair<std::string, std::string>>{{"Done", "done"},
                                                                                      {"✅ Shipped!", "done"},
                                                                                      {"In Progress", "in_progress"},
                                                                                      {"doing", "in_progress"},
                                                                                      {"Backlog", "todo"},
                                                                                      {"Ideas", "todo"}}) {
    EXPECT_EQ(harness_.Data(Create("kanban_column", board, Json({{"title", title}}).dump()))["status"], status)
        << title;
  }
  EXPECT_EQ(harness_.Data(Create("kanban_column", board, R"({"title": "Done", "status": "todo"})"))["status"], "todo");
}

TEST_F(CreateBlockTest, GivesACardTheStatusOfItsColumn) {
  const std::string board = Create("kanban_board", "", R"({"title": "B"})");
  const std::string column = Create("kanban_column", board, R"({"title": "Doing"})");
  EXPECT_EQ(harness_.Data(Create("kanban_card", column, R"({"title": "x"})"))["status"], "in_progress");
  EXPECT_THAT(Call("create_block",
                   {{"type", "kanban_card"}, {"parentId", column}, {"data", {{"title", "x"}, {"status", "done"}}}}),
              FailsWith(ErrorCode::kInvalidParams, "update_task_status", "/data/status"));
}

TEST_F(CreateBlockTest, StoresRowValuesByPropertyId) {
  const std::string database = Create("database", "", R"({"title": "D", "properties": [
      {"name": "Due Date", "type": "date"}, {"name": "Größe", "type": "number"}, {"name": "数", "type": "checkbox"}]})");
  EXPECT_EQ(Pluck(harness_.Data(database)["properties"], "id"),
            (std::vector<std::string>{"due_date", "gr_e", "property"}));
  const std::string row =
      Create("database_row", database, R"({"properties": {"due date": "today", "Größe": 4, "property": true}})");
  EXPECT_EQ(DumpJson(harness_.Data(row)), R"({"properties":{"due_date":"2026-03-02","gr_e":4,"property":true}})");
}

TEST_F(CreateBlockTest, RefusesAPropertyGivenTwice) {
  const std::string database =
      Create("database", "", R"({"title": "D", "properties": [{"name": "Size", "type": "number"}]})");
  EXPECT_THAT(Call("create_block", {{"type", "database_row"},
                                    {"parentId", database},
                                    {"data", Parse(R"({"properties": {"Size": 1, "size": 2}})")}}),
              FailsWith(ErrorCode::kInvalidParams, "given twice", "/data/properties/size"));
}

TEST_F(CreateBlockTest, SaysWhatItDid) {
  Create("page", "", R"({"title": "Plans for\u2028 2026"})");
  EXPECT_EQ(harness_.description(), R"(Created page "Plans for\u{2028} 2026")");
  Create("divider", "", "{}");
  EXPECT_EQ(harness_.description(), "Created divider");
}

struct BadInput {
  std::string name;
  std::string type;
  std::string parent;  // "", or the name of a block that SetUp made.
  std::string data;
  ErrorCode code;
  std::string path;
  std::string problem;
};

class BadBlockTest : public WorkspaceTest, public ::testing::WithParamInterface<BadInput> {};

TEST_P(BadBlockTest, IsRefusedAndLeavesNothing) {
  std::string parent = GetParam().parent;
  if (parent == "page") parent = Create("page", "", R"({"title": "P"})");
  if (parent == "board") parent = Create("kanban_board", "", R"({"title": "B"})");
  if (parent == "database") {
    parent = Create("database", "", R"({"title": "D", "properties": [
        {"name": "N", "type": "number", "options": {"format": "integer"}}, {"name": "S", "type": "select", "options": {"options": ["a", "b"]}},
        {"name": "M", "type": "multi_select", "options": {"choices": ["a", {"name": "b", "color": "red"}]}},
        {"name": "T", "type": "text"}, {"name": "D", "type": "date"}, {"name": "C", "type": "checkbox"},
        {"name": "U", "type": "url"}, {"name": "E", "type": "email"}, {"name": "P", "type": "phone"}]})");
  }
  const std::string before = harness_.Snapshot();
  Json arguments = {{"type", GetParam().type}, {"data", Parse(GetParam().data)}};
  if (!parent.empty()) arguments["parentId"] = parent;
  EXPECT_THAT(Call("create_block", arguments), FailsWith(GetParam().code, GetParam().problem, GetParam().path));
  EXPECT_EQ(harness_.Snapshot(), before);
}

constexpr ErrorCode kInvalidBlock = ErrorCode::kInvalidParams;

INSTANTIATE_TEST_SUITE_P(
    Table, BadBlockTest,
    ::testing::ValuesIn(std::vector<BadInput>{
        {"UnknownType", "todoo", "", "{}", kInvalidBlock, "/type", ""},
        {"UnknownField", "todo", "", R"({"contents": "x"})", kInvalidBlock, "/data/contents",
         "did you mean \"content\""},
        {"MissingField", "page", "", "{}", ErrorCode::kMissingRequired, "/data/title", "\"title\""},
        {"NullForARequiredField", "page", "", R"({"title": null})", ErrorCode::kMissingRequired, "/data/title", ""},
        {"NumberForText", "paragraph", "", R"({"content": 5})", kInvalidBlock, "/data/content",
         "paragraph field \"content\" must be a string"},
        {"LineBreakInTitle", "page", "", R"({"title": "a\nb"})", kInvalidBlock, "/data/title", "one line"},
        {"TitleTooLong", "page", "", "{\"title\": \"" + std::string(501, 'x') + "\"}", kInvalidBlock, "/data/title",
         "500"},
        {"UnknownPriority", "todo", "", R"({"content": "x", "priority": "urgent"})", kInvalidBlock, "/data/priority",
         "low, medium, high and critical"},
        {"StringForBoolean", "todo", "", R"({"content": "x", "completed": "yes"})", kInvalidBlock, "/data/completed",
         "true or false"},
        {"BadDate", "todo", "", R"({"content": "x", "dueDate": "soon"})", kInvalidBlock, "/data/dueDate", "YYYY-MM-DD"},
        {"NumberForDate", "todo", "", R"({"content": "x", "dueDate": 5})", kInvalidBlock, "/data/dueDate", "a date"},
        {"StringForTags", "todo", "", R"({"content": "x", "tags": "a"})", kInvalidBlock, "/data/tags", "array"},
        {"ContradictingStatus", "todo", "", R"({"content": "x", "completed": true, "status": "todo"})", kInvalidBlock,
         "/data/status", "contradict"},
        {"LevelSeven", "heading", "", R"({"content": "x", "level": 7})", kInvalidBlock, "/data/level", "1 to 6"},
        {"LevelOneAndAHalf", "heading", "", R"({"content": "x", "level": 1.5})", kInvalidBlock, "/data/level",
         "whole number"},
        {"TableOfNumbers", "table", "", R"({"rows": [[1]]})", kInvalidBlock, "/data/rows", "rows"},
        {"ArrayForMeta", "page", "", R"({"title": "x", "meta": []})", kInvalidBlock, "/data/meta", "object"},
        {"BadTime", "calendar_event", "", R"({"title": "x", "date": "today", "time": "25:00"})", kInvalidBlock,
         "/data/time", "HH:MM"},
        {"NoSteps", "automation", "", R"({"title": "x", "steps": []})", kInvalidBlock, "/data/steps", "1 to 50"},
        {"StepWithoutTool", "automation", "", R"({"title": "x", "steps": [{"arguments": {}}]})", kInvalidBlock,
         "/data/steps/0", "name a tool"},
        {"StepWithMore", "automation", "", R"({"title": "x", "steps": [{"tool": "t", "if": 1}]})", kInvalidBlock,
         "/data/steps/0", "only the members"},
        {"StepArgumentsOfWrongType", "automation", "", R"({"title": "x", "steps": [{"tool": "t", "arguments": 5}]})",
         kInvalidBlock, "/data/steps/0/arguments", "objects"},
        {"MissingParent", "todo", "nowhere", R"({"content": "x"})", ErrorCode::kNotFound, "", "nowhere"},
        {"ColumnAtTheRoot", "kanban_column", "", R"({"title": "x"})", kInvalidBlock, "/parentId", "kanban_board"},
        {"ColumnInAPage", "kanban_column", "page", R"({"title": "x"})", kInvalidBlock, "/parentId", "not in a page"},
        {"CardInABoard", "kanban_card", "board", R"({"title": "x"})", kInvalidBlock, "/parentId", "kanban_column"},
        {"RowAtTheRoot", "database_row", "", "{}", kInvalidBlock, "/parentId", "database"},
        {"UnknownProperty", "database_row", "database", R"({"properties": {"X": 1}})", kInvalidBlock,
         "/data/properties/X", "no property \"X\""},
        {"ValuesOutsideProperties", "database_row", "database", R"({"N": 1})", kInvalidBlock, "/data/N", "properties"},
        {"TextForNumber", "database_row", "database", R"({"properties": {"N": "1"}})", kInvalidBlock,
         "/data/properties/N", "of type number"},
        {"FractionForInteger", "database_row", "database", R"({"properties": {"N": 1.5}})", kInvalidBlock,
         "/data/properties/N", "whole number"},
        {"UnknownOption", "database_row", "database", R"({"properties": {"S": "c"}})", kInvalidBlock,
         "/data/properties/S", "one of a and b"},
        {"UnknownOptionInList", "database_row", "database", R"({"properties": {"M": ["a", "c"]}})", kInvalidBlock,
         "/data/properties/M", "one of a and b"},
        {"NumberForTextValue", "database_row", "database", R"({"properties": {"T": 1}})", kInvalidBlock,
         "/data/properties/T", "of type text"},
        {"BadDateValue", "database_row", "database", R"({"properties": {"D": "2026-02-30"}})", kInvalidBlock,
         "/data/properties/D", "of type date"},
        {"NumberForCheckbox", "database_row", "database", R"({"properties": {"C": 1}})", kInvalidBlock,
         "/data/properties/C", "true or false"},
        {"BadUrl", "database_row", "database", R"({"properties": {"U": "example"}})", kInvalidBlock,
         "/data/properties/U", "URL"},
        {"BadEmail", "database_row", "database", R"({"properties": {"E": "ann@"}})", kInvalidBlock,
         "/data/properties/E", "e-mail"},
        {"BadPhone", "database_row", "database", R"({"properties": {"P": "call me"}})", kInvalidBlock,
         "/data/properties/P", "phone"},
        {"PropertyTwice", "database", "",
         R"({"title": "x", "properties": [{"name": "A", "type": "text"}, {"name": "a", "type": "text"}]})",
         ErrorCode::kConflict, "", "already"},
        {"PropertyWithoutName", "database", "", R"({"title": "x", "properties": [{"type": "text"}]})", kInvalidBlock,
         "/data/properties/0/name", "name"},
        {"PropertyOfUnknownType", "database", "", R"({"title": "x", "properties": [{"name": "A", "type": "money"}]})",
         kInvalidBlock, "/data/properties/0/type", "one of text"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace toolgate::executors::workspace
