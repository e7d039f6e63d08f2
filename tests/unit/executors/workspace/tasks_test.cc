// create_task, list_tasks and update_task_status.
#include <string>
#include <vector>

#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::workspace {
namespace {

using testing::FailsWith;
using testing::WorkspaceTest;

class TasksTest : public WorkspaceTest {
 protected:
  void SetUp() override {
    board_ = Create("kanban_board", "", R"({"title": "Board"})");
    doing_ = Create("kanban_column", board_, R"({"title": "Doing"})");
    todo_ = Create("kanban_column", board_, R"({"title": "To do"})");
    review_ = Create("kanban_column", board_, R"({"title": "Final look", "status": "in_progress"})");
    done_ = Create("kanban_column", board_, R"({"title": "Done"})");
  }
  std::vector<std::string> List(const std::string& arguments) {
    const Json result = Do("list_tasks", Parse(arguments));
    return Pluck(result["tasks"], "title");
  }
  Json SetStatus(const std::string& task, const std::string& status) {
    return Do("update_task_status", {{"taskId", task}, {"status", status}});
  }
  std::string board_, doing_, todo_, review_, done_;
};

using Titles = std::vector<std::string>;

TEST_F(TasksTest, ABoardsTaskGoesToItsFirstColumnNotBegun) {
  const Json result = Do("create_task", {{"title", "x"}, {"boardId", board_}});
  EXPECT_EQ(result["task"]["columnId"], todo_);
  EXPECT_EQ(result["task"]["boardId"], board_);
  EXPECT_EQ(result["task"]["status"], "todo");
  EXPECT_EQ(result["task"]["priority"], "medium");
  EXPECT_EQ(harness_.Block(result.value("taskId", "")).parent_id, todo_);
}

TEST_F(TasksTest, ABoardWithoutSuchAColumnTakesItsFirst) {
  const std::string board = Create("kanban_board", "", R"({"title": "B"})");
  EXPECT_THAT(Call("create_task", {{"title", "x"}, {"boardId", board}}),
              FailsWith(ErrorCode::kConflict, "no columns", ""));
  Create("paragraph", board, R"({"content": "not a column"})");
  const std::string only = Create("kanban_column", board, R"({"title": "Done"})");
  EXPECT_EQ(Do("create_task", {{"title", "x"}, {"boardId", board}})["task"]["columnId"], only);
}

TEST_F(TasksTest, SubtasksBecomeTodosBelow) {
  const Json result =
      Do("create_task", Parse(R"({"title": "x", "subtasks": [{"title": "a"}, {"title": "b", "completed": true}]})"));
  const Json children = Do("get_block", {{"blockId", result["taskId"]}})["children"];
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(children[0]["data"]["content"], "a");
  EXPECT_EQ(children[1]["data"]["status"], "done");
  EXPECT_EQ(Pluck(result["task"]["subtasks"], "id"), Pluck(children, "id"));
}

// For an invalid form, day or word, for a card as for a todo.
TEST_F(TasksTest, AWrongDateIsToldByTheArgumentThatHasIt) {
  for (const char* date : {"2026-02-30", "tomorow", "31.12.2026", "next blursday", "not-a-date"}) {
    for (const std::string& board : {std::string(), board_}) {
      EXPECT_THAT(Call("create_task", {{"title", "x"}, {"dueDate", date}, {"boardId", board}}),
                  FailsWith(ErrorCode::kInvalidParams, "", "/dueDate"))
          << date;
    }
    EXPECT_THAT(Call("list_tasks", {{"dueBefore", date}}), FailsWith(ErrorCode::kInvalidParams, "", "/dueBefore"))
        << date;
  }
  // A date that is impossible only at the present moment.
  EXPECT_THAT(Call("create_task", {{"title", "x"}, {"dueDate", "+7990y"}}),
              FailsWith(ErrorCode::kInvalidParams, "must be a date", "/dueDate"));
}

TEST_F(TasksTest, CreateTaskRefusesWhatCannotBe) {
  const auto create = [&](const std::string& arguments) { return Call("create_task", Parse(arguments)); };
  EXPECT_THAT(create("{}"), FailsWith(ErrorCode::kInvalidParams, "", ""));
  EXPECT_THAT(create(R"({"title": ""})"), FailsWith(ErrorCode::kInvalidParams, "", "/title"));
  EXPECT_THAT(create(R"({"title": "x", "priority": "urgent"})"), FailsWith(ErrorCode::kInvalidParams, "", "/priority"));
  EXPECT_THAT(create(R"({"title": "x", "dueDate": ""})"), FailsWith(ErrorCode::kInvalidParams, "", "/dueDate"));
  EXPECT_THAT(create(R"({"title": "x", "columnId": "nowhere"})"), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  EXPECT_THAT(create(R"({"title": "x", "columnId": ")" + board_ + "\"}"),
              FailsWith(ErrorCode::kInvalidParams, "must name a kanban_column", "/columnId"));
  EXPECT_THAT(create(R"({"title": "x", "boardId": ")" + todo_ + "\"}"),
              FailsWith(ErrorCode::kInvalidParams, "must name a kanban_board", "/boardId"));
  const std::string other = Create("kanban_board", "", R"({"title": "Other"})");
  EXPECT_THAT(Call("create_task", {{"title", "x"}, {"boardId", other}, {"columnId", todo_}}),
              FailsWith(ErrorCode::kInvalidParams, "another board", "/columnId"));
  const std::string before = harness_.Snapshot();
  EXPECT_THAT(create(R"({"title": "x", "subtasks": [{"title": "a"}, {}]})"),
              FailsWith(ErrorCode::kMissingRequired, "title", "/subtasks/1/title"));
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(TasksTest, ListTasksFiltersByEachArgument) {
  const auto later = [&] { harness_.clock().Advance(absl::Milliseconds(1)); };  // Without a date the oldest is first.
  Task(R"({"title": "open"})");
  later();
  Task(R"({"title": "urgent", "priority": "critical", "assignedTo": "bob"})");
  later();
  const std::string ticked = Task(R"({"title": "ticked", "dueDate": "2026-01-01"})");
  SetStatus(ticked, "done");
  Task(R"({"title": "card", "columnId": ")" + doing_ + R"(", "subtasks": []})");
  later();
  Create("todo", "", R"({"content": "sub"})");
  EXPECT_EQ(List("{}"), (Titles{"ticked", "open", "urgent", "card", "sub"}));
  EXPECT_EQ(List(R"({"status": "all"})").size(), 5u);
  EXPECT_EQ(List(R"({"status": "done"})"), Titles{"ticked"});
  EXPECT_EQ(List(R"({"status": "in_progress"})"), Titles{"card"});
  EXPECT_EQ(List(R"({"priority": "critical"})"), Titles{"urgent"});
  EXPECT_EQ(List(R"({"assignedTo": "bob"})"), Titles{"urgent"});
  EXPECT_EQ(List(R"({"assignedTo": "bob", "priority": "low"})"), Titles{});
  EXPECT_EQ(List(R"({"boardId": ")" + board_ + "\"}"), Titles{"card"});
  Task(R"({"title": "other card", "priority": "low", "columnId": ")" + todo_ +
       R"(", "subtasks": [{"title": "step"}]})");
  EXPECT_EQ(List(R"({"boardId": ")" + board_ + R"(", "priority": "low"})"), Titles{"other card"});
  EXPECT_EQ(List(R"({"boardId": ")" + board_ + "\"}").size(), 2u) << "steps below a card are not the board's tasks";
  const Json limited = Do("list_tasks", Parse(R"({"limit": 2})"));
  EXPECT_EQ(limited["tasks"].size(), 2u);
  EXPECT_EQ(limited["totalCount"], 7);
  EXPECT_THAT(Call("list_tasks", {{"boardId", todo_}}),
              FailsWith(ErrorCode::kInvalidParams, "kanban_board", "/boardId"));
  EXPECT_THAT(Call("list_tasks", {{"boardId", "nowhere"}}), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
}

TEST_F(TasksTest, OverdueMeansOverForDaysAndBeforeNowForTimes) {
  Task(R"({"title": "day over", "dueDate": "2026-03-01"})");
  Task(R"({"title": "today", "dueDate": "2026-03-02"})");
  Task(R"({"title": "an hour ago", "dueDate": "2026-03-02T08:00:00Z"})");
  Task(R"({"title": "in an hour", "dueDate": "2026-03-02T10:00:00Z"})");
  Task(R"({"title": "no date"})");
  SetStatus(Task(R"({"title": "done in time", "dueDate": "2026-02-01"})"), "done");
  EXPECT_EQ(List(R"({"overdue": true})"), (Titles{"day over", "an hour ago"}));
  EXPECT_EQ(List(R"({"overdue": false})").size(), 6u);
  const Json all = Do("list_tasks", Json::object());
  for (const Json& task : all["tasks"]) {
    EXPECT_EQ(task["overdue"], task["title"] == "day over" || task["title"] == "an hour ago") << task["title"];
  }
  // In Kiritimati it is already March 2nd, 23:00; in Honolulu it is still March 1st.
  harness_.caller().time_zone = "Pacific/Honolulu";
  EXPECT_EQ(List(R"({"overdue": true})"), Titles{"an hour ago"});
  harness_.caller().time_zone = "Pacific/Kiritimati";
  harness_.clock().Advance(absl::Hours(2));
  EXPECT_EQ(List(R"({"overdue": true})"), (Titles{"day over", "today", "an hour ago", "in an hour"}));
}

TEST_F(TasksTest, DueBeforeTakesDaysTimesAndWords) {
  Task(R"({"title": "mon", "dueDate": "2026-03-02"})");
  Task(R"({"title": "tue noon", "dueDate": "2026-03-03T12:00:00Z"})");
  Task(R"({"title": "wed", "dueDate": "2026-03-04"})");
  EXPECT_EQ(List(R"({"dueBefore": "2026-03-03"})"), Titles{"mon"});
  EXPECT_EQ(List(R"({"dueBefore": "2026-03-04"})"), (Titles{"mon", "tue noon"}));
  EXPECT_EQ(List(R"({"dueBefore": "tomorrow"})"), Titles{"mon"});
  EXPECT_EQ(List(R"({"dueBefore": "2026-03-04T00:00:00Z"})"), (Titles{"mon", "tue noon"}));
  EXPECT_EQ(List(R"({"dueBefore": "2026-03-04T00:00:01Z"})"), (Titles{"mon", "tue noon", "wed"}));
  EXPECT_THAT(Call("list_tasks", {{"dueBefore", "next blursday"}}),
              FailsWith(ErrorCode::kInvalidParams, "", "/dueBefore"));
}

TEST_F(TasksTest, ATodoIsTickedByStatus) {
  const std::string task = Task(R"({"title": "x"})");
  EXPECT_EQ(SetStatus(task, "In Progress"),
            Parse(R"({"success": true, "previousStatus": "todo", "newStatus": "in_progress"})"));
  EXPECT_EQ(SetStatus(task, "completed")["newStatus"], "done");
  EXPECT_EQ(harness_.Data(task)["completed"], true);
  EXPECT_THAT(Call("update_task_status", {{"taskId", task}, {"status", "blocked"}}),
              FailsWith(ErrorCode::kInvalidParams, "todo, in_progress and done", "/status"));
  EXPECT_THAT(Call("update_task_status", {{"taskId", task}, {"columnId", done_}}),
              FailsWith(ErrorCode::kInvalidParams, "no column", "/columnId"));
}

TEST_F(TasksTest, ACardMovesToTheColumnThatIsMeant) {
  const std::string card = Task(R"({"title": "x", "columnId": ")" + todo_ + "\"}");
  const auto parent = [&] { return harness_.Block(card).parent_id; };
  SetStatus(card, "final look");
  EXPECT_EQ(parent(), review_);
  EXPECT_EQ(harness_.Data(card)["status"], "in_progress");
  const int64_t version = harness_.Block(card).version;
  SetStatus(card, "in_progress");
  EXPECT_EQ(parent(), review_) << "a column with that status already";
  EXPECT_EQ(harness_.Block(card).version, version);
  EXPECT_EQ(SetStatus(card, "finished")["newStatus"], "done");
  EXPECT_EQ(parent(), done_);
  Do("update_task_status", {{"taskId", card}, {"columnId", doing_}});
  EXPECT_EQ(parent(), doing_);
  Do("update_task_status", {{"taskId", card}, {"columnId", review_}, {"status", "in_progress"}});
  EXPECT_EQ(parent(), review_);
}

TEST_F(TasksTest, AColumnIsMeantWithoutRegardToCaseInAnyAlphabet) {
  const std::string checking = Create("kanban_column", board_, R"({"title": "Überprüfung", "status": "in_progress"})");
  const std::string card = Task(R"({"title": "x", "columnId": ")" + todo_ + "\"}");
  SetStatus(card, "ÜBERPRÜFUNG");
  EXPECT_EQ(harness_.Block(card).parent_id, checking);
  EXPECT_TRUE(Call("update_task_status", {{"taskId", card}, {"columnId", checking}, {"status", "überPRÜFUNG"}}).ok());
}

TEST_F(TasksTest, UpdateTaskStatusRefusesWhatCannotBe) {
  const std::string card = Task(R"({"title": "x", "columnId": ")" + todo_ + "\"}");
  const auto update = [&](Json arguments) { return Call("update_task_status", arguments); };
  EXPECT_THAT(update({{"taskId", card}}), FailsWith(ErrorCode::kMissingRequired, "status or columnId", "/status"));
  EXPECT_THAT(update({{"taskId", card}, {"status", "Parked"}}),
              FailsWith(ErrorCode::kInvalidParams, "\"Final look\" and \"Done\"", "/status"));
  EXPECT_THAT(update({{"taskId", card}, {"columnId", board_}}),
              FailsWith(ErrorCode::kInvalidParams, "kanban_column", "/columnId"));
  EXPECT_THAT(update({{"taskId", card}, {"columnId", done_}, {"status", "todo"}}),
              FailsWith(ErrorCode::kInvalidParams, "different columns", "/status"));
  EXPECT_THAT(update({{"taskId", board_}, {"status", "done"}}),
              FailsWith(ErrorCode::kInvalidParams, "todo or kanban_card", "/taskId"));
  EXPECT_THAT(update({{"taskId", "nowhere"}, {"status", "done"}}), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
}

TEST_F(TasksTest, UndoTakesBackATaskAndAMove) {
  const std::string empty = harness_.Snapshot();
  const std::string card = Task(R"({"title": "x", "boardId": ")" + board_ + R"(", "subtasks": [{"title": "a"}]})");
  const auto creation = harness_.changes();
  EXPECT_EQ(harness_.description(), "Created task \"x\"");
  const std::string created = harness_.Snapshot();
  SetStatus(card, "done");
  EXPECT_EQ(harness_.description(), "Set kanban_card \"x\" to done");
  EXPECT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), created);
  EXPECT_EQ(harness_.Revert(creation).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), empty);
}

}  // namespace
}  // namespace toolgate::executors::workspace
