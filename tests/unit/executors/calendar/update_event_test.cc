// calendar_update_event.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/calendar_fixture.h"

namespace toolgate::executors::calendar {
namespace {

using testing::FailsWith;

// ---- Every scope at every position ----------------------------------------------------------------------------------

// The series is daily, 03-02 to 03-06 at 09:30; 03-03 is an exception, and 03-05 was put off to 03-12 and renamed.
struct ScopeCase {
  std::string name;
  std::string day;  // Of the addressed occurrence; empty: the bare id.
  std::string changes;
  std::vector<std::string> year;
  std::string answered;  // The day in the answer's event.
};

class UpdateScopeTest : public CalendarTest, public ::testing::WithParamInterface<ScopeCase> {
 protected:
  void SetUp() override {
    series_ = Daily();
    Delete(At(series_, "2026-03-03"));
    Update(At(series_, "2026-03-05"), R"({"title": "Moved", "date": "2026-03-12"})");
    ASSERT_EQ(Year(), (Texts{"03-02 09:30 Daily", "03-04 09:30 Daily", "03-06 09:30 Daily", "03-12 09:30 Moved"}));
  }
  std::string series_;
};

TEST_P(UpdateScopeTest, ChangesWhatItNames) {
  const ScopeCase& row = GetParam();
  const std::string before = harness_.Snapshot();
  const Json result = Update(row.day.empty() ? series_ : At(series_, row.day), row.changes);
  EXPECT_EQ(Year(), row.year);
  EXPECT_EQ(result["event"]["date"], row.answered);
  EXPECT_EQ(result["eventId"], result["event"]["eventId"]);
  EXPECT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_P(UpdateScopeTest, AnswersTheIdAndRevisionToGoOnWith) {
  const ScopeCase& row = GetParam();
  const Json result = Update(row.day.empty() ? series_ : At(series_, row.day), row.changes);
  const std::string revision = DumpJson(result["event"]["revision"]);
  const Json again = Update(result.value("eventId", ""), R"({"description": "again", "revision": )" + revision + "}");
  EXPECT_EQ(again["event"]["description"], "again");
  EXPECT_EQ(again["event"]["date"], row.answered);
}

INSTANTIATE_TEST_SUITE_P(
    Calendar, UpdateScopeTest,
    ::testing::Values(
        // this
        ScopeCase{"ThisFirst",
                  "2026-03-02",
                  R"({"title": "New"})",
                  {"03-02 09:30 New", "03-04 09:30 Daily", "03-06 09:30 Daily", "03-12 09:30 Moved"},
                  "2026-03-02"},
        ScopeCase{"ThisMiddle",
                  "2026-03-04",
                  R"({"title": "New", "scope": "this"})",
                  {"03-02 09:30 Daily", "03-04 09:30 New", "03-06 09:30 Daily", "03-12 09:30 Moved"},
                  "2026-03-04"},
        ScopeCase{"ThisLast",
                  "2026-03-06",
                  R"({"date": "2026-03-07", "time": "10:00"})",
                  {"03-02 09:30 Daily", "03-04 09:30 Daily", "03-07 10:00 Daily", "03-12 09:30 Moved"},
                  "2026-03-07"},
        ScopeCase{"ThisChanged",
                  "2026-03-05",
                  R"({"time": "11:00"})",
                  {"03-02 09:30 Daily", "03-04 09:30 Daily", "03-06 09:30 Daily", "03-12 11:00 Moved"},
                  "2026-03-12"},
        ScopeCase{"ThisOfTheBareId",
                  "",
                  R"({"title": "New", "scope": "this"})",
                  {"03-02 09:30 New", "03-04 09:30 Daily", "03-06 09:30 Daily", "03-12 09:30 Moved"},
                  "2026-03-02"},
        // all
        ScopeCase{"AllByTheBareId",
                  "",
                  R"({"title": "New"})",
                  {"03-02 09:30 New", "03-04 09:30 New", "03-06 09:30 New", "03-12 09:30 Moved"},
                  "2026-03-02"},
        ScopeCase{"AllTime",
                  "2026-03-06",
                  R"({"time": "8am", "scope": "all"})",
                  {"03-02 08:00 Daily", "03-04 08:00 Daily", "03-06 08:00 Daily", "03-12 08:00 Moved"},
                  "2026-03-06"},
        ScopeCase{"AllByTheChangedOne",
                  "2026-03-05",
                  R"({"title": "New", "scope": "all"})",
                  {"03-02 09:30 New", "03-04 09:30 New", "03-06 09:30 New", "03-12 09:30 New"},
                  "2026-03-12"},
        ScopeCase{"AllMovedForward",
                  "2026-03-04",
                  R"({"date": "2026-03-05", "scope": "all"})",
                  {"03-03 09:30 Daily", "03-05 09:30 Daily", "03-07 09:30 Daily", "03-13 09:30 Moved"},
                  "2026-03-05"},
        ScopeCase{"AllMovedBackByTheBareId",
                  "",
                  R"({"date": "2026-03-01", "scope": "all"})",
                  {"03-01 09:30 Daily", "03-03 09:30 Daily", "03-05 09:30 Daily", "03-11 09:30 Moved"},
                  "2026-03-01"},
        ScopeCase{"AllMovedByTheChangedOne",
                  "2026-03-05",
                  R"({"date": "2026-03-14", "scope": "all"})",
                  {"03-04 09:30 Daily", "03-06 09:30 Daily", "03-08 09:30 Daily", "03-14 09:30 Moved"},
                  "2026-03-14"},
        // this_and_following
        ScopeCase{"FollowingFirst",
                  "2026-03-02",
                  R"({"title": "New", "scope": "this_and_following"})",
                  {"03-02 09:30 New", "03-04 09:30 New", "03-06 09:30 New", "03-12 09:30 Moved"},
                  "2026-03-02"},
        ScopeCase{"FollowingMiddle",
                  "2026-03-04",
                  R"({"title": "New", "scope": "this_and_following"})",
                  {"03-02 09:30 Daily", "03-04 09:30 New", "03-06 09:30 New", "03-12 09:30 Moved"},
                  "2026-03-04"},
        ScopeCase{"FollowingLast",
                  "2026-03-06",
                  R"({"time": "", "scope": "this_and_following"})",
                  {"03-02 09:30 Daily", "03-04 09:30 Daily", "03-06 Daily", "03-12 09:30 Moved"},
                  "2026-03-06"},
        ScopeCase{"FollowingChanged",
                  "2026-03-05",
                  R"({"title": "New", "scope": "this_and_following"})",
                  {"03-02 09:30 Daily", "03-04 09:30 Daily", "03-06 09:30 New", "03-12 09:30 New"},
                  "2026-03-12"},
        ScopeCase{"FollowingMoved",
                  "2026-03-04",
                  R"({"date": "2026-03-05", "time": "10:00", "scope": "this_and_following"})",
                  {"03-02 09:30 Daily", "03-05 10:00 Daily", "03-07 10:00 Daily", "03-13 10:00 Moved"},
                  "2026-03-05"},
        ScopeCase{"FollowingByTheBareId",
                  "",
                  R"({"title": "New", "scope": "this_and_following"})",
                  {"03-02 09:30 New", "03-04 09:30 New", "03-06 09:30 New", "03-12 09:30 Moved"},
                  "2026-03-02"}),
    [](const auto& test) { return test.param.name; });

class UpdateEventTest : public CalendarTest {
 protected:
  Json First() { return List("{}")["events"][0]; }
};

TEST_F(UpdateEventTest, ASingleEventTakesAnyScope) {
  for (const char* scope : {"this", "all", "this_and_following"}) {
    const std::string id = Event(R"({"title": "Single", "date": "2026-03-04"})");
    const Json result = Update(id, absl::StrCat(R"({"title": "New", "scope": ")", scope, "\"}"));
    EXPECT_EQ(result["eventId"], id) << scope;
    EXPECT_EQ(result["event"]["title"], "New") << scope;
    EXPECT_EQ(result["event"]["revision"], 2) << scope;
  }
}

TEST_F(UpdateEventTest, KeepsTheLengthWhenTimeOrDayChange) {
  const std::string id =
      Create("calendar_event", "", R"({"title": "x", "date": "2026-03-04", "time": "22:00", "endTime": "23:30"})");
  Json event = Update(id, R"({"time": "23:00"})")["event"];
  EXPECT_EQ(event["endTime"], "00:30");
  EXPECT_EQ(event["endDate"], "2026-03-05");
  event = Update(id, R"({"date": "2026-03-10"})")["event"];
  EXPECT_EQ(event["endDate"], "2026-03-11");
  event = Update(id, R"({"time": "8am"})")["event"];
  EXPECT_EQ(event["endTime"], "09:30");
  EXPECT_FALSE(event.contains("endDate"));
  event = Update(id, R"({"time": ""})")["event"];
  EXPECT_FALSE(event.contains("time"));
  EXPECT_FALSE(event.contains("endTime"));
}

TEST_F(UpdateEventTest, WordsAreReadInTheEventsOwnZone) {
  harness_.caller().time_zone = "America/New_York";
  const std::string id = Create("calendar_event", "",
                                R"({"title": "x", "date": "2026-03-04", "time": "22:00", "timeZone": "Asia/Tokyo"})");
  const Json event = Update(id, R"({"date": "2026-03-10T12:00:00Z"})")["event"];
  EXPECT_EQ(event["date"], "2026-03-10");
  EXPECT_EQ(event["time"], "21:00");
}

TEST_F(UpdateEventTest, DoneBelongsToTheOccurrence) {
  const std::string series = Daily();
  Update(At(series, "2026-03-03"), R"({"status": "done"})");
  const Json done = List(R"({"dateFrom": "2026-03-01", "status": "done"})");
  EXPECT_EQ(Pluck(done["events"], "eventId"), Texts{At(series, "2026-03-03")});
  EXPECT_EQ(List(R"({"dateFrom": "2026-03-01", "status": "pending"})")["totalCount"], 4);
}

TEST_F(UpdateEventTest, RevisionGrowsWithTheOccurrenceAndItsSeries) {
  const std::string series = Daily();
  const std::string third = At(series, "2026-03-04");
  EXPECT_THAT(TryUpdate(third, R"({"title": "a", "revision": 2})"),
              FailsWith(ErrorCode::kConflict, "is at revision 1, not 2", ""));
  EXPECT_EQ(Update(third, R"({"title": "a", "revision": 1})")["event"]["revision"], 2);
  // A caller who read the occurrence before it got a block of its own does not overwrite that.
  const auto late = TryUpdate(third, R"({"title": "b", "revision": 1})");
  EXPECT_THAT(late, FailsWith(ErrorCode::kConflict, "is at revision 2, not 1", ""));
  EXPECT_EQ(GetToolError(late.status())->facts[0], (std::pair<std::string, std::string>("revision", "2")));
  // The series is as it was.
  EXPECT_EQ(Update(series, R"({"title": "d", "revision": 1})")["event"]["revision"], 2);
  const Json list = List(R"({"dateFrom": "2026-03-03", "dateTo": "2026-03-04"})");
  EXPECT_EQ(Pluck(list["events"], "revision"), (Texts{"2", "3"}));
  EXPECT_THAT(TryUpdate(third, R"({"title": "e", "revision": 2})"), FailsWith(ErrorCode::kConflict, "revision 3", ""));
}

TEST_F(UpdateEventTest, AnIdOfTheChangedOccurrencesBlockNamesTheOccurrence) {
  const std::string series = Daily();
  Update(At(series, "2026-03-04"), R"({"title": "Own"})");
  const std::string block = harness_.changes().blocks[0].after->id;
  EXPECT_NE(block, series);
  EXPECT_EQ(Update(block, R"({"time": "12:00"})")["eventId"], At(series, "2026-03-04"));
}

TEST_F(UpdateEventTest, CountIsSharedOutAtASplit) {
  const std::string series =
      Event(R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=7"})");
  Delete(At(series, "2026-03-05"));  // Counts nevertheless.
  const Json result = Update(At(series, "2026-03-09"), R"({"title": "y", "scope": "this_and_following"})");
  EXPECT_EQ(result["event"]["recurrence"], "FREQ=WEEKLY;COUNT=5;BYDAY=MO,TH");
  EXPECT_EQ(harness_.Data(series)["recurrence"], "FREQ=WEEKLY;COUNT=2;BYDAY=MO,TH");
  EXPECT_EQ(Year(), (Texts{"03-02 x", "03-09 y", "03-12 y", "03-16 y", "03-19 y", "03-23 y"}));
}

TEST_F(UpdateEventTest, UntilEndsTheOldSeriesAtASplit) {
  const std::string series =
      Event(R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=WEEKLY;INTERVAL=2;UNTIL=20260430"})");
  const Json result = Update(At(series, "2026-03-30"), R"({"title": "y", "scope": "this_and_following"})");
  EXPECT_EQ(result["event"]["recurrence"], "FREQ=WEEKLY;UNTIL=20260430;INTERVAL=2");
  EXPECT_EQ(harness_.Data(series)["recurrence"], "FREQ=WEEKLY;UNTIL=20260329;INTERVAL=2");
  EXPECT_EQ(harness_.Data(series)["recurrenceEnd"], "2026-03-16");
  EXPECT_EQ(Year(), (Texts{"03-02 x", "03-16 x", "03-30 y", "04-13 y", "04-27 y"}));
}

TEST_F(UpdateEventTest, AnEndlessSeriesStaysEndlessAfterASplit) {
  const std::string series = Event(R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=DAILY"})");
  const Json result = Update(At(series, "2026-03-04"), R"({"title": "y", "scope": "this_and_following"})");
  EXPECT_EQ(result["event"]["recurrence"], "FREQ=DAILY");
  EXPECT_EQ(Shown(List(R"({"dateFrom": "2026-03-02", "dateTo": "2026-03-05"})")),
            (Texts{"03-02 x", "03-03 x", "03-04 y", "03-05 y"}));
}

TEST_F(UpdateEventTest, ExceptionsAndChangesAfterASplitGoAlong) {
  const std::string series = Daily();
  Delete(At(series, "2026-03-03"));
  Delete(At(series, "2026-03-05"));
  Update(At(series, "2026-03-06"), R"({"title": "Own"})");
  const Json result = Update(At(series, "2026-03-04"), R"({"date": "2026-03-05", "scope": "this_and_following"})");
  EXPECT_EQ(Year(), (Texts{"03-02 09:30 Daily", "03-05 09:30 Daily", "03-07 09:30 Own"}));
  const std::string rest = result["event"].value("seriesId", "");
  EXPECT_EQ(harness_.Data(series)["exceptions"], Json({"2026-03-03"}));
  EXPECT_EQ(harness_.Data(rest)["exceptions"], Json({"2026-03-06"}));
  EXPECT_EQ(Delete(At(rest, "2026-03-07")), 1);
}

TEST_F(UpdateEventTest, MovingAWeeklySeriesMovesItsWeekdays) {
  const std::string series =
      Event(R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4"})");
  const Json result = Update(At(series, "2026-03-04"), R"({"date": "2026-03-05", "scope": "all"})");
  EXPECT_EQ(result["event"]["recurrence"], "FREQ=WEEKLY;COUNT=4;BYDAY=TU,TH");
  EXPECT_EQ(result["eventId"], At(series, "2026-03-05"));
  EXPECT_EQ(Year(), (Texts{"03-03 x", "03-05 x", "03-10 x", "03-12 x"}));
}

TEST_F(UpdateEventTest, RefusesToMoveWhatNoRuleCanSay) {
  const std::string series = Event(R"({"title": "x", "date": "2026-03-10", "recurrence": "FREQ=MONTHLY;BYDAY=2TU"})");
  const std::string before = harness_.Snapshot();
  EXPECT_THAT(TryUpdate(series, R"({"date": "2026-03-11"})"),
              FailsWith(ErrorCode::kInvalidParams, "cannot be moved by 1 day as a whole", "/date"));
  EXPECT_THAT(TryUpdate(At(series, "2026-04-14"), R"({"date": "2026-04-15", "scope": "this_and_following"})"),
              FailsWith(ErrorCode::kInvalidParams, "update_block", "/date"));
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(UpdateEventTest, UpdateBlockGivesASeriesAnotherRule) {
  const std::string series = Daily();
  Do("update_block", {{"blockId", series}, {"data", {{"recurrence", "FREQ=DAILY;INTERVAL=2;COUNT=2"}}}});
  EXPECT_EQ(Year(), (Texts{"03-02 09:30 Daily", "03-04 09:30 Daily"}));
  EXPECT_EQ(harness_.Data(series)["recurrenceEnd"], "2026-03-04");
  Do("update_block", {{"blockId", series}, {"data", {{"recurrence", nullptr}}}});
  EXPECT_FALSE(harness_.Data(series).contains("recurrenceEnd"));
  EXPECT_EQ(Year(), (Texts{"03-02 09:30 Daily"}));
}

TEST_F(UpdateEventTest, ChangedOccurrencesOfWhatRecursNoMoreAreEventsOfTheirOwn) {
  const std::string series = Daily();
  for (const char* day : {"2026-03-04", "2026-03-06"}) Update(At(series, day), R"({"title": "Own"})");
  Do("update_block", {{"blockId", series}, {"data", {{"recurrence", nullptr}}}});
  EXPECT_EQ(Year(), (Texts{"03-02 09:30 Daily", "03-04 09:30 Own", "03-06 09:30 Own"}));
  // Under the ids that the calendar returns.
  const Json events =
      Do("calendar_list_events", Parse(R"({"dateFrom": "2026-03-04", "dateTo": "2026-03-06"})"))["events"];
  ASSERT_EQ(events.size(), 2u);
  EXPECT_FALSE(events[0].contains("seriesId"));
  Update(events[0]["eventId"], R"({"time": "11:00"})");
  EXPECT_EQ(Delete(events[1]["eventId"], "this"), 1);
  EXPECT_EQ(Year(), (Texts{"03-02 09:30 Daily", "03-04 11:00 Own"}));
}

TEST_F(UpdateEventTest, ChangedOccurrencesBeyondTheRulesEndCanStillBeChanged) {
  const std::string series = Daily();
  for (const char* day : {"2026-03-04", "2026-03-06"}) Update(At(series, day), R"({"title": "Own"})");
  Do("update_block", {{"blockId", series}, {"data", {{"recurrence", "FREQ=DAILY;COUNT=2"}}}});
  EXPECT_EQ(Year(), (Texts{"03-02 09:30 Daily", "03-03 09:30 Daily", "03-04 09:30 Own", "03-06 09:30 Own"}));
  Update(At(series, "2026-03-04"), R"({"time": "11:00", "scope": "this_and_following"})");
  EXPECT_EQ(Year(), (Texts{"03-02 09:30 Daily", "03-03 09:30 Daily", "03-04 11:00 Own", "03-06 09:30 Own"}));
  EXPECT_EQ(Delete(At(series, "2026-03-04"), "this_and_following"), 2);
  EXPECT_EQ(Year(), (Texts{"03-02 09:30 Daily", "03-03 09:30 Daily"}));
}

TEST_F(UpdateEventTest, AnEmptyDescriptionRemovesIt) {
  const std::string id = Event(R"({"title": "x", "date": "2026-03-04", "description": "long"})");
  EXPECT_FALSE(Update(id, R"({"description": ""})")["event"].contains("description"));
}

TEST_F(UpdateEventTest, RefusesWhatCannotBe) {
  const std::string series = Daily();
  const std::string single = Event(R"({"title": "x", "date": "2026-03-04"})");
  const std::string page = Create("page", "", R"({"title": "Page"})");
  Delete(At(series, "2026-03-03"));
  EXPECT_THAT(TryUpdate(series, "{}"), FailsWith(ErrorCode::kInvalidParams, "nothing to change", ""));
  EXPECT_THAT(TryUpdate(series, R"({"scope": "all", "revision": 1})"),
              FailsWith(ErrorCode::kInvalidParams, "at least one", ""));
  EXPECT_THAT(TryUpdate("nowhere", R"({"title": "y"})"), FailsWith(ErrorCode::kNotFound, "no event nowhere", ""));
  EXPECT_THAT(TryUpdate(page, R"({"title": "y"})"), FailsWith(ErrorCode::kInvalidParams, "is a page", "/eventId"));
  EXPECT_THAT(
      TryUpdate(At(series, "2026-03-03"), R"({"title": "y"})"),
      FailsWith(ErrorCode::kNotFound, "no occurrence of 2026-03-03; the next ones are those of 2026-03-04", ""));
  EXPECT_THAT(TryUpdate(At(series, "2026-04-01"), R"({"title": "y"})"),
              FailsWith(ErrorCode::kNotFound, "none after it", ""));
  EXPECT_THAT(TryUpdate(At(single, "2026-03-04"), R"({"title": "y"})"),
              FailsWith(ErrorCode::kNotFound, "does not recur", ""));
  EXPECT_THAT(TryUpdate(single, R"({"date": "someday"})"), FailsWith(ErrorCode::kInvalidParams, "not a date", "/date"));
  EXPECT_THAT(TryUpdate(single, R"({"time": "noonish"})"),
              FailsWith(ErrorCode::kInvalidParams, "time of day", "/time"));
  EXPECT_THAT(TryUpdate(single, R"({"title": ""})"), FailsWith(ErrorCode::kInvalidParams, "", "/title"));
}

TEST_F(UpdateEventTest, UndoTakesASplitBackAsAWhole) {
  const std::string series = Daily();
  Update(At(series, "2026-03-05"), R"({"title": "Own"})");
  const std::string before = harness_.Snapshot();
  Update(At(series, "2026-03-04"), R"({"title": "New", "date": "2026-03-06", "scope": "this_and_following"})");
  EXPECT_EQ(harness_.description(), "Updated the occurrences from 2026-03-04 on of event \"Daily\"");
  EXPECT_NE(harness_.Snapshot(), before);
  EXPECT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

}  // namespace
}  // namespace toolgate::executors::calendar
