// The kanban tools, one call at a time. tests/integration/executors/kanban/card_moves_test.cc has many at once.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::kanban {
namespace {

using storage::CommitMode;
using testing::FailsWith;
using testing::WorkspaceTest;
using Titles = std::vector<std::string>;

class KanbanTest : public WorkspaceTest {
 protected:
  void SetUp() override {
    board_ = Create("kanban_board", "", R"({"title": "Sprint"})");
    todo_ = Create("kanban_column", board_, R"({"title": "To do"})");
    doing_ = Create("kanban_column", board_, R"({"title": "Doing", "color": "blue"})");
    done_ = Create("kanban_column", board_, R"({"title": "Shipped"})");
  }
  // Returns the id.
  std::string Card(const std::string& title, const std::string& column, const std::string& more = "{}") {
    Json arguments = Parse(more);
    arguments["title"] = title;
    arguments["columnId"] = column;
    return Do("kanban_create_card", arguments).value("cardId", "");
  }
  Json Move(const std::string& card, const std::string& column, const Json& position = nullptr) {
    Json arguments = {{"cardId", card}, {"columnId", column}};
    if (!position.is_null()) arguments["position"] = position;
    return Do("kanban_move_card", arguments)["card"];
  }
  Json List(const std::string& board = "") {
    return Do("kanban_list_cards", board.empty() ? Json::object() : Json({{"boardId", board}}))["cards"];
  }
  Titles InColumn(const std::string& column) {
    Titles titles;
    for (const Json& card : List()) {
      if (card["columnId"] != column) continue;
      EXPECT_EQ(card["position"], titles.size());
      titles.push_back(card.value("title", ""));
    }
    return titles;
  }
  std::string board_, todo_, doing_, done_;
};

TEST_F(KanbanTest, BoardsComeWithTheirColumnsAndCounts) {
  harness_.clock().Advance(absl::Seconds(1));
  const std::string page = Create("page", "", R"({"title": "Home"})");
  const std::string other = Create("kanban_board", page, R"({"title": "Home", "description": "Chores"})");
  Card("a", todo_);
  Card("b", todo_);
  Task(R"({"title": "c", "subtasks": [{"title": "no card"}], "columnId": ")" + done_ + "\"}");
  Create("paragraph", board_, R"({"content": "no column"})");
  Create("paragraph", doing_, R"({"content": "no card"})");
  const Json expected = {
      {"boards",
       {{{"id", board_},
         {"title", "Sprint"},
         {"parentId", nullptr},
         {"columns",
          {{{"id", todo_}, {"title", "To do"}, {"status", "todo"}, {"cardCount", 2}},
           {{"id", doing_}, {"title", "Doing"}, {"status", "in_progress"}, {"color", "blue"}, {"cardCount", 0}},
           {{"id", done_}, {"title", "Shipped"}, {"status", "done"}, {"cardCount", 1}}}},
         {"columnCount", 3},
         {"cardCount", 3}},
        {{"id", other},
         {"title", "Home"},
         {"description", "Chores"},
         {"parentId", page},
         {"columns", Json::array()},
         {"columnCount", 0},
         {"cardCount", 0}}}},
      {"totalCount", 2}};
  EXPECT_EQ(Do("kanban_list_boards", Json::object()), expected);
  EXPECT_THAT(Call("kanban_list_boards", {{"limit", 1}}), FailsWith(ErrorCode::kInvalidParams, "", "/limit"));
}

TEST_F(KanbanTest, CardsComeInTheOrderOfBoardsColumnsAndPlaces) {
  harness_.clock().Advance(absl::Seconds(1));
  const std::string other = Create("kanban_board", "", R"({"title": "Other"})");
  const std::string column = Create("kanban_column", other, R"({"title": "Inbox"})");
  Card("o1", column);
  Card("s1", done_);
  Card("t2", todo_);
  Card("t1", todo_, R"({"position": 0})");
  Card("d1", doing_);
  EXPECT_EQ(Pluck(List(), "title"), (Titles{"t1", "t2", "d1", "s1", "o1"}));
  EXPECT_EQ(Pluck(List(), "position"), (Titles{"0", "1", "0", "0", "0"}));
  EXPECT_EQ(Pluck(List(board_), "title"), (Titles{"t1", "t2", "d1", "s1"}));
  EXPECT_EQ(Do("kanban_list_cards", {{"boardId", other}})["totalCount"], 1);
  EXPECT_EQ(Do("kanban_list_cards", {{"boardId", ""}})["totalCount"], 5) << "empty is not given";
  EXPECT_THAT(Call("kanban_list_cards", {{"boardId", todo_}}),
              FailsWith(ErrorCode::kInvalidParams, "is a kanban_column; boardId must name a kanban_board", "/boardId"));
  EXPECT_THAT(Call("kanban_list_cards", {{"boardId", "nowhere"}}), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
}

TEST_F(KanbanTest, ACardHasOneShapeEverywhere) {
  Task(
      R"({"title": "a", "description": "d", "priority": "high", "dueDate": "2026-01-01", "tags": ["t"], "assignedTo": "bob", "columnId": ")" +
      doing_ + "\"}");
  Json card = List()[0];
  EXPECT_EQ(card["position"], 0);
  EXPECT_EQ(card["overdue"], true);
  card.erase("position");
  EXPECT_EQ(card, Do("list_tasks", Json::object())["tasks"][0]);
}

TEST_F(KanbanTest, ANewCardHasWhatItWasGiven) {
  const Json created = Do("kanban_create_card",
                          {{"columnId", doing_}, {"title", "Fix"}, {"description", "more"}, {"dueDate", "tomorrow"}});
  const Json expected = {{"id", created["cardId"]}, {"type", "kanban_card"},   {"title", "Fix"},
                         {"description", "more"},   {"status", "in_progress"}, {"dueDate", "2026-03-03"},
                         {"overdue", false},        {"parentId", doing_},      {"columnId", doing_},
                         {"column", "Doing"},       {"boardId", board_},       {"position", 0}};
  EXPECT_EQ(created["card"], expected);
  EXPECT_EQ(List(), Json::array({expected}));
  EXPECT_EQ(harness_.description(), "Created card \"Fix\"");
}

TEST_F(KanbanTest, PositionCountsFromZeroAndBeyondTheEndIsLast) {
  const auto create = [&](const std::string& title, const Json& position) {
    return Do("kanban_create_card",
              {{"columnId", todo_}, {"title", title}, {"position", position}})["card"]["position"];
  };
  EXPECT_EQ(create("a", 7), 0);
  EXPECT_EQ(create("b", 0), 0);
  EXPECT_EQ(create("c", 1), 1);
  EXPECT_EQ(create("d", 1e18), 3);
  EXPECT_EQ(create("e", 3.0), 3);
  EXPECT_EQ(InColumn(todo_), (Titles{"b", "c", "a", "e", "d"}));
}

TEST_F(KanbanTest, CreateRefusesWhatCannotBe) {
  const std::string before = harness_.Snapshot();
  const auto create = [&](const std::string& more) {
    Json arguments = {{"columnId", todo_}, {"title", "x"}};
    arguments.update(Parse(more));
    return Call("kanban_create_card", arguments);
  };
  EXPECT_THAT(Call("kanban_create_card", {{"title", "x"}}), FailsWith(ErrorCode::kInvalidParams, "", ""));
  EXPECT_THAT(Call("kanban_create_card", {{"columnId", todo_}}), FailsWith(ErrorCode::kInvalidParams, "", ""));
  EXPECT_THAT(create(R"({"title": ""})"), FailsWith(ErrorCode::kInvalidParams, "", "/title"));
  EXPECT_THAT(create(R"({"title": "a\nb"})"), FailsWith(ErrorCode::kInvalidParams, "on one line", "/title"));
  EXPECT_THAT(create(R"({"position": -1})"), FailsWith(ErrorCode::kInvalidParams, "", "/position"));
  EXPECT_THAT(create(R"({"position": 0.5})"), FailsWith(ErrorCode::kInvalidParams, "", "/position"));
  EXPECT_THAT(create(R"({"position": "1"})"), FailsWith(ErrorCode::kInvalidParams, "", "/position"));
  EXPECT_THAT(create(R"({"dueDate": "someday!"})"), FailsWith(ErrorCode::kInvalidParams, "", "/dueDate"));
  EXPECT_THAT(create(R"({"dueDate": "next blursday"})"), FailsWith(ErrorCode::kInvalidParams, "", "/dueDate"));
  EXPECT_THAT(create(R"({"eventLinks": "e"})"), FailsWith(ErrorCode::kInvalidParams, "", "/eventLinks"));
  EXPECT_THAT(create(R"({"priority": "high"})"), FailsWith(ErrorCode::kInvalidParams, "", "/priority"));
  EXPECT_THAT(create(R"({"columnId": "nowhere"})"), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  EXPECT_THAT(
      create(R"({"columnId": ")" + board_ + "\"}"),
      FailsWith(ErrorCode::kInvalidParams, "is a kanban_board; columnId must name a kanban_column", "/columnId"));
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(KanbanTest, UpdateChangesOnlyWhatIsGiven) {
  Card("first", todo_);
  const std::string card = Card("a", todo_, R"({"description": "d", "dueDate": "2026-03-05"})");
  const auto update = [&](const std::string& more) {
    Json arguments = Parse(more);
    arguments["cardId"] = card;
    return Do("kanban_update_card", arguments)["card"];
  };
  Json now = update(R"({"title": "A"})");
  EXPECT_EQ(now["title"], "A");
  EXPECT_EQ(now["description"], "d");
  EXPECT_EQ(now["dueDate"], "2026-03-05");
  EXPECT_EQ(now["position"], 1) << "it stays where it is";
  EXPECT_EQ(harness_.description(), "Updated card \"A\"");
  EXPECT_EQ(update(R"({"dueDate": "2026-03-02T10:00:00+01:00"})")["dueDate"], "2026-03-02T09:00:00Z");
  now = update(R"({"dueDate": null, "description": ""})");
  EXPECT_FALSE(now.contains("dueDate"));
  EXPECT_FALSE(now.contains("description"));
  EXPECT_EQ(harness_.Data(card), Json({{"title", "A"}, {"status", "todo"}}));
}

TEST_F(KanbanTest, UpdateRefusesWhatCannotBe) {
  const std::string card = Card("a", todo_);
  const std::string before = harness_.Snapshot();
  const auto update = [&](const std::string& more) {
    Json arguments = Parse(more);
    arguments["cardId"] = card;
    return Call("kanban_update_card", arguments);
  };
  EXPECT_THAT(update("{}"), FailsWith(ErrorCode::kMissingRequired, "title, description, dueDate and eventLinks", ""));
  EXPECT_THAT(update(R"({"title": null})"),
              FailsWith(ErrorCode::kMissingRequired, "title, description, dueDate and eventLinks", ""))
      << "null is read as left out";
  EXPECT_THAT(update(R"({"title": ""})"), FailsWith(ErrorCode::kInvalidParams, "", "/title"));
  EXPECT_THAT(update(R"({"dueDate": ""})"), FailsWith(ErrorCode::kInvalidParams, "", "/dueDate"));
  EXPECT_THAT(update(R"({"dueDate": "next blursday"})"), FailsWith(ErrorCode::kInvalidParams, "", "/dueDate"));
  EXPECT_THAT(update(R"({"status": "done"})"), FailsWith(ErrorCode::kInvalidParams, "", "/status"));
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(KanbanTest, AMovedCardTakesTheStatusOfItsColumn) {
  const std::string card = Card("a", todo_);
  Card("b", done_);
  Json moved = Move(card, done_);
  EXPECT_EQ(moved["status"], "done");
  EXPECT_EQ(moved["column"], "Shipped");
  EXPECT_EQ(moved["position"], 1);
  EXPECT_EQ(harness_.description(), "Moved card \"a\" to column \"Shipped\"");
  const std::string other = Create("kanban_board", "", R"({"title": "Other"})");
  const std::string column = Create("kanban_column", other, R"({"title": "Review"})");
  moved = Move(card, column, 0);
  EXPECT_EQ(moved["boardId"], other);
  EXPECT_EQ(moved["status"], "in_progress");
  EXPECT_EQ(InColumn(done_), Titles{"b"});
}

TEST_F(KanbanTest, MovesWithinAColumnFollowAModel) {
  std::mt19937 random(20261122);
  Titles order;
  std::vector<std::string> ids;
  for (int i = 0; i < 8; ++i) {
    order.push_back(absl::StrCat("c", i));
    ids.push_back(Card(order.back(), todo_));
  }
  for (int step = 0; step < 200; ++step) {
    const size_t from = random() % order.size();
    const size_t to = random() % (order.size() + 2);
    const size_t card = static_cast<size_t>(order[from][1] - '0');
    const Json moved = to == order.size() ? Move(ids[card], todo_) : Move(ids[card], todo_, to);
    const std::string title = order[from];
    order.erase(order.begin() + static_cast<ptrdiff_t>(from));
    const size_t place = std::min(to, order.size());
    order.insert(order.begin() + static_cast<ptrdiff_t>(place), title);
    ASSERT_EQ(moved["position"], place);
    ASSERT_EQ(InColumn(todo_), order) << step;
  }
}

TEST_F(KanbanTest, WhatElseLiesInAColumnDoesNotCount) {
  const std::string a = Card("a", todo_);
  Do("create_block", {{"type", "paragraph"}, {"parentId", todo_}, {"data", {{"content", "x"}}}, {"position", 0}});
  Card("b", todo_);
  Create("paragraph", todo_, R"({"content": "y"})");
  EXPECT_EQ(InColumn(todo_), (Titles{"a", "b"}));
  const Json created = Do("kanban_create_card", {{"columnId", todo_}, {"title", "c"}, {"position", 1}})["card"];
  EXPECT_EQ(created["position"], 1);
  EXPECT_EQ(InColumn(todo_), (Titles{"a", "c", "b"}));
  EXPECT_EQ(Move(a, todo_, 1)["position"], 1);
  EXPECT_EQ(InColumn(todo_), (Titles{"c", "a", "b"}));
  EXPECT_EQ(Move(a, todo_)["position"], 2);
  EXPECT_EQ(Do("kanban_update_card", {{"cardId", a}, {"title", "A"}})["card"]["position"], 2);
  EXPECT_EQ(InColumn(todo_), (Titles{"c", "b", "A"}));
}

TEST_F(KanbanTest, SiblingsOfOneRankStillHavePlaces) {
  Card("a", todo_);
  const std::string b = Card("b", todo_);
  Do("kanban_delete_card", {{"cardId", b}});
  const auto deletion = harness_.changes();
  const std::string c = Card("c", todo_);  // Takes the rank that b had.
  ASSERT_EQ(harness_.Revert(deletion).status(), absl::OkStatus());
  ASSERT_EQ(harness_.Block(b).rank, harness_.Block(c).rank);
  const Titles order = InColumn(todo_);
  EXPECT_EQ(Do("kanban_update_card", {{"cardId", b}, {"dueDate", "today"}})["card"]["position"],
            std::find(order.begin(), order.end(), "b") - order.begin());
  EXPECT_EQ(Do("kanban_update_card", {{"cardId", c}, {"dueDate", "today"}})["card"]["position"],
            std::find(order.begin(), order.end(), "c") - order.begin());
}

TEST_F(KanbanTest, MoveRefusesWhatCannotBe) {
  const std::string card = Card("a", todo_);
  const std::string before = harness_.Snapshot();
  const auto move = [&](const std::string& card_id, const std::string& column, const Json& position = 0) {
    return Call("kanban_move_card", {{"cardId", card_id}, {"columnId", column}, {"position", position}});
  };
  EXPECT_THAT(Call("kanban_move_card", {{"cardId", card}}), FailsWith(ErrorCode::kInvalidParams, "", ""));
  EXPECT_THAT(move(card, todo_, -1), FailsWith(ErrorCode::kInvalidParams, "", "/position"));
  EXPECT_THAT(move(card, todo_, 1.5), FailsWith(ErrorCode::kInvalidParams, "", "/position"));
  EXPECT_THAT(move(card, board_), FailsWith(ErrorCode::kInvalidParams, "must name a kanban_column", "/columnId"));
  EXPECT_THAT(move(todo_, doing_), FailsWith(ErrorCode::kInvalidParams, "must name a kanban_card", "/cardId"));
  EXPECT_THAT(move("nowhere", doing_), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  EXPECT_THAT(move(card, "nowhere"), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(KanbanTest, DeletionSaysHowManyGoAndUndoBringsThemBack) {
  Card("before", todo_);
  const std::string card =
      Task(R"({"title": "a", "subtasks": [{"title": "x"}, {"title": "y"}], "columnId": ")" + todo_ + "\"}");
  Card("after", todo_);
  const auto preview = harness_.PreviewOf("kanban_delete_card", {{"cardId", card}});
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->summary, "Delete kanban_card \"a\" and the 2 blocks below it");
  EXPECT_EQ(preview->undo_summary, "Undo brings everything back.");
  EXPECT_EQ(preview->affected_block_ids.size(), 3u);
  const std::string before = harness_.Snapshot();
  EXPECT_EQ(Do("kanban_delete_card", {{"cardId", card}}), Parse(R"({"success": true, "deletedCount": 3})"));
  EXPECT_EQ(InColumn(todo_), (Titles{"before", "after"}));
  ASSERT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
  EXPECT_EQ(InColumn(todo_), (Titles{"before", "a", "after"}));
}

TEST_F(KanbanTest, DeleteRefusesWhatIsNoCard) {
  for (const std::string& id : {board_, todo_}) {
    EXPECT_THAT(Call("kanban_delete_card", {{"cardId", id}}),
                FailsWith(ErrorCode::kInvalidParams, "must name a kanban_card", "/cardId"));
    EXPECT_THAT(harness_.PreviewOf("kanban_delete_card", {{"cardId", id}}),
                FailsWith(ErrorCode::kInvalidParams, "must name a kanban_card", "/cardId"));
  }
  EXPECT_THAT(Call("kanban_delete_card", {{"cardId", "nowhere"}}), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
}

TEST_F(KanbanTest, UndoTakesBackACreationAnUpdateAndAMove) {
  Card("x", done_);
  const std::string empty = harness_.Snapshot();
  const std::string card = Card("a", todo_, R"({"dueDate": "today"})");
  const auto creation = harness_.changes();
  const std::string created = harness_.Snapshot();
  Do("kanban_update_card", {{"cardId", card}, {"title", "b"}, {"dueDate", nullptr}});
  const auto update = harness_.changes();
  const std::string updated = harness_.Snapshot();
  Move(card, done_, 0);
  ASSERT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), updated);
  ASSERT_EQ(harness_.Revert(update).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), created);
  ASSERT_EQ(harness_.Revert(creation).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), empty);
}

TEST_F(KanbanTest, ADryRunAnswersAndChangesNothing) {
  const std::string card = Card("a", todo_);
  const std::string before = harness_.Snapshot();
  const auto dry = [&](const char* tool, const Json& arguments) {
    const auto result = harness_.Call(tool, arguments, CommitMode::kDryRun);
    EXPECT_TRUE(result.ok()) << result.status();
    EXPECT_FALSE(harness_.changes().empty());
    return result.ok() ? *result : Json();
  };
  EXPECT_EQ(dry("kanban_create_card", {{"columnId", todo_}, {"title", "b"}, {"position", 0}})["card"]["position"], 0);
  EXPECT_EQ(dry("kanban_update_card", {{"cardId", card}, {"title", "c"}})["card"]["title"], "c");
  EXPECT_EQ(dry("kanban_move_card", {{"cardId", card}, {"columnId", done_}})["card"]["status"], "done");
  EXPECT_EQ(dry("kanban_delete_card", {{"cardId", card}})["deletedCount"], 1);
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(KanbanTest, EventLinksAreCheckedAndLinked) {
  const std::string event = Create("calendar_event", "", R"({"title": "Review", "date": "2026-03-05"})");
  const std::string other = Create("calendar_event", "", R"({"title": "Party", "date": "2026-03-06"})");
  const std::string empty = harness_.Snapshot();
  const Json created =
      Do("kanban_create_card", {{"columnId", todo_}, {"title", "a"}, {"eventLinks", {event, other, event}}})["card"];
  const auto creation = harness_.changes();
  const std::string card = created.value("id", "");
  EXPECT_EQ(created["eventLinks"], Json({event, other}));
  const auto links = [&] { return Do("items_list_links", {{"itemId", card}})["totalCount"]; };
  EXPECT_EQ(links(), 2);
  const std::string linked = harness_.Snapshot();
  const Json updated = Do("kanban_update_card", {{"cardId", card}, {"eventLinks", Json::array({other})}})["card"];
  EXPECT_EQ(updated["eventLinks"], Json::array({other}));
  EXPECT_EQ(links(), 1);
  ASSERT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), linked);
  Do("kanban_delete_card", {{"cardId", card}});
  ASSERT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), linked);
  EXPECT_THAT(Call("kanban_update_card", {{"cardId", card}, {"eventLinks", {event, "nowhere"}}}),
              FailsWith(ErrorCode::kInvalidParams, "no calendar event", "/eventLinks/1"));
  EXPECT_THAT(Call("kanban_create_card", {{"columnId", todo_}, {"title", "b"}, {"eventLinks", Json::array({card})}}),
              FailsWith(ErrorCode::kInvalidParams, "no calendar event", "/eventLinks/0"));
  ASSERT_EQ(harness_.Revert(creation).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), empty);
}

TEST_F(KanbanTest, LongDescriptionsAreCutInListsOnly) {
  const std::string text(60'000, 'x');
  for (const char* title : {"a", "b"}) {
    const Json card = Do("kanban_create_card", {{"columnId", todo_}, {"title", title}, {"description", text}})["card"];
    EXPECT_EQ(card["description"], text);
  }
  for (const Json& card : List()) {
    EXPECT_EQ(card["descriptionTruncated"], true);
    EXPECT_EQ(card["description"].get<std::string>().size(), 50'000 + std::string("…").size());
  }
}

TEST_F(KanbanTest, AListHasABoundAndTotalCountGoesBeyond) {
  const fibers::Cancellation cancellation;
  const storage::WriteContext context{"test", "ann", "many", harness_.clock().Now()};
  const auto fill = [&](const std::string& column, int count) {
    return harness_.store().Commit(context, CommitMode::kDurable, cancellation, [&](storage::Transaction& transaction) {
      for (int i = 0; i < count; ++i) {
        const auto block = transaction.CreateBlock({"", "kanban_card", column, R"({"title":"x","status":"todo"})", {}});
        if (!block.ok()) return block.status();
      }
      return absl::OkStatus();
    });
  };
  ASSERT_TRUE(fill(todo_, 600).ok());
  ASSERT_TRUE(fill(doing_, 600).ok());
  const Json all = Do("kanban_list_cards", Json::object());
  EXPECT_EQ(all["cards"].size(), 1'000u);
  EXPECT_EQ(all["cards"][999]["position"], 399);
  EXPECT_EQ(all["totalCount"], 1'200);
  EXPECT_EQ(Do("kanban_list_boards", Json::object())["boards"][0]["cardCount"], 1'200);
}

TEST_F(KanbanTest, OtherToolsFindCards) {
  const std::string card = Card("Fix the login", todo_, R"({"description": "umlauts"})");
  EXPECT_EQ(Do("search_workspace", {{"query", "umlauts"}})["results"][0]["blockId"], card);
  EXPECT_EQ(Do("get_block", {{"blockId", card}})["block"]["data"]["title"], "Fix the login");
  EXPECT_EQ(Do("list_tasks", {{"boardId", board_}})["tasks"][0]["id"], card);
  Do("update_task_status", {{"taskId", card}, {"status", "done"}});
  EXPECT_EQ(InColumn(done_), Titles{"Fix the login"});
}

}  // namespace
}  // namespace toolgate::executors::kanban
