// The link tools, and the eventLinks that correspond to links.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::links {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using toolgate::testing::WorkspaceTest;

class LinkToolsTest : public WorkspaceTest {
 protected:
  LinkToolsTest()
      : event_(Create("calendar_event", "", R"({"title": "Launch", "date": "2026-03-20"})")),
        note_(Create("note", "", R"({"title": "Checklist"})")),
        task_(Task(R"({"title": "Book the room"})")),
        log_(Create("journal_entry", "", R"({"title": "A day", "date": "2026-03-01"})")) {}

  static Json LinkArguments(const std::string& from, const char* from_type, const std::string& to, const char* to_type,
                            const char* relation = nullptr) {
    Json arguments = {{"fromItemId", from}, {"fromItemType", from_type}, {"toItemId", to}, {"toItemType", to_type}};
    if (relation != nullptr) arguments["relationType"] = relation;
    return arguments;
  }
  Json Link(const std::string& from, const char* from_type, const std::string& to, const char* to_type,
            const char* relation = nullptr) {
    return Do("items_link", LinkArguments(from, from_type, to, to_type, relation));
  }
  // "outgoing blocks Launch" for each.
  std::vector<std::string> LinksOf(const std::string& id) {
    std::vector<std::string> rows;
    const Json answer = Do("items_list_links", {{"itemId", id}});
    for (const Json& link : answer["links"]) {
      rows.push_back(link["direction"].get<std::string>() + " " + link["relationType"].get<std::string>() + " " +
                     link["item"]["title"].get<std::string>());
    }
    return rows;
  }

  const std::string event_;
  const std::string note_;
  const std::string task_;
  const std::string log_;
};

TEST_F(LinkToolsTest, EveryPairOfModulesCanBeLinked) {
  const std::vector<std::pair<std::string, const char*>> items = {
      {event_, "event"}, {note_, "note"}, {task_, "task"}, {log_, "log"}};
  for (const auto& [from, from_type] : items) {
    for (const auto& [to, to_type] : items) {
      if (from == to) continue;
      for (const char* relation : {"references", "blocks", "belongs_to", "scheduled_for"}) {
        EXPECT_EQ(Link(from, from_type, to, to_type, relation)["created"], true) << from_type << relation << to_type;
      }
    }
  }
  EXPECT_EQ(Do("items_list_links", {{"itemId", event_}})["totalCount"], 24);
}

TEST_F(LinkToolsTest, RelationIsReferencesUnlessAnotherIsNamed) {
  EXPECT_EQ(Link(note_, "note", log_, "log")["link"]["relationType"], "references");
  EXPECT_THAT(LinksOf(log_), ElementsAre("incoming references Checklist"));
}

TEST_F(LinkToolsTest, SecondLinkIsNoDuplicate) {
  Link(note_, "note", task_, "task", "blocks");
  const std::string before = harness_.Snapshot();
  EXPECT_EQ(Link(note_, "note", task_, "task", "blocks")["created"], false);
  EXPECT_EQ(harness_.Snapshot(), before);
  EXPECT_TRUE(harness_.changes().empty());
}

TEST_F(LinkToolsTest, WrongTypesAreNamed) {
  const auto call = Call("items_link", LinkArguments(note_, "task", event_, "event"));
  EXPECT_THAT(call, toolgate::testing::FailsWith(ErrorCode::kInvalidParams, "fromItemId names a note, not a task", ""));
  EXPECT_THAT(Call("items_link", LinkArguments(note_, "note", event_, "task")),
              toolgate::testing::FailsWith(ErrorCode::kInvalidParams, "toItemId names an event, not a task", ""));
}

TEST_F(LinkToolsTest, CalendarTaskIsAnEventAndATask) {
  const std::string task = Create("calendar_event", "", R"({"title": "Tax", "date": "2026-03-20", "type": "task"})");
  EXPECT_EQ(Link(task, "task", note_, "note")["created"], true);
  EXPECT_EQ(Link(task, "event", note_, "note")["created"], false);
}

TEST_F(LinkToolsTest, UnknownItemAndItselfAreRefused) {
  EXPECT_THAT(Call("items_link", LinkArguments("nobody", "note", event_, "event")),
              toolgate::testing::FailsWith(ErrorCode::kNotFound, "nobody", ""));
  EXPECT_THAT(Call("items_link", LinkArguments(note_, "note", note_, "note")),
              toolgate::testing::FailsWith(ErrorCode::kInvalidParams, "itself", ""));
}

TEST_F(LinkToolsTest, UnlinkTakesOneRelationOrAll) {
  for (const char* relation : {"blocks", "belongs_to", "scheduled_for"}) Link(task_, "task", event_, "event", relation);
  Link(event_, "event", task_, "task", "blocks");
  EXPECT_EQ(
      Do("items_unlink", {{"fromItemId", task_}, {"toItemId", event_}, {"relationType", "blocks"}})["removedCount"], 1);
  EXPECT_EQ(Do("items_unlink", {{"fromItemId", task_}, {"toItemId", event_}})["removedCount"], 2);
  EXPECT_THAT(LinksOf(task_), ElementsAre("incoming blocks Launch"));
}

TEST_F(LinkToolsTest, UnlinkOfWhatIsNotLinkedSaysWhatThereIs) {
  Link(task_, "task", event_, "event", "blocks");
  EXPECT_THAT(Call("items_unlink", {{"fromItemId", task_}, {"toItemId", event_}, {"relationType", "references"}}),
              toolgate::testing::FailsWith(ErrorCode::kNotFound, "of another relation: blocks", ""));
  EXPECT_THAT(Call("items_unlink", {{"fromItemId", event_}, {"toItemId", task_}}),
              toolgate::testing::FailsWith(ErrorCode::kNotFound, "swap fromItemId and toItemId", ""));
  EXPECT_THAT(Call("items_unlink", {{"fromItemId", note_}, {"toItemId", task_}}),
              toolgate::testing::FailsWith(ErrorCode::kNotFound, "no such link", ""));
}

TEST_F(LinkToolsTest, DeletedItemTakesItsLinksAlongAndUndoBringsBoth) {
  Link(task_, "task", event_, "event", "blocks");
  Link(note_, "note", event_, "event");
  const std::string before = harness_.Snapshot();
  Do("delete_block", {{"blockId", event_}});
  EXPECT_THAT(LinksOf(task_), IsEmpty());
  EXPECT_THAT(harness_.Data(note_)["eventLinks"], IsEmpty());
  const std::string after = harness_.Snapshot();
  const auto redo = harness_.Revert(harness_.changes());
  ASSERT_TRUE(redo.ok()) << redo.status();
  EXPECT_EQ(harness_.Snapshot(), before);
  ASSERT_TRUE(harness_.Revert(*redo).ok());
  EXPECT_EQ(harness_.Snapshot(), after);
}

// ---- eventLinks -----------------------------------------------------------------------------------------------------

TEST_F(LinkToolsTest, EventLinksOfANoteAreLinks) {
  const std::string other = Create("calendar_event", "", R"({"title": "Party", "date": "2026-03-21"})");
  const std::string note = Create("note", "", R"({"title": "N", "eventLinks": [")" + event_ + "\"]}");
  EXPECT_THAT(LinksOf(note), ElementsAre("outgoing references Launch"));
  Do("update_block", {{"blockId", note}, {"data", {{"eventLinks", {other, other, event_}}}}});
  EXPECT_EQ(harness_.Data(note)["eventLinks"], Json({other, event_}));
  EXPECT_EQ(LinksOf(note).size(), 2u);
  Do("update_block", {{"blockId", note}, {"data", {{"eventLinks", nullptr}}}});
  EXPECT_THAT(LinksOf(note), IsEmpty());
}

TEST_F(LinkToolsTest, ALinkFromANoteToAnEventIsAnEventLink) {
  Link(note_, "note", event_, "event", "references");
  EXPECT_EQ(harness_.Data(note_)["eventLinks"], Json({event_}));
  Link(note_, "note", event_, "event", "blocks");
  EXPECT_EQ(harness_.Data(note_)["eventLinks"], Json({event_}));
  Do("items_unlink", {{"fromItemId", note_}, {"toItemId", event_}, {"relationType", "references"}});
  EXPECT_EQ(harness_.Data(note_)["eventLinks"], Json::array());
  EXPECT_THAT(LinksOf(note_), ElementsAre("outgoing blocks Launch"));
}

TEST_F(LinkToolsTest, OtherReferencesOfANoteOutliveItsEventLinks) {
  Link(note_, "note", log_, "log", "references");
  Do("update_block", {{"blockId", note_}, {"data", {{"eventLinks", {event_}}}}});
  Do("update_block", {{"blockId", note_}, {"data", {{"eventLinks", Json::array()}}}});
  EXPECT_THAT(LinksOf(note_), ElementsAre("outgoing references A day"));
}

TEST_F(LinkToolsTest, EventLinkToNoEventIsRefused) {
  for (const std::string& id : {std::string("nobody"), note_, event_ + "x"}) {
    EXPECT_THAT(Call("create_block", {{"type", "note"}, {"data", {{"title", "N"}, {"eventLinks", {event_, id}}}}}),
                toolgate::testing::FailsWith(ErrorCode::kInvalidParams, "no calendar event with this id", ""));
  }
}

TEST_F(LinkToolsTest, OccurrenceOfASeriesStandsForTheSeries) {
  const std::string occurrence = event_ + "@2026-03-20";
  const std::string note =
      Do("create_block", {{"type", "note"}, {"data", {{"title", "N"}, {"eventLinks", {occurrence}}}}})["blockId"];
  EXPECT_EQ(harness_.Data(note)["eventLinks"], Json({event_}));
  Link(task_, "task", occurrence, "event", "scheduled_for");
  EXPECT_THAT(LinksOf(task_), ElementsAre("outgoing scheduled_for Launch"));
  EXPECT_EQ(LinksOf(occurrence).size(), 2u);
}

TEST_F(LinkToolsTest, DeletingAPageWithEventsForgetsThemEverywhere) {
  const std::string page = Create("page", "", R"({"title": "Trip"})");
  const std::string inner = Create("calendar_event", page, R"({"title": "Train", "date": "2026-03-21"})");
  const std::string inner_note = Create("note", page, R"({"title": "In", "eventLinks": [")" + inner + "\"]}");
  Do("update_block", {{"blockId", note_}, {"data", {{"eventLinks", {inner, event_}}}}});
  const std::string before = harness_.Snapshot();
  Do("delete_block", {{"blockId", page}, {"deleteChildren", true}});
  EXPECT_EQ(harness_.Data(note_)["eventLinks"], Json({event_}));
  ASSERT_TRUE(harness_.Revert(harness_.changes()).ok());
  EXPECT_EQ(harness_.Snapshot(), before);
}

}  // namespace
}  // namespace toolgate::executors::links
