#include "executors/workspace/search_workspace.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::workspace {
namespace {

using testing::FailsWith;
using testing::WorkspaceTest;

class SearchWorkspaceTest : public WorkspaceTest {
 protected:
  std::vector<std::string> Search(const std::string& query, const std::string& types = "[]") {
    const Json result = Do("search_workspace", {{"query", query}, {"blockTypes", Parse(types)}});
    std::vector<std::string> contents = Pluck(result["results"], "content");
    EXPECT_EQ(result["totalCount"], contents.size());
    std::sort(contents.begin(), contents.end());
    return contents;
  }
};

using Contents = std::vector<std::string>;

TEST_F(SearchWorkspaceTest, FindsWordsAndNamesThePage) {
  const std::string page = Create("page", "", R"({"title": "Handbook"})");
  const std::string heading = Create("heading", page, R"({"content": "Deployment"})");
  Create("paragraph", heading, R"({"content": "Roll out on Tuesdays"})");
  Create("paragraph", "", R"({"content": "Roll the dice"})");
  const std::string board = Create("kanban_board", "", R"({"title": "Games"})");
  const std::string column = Create("kanban_column", board, R"({"title": "Dicey"})");
  Create("kanban_card", column, R"({"title": "Roll away", "description": "with stones"})");
  const Json result = Do("search_workspace", {{"query", "roll"}});
  EXPECT_EQ(result["totalCount"], 3);
  for (const Json& hit : result["results"]) {
    const std::string expected = hit["content"] == "Roll out on Tuesdays" ? "Handbook"
                                 : hit["content"] == "Roll the dice"      ? ""
                                                                          : "Dicey";
    EXPECT_EQ(hit["pageTitle"], expected) << hit["content"];
    EXPECT_GT(hit["relevanceScore"], 0);
  }
  EXPECT_EQ(Search("roll", R"(["kanban_card"])"), Contents{"Roll away\nwith stones"});
  EXPECT_EQ(Search("handbook"), Contents{"Handbook"});
  EXPECT_EQ(Do("search_workspace", {{"query", "handbook"}})["results"][0]["pageTitle"], "Handbook");
  EXPECT_EQ(Search("nothing like that"), Contents{});
}

TEST_F(SearchWorkspaceTest, FindsRowsByTheirValues) {
  const std::string database = Create(
      "database", "",
      R"({"title": "Books", "properties": [{"name": "Name", "type": "text"}, {"name": "Pages", "type": "number"}]})");
  Create("database_row", database, R"({"properties": {"Name": "Moby Dick", "Pages": 600}})");
  EXPECT_EQ(Search("moby"), Contents{"name: Moby Dick; pages: 600"});
}

TEST_F(SearchWorkspaceTest, UnderstandsIntents) {
  const std::string board = Create("kanban_board", "", R"({"title": "Board"})");
  const std::string doing = Create("kanban_column", board, R"({"title": "Doing"})");
  Task(R"({"title": "late", "dueDate": "2026-02-27", "priority": "high"})");
  Task(R"({"title": "today", "dueDate": "2026-03-02", "assignedTo": "bob"})");
  Task(R"({"title": "tomorrow", "dueDate": "2026-03-03T15:00:00Z", "assignedTo": "ann"})");
  Task(R"({"title": "sunday", "dueDate": "2026-03-08"})");
  Task(R"({"title": "next monday", "dueDate": "2026-03-09", "priority": "critical"})");
  Task(R"({"title": "card", "priority": "low", "columnId": ")" + doing + "\"}");
  Create("todo", "", R"({"content": "ticked", "dueDate": "2026-01-01", "completed": true})");
  Create("page", "", R"({"title": "Overdue tasks of the state"})");
  EXPECT_EQ(Search("overdue tasks"), Contents{"late"});
  EXPECT_EQ(Search("what is due today?"), Contents{"today"});
  EXPECT_EQ(Search("due tomorrow"), Contents{"tomorrow"});
  EXPECT_EQ(Search("tasks due this week"), (Contents{"sunday", "today", "tomorrow"}));
  EXPECT_EQ(Search("due next week"), Contents{"next monday"});
  EXPECT_EQ(Search("due by tomorrow"), (Contents{"late", "ticked", "today", "tomorrow"}));
  EXPECT_EQ(Search("open tasks due before tuesday"), (Contents{"late", "today"}));
  EXPECT_EQ(Search("high priority"), Contents{"late"});
  EXPECT_EQ(Search("urgent tasks"), (Contents{"late", "next monday"}));
  EXPECT_EQ(Search("completed tasks"), Contents{"ticked"});
  EXPECT_EQ(Search("tasks in progress"), Contents{"card"});
  EXPECT_EQ(Search("assigned to bob"), Contents{"today"});
  EXPECT_EQ(Search("my tasks"), Contents{"tomorrow"});
  EXPECT_EQ(Search("open cards"), Contents{"card"});
  EXPECT_EQ(Search("all todos").size(), 6u);
  EXPECT_EQ(Search("high priority tasks: late"), Contents{"late"});
  EXPECT_EQ(Search("high priority tasks: other"), Contents{});
  EXPECT_EQ(Search("overdue tasks", R"(["todo"])"), Contents{"late"});
  // Pages are never overdue, so the words are plain text.
  EXPECT_EQ(Search("overdue tasks", R"(["page"])"), Contents{"Overdue tasks of the state"});
  EXPECT_EQ(Search("my urgent tasks", R"(["page"])"), Contents{});
}

TEST_F(SearchWorkspaceTest, FindsATitleThatSoundsLikeAnIntent) {
  Create("note", "", R"({"title": "Overdue invoices"})");
  Task(R"({"title": "late", "dueDate": "2026-02-27"})");
  EXPECT_EQ(Search("overdue invoices"), Contents{"Overdue invoices"});
  EXPECT_EQ(Search("overdue"), Contents{"late"});
}

TEST_F(SearchWorkspaceTest, NegationTurnsAnIntentRound) {
  Task(R"({"title": "late", "dueDate": "2026-02-27", "assignedTo": "ann"})");
  Task(R"({"title": "bobs", "dueDate": "2026-03-03", "assignedTo": "bob", "priority": "high"})");
  Task(R"({"title": "nobodys"})");
  Create("todo", "", R"({"content": "ticked", "completed": true, "assignedTo": "ann"})");
  EXPECT_EQ(Search("tasks not assigned to me"), (Contents{"bobs", "nobodys"}));
  EXPECT_EQ(Search("not my tasks"), (Contents{"bobs", "nobodys"}));
  EXPECT_EQ(Search("tasks not assigned to anyone"), Contents{"nobodys"});
  EXPECT_EQ(Search("tasks that aren't unassigned"), (Contents{"bobs", "late", "ticked"}));
  EXPECT_EQ(Search("not overdue tasks"), (Contents{"bobs", "nobodys", "ticked"}));
  EXPECT_EQ(Search("tasks not due this week"), (Contents{"late", "nobodys", "ticked"}));
  EXPECT_EQ(Search("tasks without high priority"), (Contents{"late", "nobodys", "ticked"}));
  EXPECT_EQ(Search("my tasks that are not done"), Contents{"late"});
  EXPECT_EQ(Search("tasks that aren’t marked done"), (Contents{"bobs", "late", "nobodys"}));
}

TEST_F(SearchWorkspaceTest, MyMeansWhatIsAssignedToMeWhateverElseTheTasksAre) {
  Task(R"({"title": "mine", "dueDate": "2026-02-27", "assignedTo": "ann", "priority": "high"})");
  Task(R"({"title": "bobs", "dueDate": "2026-02-27", "assignedTo": "bob", "priority": "high"})");
  EXPECT_EQ(Search("my overdue tasks"), Contents{"mine"});
  EXPECT_EQ(Search("what are my urgent and overdue tasks?"), Contents{"mine"});
  EXPECT_EQ(Search("not my urgent tasks"), Contents{"bobs"});
}

TEST_F(SearchWorkspaceTest, OrMakesOneOfTwoIntentsEnough) {
  Task(R"({"title": "late", "dueDate": "2026-02-27", "assignedTo": "ann"})");
  Task(R"({"title": "urgent", "dueDate": "2026-03-03", "priority": "high"})");
  Task(R"({"title": "monday", "dueDate": "2026-03-09", "assignedTo": "ann"})");
  Task(R"({"title": "bobs", "assignedTo": "bob"})");
  EXPECT_EQ(Search("overdue or urgent tasks"), (Contents{"late", "urgent"}));
  EXPECT_EQ(Search("my overdue or urgent tasks"), Contents{"late"});
  EXPECT_EQ(Search("overdue tasks or tasks assigned to bob"), (Contents{"bobs", "late"}));
  EXPECT_EQ(Search("tasks due today, or tomorrow or next week"), (Contents{"monday", "urgent"}));
  EXPECT_EQ(Search("tasks due this week or next week"), (Contents{"monday", "urgent"}));
  EXPECT_EQ(Search("overdue, urgent tasks"), Contents{});
}

TEST_F(SearchWorkspaceTest, RefusesMoreDifferentWordsThanASearchTakes) {
  std::string words;
  for (int i = 0; i < 32; ++i) absl::StrAppend(&words, "w", i, " w", i, " ");
  Create("paragraph", "", Json({{"content", words}}).dump());
  EXPECT_EQ(Do("search_workspace", {{"query", words}})["totalCount"], 1);
  EXPECT_THAT(Call("search_workspace", {{"query", words + "one more"}}),
              FailsWith(ErrorCode::kInvalidParams, "34 different words", "/query"));
  EXPECT_THAT(Call("notes_search", {{"q", words + "more"}}),
              FailsWith(ErrorCode::kInvalidParams, "33 different words", "/q"));
  EXPECT_THAT(Call("journal_list", {{"q", words + "more"}}),
              FailsWith(ErrorCode::kInvalidParams, "33 different words", "/q"));
}

TEST_F(SearchWorkspaceTest, HoldsItsLimits) {
  for (int i = 0; i < 12; ++i) Create("paragraph", "", R"({"content": "needle"})");
  const Json result = Do("search_workspace", {{"query", "needle"}});
  EXPECT_EQ(result["results"].size(), 10u);
  EXPECT_EQ(result["totalCount"], 12);
  EXPECT_THAT(Call("search_workspace", {{"query", "x"}, {"limit", 51}}),
              FailsWith(ErrorCode::kInvalidParams, "", "/limit"));
  EXPECT_THAT(Call("search_workspace", {{"query", "x"}, {"blockTypes", {"poem"}}}),
              FailsWith(ErrorCode::kInvalidParams, "", "/blockTypes/0"));
  EXPECT_THAT(Call("search_workspace", {{"limit", 5}}), FailsWith(ErrorCode::kInvalidParams, "", ""));
  Create("paragraph", "", Json({{"content", "haystack " + std::string(600, 'x')}}).dump());
  EXPECT_EQ(Do("search_workspace", {{"query", "haystack"}})["results"][0]["content"],
            "haystack " + std::string(491, 'x') + "…");
}

}  // namespace
}  // namespace toolgate::executors::workspace
