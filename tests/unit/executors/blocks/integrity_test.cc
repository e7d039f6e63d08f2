// Undo never leaves a state that no tool would have allowed.
#include "executors/blocks/integrity.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/fibers/cancellation.h"
#include "common/status_macros.h"
#include "gmock/gmock.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::blocks {
namespace {

using storage::Changes;
using testing::FailsWith;
using testing::WorkspaceTest;

class IntegrityTest : public WorkspaceTest {
 protected:
  // Changes of a call, to be taken back later.
  Changes Changing(std::string_view tool, const Json& arguments) {
    Do(tool, arguments);
    return harness_.changes();
  }
  Changes Update(const std::string& id, const std::string& data) {
    return Changing("update_block", {{"blockId", id}, {"data", Parse(data)}});
  }
  Changes Delete(const std::string& id) { return Changing("delete_block", {{"blockId", id}}); }

  Changes Undo(const Changes& changes) {
    absl::StatusOr<Changes> done = harness_.Revert(changes);
    EXPECT_TRUE(done.ok()) << done.status();
    return done.ok() ? *std::move(done) : Changes();
  }
  // `text` is part of the message; `obstacle` is the block that prevents the undo. Nothing is half undone.
  void Refuses(const Changes& changes, const std::string& text, const std::string& obstacle) {
    const std::string before = harness_.Snapshot();
    const absl::StatusOr<Changes> done = harness_.Revert(changes);
    EXPECT_THAT(done, FailsWith(ErrorCode::kConflict, text, ""));
    EXPECT_EQ(Fact(done.status(), "blockId"), obstacle);
    EXPECT_EQ(Fact(done.status(), "changeId"), harness_.Block(obstacle).change_id);
    EXPECT_EQ(harness_.Snapshot(), before);
  }
  static std::string Fact(const absl::Status& status, std::string_view name) {
    const std::optional<ToolError> error = GetToolError(status);
    if (!error.has_value()) return "";
    for (const auto& [key, value] : error->facts) {
      if (key == name) return value;
    }
    return "";
  }
  // Bypasses the tools' rules, as an earlier release may have done.
  void Write(absl::FunctionRef<absl::Status(storage::Transaction&)> body) {
    const storage::WriteContext context{"test", "bob", absl::StrCat("raw-", ++writes_), harness_.clock().Now()};
    const absl::Status status =
        harness_.store().Commit(context, storage::CommitMode::kDurable, fibers::Cancellation(), body);
    EXPECT_TRUE(status.ok()) << status;
  }

  int writes_ = 0;
};

class CardIntegrityTest : public IntegrityTest {
 protected:
  void SetUp() override {
    board_ = Create("kanban_board", "", R"({"title": "Board"})");
    todo_ = Create("kanban_column", board_, R"({"title": "To do"})");
    done_ = Create("kanban_column", board_, R"({"title": "Done"})");
    card_ = Create("kanban_card", todo_, R"({"title": "Ship"})");
  }
  std::string board_, todo_, done_, card_;
};

TEST_F(CardIntegrityTest, ACardDoesNotComeBackToAColumnOfAnotherStatus) {
  const Changes move = Changing("kanban_move_card", {{"cardId", card_}, {"columnId", done_}});
  const Changes change = Update(todo_, R"({"status": "in_progress"})");
  Refuses(move, "\"todo\" in kanban_column \"To do\"", todo_);
  Undo(change);
  Undo(move);
  EXPECT_EQ(harness_.Block(card_).parent_id, todo_);
}

TEST_F(CardIntegrityTest, ADeletedCardDoesNotComeBackToAColumnOfAnotherStatus) {
  const Changes deletion = Delete(card_);
  Update(todo_, R"({"status": "done"})");
  Refuses(deletion, "would have the status \"todo\"", todo_);
}

TEST_F(CardIntegrityTest, AColumnsStatusStaysWhenCardsHaveComeSince) {
  const Changes change = Update(todo_, R"({"status": "in_progress"})");
  const std::string newcomer = Create("kanban_card", todo_, R"({"title": "New"})");
  Refuses(change, "kanban_card \"New\"", newcomer);
  Changing("kanban_move_card", {{"cardId", newcomer}, {"columnId", done_}});
  Undo(change);
  EXPECT_EQ(harness_.Data(card_)["status"], "todo");
}

TEST_F(CardIntegrityTest, ARedoIsHeldAgainstTheRulesAsWell) {
  const Changes redo = Undo(Changing("kanban_move_card", {{"cardId", card_}, {"columnId", done_}}));
  Update(done_, R"({"status": "in_progress"})");
  Refuses(redo, "would have the status \"done\"", done_);
}

TEST_F(CardIntegrityTest, SeveralChangesOfManyCardsGoBackInTurn) {
  for (int i = 0; i < 50; ++i) Create("kanban_card", todo_, R"({"title": "One of many"})");
  const std::string start = harness_.Snapshot();
  const Changes status = Update(todo_, R"({"status": "in_progress"})");
  const Changes move = Changing("kanban_move_card", {{"cardId", card_}, {"columnId", done_}});
  const Changes deletion = Delete(todo_);
  Undo(deletion);
  Undo(move);
  Undo(status);
  EXPECT_EQ(harness_.Snapshot(), start);
}

TEST_F(CardIntegrityTest, ABoardComesBackWhole) {
  const std::string start = harness_.Snapshot();
  Undo(Delete(board_));
  EXPECT_EQ(harness_.Snapshot(), start);
}

TEST_F(CardIntegrityTest, WhatWasWrongBeforeStandsInNobodysWay) {
  Write(
      [&](storage::Transaction& tx) { return tx.UpdateBlock(card_, R"({"title":"Ship","status":"done"})").status(); });
  const Changes other =
      Changing("create_block", {{"type", "paragraph"}, {"parentId", card_}, {"data", {{"content", "x"}}}});
  Undo(other);
  const Changes color = Update(todo_, R"({"color": "red"})");
  Undo(color);
}

TEST_F(IntegrityTest, ABlockDoesNotComeBackBelowATypeThatMayNotHoldIt) {
  const std::string board = Create("kanban_board", "", R"({"title": "Board"})");
  const std::string column = Create("kanban_column", board, R"({"title": "Done"})");
  const Changes deletion = Delete(column);
  Delete(board);
  Write([&](storage::Transaction& tx) {
    return tx.CreateBlock({board, "page", "", R"({"title":"Page"})", {}}).status();
  });
  Refuses(deletion, "kanban_column \"Done\"", board);
}

class RowIntegrityTest : public IntegrityTest {
 protected:
  void SetUp() override {
    database_ = Create("database", "", R"({"title": "Stock", "properties": [
        {"name": "Item", "type": "text"}, {"name": "Price", "type": "number"},
        {"name": "State", "type": "select", "options": {"options": ["New", "Old"]}}]})");
    row_ = Create("database_row", database_, R"({"properties": {"Item": "Desk", "Price": 1, "State": "New"}})");
  }
  Changes SetProperties(const std::string& list) { return Update(database_, R"({"properties": )" + list + "}"); }
  std::string Values() { return DumpJson(harness_.Data(row_)["properties"]); }

  std::string database_, row_;
};

TEST_F(RowIntegrityTest, APropertyThatRowsUseIsNotTakenAway) {
  const Changes added = Changing("add_property", {{"databaseId", database_}, {"name", "Size"}, {"type", "text"}});
  Update(row_, R"({"properties": {"Size": "large"}})");
  Refuses(added, "holds a value of property \"size\"", row_);
  Update(row_, R"({"properties": {"Size": null}})");
  Undo(added);
}

TEST_F(RowIntegrityTest, AValueIsNotChangedBackOncePropertyOrOptionIsDropped) {
  const Changes price = Update(row_, R"({"properties": {"Price": 2}})");
  const Changes dropped = SetProperties(
      R"([{"name": "Item", "type": "text"}, {"name": "State", "type": "select", "options": {"options": ["New", "Old"]}}])");
  Refuses(price, "no property \"price\"", database_);
  Undo(dropped);
  Undo(price);

  const Changes state = Update(row_, R"({"properties": {"State": "Old"}})");
  SetProperties(R"([{"name": "Item", "type": "text"}, {"name": "Price", "type": "number"},
                    {"name": "State", "type": "select", "options": {"options": ["Old"]}}])");
  Refuses(state, "property \"State\"", database_);
}

TEST_F(RowIntegrityTest, AnotherValueIsChangedBackBesideOneThatNothingStandsBehind) {
  SetProperties(R"([{"name": "Item", "type": "text"}, {"name": "Price", "type": "number"},
                    {"name": "State", "type": "select", "options": {"options": ["Old"]}}])");
  const std::string before = Values();
  Undo(Update(row_, R"({"properties": {"Item": "Chair"}})"));
  EXPECT_EQ(Values(), before);
}

TEST_F(RowIntegrityTest, ADeletedRowComesBackWithWhatItHeld) {
  const std::string before = Values();
  const Changes deletion = Delete(row_);
  SetProperties(R"([{"name": "Item", "type": "text"},
                    {"name": "State", "type": "select", "options": {"options": ["Old"]}}])");
  Undo(deletion);
  EXPECT_EQ(Values(), before);
  EXPECT_EQ(DumpJson(Do("get_block", {{"blockId", row_}})["block"]["data"]["properties"]),
            R"({"item":"Desk","state":"New"})")
      << "as if it had been there when the property was dropped";
}

TEST_F(RowIntegrityTest, ADeletedRowDoesNotComeBackWithAPropertyThatNeverWas) {
  const Changes added = Changing("add_property", {{"databaseId", database_}, {"name", "Size"}, {"type", "text"}});
  Update(row_, R"({"properties": {"Size": "large"}})");
  const Changes deletion = Delete(row_);
  Undo(added);
  Refuses(deletion, "no property \"size\"", database_);
}

TEST_F(RowIntegrityTest, ARelationDoesNotPointAtADatabaseAgainThatIsGone) {
  const std::string authors = Create("database", "", R"({"title": "Authors"})");
  const std::string relation = R"([{"name": "By", "type": "relation", "options": {"databaseId": ")";
  const std::string books =
      Create("database", "", R"({"title": "Books", "properties": )" + relation + authors + "\"}}]}");
  const Changes change = Update(books, R"({"properties": )" + relation + database_ + "\"}}]}");
  const Changes deletion = Delete(authors);
  const absl::StatusOr<Changes> refused = harness_.Revert(change);
  EXPECT_THAT(refused, FailsWith(ErrorCode::kConflict, authors + ", which is gone", ""));
  EXPECT_EQ(Fact(refused.status(), "blockId"), books);
  Undo(deletion);
  Undo(change);
}

class SeriesIntegrityTest : public IntegrityTest {
 protected:
  void SetUp() override {
    series_ = Create("calendar_event", "",
                     R"({"title": "Stand-up", "date": "2026-03-02", "recurrence": "FREQ=WEEKLY;BYDAY=MO"})");
  }
  std::string Change(const std::string& day) {
    return Create("calendar_event", series_,
                  absl::StrCat(R"({"title": "Moved", "date": ")", day, R"(", "recurrenceId": ")", day, "\"}"));
  }
  std::string series_;
};

TEST_F(SeriesIntegrityTest, AChangedOccurrenceDoesNotComeBackToAnEventThatRecursNoMore) {
  const Changes deletion = Delete(Change("2026-03-09"));
  const Changes ended = Update(series_, R"({"recurrence": null})");
  Refuses(deletion, "would not recur", series_);
  Undo(ended);
  Undo(deletion);
}

TEST_F(SeriesIntegrityTest, AnEventGoesOnRecurringForTheSakeOfItsChangedOccurrences) {
  const std::string single = Create("calendar_event", "", R"({"title": "Talk", "date": "2026-03-02"})");
  const Changes began = Update(single, R"({"recurrence": "FREQ=DAILY"})");
  const std::string changed =
      Create("calendar_event", single, R"({"title": "Moved", "date": "2026-03-04", "recurrenceId": "2026-03-04"})");
  Refuses(began, "would not recur", changed);
}

TEST_F(SeriesIntegrityTest, AnOccurrenceIsChangedByOneBlockOnly) {
  const Changes deletion = Delete(Change("2026-03-09"));
  const std::string other = Change("2026-03-09");
  Refuses(deletion, "the occurrence of 2026-03-09", other);
  Change("2026-03-16");
}

TEST_F(SeriesIntegrityTest, ASeriesComesBackWithItsChangedOccurrences) {
  Change("2026-03-09");
  Change("2026-03-16");
  const std::string start = harness_.Snapshot();
  const Changes ended = Update(series_, R"({"recurrence": null})");
  const Changes deletion = Delete(series_);
  Undo(deletion);
  Undo(ended);
  EXPECT_EQ(harness_.Snapshot(), start);
}

// An undo or a redo of a series that was changed meanwhile.
class SeriesDaysIntegrityTest : public IntegrityTest {
 protected:
  using Rows = std::vector<std::string>;

  void SetUp() override { series_ = Series("FREQ=DAILY;COUNT=5"); }

  // From 2026-12-01 on.
  std::string Series(const std::string& rule) {
    return Do("calendar_create_event", {{"title", "S"}, {"date", "2026-12-01"}, {"recurrence", rule}})
        .value("eventId", "");
  }
  Changes Set(const std::string& day, const std::string& scope, const std::string& fields) {
    Json arguments = Parse(fields);
    arguments["eventId"] = day.empty() ? series_ : absl::StrCat(series_, "@2026-", day);
    arguments["scope"] = scope;
    return Changing("calendar_update_event", arguments);
  }
  Changes Rename(const std::string& day, const std::string& scope, const std::string& title) {
    return Set(day, scope, DumpJson({{"title", title}}));
  }
  // Moves the whole series to begin on that day.
  Changes Shift(const std::string& day) { return Set("", "all", DumpJson({{"date", "2026-" + day}})); }
  Changes DeleteEvent(const std::string& day, const std::string& scope) {
    return Changing("calendar_delete_event", {{"eventId", absl::StrCat(series_, "@2026-", day)}, {"scope", scope}});
  }
  // The block with the change of that day.
  std::string Own(const std::string& day) {
    std::string id;
    const absl::Status status = harness_.store().Read("test", [&](storage::ReadView& view) {
      ASSIGN_OR_RETURN(const auto children, view.ListChildren(series_, 1000));
      for (const auto& child : children) {
        if (child.data.find("\"recurrenceId\":\"2026-" + day) != std::string::npos) id = child.id;
      }
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_NE(id, "") << day;
    return id;
  }
  std::string Raw(const std::string& day, const std::string& title) {
    return Create("calendar_event", series_,
                  DumpJson({{"title", title}, {"date", "2026-" + day}, {"recurrenceId", "2026-" + day}}));
  }
  // "12-03 CHANGED" and so on.
  Rows Listed() {
    const Json list = Do("calendar_list_events", {{"dateFrom", "2026-11-01"}, {"dateTo", "2027-01-31"}});
    Rows rows;
    for (const Json& event : list["events"]) {
      rows.push_back(event.value("date", "").substr(5) + " " + event.value("title", ""));
    }
    return rows;
  }
  // In both directions, if nothing else changed.
  void GoesBackAndForth(const Changes& change) {
    const std::string after = harness_.Snapshot();
    const Changes redo = Undo(change);
    const std::string before = harness_.Snapshot();
    const Changes undo = Undo(redo);
    EXPECT_EQ(harness_.Snapshot(), after);
    Undo(Undo(undo));
    EXPECT_EQ(harness_.Snapshot(), after);
    Undo(change);
    EXPECT_EQ(harness_.Snapshot(), before);
    Undo(redo);
  }

  std::string series_;
};

TEST_F(SeriesDaysIntegrityTest, ADeletedChangeDoesNotComeBackBesideTheSeriesThatTookItsDayOver) {
  Rename("12-03", "this", "CHANGED");
  const Changes deletion = Delete(Own("12-03"));
  const Changes split = Rename("12-02", "this_and_following", "BOB");
  Refuses(deletion, "has no occurrence on that day any more", series_);
  Undo(split);
  Undo(deletion);
  EXPECT_EQ(Listed(), (Rows{"12-01 S", "12-02 S", "12-03 CHANGED", "12-04 S", "12-05 S"}));
}

TEST_F(SeriesDaysIntegrityTest, AShiftIsNotTakenBackUnderAnOccurrenceChangedSince) {
  const Changes shift = Shift("12-02");
  const Changes last = Rename("12-06", "this", "BOB last");
  Refuses(shift, "would stand for another one", Own("12-06"));
  Undo(last);
  // A day of the series both before and after: but of another occurrence.
  const Changes middle = Rename("12-04", "this", "BOB middle");
  Refuses(shift, "from 2026-12-02 to 2026-12-01", Own("12-04"));
  Undo(middle);
  Undo(shift);
  EXPECT_EQ(Listed(), (Rows{"12-01 S", "12-02 S", "12-03 S", "12-04 S", "12-05 S"}));
}

TEST_F(SeriesDaysIntegrityTest, AShiftIsNotRedoneUnderAnOccurrenceChangedSince) {
  const Changes redo = Undo(Shift("12-02"));
  Rename("12-03", "this", "BOB");
  Refuses(redo, "would stand for another one", Own("12-03"));
}

TEST_F(SeriesDaysIntegrityTest, ADeletedOccurrenceIsNotRedone) {
  const Changes redo = Undo(Rename("12-03", "this", "CHANGED"));
  const Changes deletion = DeleteEvent("12-03", "this");
  Refuses(redo, "has no occurrence on that day any more", series_);
  Undo(deletion);
  Undo(redo);
}

TEST_F(SeriesDaysIntegrityTest, WhatWasDeletedWithThoseThatFollowIsNotRedone) {
  const Changes redo = Undo(Rename("12-03", "this", "CHANGED"));
  DeleteEvent("12-02", "this_and_following");
  Refuses(redo, "has no occurrence on that day any more", series_);
}

TEST_F(SeriesDaysIntegrityTest, ARedoDoesNotReplaceAnotherOccurrenceAfterAShift) {
  const Changes redo = Undo(Rename("12-03", "this", "CHANGED"));
  const Changes shift = Shift("12-02");
  Refuses(redo, "has been moved since, from 2026-12-01 to 2026-12-02", series_);
  Undo(shift);
  Undo(redo);
  EXPECT_EQ(Listed()[2], "12-03 CHANGED");
}

TEST_F(SeriesDaysIntegrityTest, ADeletedChangeDoesNotReplaceAnotherOccurrenceAfterAShift) {
  Rename("12-03", "this", "CHANGED");
  const Changes deletion = Delete(Own("12-03"));
  Shift("12-02");
  Refuses(deletion, "has been moved since", series_);
  Shift("12-01");
  Undo(deletion);
}

TEST_F(SeriesDaysIntegrityTest, ARedoDoesNotDoubleAnOccurrenceAfterASplit) {
  const Changes redo = Undo(Rename("12-03", "this", "CHANGED"));
  Rename("12-02", "this_and_following", "BOB");
  Refuses(redo, "has no occurrence on that day any more", series_);
}

TEST_F(SeriesDaysIntegrityTest, ADeletionIsNotRedoneUnderAnOccurrenceChangedSince) {
  const Changes one = Undo(DeleteEvent("12-03", "this"));
  Rename("12-03", "this", "BOB");
  Refuses(one, "would stand on a day on which", Own("12-03"));
}

TEST_F(SeriesDaysIntegrityTest, ASplitIsNotRedoneUnderAnOccurrenceChangedSince) {
  const Changes split = Undo(Rename("12-03", "this_and_following", "LATER"));
  Rename("12-04", "this", "BOB");
  Refuses(split, "would stand on a day on which", Own("12-04"));
}

TEST_F(SeriesDaysIntegrityTest, AnOccurrenceDoesNotBecomeThatOfADayThatIsGone) {
  const std::string own = Raw("12-03", "CHANGED");
  const Changes moved = Update(own, R"({"recurrenceId": "2026-12-02"})");
  Update(series_, R"({"exceptions": ["2026-12-03"]})");
  Refuses(moved, "has no occurrence on that day any more", series_);
}

TEST_F(SeriesDaysIntegrityTest, OtherChangesOfTheSeriesStandInNobodysWay) {
  Rename("12-03", "this", "CHANGED");
  const Changes deletion = Delete(Own("12-03"));
  Rename("", "all", "T");
  DeleteEvent("12-02", "this");
  DeleteEvent("12-05", "this_and_following");
  Undo(deletion);
  EXPECT_EQ(Listed(), (Rows{"12-01 T", "12-03 CHANGED", "12-04 T"}));
}

TEST_F(SeriesDaysIntegrityTest, WhatNobodyTouchedGoesBackAndForth) {
  GoesBackAndForth(Rename("12-03", "this", "CHANGED"));
  GoesBackAndForth(Set("12-02", "this", R"({"date": "2026-12-09"})"));
  GoesBackAndForth(Delete(Own("12-03")));
  GoesBackAndForth(Rename("12-04", "this", "CHANGED"));
  GoesBackAndForth(DeleteEvent("12-04", "this"));
  GoesBackAndForth(Shift("12-03"));
  GoesBackAndForth(Shift("12-01"));
  GoesBackAndForth(Rename("", "all", "T"));
  GoesBackAndForth(Rename("12-02", "this_and_following", "LATER"));
  GoesBackAndForth(Rename("12-01", "this", "FIRST"));
  series_ = Series("FREQ=DAILY");
  Rename("12-20", "this", "CHANGED");
  GoesBackAndForth(DeleteEvent("12-18", "this_and_following"));
}

// update_block and create_block may leave a changed occurrence off its series' days.
TEST_F(SeriesDaysIntegrityTest, WhatStoodOffTheSeriesDaysMayDoSoAgain) {
  Rename("12-03", "this", "CHANGED");
  GoesBackAndForth(Update(series_, R"({"recurrence": "FREQ=WEEKLY;COUNT=5"})"));
  GoesBackAndForth(Update(series_, R"({"date": "2026-12-02"})"));
  GoesBackAndForth(DeleteEvent("12-09", "this"));
  GoesBackAndForth(Delete(Own("12-03")));
  GoesBackAndForth(Update(Raw("12-04", "Raw"), R"({"recurrenceId": "2026-12-05"})"));
  GoesBackAndForth(Update(series_, R"({"recurrence": null})"));
}

TEST_F(SeriesDaysIntegrityTest, AnEndlessSeriesIsNotUnrolled) {
  series_ = Series("FREQ=DAILY");
  const std::string far =
      Create("calendar_event", series_, R"({"title": "Far", "date": "9999-12-30", "recurrenceId": "9999-12-30"})");
  const Changes deletion = Delete(far);
  Undo(deletion);
  GoesBackAndForth(DeleteEvent("12-02", "this"));
}

}  // namespace
}  // namespace toolgate::executors::blocks
