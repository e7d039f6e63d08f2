// Undo and redo over gRPC.
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fetch_metrics.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using ::testing::HasSubstr;
using testing::TestServer;

class UndoFlowTest : public ::testing::Test {
 protected:
  std::string Create(std::string_view title, std::string_view parent = "") {
    Json arguments{{"type", "page"}, {"data", {{"title", title}}}};
    if (!parent.empty()) arguments["parentId"] = parent;
    return server_.RunTool("create_block", DumpJson(arguments))["blockId"];
  }
  v1::ToolResult Rename(const std::string& id, std::string_view title, std::string_view user = "ann") {
    return server_.Run(
        TestServer::Request("update_block", DumpJson(Json{{"blockId", id}, {"data", {{"title", title}}}}), user));
  }
  std::string TitleOf(const std::string& id) {
    v1::ExecuteResponse response;
    EXPECT_TRUE(server_.Execute(TestServer::Request("get_block", DumpJson(Json{{"blockId", id}})), response).ok());
    if (!response.result().success()) return "(none)";
    return (*ParseJson(response.result().data_json()))["block"]["data"]["title"];
  }

  TestServer server_;
};

TEST_F(UndoFlowTest, TakesBackTheLatestChangeFirst) {
  const std::string id = Create("One");
  Rename(id, "Two");
  Rename(id, "Three");
  EXPECT_TRUE(server_.Undo().success());
  EXPECT_EQ(TitleOf(id), "Two");
  EXPECT_TRUE(server_.Undo().success());
  EXPECT_EQ(TitleOf(id), "One");
  EXPECT_TRUE(server_.Undo().success());
  EXPECT_EQ(TitleOf(id), "(none)");
  EXPECT_EQ(server_.Undo().error().code(), "NOTHING_TO_UNDO");
}

TEST_F(UndoFlowTest, AnUndoCanBeUndone) {
  const std::string id = Create("One");
  const std::string change = Rename(id, "Two").undo_entry_id();
  const v1::ToolResult undone = server_.Undo();
  EXPECT_EQ(TitleOf(id), "One");
  const v1::ToolResult redone = server_.Undo(undone.undo_entry_id());
  EXPECT_TRUE(redone.success()) << redone.DebugString();
  EXPECT_EQ(TitleOf(id), "Two");
  EXPECT_EQ(redone.undo_entry_id(), change);
  EXPECT_THAT(redone.data_json(), HasSubstr("\"description\":\"Redid: "));
  EXPECT_THAT(redone.data_json(), ::testing::Not(HasSubstr("Undid")));
  EXPECT_TRUE(server_.Undo().success());
  EXPECT_EQ(TitleOf(id), "One");
}

TEST_F(UndoFlowTest, ARedoIsCountedAsOne) {
  Rename(Create("One"), "Two");
  const v1::ToolResult undone = server_.Undo();
  EXPECT_TRUE(server_.Undo(undone.undo_entry_id()).success());
  const std::string metrics = testing::FetchMetrics(server_.application().metrics_address());
  EXPECT_THAT(metrics, HasSubstr("toolgate_undo_total{outcome=\"undone\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("toolgate_undo_total{outcome=\"redone\"} 1\n"));
}

TEST_F(UndoFlowTest, ARepeatIsNotCounted) {
  Rename(Create("One"), "Two");
  EXPECT_TRUE(server_.Undo("", "ann", "k").success());
  EXPECT_TRUE(server_.Undo("", "ann", "k").replayed());
  EXPECT_THAT(testing::FetchMetrics(server_.application().metrics_address()),
              HasSubstr("toolgate_undo_total{outcome=\"undone\"} 1\n"));
}

TEST_F(UndoFlowTest, ARepeatSaysWhetherItsChangeCanBeUndoneNow) {
  auto request = TestServer::Request("create_block", R"({"type":"page","data":{"title":"P"}})");
  request.set_idempotency_key("k");
  const v1::ToolResult first = server_.Run(request);
  EXPECT_TRUE(server_.Run(request).can_undo());
  const v1::ToolResult undone = server_.Undo();
  EXPECT_TRUE(server_.Run(request).replayed());
  EXPECT_FALSE(server_.Run(request).can_undo());
  EXPECT_TRUE(server_.Undo(undone.undo_entry_id()).success());
  EXPECT_TRUE(server_.Run(request).can_undo());
  EXPECT_EQ(server_.Run(request).undo_entry_id(), first.undo_entry_id());
}

TEST_F(UndoFlowTest, WhatNoToolWouldAllowIsAConflict) {
  const std::string board =
      server_.RunTool("create_block", R"({"type":"kanban_board","data":{"title":"B"}})")["blockId"];
  const auto create = [&](const char* type, const std::string& parent, const char* title) -> std::string {
    const Json arguments{{"type", type}, {"parentId", parent}, {"data", {{"title", title}}}};
    return server_.RunTool("create_block", DumpJson(arguments))["blockId"];
  };
  const std::string todo = create("kanban_column", board, "To do");
  const std::string done = create("kanban_column", board, "Done");
  const std::string card = create("kanban_card", todo, "Ship");
  server_.RunTool("kanban_move_card", DumpJson(Json{{"cardId", card}, {"columnId", done}}));
  const v1::ToolResult other = server_.Run(TestServer::Request(
      "update_block", DumpJson(Json{{"blockId", todo}, {"data", {{"status", "in_progress"}}}}), "bob"));
  const v1::ToolResult refused = server_.Undo();
  EXPECT_FALSE(refused.success());
  EXPECT_EQ(refused.error().code(), "CONFLICT");
  EXPECT_THAT(refused.error().message(), HasSubstr("To do"));
  EXPECT_EQ(refused.error().details().fields().at("blockId").string_value(), todo);
  EXPECT_EQ(refused.error().details().fields().at("changeId").string_value(), other.audit_entry_id());
  EXPECT_TRUE(server_.Undo("", "bob").success());
  EXPECT_TRUE(server_.Undo().success());
}

// Two users who change one series of five days from 2026-12-01 on, in turn.
class SeriesUndoTest : public UndoFlowTest {
 protected:
  using Rows = std::vector<std::string>;

  // Confirms if required.
  v1::ToolResult Call(const std::string& tool, const Json& arguments, const std::string& user = "ada") {
    auto request = TestServer::Request(tool, DumpJson(arguments), user);
    v1::ExecuteResponse response;
    EXPECT_TRUE(server_.Execute(request, response).ok()) << tool;
    if (response.has_confirmation_request()) {
      request.set_confirmation_token(response.confirmation_request().token());
      EXPECT_TRUE(server_.Execute(request, response).ok()) << tool;
    }
    EXPECT_TRUE(response.result().success()) << tool << response.DebugString();
    return response.result();
  }
  static Json DataOf(const v1::ToolResult& result) { return *ParseJson(result.data_json()); }
  std::string On(const std::string& day) const { return series_ + "@2026-12-" + day; }
  v1::ToolResult Rename(const std::string& day, const std::string& title, const std::string& user = "ada",
                        const std::string& scope = "this") {
    return Call("calendar_update_event", {{"eventId", On(day)}, {"title", title}, {"scope", scope}}, user);
  }
  void Shift(const std::string& day, const std::string& user) {
    Call("calendar_update_event", {{"eventId", series_}, {"date", "2026-12-" + day}, {"scope", "all"}}, user);
  }
  Rows Listed() {
    const Json list =
        DataOf(Call("calendar_list_events", {{"dateFrom", "2026-11-01"}, {"dateTo", "2027-01-31"}}))["events"];
    Rows rows;
    for (const Json& event : list) rows.push_back(event.value("date", "").substr(8) + " " + event.value("title", ""));
    return rows;
  }
  // Nothing of it is done; `text` is the reason.
  void ExpectConflict(const v1::ToolResult& refused, const Rows& before, const std::string& text) {
    EXPECT_EQ(refused.error().code(), "CONFLICT") << refused.DebugString();
    EXPECT_THAT(refused.error().message(), HasSubstr(text));
    EXPECT_EQ(Listed(), before);
  }

  std::string series_ =
      DataOf(Call("calendar_create_event",
                  {{"title", "S"}, {"date", "2026-12-01"}, {"recurrence", "FREQ=DAILY;COUNT=5"}}))["eventId"];
};

TEST_F(SeriesUndoTest, AChangedOccurrenceDoesNotComeBackBesideItsSuccessor) {
  Call("delete_block", {{"blockId", Rename("03", "CHANGED").affected_block_ids(0)}});
  Rename("02", "BOB", "bob", "this_and_following");
  const Rows before = Listed();
  ExpectConflict(server_.Undo("", "ada"), before, "has no occurrence on that day any more");
  EXPECT_TRUE(server_.Undo("", "bob").success());
  EXPECT_TRUE(server_.Undo("", "ada").success());
  EXPECT_EQ(Listed(), (Rows{"01 S", "02 S", "03 CHANGED", "04 S", "05 S"}));
}

TEST_F(SeriesUndoTest, AShiftStaysWhereSomebodyChangedAnOccurrenceSince) {
  Shift("02", "ada");
  Rename("06", "BOB last", "bob");
  const Rows before = Listed();
  ExpectConflict(server_.Undo("", "ada"), before, "BOB last");
  EXPECT_TRUE(server_.Undo("", "bob").success());
  EXPECT_TRUE(server_.Undo("", "ada").success());
  EXPECT_EQ(Listed(), (Rows{"01 S", "02 S", "03 S", "04 S", "05 S"}));
}

TEST_F(SeriesUndoTest, ARedoneOccurrenceMustBeThatOfTheSameDayStill) {
  const std::vector<std::function<void()>> edits = {
      [&] {
        Call("calendar_delete_event", {{"eventId", On("03")}, {"scope", "this"}}, "bob");
      },
      [&] {
        Call("calendar_delete_event", {{"eventId", On("02")}, {"scope", "this_and_following"}}, "bob");
      },
      [&] { Shift("02", "bob"); },
      [&] { Rename("02", "BOB", "bob", "this_and_following"); },
  };
  Rename("03", "CHANGED");
  const std::string redo = server_.Undo("", "ada").undo_entry_id();
  for (const auto& edit : edits) {
    edit();
    ExpectConflict(server_.Undo(redo, "ada"), Listed(), "the changed occurrence of 2026-12-03");
    EXPECT_TRUE(server_.Undo("", "bob").success());
  }
  EXPECT_TRUE(server_.Undo(redo, "ada").success());
  EXPECT_EQ(Listed()[2], "03 CHANGED");
}

// As a whole: the series that its occurrences come back to is not the present one.
TEST_F(SeriesUndoTest, AnAutomationOnASeriesGoesBackAndForth) {
  Rename("04", "CHANGED");
  const auto step = [](const std::string& tool, const Json& arguments) {
    return Json{{"tool", tool}, {"arguments", arguments}};
  };
  const Json steps = {
      step("calendar_update_event", {{"eventId", On("03")}, {"title", "THREE"}}),
      step("calendar_delete_event", {{"eventId", On("04")}, {"scope", "this"}}),
      step("calendar_update_event", {{"eventId", series_}, {"date", "2026-12-02"}, {"scope", "all"}}),
      step("calendar_update_event", {{"eventId", On("06")}, {"title", "LATE"}, {"scope", "this_and_following"}}),
  };
  const Json created =
      DataOf(Call("create_block", {{"type", "automation"}, {"data", {{"title", "Tidy"}, {"steps", steps}}}}));
  const Rows before = Listed();
  const std::string change = Call("trigger_automation", {{"automationId", created["blockId"]}}).undo_entry_id();
  const Rows after = Listed();
  EXPECT_EQ(after, (Rows{"02 S", "03 S", "04 THREE", "06 LATE"}));
  for (int i = 0; i < 2; ++i) {
    const v1::ToolResult undone = server_.Undo(change, "ada");
    ASSERT_TRUE(undone.success()) << undone.DebugString();
    EXPECT_EQ(Listed(), before);
    ASSERT_TRUE(server_.Undo(undone.undo_entry_id(), "ada").success());
    EXPECT_EQ(Listed(), after);
  }
}

TEST_F(UndoFlowTest, ADeletedTreeComesBackWhole) {
  const std::string root = Create("Root");
  const std::string child = Create("Child", root);
  const std::string grandchild = Create("Grandchild", child);
  auto request = TestServer::Request("delete_block", DumpJson(Json{{"blockId", root}}));
  v1::ExecuteResponse response;
  ASSERT_TRUE(server_.Execute(request, response).ok());
  request.set_confirmation_token(response.confirmation_request().token());
  EXPECT_EQ(server_.Run(request).affected_block_ids_size(), 3);
  EXPECT_EQ(TitleOf(grandchild), "(none)");
  EXPECT_TRUE(server_.Undo().success());
  EXPECT_EQ(TitleOf(grandchild), "Grandchild");
  EXPECT_EQ(server_.RunTool("search_workspace", R"({"query":"Grandchild"})")["totalCount"], 1);
}

TEST_F(UndoFlowTest, SomebodyElsesLaterChangeIsNotOverwritten) {
  const std::string id = Create("One");
  const std::string mine = Rename(id, "Mine").undo_entry_id();
  Rename(id, "Theirs", "bob");
  const v1::ToolResult result = server_.Undo(mine);
  EXPECT_EQ(result.error().code(), "CONFLICT");
  EXPECT_THAT(result.error().message(), HasSubstr(id));
  EXPECT_EQ(TitleOf(id), "Theirs");
  EXPECT_TRUE(server_.Undo("", "bob").success());
  EXPECT_TRUE(server_.Undo(mine).success());
  EXPECT_EQ(TitleOf(id), "One");
}

TEST_F(UndoFlowTest, NobodyUndoesAnotherUsersChange) {
  const std::string id = Create("One");
  const std::string entry = Rename(id, "Two").undo_entry_id();
  EXPECT_EQ(server_.Undo(entry, "bob").error().code(), "NOT_FOUND");
  EXPECT_EQ(server_.Undo("", "bob").error().code(), "NOTHING_TO_UNDO");
  EXPECT_EQ(TitleOf(id), "Two");
}

TEST_F(UndoFlowTest, AnEntryIsUndoneOnce) {
  const std::string id = Create("One");
  const std::string entry = Rename(id, "Two").undo_entry_id();
  EXPECT_TRUE(server_.Undo(entry).success());
  EXPECT_EQ(server_.Undo(entry).error().code(), "CANNOT_UNDO");
}

TEST_F(UndoFlowTest, IsIdempotentUnderAKey) {
  const std::string id = Create("One");
  Rename(id, "Two");
  Rename(id, "Three");
  EXPECT_TRUE(server_.Undo("", "ann", "u1").success());
  EXPECT_TRUE(server_.Undo("", "ann", "u1").replayed());
  EXPECT_EQ(TitleOf(id), "Two");
}

TEST_F(UndoFlowTest, TakesBackTheLatestFifty) {
  const std::string id = Create("Title 0");
  for (int i = 1; i <= 55; ++i) Rename(id, "Title " + std::to_string(i));
  for (int i = 1; i <= 50; ++i) ASSERT_TRUE(server_.Undo().success()) << i;
  EXPECT_EQ(server_.Undo().error().code(), "NOTHING_TO_UNDO");
  EXPECT_EQ(TitleOf(id), "Title 5");
}

TEST_F(UndoFlowTest, TheOldestOfFiftyChangesCanBeUndoneAndRedone) {
  const std::string oldest = Create("One");
  const std::string change = Rename(oldest, "Two").undo_entry_id();
  for (int i = 1; i <= 49; ++i) Create("Later");
  const v1::ToolResult undone = server_.Undo(change);
  EXPECT_TRUE(undone.can_undo());
  EXPECT_EQ(TitleOf(oldest), "One");
  const v1::ToolResult redone = server_.Undo(undone.undo_entry_id());
  EXPECT_TRUE(redone.success()) << redone.DebugString();
  EXPECT_EQ(TitleOf(oldest), "Two");
}

TEST_F(UndoFlowTest, ARedoLeavesTheStackWithItsChange) {
  const std::string change = Rename(Create("One"), "Two").undo_entry_id();
  const std::string redo = server_.Undo(change).undo_entry_id();
  for (int i = 1; i <= 50; ++i) Create("Later");
  const v1::ToolResult result = server_.Undo(redo);
  EXPECT_EQ(result.error().code(), "NOT_FOUND");
  EXPECT_THAT(result.error().message(), HasSubstr("latest 50 changes"));
}

// Changes made by ann. The requests "turn", "turn#1", "turn#2" and so on are of the conversation "talk-turn".
class GroupUndoTest : public UndoFlowTest {
 protected:
  v1::ToolResult In(std::string_view request_id, std::string_view tool, const Json& arguments,
                    std::string_view user = "ann") {
    auto request = TestServer::Request(tool, DumpJson(arguments), user);
    request.set_request_id(std::string(request_id));
    request.mutable_caller()->set_conversation_id("talk-" + std::string(request_id.substr(0, request_id.find('#'))));
    return server_.Run(request);
  }
  std::string CreateIn(std::string_view request_id, std::string_view title) {
    const v1::ToolResult made = In(request_id, "create_block", {{"type", "page"}, {"data", {{"title", title}}}});
    return (*ParseJson(made.data_json()))["blockId"];
  }
  v1::ToolResult RenameIn(std::string_view request_id, const std::string& id, std::string_view title,
                          std::string_view user = "ann") {
    return In(request_id, "update_block", {{"blockId", id}, {"data", {{"title", title}}}}, user);
  }
  static v1::UndoRequest AllOf(std::string_view request_id) {
    v1::UndoRequest request;
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id("ann");
    request.set_all_of_request_id(std::string(request_id));
    return request;
  }
  static v1::UndoRequest AllOfConversation(std::string_view conversation_id) {
    v1::UndoRequest request = AllOf("");
    request.clear_all_of_request_id();
    request.set_all_of_conversation_id(std::string(conversation_id));
    return request;
  }
  std::vector<v1::UndoEntry> Stack() {
    v1::ListUndoEntriesRequest request;
    *request.mutable_caller() = AllOf("").caller();
    v1::ListUndoEntriesResponse response;
    grpc::ClientContext context;
    EXPECT_TRUE(server_.tools().ListUndoEntries(&context, request, &response).ok());
    return {response.entries().begin(), response.entries().end()};
  }
};

TEST_F(GroupUndoTest, AllOfARequestIsTakenBackAndNothingElse) {
  const std::string page = CreateIn("other", "One");
  RenameIn("turn", page, "Two");
  const std::string made = CreateIn("turn", "Made");
  const std::string between = CreateIn("other", "Between");
  RenameIn("turn", page, "Three");
  const v1::ToolResult undone = server_.Undo(AllOf("turn"));
  ASSERT_TRUE(undone.success()) << undone.DebugString();
  EXPECT_EQ(TitleOf(page), "One");
  EXPECT_EQ(TitleOf(made), "(none)");
  EXPECT_EQ(TitleOf(between), "Between");
  const Json data = *ParseJson(undone.data_json());
  ASSERT_EQ(data["undone"].size(), 3u);
  EXPECT_EQ(data["undone"][0]["toolId"], "update_block");
  EXPECT_EQ(data["undone"][1]["toolId"], "create_block");
  EXPECT_THAT(data["description"].get<std::string>(), ::testing::StartsWith("Undid 3 changes, the latest: "));
  EXPECT_EQ(server_.Undo(AllOf("turn")).error().code(), "NOTHING_TO_UNDO");
}

TEST_F(GroupUndoTest, OneEntryStandsForAllAndRedoesThem) {
  const std::string page = CreateIn("turn", "One");
  RenameIn("turn", page, "Two");
  const v1::ToolResult undone = server_.Undo(AllOf("turn"));
  EXPECT_TRUE(undone.can_undo());
  EXPECT_EQ(TitleOf(page), "(none)");
  const std::vector<v1::UndoEntry> stack = Stack();
  ASSERT_EQ(stack.size(), 3u);
  EXPECT_EQ(stack[0].id(), undone.undo_entry_id());
  EXPECT_THAT(stack[0].undoes_entry_ids(), ::testing::ElementsAre(stack[1].id(), stack[2].id()));
  EXPECT_EQ(stack[0].undoes_entry_id(), stack[1].id());
  EXPECT_EQ(stack[1].request_id(), "turn");
  EXPECT_EQ(stack[1].conversation_id(), "talk-turn");
  const v1::ToolResult redone = server_.Undo(undone.undo_entry_id());
  ASSERT_TRUE(redone.success()) << redone.DebugString();
  EXPECT_EQ(TitleOf(page), "Two");
  EXPECT_FALSE(redone.can_undo()) << "no single entry takes both back";
  EXPECT_TRUE(server_.Undo().success());
  EXPECT_EQ(TitleOf(page), "One") << "each is on the stack again";
  EXPECT_TRUE(server_.Undo(AllOf("turn")).success());
  EXPECT_EQ(TitleOf(page), "(none)");
}

TEST_F(GroupUndoTest, AllOfAConversationIsTakenBack) {
  const std::string page = CreateIn("turn", "One");
  RenameIn("turn", page, "Two");
  const std::string other = CreateIn("other", "Other");
  EXPECT_TRUE(server_.Undo(AllOfConversation("talk-turn")).success());
  EXPECT_EQ(TitleOf(page), "(none)");
  EXPECT_EQ(TitleOf(other), "Other");
}

TEST_F(GroupUndoTest, WhenOneChangeCannotBeTakenBackNoneIs) {
  const std::string first = CreateIn("turn", "One");
  const v1::ToolResult change = RenameIn("turn", first, "Two");
  const std::string second = CreateIn("turn", "Second");
  RenameIn("theirs", first, "Theirs", "bob");
  const v1::ToolResult refused = server_.Undo(AllOf("turn"));
  EXPECT_FALSE(refused.success());
  EXPECT_EQ(refused.error().code(), "CONFLICT");
  EXPECT_THAT(refused.error().message(), HasSubstr("Updated"));
  EXPECT_EQ(refused.error().details().fields().at("entryId").string_value(), change.undo_entry_id());
  EXPECT_EQ(TitleOf(first), "Theirs");
  EXPECT_EQ(TitleOf(second), "Second");
  for (const v1::UndoEntry& entry : Stack()) EXPECT_TRUE(entry.can_undo()) << entry.description();
}

TEST_F(GroupUndoTest, WhatWasTakenBackByItselfIsLeftOut) {
  const std::string first = CreateIn("turn", "One");
  const std::string second = CreateIn("turn", "Second");
  EXPECT_TRUE(server_.Undo().success());
  const v1::ToolResult undone = server_.Undo(AllOf("turn"));
  EXPECT_TRUE(undone.success());
  EXPECT_TRUE(ParseJson(undone.data_json())->contains("undoneEntryId")) << "one change is answered as one";
  EXPECT_EQ(TitleOf(first), "(none)");
  EXPECT_EQ(TitleOf(second), "(none)");
}

TEST_F(GroupUndoTest, ChangesThatCancelEachOtherOutCanBeRedoneAndUndoneAgain) {
  const std::string page = CreateIn("other", "One");
  RenameIn("turn", page, "Two");
  RenameIn("turn", page, "One");
  for (int round = 0; round < 2; ++round) {
    const v1::ToolResult undone = server_.Undo(AllOf("turn"));
    ASSERT_TRUE(undone.success()) << undone.DebugString();
    ASSERT_TRUE(undone.can_undo());
    ASSERT_TRUE(server_.Undo(undone.undo_entry_id()).success());
    EXPECT_EQ(TitleOf(page), "One");
  }
  EXPECT_TRUE(server_.Undo().success());
  EXPECT_EQ(TitleOf(page), "Two");
}

TEST_F(GroupUndoTest, WhatWasMadeAndDeletedInOneTurnCanBeBroughtBack) {
  const std::string page = CreateIn("turn", "Short-lived");
  auto request = TestServer::Request("delete_block", DumpJson(Json{{"blockId", page}}));
  request.set_request_id("turn");
  v1::ExecuteResponse response;
  ASSERT_TRUE(server_.Execute(request, response).ok());
  request.set_confirmation_token(response.confirmation_request().token());
  server_.Run(request);
  const v1::ToolResult undone = server_.Undo(AllOf("turn"));
  ASSERT_TRUE(undone.success()) << undone.DebugString();
  ASSERT_TRUE(server_.Undo(undone.undo_entry_id()).success()) << "nothing to do, and yet a redo";
  EXPECT_EQ(TitleOf(page), "(none)");
  EXPECT_TRUE(server_.Undo().success());
  EXPECT_EQ(TitleOf(page), "Short-lived") << "the deletion alone is undone";
}

TEST_F(GroupUndoTest, ADryRunShowsAllAndTakesNothingBack) {
  const std::string page = CreateIn("turn", "One");
  RenameIn("turn", page, "Two");
  v1::UndoRequest request = AllOf("turn");
  request.set_dry_run(true);
  const v1::ToolResult shown = server_.Undo(request);
  EXPECT_TRUE(shown.success() && shown.dry_run());
  EXPECT_EQ((*ParseJson(shown.data_json()))["undone"].size(), 2u);
  EXPECT_EQ(TitleOf(page), "Two");
}

TEST_F(GroupUndoTest, AConversationOfFiftyChangesIsUndoneWhole) {
  const std::string page = CreateIn("turn", "One");
  for (int i = 1; i < 50; ++i) RenameIn("turn#" + std::to_string(i), page, "Title " + std::to_string(i));
  EXPECT_TRUE(server_.Undo(AllOfConversation("talk-turn")).success());
  EXPECT_EQ(TitleOf(page), "(none)");
}

TEST_F(GroupUndoTest, AConversationThatHasLostAChangeIsRefused) {
  const std::string page = CreateIn("turn", "One");
  CreateIn("other", "Of another conversation");
  for (int i = 0; i < 50; ++i) RenameIn("turn#" + std::to_string(i), page, "Title " + std::to_string(i));
  const v1::ToolResult refused = server_.Undo(AllOfConversation("talk-turn"));
  EXPECT_EQ(refused.error().code(), "CANNOT_UNDO");
  EXPECT_THAT(refused.error().message(), HasSubstr("latest 50"));
  EXPECT_EQ(TitleOf(page), "Title 49");
  EXPECT_TRUE(server_.Undo(AllOf("turn#49")).success()) << "a request whose changes are all there";
  EXPECT_EQ(TitleOf(page), "Title 48");
}

TEST_F(GroupUndoTest, ARequestThatNamesNothingOrTwoThingsIsRefused) {
  CreateIn("turn", "One");
  v1::UndoRequest request = AllOf("");
  grpc::ClientContext first;
  v1::UndoResponse response;
  EXPECT_EQ(server_.tools().Undo(&first, request, &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT)
      << "an empty id is not the latest change";
  request = AllOf("turn");
  request.set_all_of_conversation_id("talk-turn");
  grpc::ClientContext second;
  EXPECT_EQ(server_.tools().Undo(&second, request, &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(server_.Undo(AllOf("turn")).success());
}

TEST_F(UndoFlowTest, IsAuditedLikeAnyCall) {
  Create("One");
  server_.Undo();
  const auto entries = server_.Audit();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].tool_id(), "undo");
  EXPECT_TRUE(entries[0].success());
}

TEST_F(UndoFlowTest, TheInternalToolCannotBeCalledByName) {
  Create("One");
  server_.Refused(TestServer::Request("undo", "{}"), "UNKNOWN_TOOL");
}

}  // namespace
}  // namespace toolgate
