// Every export of a workspace can be imported, and imported into an empty workspace makes an equal one.
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "tests/support/test_server.h"

namespace toolgate::testing {
namespace {

using ::testing::HasSubstr;
using Blocks = std::vector<v1::PortableBlock>;

class Transfer {
 public:
  explicit Transfer(TestServer& server) : data_(v1::DataService::NewStub(server.channel())) {}

  // In batches whose sizes come from `batch_size`.
  grpc::Status Import(const std::string& workspace, const Blocks& blocks, const std::function<size_t()>& batch_size) {
    grpc::ClientContext context;
    const auto stream = data_->ImportBlocks(&context);
    for (size_t i = 0; i < blocks.size();) {
      v1::ImportBlocksRequest request;
      SetCaller(workspace, *request.mutable_caller());
      for (const size_t end = std::min(blocks.size(), i + batch_size()); i < end; ++i)
        *request.add_blocks() = blocks[i];
      if (!stream->Write(request)) break;
    }
    stream->WritesDone();
    v1::ImportBlocksResponse response;
    while (stream->Read(&response)) {
    }
    return stream->Finish();
  }

  Blocks Export(const std::string& workspace) {
    grpc::ClientContext context;
    v1::ExportBlocksRequest request;
    SetCaller(workspace, *request.mutable_caller());
    const auto reader = data_->ExportBlocks(&context, request);
    Blocks blocks;
    v1::ExportBlocksResponse response;
    while (reader->Read(&response)) blocks.insert(blocks.end(), response.blocks().begin(), response.blocks().end());
    EXPECT_TRUE(reader->Finish().ok());
    return blocks;
  }

  // Imports the export of `workspace` into the empty workspace `copy`, and expects the export of that to be equal.
  void ExpectSameAfterwards(
      const std::string& workspace, const std::string& copy,
      const std::function<size_t()>& batch_size = [] { return size_t{5000}; }) {
    const Blocks blocks = Export(workspace);
    const grpc::Status imported = Import(copy, blocks, batch_size);
    ASSERT_TRUE(imported.ok()) << imported.error_message();
    const Blocks again = Export(copy);
    ASSERT_EQ(again.size(), blocks.size());
    for (size_t i = 0; i < blocks.size(); ++i) ASSERT_EQ(again[i].DebugString(), blocks[i].DebugString());
  }

 private:
  static void SetCaller(const std::string& workspace, v1::Caller& caller) {
    caller.set_workspace_id(workspace);
    caller.set_user_id("operator");
  }

  std::unique_ptr<v1::DataService::Stub> data_;
};

// Uses tools at random: valid calls and invalid ones, on blocks that it made before.
class Vandal {
 public:
  Vandal(TestServer& server, int seed) : server_(server), random_(static_cast<uint64_t>(seed)) {}

  void Act(int times) {
    using Deed = void (Vandal::*)();
    static constexpr Deed kDeeds[] = {
        &Vandal::CreateColumn, &Vandal::CreateCard,    &Vandal::CreateCard,     &Vandal::CreateDatabase,
        &Vandal::AddProperty,  &Vandal::AddProperty,   &Vandal::CreateRow,      &Vandal::CreateRow,
        &Vandal::CreateRow,    &Vandal::CreateEvent,   &Vandal::CreateNote,     &Vandal::CreateText,
        &Vandal::SetColumn,    &Vandal::SetDatabase,   &Vandal::SetDatabase,    &Vandal::SetRow,
        &Vandal::SetRow,       &Vandal::SetEvent,      &Vandal::ChangeOneEvent, &Vandal::MoveCard,
        &Vandal::Link,         &Vandal::Unlink,        &Vandal::Delete,         &Vandal::Undo,
        &Vandal::Undo,         &Vandal::UndoSomething, &Vandal::UndoSomething,
    };
    for (int i = 0; i < times; ++i) (this->*kDeeds[Below(std::size(kDeeds))])();
  }
  // "create_block: 41 of 56" for each tool.
  const std::map<std::string, std::pair<int, int>>& tally() const { return tally_; }
  size_t Below(size_t n) { return random_() % n; }

 private:
  using Ids = std::vector<std::string>;

  bool Often() { return Below(3) > 0; }
  std::string From(const Ids& ids) { return ids.empty() ? "nothing" : ids[Below(ids.size())]; }
  std::string User() { return absl::StrCat("user", Below(3)); }
  static Json Options(std::initializer_list<const char*> names) {
    Json list = Json::array();
    for (const char* name : names) list.push_back(name);
    return {{"options", std::move(list)}};
  }

  // Confirms if required. Returns nothing if the call fails.
  Json Try(const std::string& tool, const Json& arguments) {
    auto request = TestServer::Request(tool, DumpJson(arguments), User());
    v1::ExecuteResponse response;
    auto& [succeeded, tried] = tally_[tool];
    ++tried;
    if (!server_.Execute(request, response).ok()) return {};
    if (response.has_confirmation_request()) {
      request.set_confirmation_token(response.confirmation_request().token());
      if (!server_.Execute(request, response).ok()) return {};
    }
    if (!response.result().success()) return {};
    ++succeeded;
    return *ParseJson(response.result().data_json());
  }
  void Create(const std::string& type, const std::string& parent, const Json& data, Ids& ids) {
    Json arguments{{"type", type}, {"data", data}};
    if (!parent.empty()) arguments["parentId"] = parent;
    if (Below(2) == 0) arguments["position"] = Below(3);
    const Json created = Try("create_block", arguments);
    if (!created.is_null()) ids.push_back(created["blockId"]);
  }
  void Update(const std::string& id, const Json& data) { Try("update_block", {{"blockId", id}, {"data", data}}); }

  void CreateColumn() {
    if (boards_.size() < 2) Create("kanban_board", "", {{"title", "Board"}}, boards_);
    const char* const titles[] = {"To do", "Doing", "Done"};
    Create("kanban_column", From(boards_), {{"title", titles[Below(3)]}}, columns_);
  }
  void CreateCard() {
    Json data{{"title", absl::StrCat("Card ", Below(100))}, {"dueDate", "2026-03-02T10:00:00+02:00"}};
    if (Often()) data["eventLinks"] = Json::array({From(events_)});
    Create("kanban_card", From(columns_), data, cards_);
  }
  void CreateDatabase() {
    Create("database", Below(2) == 0 ? From(texts_) : "",
           {{"title", "Stock"},
            {"properties",
             Json::array({Json{{"name", "Name"}, {"type", "text"}},
                          Json{{"name", "State"}, {"type", "select"}, {"options", Options({"new", "old"})}}})}},
           databases_);
  }
  void AddProperty() {
    const char* const names[] = {"By", "Price", "Tags", "State", "Day"};
    Json arguments{{"databaseId", From(databases_)}, {"name", names[Below(5)]}};
    switch (Below(5)) {
      case 0:
        // Also to itself and to one that comes later.
        arguments["type"] = "relation";
        arguments["options"] = {{"databaseId", From(databases_)}};
        break;
      case 1:
        arguments["type"] = "number";
        arguments["options"] = {{"format", Below(2) == 0 ? "integer" : "number"}};
        break;
      case 2:
        arguments["type"] = "multi_select";
        arguments["options"] = Options({"a", "b", "c"});
        break;
      case 3:
        arguments["type"] = "select";
        arguments["options"] = Options({"new", "old"});
        break;
      default:
        arguments["type"] = "date";
    }
    Try("add_property", arguments);
  }
  // Values for some of the properties that the database has.
  Json Values(const std::string& database) {
    Json values = Json::object();
    const Json read = Try("get_block", {{"blockId", database}, {"includeChildren", false}});
    if (read.is_null()) return values;
    for (const Json& property : read["block"]["data"].value("properties", Json::array())) {
      if (!Often()) continue;
      const std::string type = property["type"];
      Json& value = values[property["id"].get<std::string>()];
      if (type == "text") value = absl::StrCat("text ", Below(10));
      if (type == "number") value = static_cast<double>(Below(10)) / (Below(2) == 0 ? 1 : 4);
      if (type == "select") value = Below(2) == 0 ? "new" : "old";
      if (type == "multi_select") value = Json::array({"a", Below(2) == 0 ? "b" : "c"});
      if (type == "date") value = Below(2) == 0 ? "2026-03-02" : "2026-03-02T09:30:00.5Z";
      if (type == "relation") value = Json::array({From(rows_), From(rows_)});
      if (Below(8) == 0) value = nullptr;
    }
    return values;
  }
  void CreateRow() {
    const std::string database = From(databases_);
    Create("database_row", database, {{"properties", Values(database)}}, rows_);
  }
  void SetRow() {
    const std::string row = From(rows_);
    const Json read = Try("get_block", {{"blockId", row}});
    if (read.is_null()) return;
    // Unchanged, or with other values.
    Update(row, Often() ? Json{{"properties", Values(read["block"]["parentId"])}} : read["block"]["data"]);
  }
  // Drops, renames and adds properties and options.
  void SetDatabase() {
    const std::string database = From(databases_);
    const Json read = Try("get_block", {{"blockId", database}, {"includeChildren", false}});
    if (read.is_null()) return;
    Json properties = Json::array();
    for (Json property : read["block"]["data"].value("properties", Json::array())) {
      if (Below(4) == 0) continue;
      if (Below(4) == 0) property["name"] = absl::StrCat(property["name"].get<std::string>(), "'");
      if (Below(4) == 0) property.erase("id");
      const std::string type = property["type"];
      if (type == "select" && Below(2) == 0) property["options"] = Options({Below(2) == 0 ? "new" : "NEW"});
      if (type == "multi_select" && Below(2) == 0) property["options"] = Options({"b", "d"});
      if (type == "number" && Below(2) == 0) property["options"] = {{"format", "integer"}};
      if (type == "relation" && Below(2) == 0) property["options"] = {{"databaseId", From(databases_)}};
      properties.push_back(std::move(property));
    }
    Update(database, {{"properties", std::move(properties)}});
  }
  void CreateEvent() {
    Json data{{"title", "Event"}, {"date", absl::StrCat("2026-03-0", 1 + Below(9))}};
    if (Often()) data["recurrence"] = Below(2) == 0 ? "FREQ=WEEKLY;BYDAY=MO;COUNT=5" : "FREQ=DAILY";
    if (Below(4) == 0) data["exceptions"] = Json::array({"2026-03-09"});
    Create("calendar_event", "", data, events_);
  }
  void SetEvent() {
    const std::string event = From(events_);
    if (Below(2) == 0) {
      Update(event, {{"recurrence", Below(2) == 0 ? Json() : Json("FREQ=WEEKLY")}});
    } else {
      Create("calendar_event", event,
             {{"title", "Moved"}, {"date", "2026-03-16"}, {"time", "09:00"}, {"recurrenceId", "2026-03-16"}}, events_);
    }
  }
  void ChangeOneEvent() {
    const char* const scopes[] = {"this", "all", "this_and_following"};
    Try("calendar_update_event", {{"eventId", absl::StrCat(From(events_), Often() ? "@2026-03-09" : "")},
                                  {"scope", scopes[Below(3)]},
                                  {Below(2) == 0 ? "date" : "title", "2026-03-10"}});
  }
  void CreateNote() {
    Create("note", From(texts_),
           {{"title", "Note"}, {"body", "a\tb\n\u00fc"}, {"eventLinks", Json::array({From(events_)})}}, texts_);
  }
  void CreateText() {
    Create(Below(2) == 0 ? "page" : "journal_entry", Below(2) == 0 ? "" : From(texts_),
           Below(2) == 0 ? Json{{"title", "Text"}} : Json{{"title", "Text"}, {"date", "2026-03-02"}}, texts_);
  }
  void SetColumn() {
    const char* const statuses[] = {"todo", "in_progress", "done"};
    Update(From(columns_), {{"status", statuses[Below(3)]}});
  }
  void MoveCard() {
    Try("kanban_move_card", {{"cardId", From(cards_)}, {"columnId", From(columns_)}, {"position", Below(3)}});
  }
  Json Ends() {
    const bool from_card = Often();
    return {{"fromItemId", From(from_card ? cards_ : texts_)},
            {"fromItemType", from_card ? "task" : "note"},
            {"toItemId", From(events_)},
            {"toItemType", "event"},
            {"relationType", Below(2) == 0 ? "references" : "blocks"}};
  }
  void Link() {
    Json ends = Ends();
    if (!Try("items_link", ends).is_null()) linked_.push_back(std::move(ends));
  }
  void Unlink() {
    if (linked_.empty()) return;
    Json ends = linked_[Below(linked_.size())];
    ends.erase("fromItemType");
    ends.erase("toItemType");
    Try("items_unlink", ends);
  }
  void Delete() {
    const Ids* const all[] = {&cards_, &rows_, &events_, &texts_, &columns_, &databases_, &rows_, &cards_};
    Try("delete_block", {{"blockId", From(*all[Below(8)])}, {"deleteChildren", Often()}});
  }
  void Undo() { Count("undo", server_.Undo("", User()).success()); }
  // Any change, or any undo.
  void UndoSomething() {
    v1::ListUndoEntriesRequest request;
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id(User());
    grpc::ClientContext context;
    v1::ListUndoEntriesResponse response;
    if (!server_.tools().ListUndoEntries(&context, request, &response).ok() || response.entries().empty()) return;
    const auto& entry = response.entries(static_cast<int>(Below(static_cast<size_t>(response.entries_size()))));
    Count("undo of any", server_.Undo(entry.id(), request.caller().user_id()).success());
  }
  void Count(const std::string& what, bool succeeded) {
    ++tally_[what].second;
    if (succeeded) ++tally_[what].first;
  }

  TestServer& server_;
  std::mt19937_64 random_;
  Ids boards_, columns_, cards_, databases_, rows_, events_, texts_;
  std::vector<Json> linked_;  // As passed to items_link.
  std::map<std::string, std::pair<int, int>> tally_;
};

class RoundTripTest : public ::testing::TestWithParam<int> {
 protected:
  TestServer server_;
  Transfer transfer_{server_};
};

TEST_P(RoundTripTest, AnExportMakesTheSameWorkspaceElsewhere) {
  Vandal vandal(server_, GetParam());
  vandal.Act(600);
  const Blocks blocks = transfer_.Export("w");
  std::string tally;
  for (const auto& [tool, counts] : vandal.tally()) {
    absl::StrAppend(&tally, tool, ": ", counts.first, " of ", counts.second, "\n");
    EXPECT_GT(counts.first, 0) << tool << " never succeeded";
  }
  SCOPED_TRACE(tally);
  EXPECT_GT(blocks.size(), 40u);
  EXPECT_TRUE(std::any_of(blocks.begin(), blocks.end(), [](const v1::PortableBlock& block) {
    return block.data_json().find("formerProperties") != std::string::npos;
  }));
  transfer_.ExpectSameAfterwards("w", "whole");
  transfer_.ExpectSameAfterwards("w", "pieces", [&] { return 1 + vandal.Below(20); });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RoundTripTest, ::testing::Range(1, 5));

class ForwardReferenceTest : public ::testing::Test {
 protected:
  std::string Create(const Json& arguments) { return server_.RunTool("create_block", DumpJson(arguments))["blockId"]; }
  void Update(const std::string& id, const Json& data) {
    server_.RunTool("update_block", DumpJson(Json{{"blockId", id}, {"data", data}}));
  }
  void Delete(const std::string& id) {
    auto request = TestServer::Request("delete_block", DumpJson(Json{{"blockId", id}}));
    v1::ExecuteResponse response;
    ASSERT_TRUE(server_.Execute(request, response).ok());
    request.set_confirmation_token(response.confirmation_request().token());
    server_.Run(request);
  }
  static Json Relation(const std::string& name, const std::string& database) {
    return {{"name", name}, {"type", "relation"}, {"options", {{"databaseId", database}}}};
  }
  std::string Row(const std::string& database, const Json& values) {
    return Create({{"type", "database_row"}, {"parentId", database}, {"data", {{"properties", values}}}});
  }
  static v1::PortableBlock Block(std::string_view id, std::string_view type, std::string_view parent,
                                 std::string_view data) {
    v1::PortableBlock block;
    block.set_id(std::string(id));
    block.set_type(std::string(type));
    block.set_parent_id(std::string(parent));
    block.set_data_json(std::string(data));
    return block;
  }
  grpc::Status Import(const Blocks& blocks) {
    return transfer_.Import("other", blocks, [] { return size_t{5000}; });
  }

  TestServer server_;
  Transfer transfer_{server_};
};

TEST_F(ForwardReferenceTest, WhatComesLaterAndWhatIsGoneIsNamedAllTheSame) {
  const std::string first = Create({{"type", "database"}, {"data", {{"title", "First"}}}});
  const std::string later = Create({{"type", "database"}, {"data", {{"title", "Later"}}}});
  const std::string gone = Create({{"type", "database"}, {"data", {{"title", "Gone"}}}});
  const Json state{{"name", "State"}, {"type", "select"}, {"options", Json{{"options", Json::array({"red", "old"})}}}};
  Update(first, Json{{"properties", Json::array({Relation("Self", first), Relation("Later", later),
                                                 Relation("Gone", gone), state})}});
  const std::string row = Row(first, Json{{"State", "red"}});
  Row(first, Json{{"Self", row}, {"Later", Row(later, Json::object())}, {"Gone", Row(gone, Json::object())}});
  Update(row, Json{{"properties", Json{{"Self", row}}}});
  Delete(gone);
  Json properties = server_.RunTool("get_block", DumpJson(Json{{"blockId", first}}))["block"]["data"]["properties"];
  properties[3]["options"] = Json{{"options", Json::array({"Red"})}};
  Update(first, Json{{"properties", properties}});
  transfer_.ExpectSameAfterwards("w", "other");
}

TEST_F(ForwardReferenceTest, ValuesOfDroppedPropertiesGoAlong) {
  const auto only = [](const char* name, const char* type) {
    return Json{{"properties", Json::array({Json{{"name", name}, {"type", type}}})}, {"title", "D"}};
  };
  const std::string database = Create(Json{{"type", "database"}, {"data", only("A", "number")}});
  Row(database, Json{{"A", 5}});
  Update(database, only("B", "text"));
  transfer_.ExpectSameAfterwards("w", "other");
}

TEST_F(ForwardReferenceTest, ACardTakesTheStatusOfItsColumn) {
  const grpc::Status status = Import({Block("b", "kanban_board", "", R"({"title":"B"})"),
                                      Block("c", "kanban_column", "b", R"({"title":"C","status":"done"})"),
                                      Block("d", "kanban_card", "c", R"({"title":"D","status":"todo"})")});
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(transfer_.Export("other")[2].data_json(), R"({"title":"D","status":"done"})");
}

TEST_F(ForwardReferenceTest, AValueOfAnotherTypeOrPropertyIsRefusedAllTheSame) {
  const v1::PortableBlock database = Block("d", "database", "", R"({"title":"D","properties":[
      {"id":"n","name":"N","type":"number"},{"id":"s","name":"S","type":"select","options":{"options":["a"]}}],
      "formerProperties":[{"id":"f","type":"checkbox"}]})");
  const auto refusal = [&](std::string_view values) {
    return Import(
               {database, Block("r", "database_row", "d", absl::StrCat(R"({"properties":)", std::string(values), "}"))})
        .error_message();
  };
  EXPECT_THAT(refusal(R"({"n":"five"})"), HasSubstr("takes a number"));
  EXPECT_THAT(refusal(R"({"s":["gone"]})"), HasSubstr("takes one of a"));
  EXPECT_THAT(refusal(R"({"f":"yes"})"), HasSubstr("takes true or false"));
  EXPECT_THAT(refusal(R"({"x":1})"), HasSubstr("no property \"x\""));
  EXPECT_EQ(refusal(R"({"n":5,"s":"gone","f":true})"), "");
}

TEST_F(ForwardReferenceTest, TextsAreCleanedAsToolsCleanThem) {
  const grpc::Status status = Import({Block("p", "page", "", "{\"title\":\"a\\u0007b\",\"tags\":[\"x\\u0000y\"]}"),
                                      Block("q", "paragraph", "p", "{\"content\":\"a\\tb\\n\\u001bc\\u0085\"}")});
  ASSERT_TRUE(status.ok()) << status.error_message();
  const Blocks blocks = transfer_.Export("other");
  EXPECT_EQ(blocks[0].data_json(), R"({"title":"ab","tags":["xy"]})");
  EXPECT_EQ(blocks[1].data_json(), R"({"content":"a\tb\nc"})");
  EXPECT_THAT(Import({Block("a\x07", "page", "", R"({"title":"P"})")}).error_message(), HasSubstr("an id is one line"));
  EXPECT_THAT(Import({Block(" a", "page", "", R"({"title":"P"})")}).error_message(), HasSubstr("an id is one line"));
  EXPECT_THAT(Import({Block("k", "page", "", "{\"title\":\"P\",\"meta\":{\"a\\u0007\":1}}")}).error_message(),
              HasSubstr("keys hold no control characters"));
}

}  // namespace
}  // namespace toolgate::testing
