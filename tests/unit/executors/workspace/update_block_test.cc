#include <string>
#include <vector>

#include "common/stored_json.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::workspace {
namespace {

using testing::FailsWith;
using testing::WorkspaceTest;

class UpdateBlockTest : public WorkspaceTest {
 protected:
  Json Update(const std::string& id, const std::string& patch) {
    return Do("update_block", {{"blockId", id}, {"data", Parse(patch)}});
  }
  absl::StatusOr<Json> TryUpdate(const std::string& id, const std::string& patch) {
    return Call("update_block", {{"blockId", id}, {"data", Parse(patch)}});
  }
};

TEST_F(UpdateBlockTest, MergesThePatchAndAnswersTheDataBefore) {
  const std::string id = Create("todo", "", R"({"content": "x", "tags": ["a", "b"], "dueDate": "2026-03-05",
                                               "meta": {"keep": 1, "drop": 2, "deep": {"x": 1}}})");
  const Json before = harness_.Data(id);
  const Json result = Update(id, R"({"tags": ["c"], "dueDate": null, "meta": {"drop": null, "deep": {"y": 2}}})");
  EXPECT_EQ(result["success"], true);
  EXPECT_EQ(result["previousData"], before);
  EXPECT_EQ(result["block"]["version"], 2);
  EXPECT_EQ(harness_.Data(id)["tags"], Parse(R"(["c"])"));
  EXPECT_FALSE(harness_.Data(id).contains("dueDate"));
  EXPECT_EQ(harness_.Data(id)["meta"], Parse(R"({"keep": 1, "deep": {"x": 1, "y": 2}})"));
}

TEST_F(UpdateBlockTest, TakesNoDataThatIsNestedTooDeeplyToBeReadAgain) {
  const std::string id = Create("page", "", R"({"title": "P"})");
  // The deepest object is `levels` below that of the arguments' data.
  const auto meta = [](int levels) {
    Json value = Json::object();
    for (int i = 1; i < levels; ++i) value = Json::object({{"a", std::move(value)}});
    return Json::object({{"meta", std::move(value)}});
  };
  EXPECT_TRUE(Call("update_block", {{"blockId", id}, {"data", meta(kMaxGivenDepth - 1)}}).ok());
  EXPECT_EQ(Update(id, R"({"title": "Q", "meta": null})")["success"], true) << "it was read again";
  EXPECT_THAT(Call("update_block", {{"blockId", id}, {"data", meta(kMaxGivenDepth)}}),
              FailsWith(ErrorCode::kInvalidParams, "nested", "/data"));
}

TEST_F(UpdateBlockTest, LeavesTheVersionWhenNothingChanges) {
  const std::string id = Create("page", "", R"({"title": "P"})");
  EXPECT_EQ(Update(id, R"({"title": "P"})")["block"]["version"], 1);
  EXPECT_EQ(Update(id, "{}")["block"]["version"], 1);
}

TEST_F(UpdateBlockTest, KeepsStatusAndCompletedInStep) {
  const std::string id = Create("todo", "", R"({"content": "x"})");
  EXPECT_EQ(Update(id, R"({"completed": true})")["block"]["data"]["status"], "done");
  EXPECT_EQ(Update(id, R"({"completed": false})")["block"]["data"]["status"], "todo");
  EXPECT_EQ(Update(id, R"({"status": "in_progress"})")["block"]["data"]["completed"], false);
  EXPECT_EQ(Update(id, R"({"completed": false})")["block"]["data"]["status"], "in_progress");
  EXPECT_EQ(Update(id, R"({"status": "done"})")["block"]["data"]["completed"], true);
  EXPECT_EQ(Update(id, R"({"status": null})")["block"]["data"]["status"], "done");
  EXPECT_THAT(TryUpdate(id, R"({"completed": true, "status": "todo"})"),
              FailsWith(ErrorCode::kInvalidParams, "contradict", "/data/status"));
}

TEST_F(UpdateBlockTest, CarriesAColumnsStatusToItsCards) {
  const std::string board = Create("kanban_board", "", R"({"title": "B"})");
  const std::string column = Create("kanban_column", board, R"({"title": "Review"})");
  const std::string card = Create("kanban_card", column, R"({"title": "x"})");
  Update(column, R"({"title": "Reviewed", "status": "done"})");
  EXPECT_EQ(harness_.Data(card)["status"], "done");
  EXPECT_EQ(harness_.Block(card).version, 2);
  Update(column, R"({"title": "In progress"})");
  EXPECT_EQ(harness_.Data(card)["status"], "done") << "a status that was given stays";
  Update(column, R"({"status": null})");
  EXPECT_EQ(harness_.Data(card)["status"], "in_progress") << "a removed one is judged from the title";
}

TEST_F(UpdateBlockTest, WillNotMoveACard) {
  const std::string board = Create("kanban_board", "", R"({"title": "B"})");
  const std::string card =
      Create("kanban_card", Create("kanban_column", board, R"({"title": "To do"})"), R"({"title": "x"})");
  EXPECT_THAT(TryUpdate(card, R"({"status": "done"})"),
              FailsWith(ErrorCode::kInvalidParams, "update_task_status", "/data/status"));
  EXPECT_EQ(Update(card, R"({"title": "y", "status": "todo"})")["block"]["data"]["title"], "y");
  EXPECT_EQ(Update(card, R"({"status": null})")["block"]["data"]["status"], "todo");
}

TEST_F(UpdateBlockTest, ChecksRowValuesByNameOrId) {
  const std::string database = Create("database", "", R"({"title": "D", "properties": [
      {"name": "Full Name", "type": "text"}, {"name": "Size", "type": "select", "options": {"options": ["S", "M"]}}]})");
  const std::string row = Create("database_row", database, R"({"properties": {"Full Name": "Ann", "Size": "S"}})");
  EXPECT_EQ(DumpJson(Update(row, R"({"properties": {"full_name": "Bob"}})")["block"]["data"]),
            R"({"properties":{"full_name":"Bob","size":"S"}})");
  EXPECT_EQ(DumpJson(Update(row, R"({"properties": {"Full name": null, "Size": "m"}})")["block"]["data"]),
            R"({"properties":{"size":"M"}})");
  EXPECT_THAT(TryUpdate(row, R"({"properties": {"Size": "XL"}})"),
              FailsWith(ErrorCode::kInvalidParams, "one of S and M", "/data/properties/Size"));
}

TEST_F(UpdateBlockTest, RenamesAPropertyButKeepsItsType) {
  const std::string database =
      Create("database", "", R"({"title": "D", "properties": [{"name": "A", "type": "text"}]})");
  EXPECT_EQ(
      Update(database, R"({"properties": [{"id": "a", "name": "Alpha", "type": "text"}]})")["block"]["data"]
                                                                                           ["properties"][0]["name"],
      "Alpha");
  EXPECT_THAT(TryUpdate(database, R"({"properties": [{"id": "a", "name": "Alpha", "type": "number"}]})"),
              FailsWith(ErrorCode::kInvalidParams, "cannot change", "/data/properties/0/type"));
}

class WriteBackTest : public UpdateBlockTest {
 protected:
  // Reads a block and writes its data back as it was read.
  absl::StatusOr<Json> WriteBack(const std::string& id) {
    const Json read = Do("get_block", {{"blockId", id}})["block"]["data"];
    return Call("update_block", {{"blockId", id}, {"data", read}});
  }
  void ExpectUnchangedByWriteBack(const std::string& id) {
    const int64_t version = harness_.Block(id).version;
    const absl::StatusOr<Json> written = WriteBack(id);
    EXPECT_TRUE(written.ok()) << written.status();
    EXPECT_EQ(harness_.Block(id).version, version);
  }
};

TEST_F(WriteBackTest, WhatNothingStandsBehindAnyMoreMayStayInARow) {
  const std::string authors = Create("database", "", R"({"title": "Authors"})");
  const std::string ann = Create("database_row", authors, "{}");
  const std::string bob = Create("database_row", authors, "{}");
  const std::string books = Create("database", "",
                                   R"({"title": "Books", "properties": [
      {"name": "By", "type": "relation", "options": {"databaseId": ")" +
                                       authors + R"("}},
      {"name": "State", "type": "select", "options": {"options": ["New", "Old"]}},
      {"name": "Tags", "type": "multi_select", "options": {"options": ["a", "b"]}},
      {"name": "Pages", "type": "number"}]})");
  const std::string row = Create("database_row", books,
                                 R"({"properties": {"By": [")" + ann + "\",\"" + bob +
                                     R"("], "State": "New", "Tags": ["a", "b"], "Pages": 1.5}})");
  Do("delete_block", {{"blockId", ann}});
  Update(books, R"({"properties": [
      {"id": "by", "name": "By", "type": "relation", "options": {"databaseId": ")" +
                    authors + R"("}},
      {"id": "state", "name": "State", "type": "select", "options": {"options": ["Old"]}},
      {"id": "tags", "name": "Tags", "type": "multi_select", "options": {"options": ["b", "c"]}},
      {"id": "pages", "name": "Pages", "type": "number", "options": {"format": "integer"}}]})");
  ExpectUnchangedByWriteBack(row);
  // Besides present values, a list accepts values that are offered now.
  EXPECT_EQ(Update(row, R"({"properties": {"Tags": ["a", "c"]}})")["block"]["data"]["properties"]["tags"],
            Json::array({"a", "c"}));
  const std::string both = R"({"properties": {"By": [")" + ann + "\"]}}";
  EXPECT_EQ(Update(row, both)["block"]["data"]["properties"]["by"], Json::array({ann}));

  // Once removed from the row, it cannot be set again.
  Update(row, R"({"properties": {"By": [], "State": "Old", "Tags": [], "Pages": 2}})");
  EXPECT_THAT(TryUpdate(row, both), FailsWith(ErrorCode::kInvalidParams, "rows of the related", "/data/properties/By"));
  EXPECT_THAT(TryUpdate(row, R"({"properties": {"State": "New"}})"),
              FailsWith(ErrorCode::kInvalidParams, "one of Old", "/data/properties/State"));
  EXPECT_THAT(TryUpdate(row, R"({"properties": {"Tags": ["a"]}})"),
              FailsWith(ErrorCode::kInvalidParams, "one of b", "/data/properties/Tags"));
  EXPECT_THAT(TryUpdate(row, R"({"properties": {"Pages": 1.5}})"),
              FailsWith(ErrorCode::kInvalidParams, "whole number", "/data/properties/Pages"));
}

TEST_F(WriteBackTest, ARelationMayStayWhoseDatabaseIsGone) {
  const std::string authors = Create("database", "", R"({"title": "Authors"})");
  const std::string books = Create("database", "",
                                   R"({"title": "Books", "properties": [
      {"name": "By", "type": "relation", "options": {"databaseId": ")" +
                                       authors + R"("}}]})");
  Do("delete_block", {{"blockId", authors}});
  ExpectUnchangedByWriteBack(books);
  EXPECT_THAT(TryUpdate(books, R"({"properties": [{"id": "by", "name": "By", "type": "relation",
                                                    "options": {"databaseId": "nowhere"}}]})"),
              FailsWith(ErrorCode::kNotFound, "nowhere", ""));
}

TEST_F(WriteBackTest, ADatabaseThatHasDroppedPropertiesKeepsKnowingThem) {
  const std::string database =
      Create("database", "", R"({"title": "D", "properties": [{"name": "A", "type": "text"}]})");
  Update(database, R"({"properties": []})");
  ExpectUnchangedByWriteBack(database);
  Update(database, R"({"formerProperties": null})");
  EXPECT_EQ(DumpJson(harness_.Data(database)["formerProperties"]), R"([{"id":"a","type":"text"}])");
}

TEST_F(UpdateBlockTest, RefusesWhatTheTypeDoesNotHave) {
  const std::string id = Create("page", "", R"({"title": "P"})");
  EXPECT_THAT(TryUpdate(id, R"({"titel": "Q"})"),
              FailsWith(ErrorCode::kInvalidParams, "did you mean \"title\"", "/data/titel"));
  EXPECT_THAT(TryUpdate(id, R"({"title": null})"), FailsWith(ErrorCode::kMissingRequired, "title", "/data/title"));
  EXPECT_THAT(TryUpdate("nowhere", "{}"), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
}

TEST_F(UpdateBlockTest, UndoBringsTheDataBack) {
  const std::string board = Create("kanban_board", "", R"({"title": "B"})");
  const std::string column = Create("kanban_column", board, R"({"title": "To do"})");
  Create("kanban_card", column, R"({"title": "x"})");
  const std::string before = harness_.Snapshot();
  Update(column, R"({"status": "done"})");
  ASSERT_NE(harness_.Snapshot(), before);
  EXPECT_EQ(harness_.changes().blocks.size(), 2u);
  EXPECT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

class CriticalFieldsTest : public ::testing::Test {
 protected:
  std::string Create(const Json& arguments) {
    const auto result = harness_.Call("create_block", arguments);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->value("blockId", "") : "";
  }
  Preview PreviewOf(const std::string& id, const Json& patch) {
    const auto preview = harness_.PreviewOf("update_block", {{"blockId", id}, {"data", patch}});
    EXPECT_TRUE(preview.ok()) << preview.status();
    return preview.ok() ? *preview : Preview();
  }
  testing::ToolHarness harness_{{.critical_fields = {"title", "completed", "properties.price"}}};
};

TEST_F(CriticalFieldsTest, AskOnlyWhenOneWouldChange) {
  const std::string page = Create({{"type", "page"}, {"data", {{"title", "P"}}}});
  EXPECT_FALSE(PreviewOf(page, {{"icon", "x"}}).needs_confirmation);
  EXPECT_FALSE(PreviewOf(page, {{"title", "P"}}).needs_confirmation);
  const Preview preview = PreviewOf(page, {{"title", "Q"}, {"icon", "x"}});
  EXPECT_TRUE(preview.needs_confirmation);
  EXPECT_EQ(preview.summary, R"(Change title of page "P")");
  EXPECT_EQ(preview.affected_block_ids, std::vector<std::string>{page});
}

TEST_F(CriticalFieldsTest, SeeThroughFieldsThatSetEachOther) {
  const std::string todo = Create({{"type", "todo"}, {"data", {{"content", "x"}}}});
  EXPECT_TRUE(PreviewOf(todo, {{"status", "done"}}).needs_confirmation);
  EXPECT_FALSE(PreviewOf(todo, {{"content", "y"}}).needs_confirmation);
}

TEST_F(CriticalFieldsTest, NameSingleValuesOfARow) {
  Json properties = Json::array({{{"name", "Price"}, {"type", "number"}}, {{"name", "Item"}, {"type", "text"}}});
  const std::string database = Create({{"type", "database"}, {"data", {{"title", "D"}, {"properties", properties}}}});
  const std::string row =
      Create({{"type", "database_row"}, {"parentId", database}, {"data", {{"properties", {{"Price", 5}}}}}});
  EXPECT_TRUE(PreviewOf(row, {{"properties", {{"Price", 6}}}}).needs_confirmation);
  EXPECT_TRUE(PreviewOf(row, {{"properties", {{"price", 6}}}}).needs_confirmation);
  EXPECT_FALSE(PreviewOf(row, {{"properties", {{"Price", 5}, {"Item", "x"}}}}).needs_confirmation);
}

}  // namespace
}  // namespace toolgate::executors::workspace
