// The plan of several days. Now is Monday, 2026-03-02 09:00 UTC.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::overview {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using toolgate::testing::FailsWith;
using toolgate::testing::WorkspaceTest;

class DailyOverviewTest : public WorkspaceTest {
 protected:
  Json Overview(const Json& arguments = Json::object()) { return Do("daily_overview", arguments); }
  static std::vector<std::string> TitlesOn(const Json& overview, size_t day, const char* kind) {
    return Pluck(overview["days"][day][kind], "title");
  }
  void Event(const std::string& arguments) { Do("calendar_create_event", Parse(arguments)); }
};

TEST_F(DailyOverviewTest, SevenDaysFromTodayUnlessOthersAreAskedFor) {
  const Json week = Overview();
  EXPECT_EQ(week["startDate"], "2026-03-02");
  EXPECT_EQ(week["endDate"], "2026-03-08");
  EXPECT_EQ(week["days"].size(), 7u);
  EXPECT_EQ(week["days"][0]["weekday"], "Monday");
  const Json other = Overview({{"startDate", "next friday"}, {"days", 2}});
  EXPECT_EQ(other["startDate"], "2026-03-06");
  EXPECT_EQ(other["today"], "2026-03-02");
  EXPECT_EQ(other["days"].size(), 2u);
}

TEST_F(DailyOverviewTest, EverythingStandsOnItsDay) {
  Event(R"({"title": "Stand-up", "date": "2026-03-02", "time": "09:30", "recurrence": "FREQ=DAILY;COUNT=2"})");
  Create("calendar_event", "", R"({"title": "Fair", "date": "2026-03-01", "endDate": "2026-03-03"})");
  Task(R"({"title": "Invoice", "dueDate": "2026-03-03"})");
  Task(R"({"title": "Call", "dueDate": "2026-03-03T23:30:00Z"})");
  Do("journal_create", Parse(R"({"title": "Tired", "date": "2026-03-02", "mood": "meh"})"));
  const Json overview = Overview({{"days", 3}});
  EXPECT_THAT(TitlesOn(overview, 0, "events"), ElementsAre("Fair", "Stand-up"));
  EXPECT_THAT(TitlesOn(overview, 1, "events"), ElementsAre("Fair", "Stand-up"));
  EXPECT_THAT(TitlesOn(overview, 2, "events"), IsEmpty());
  EXPECT_THAT(TitlesOn(overview, 1, "tasks"), ElementsAre("Invoice", "Call"));
  EXPECT_EQ(overview["days"][0]["journal"][0]["mood"], "meh");
  EXPECT_EQ(overview["summary"], Parse(R"({"events": 3, "tasks": 2, "journalEntries": 1, "overdue": 0})"));
}

TEST_F(DailyOverviewTest, AnEventStandsOnTheDaysOnWhichTheCalendarShowsIt) {
  Create("calendar_event", "",
         R"({"title": "Party", "date": "2026-03-02", "time": "22:00", "endDate": "2026-03-03", "endTime": "00:00"})");
  Create("calendar_event", "",
         R"({"title": "Night", "date": "2026-03-02", "time": "22:00", "endDate": "2026-03-03", "endTime": "00:01"})");
  // 20:00 of March 2nd to 01:00 of March 3rd here; and to the end of March 3rd there, which is 15:00 here.
  Create("calendar_event", "", R"({"title": "Call", "date": "2026-03-03", "time": "05:00", "endTime": "10:00",
                                   "timeZone": "Asia/Tokyo"})");
  Create("calendar_event", "", R"({"title": "Fair", "date": "2026-03-03", "time": "05:00", "endDate": "2026-03-04",
                                   "timeZone": "Asia/Tokyo"})");
  const Json overview = Overview({{"days", 4}});
  EXPECT_THAT(TitlesOn(overview, 0, "events"), UnorderedElementsAre("Party", "Night", "Call", "Fair"));
  EXPECT_THAT(TitlesOn(overview, 1, "events"), UnorderedElementsAre("Night", "Call", "Fair"));
  EXPECT_THAT(TitlesOn(overview, 2, "events"), UnorderedElementsAre("Fair"));
  EXPECT_THAT(TitlesOn(overview, 3, "events"), IsEmpty());
}

TEST_F(DailyOverviewTest, ADayIsTheCallers) {
  Task(R"({"title": "Call", "dueDate": "2026-03-03T23:30:00Z"})");
  harness_.caller().time_zone = "Asia/Tokyo";
  const Json overview = Overview({{"days", 3}});
  EXPECT_THAT(TitlesOn(overview, 1, "tasks"), IsEmpty());
  EXPECT_THAT(TitlesOn(overview, 2, "tasks"), ElementsAre("Call"));
  // Also at the edges of the requested range.
  EXPECT_THAT(TitlesOn(Overview({{"startDate", "2026-03-04"}, {"days", 1}}), 0, "tasks"), ElementsAre("Call"));
  EXPECT_EQ(Overview({{"startDate", "2026-03-03"}, {"days", 1}})["summary"]["tasks"], 0);
}

TEST_F(DailyOverviewTest, WhatIsOverdueStandsApart) {
  Task(R"({"title": "Late", "dueDate": "2026-02-20"})");
  const std::string done = Task(R"({"title": "Done", "dueDate": "2026-02-20"})");
  Do("update_task_status", {{"taskId", done}, {"status", "done"}});
  Task(R"({"title": "Today", "dueDate": "2026-03-02"})");
  Event(R"({"title": "Tax", "date": "2026-02-25", "type": "task"})");
  Event(R"({"title": "Long ago", "date": "2025-12-01", "type": "task"})");
  Event(R"({"title": "Party", "date": "2026-02-25"})");
  const Json overview = Overview({{"startDate", "2026-06-01"}, {"days", 1}});
  EXPECT_THAT(Pluck(overview["overdue"], "title"), ElementsAre("Tax", "Late"));
  EXPECT_EQ(overview["overdue"][0]["type"], "calendar_event");
  EXPECT_EQ(overview["summary"]["overdue"], 2);
}

TEST_F(DailyOverviewTest, ADeletedOccurrenceIsNotThere) {
  const std::string id = Do("calendar_create_event",
                            Parse(R"({"title": "Run", "date": "2026-03-02", "recurrence": "FREQ=DAILY"})"))["eventId"];
  Do("calendar_delete_event", {{"eventId", id + "@2026-03-03"}});
  const Json overview = Overview({{"days", 3}});
  EXPECT_THAT(TitlesOn(overview, 1, "events"), IsEmpty());
  EXPECT_THAT(TitlesOn(overview, 2, "events"), ElementsAre("Run"));
}

TEST_F(DailyOverviewTest, WrongDaysAreRefused) {
  EXPECT_THAT(Call("daily_overview", {{"startDate", "someday"}}),
              FailsWith(ErrorCode::kInvalidParams, "startDate", "/startDate"));
  for (const Json& days : {Json(0), Json(63), Json(1.5), Json("2")}) {
    EXPECT_THAT(Call("daily_overview", {{"days", days}}), FailsWith(ErrorCode::kInvalidParams, "", "/days"));
  }
}

}  // namespace
}  // namespace toolgate::executors::overview
