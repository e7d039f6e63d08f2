// calendar_list_events and calendar_create_event.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executors/calendar/agenda.h"
#include "tests/support/calendar_fixture.h"

namespace toolgate::executors::calendar {
namespace {

using testing::FailsWith;

class ListEventsTest : public CalendarTest {
 protected:
  Texts Titles(const std::string& arguments) { return Pluck(List(arguments)["events"], "title"); }
};

TEST_F(ListEventsTest, SortsByDayWholeDaysFirstThenByTime) {
  Event(R"({"title": "late", "date": "2026-03-03", "time": "18:00"})");
  Event(R"({"title": "early", "date": "2026-03-03", "time": "8am"})");
  Event(R"({"title": "next day", "date": "2026-03-04"})");
  Event(R"({"title": "whole day", "date": "2026-03-03"})");
  EXPECT_EQ(Titles("{}"), (Texts{"whole day", "early", "late", "next day"}));
}

TEST_F(ListEventsTest, DaysAreBothIncludedAndMayBeWords) {
  for (const char* day : {"2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"}) {
    Event(absl::StrCat(R"({"title": ")", day, R"(", "date": ")", day, "\"}"));
  }
  EXPECT_EQ(Titles(R"({"dateFrom": "today", "dateTo": "tomorrow"})"), (Texts{"2026-03-02", "2026-03-03"}));
  EXPECT_EQ(Titles(R"({"dateFrom": "2026-03-04", "dateTo": "2026-03-04"})"), (Texts{"2026-03-04"}));
}

TEST_F(ListEventsTest, WithoutDaysItBeginsTodayAndFollowsSeriesForNinetyDays) {
  Event(R"({"title": "past", "date": "2026-03-01"})");
  Event(R"({"title": "in a year", "date": "2027-03-01"})");
  Event(R"({"title": "monthly", "date": "2026-02-02", "recurrence": "FREQ=MONTHLY"})");
  Event(R"({"title": "birthday", "date": "2025-12-24", "recurrence": "FREQ=YEARLY"})");
  const Json list = List("{}");
  EXPECT_EQ(Shown(list),
            (Texts{"03-02 monthly", "04-02 monthly", "05-02 monthly", "12-24 birthday", "03-01 in a year"}));
  EXPECT_EQ(list["dateFrom"], "2026-03-02");
  EXPECT_EQ(list["seriesUntil"], "2026-05-30");
  EXPECT_FALSE(list.contains("dateTo"));
}

TEST_F(ListEventsTest, APastDateToLooksBackFromThere) {
  Event(R"({"title": "old", "date": "2026-01-10"})");
  Event(R"({"title": "older", "date": "2025-01-10"})");
  const Json list = List(R"({"dateTo": "2026-01-31"})");
  EXPECT_EQ(Shown(list), (Texts{"01-10 old"}));
  EXPECT_EQ(list["dateFrom"], "2025-11-03");
  EXPECT_EQ(list["dateTo"], "2026-01-31");
}

TEST_F(ListEventsTest, FiltersByTypeStatusAndWords) {
  Event(R"({"title": "Zürich trip", "date": "2026-03-05", "description": "with Ann"})");
  Event(R"({"title": "Book hotel", "date": "2026-03-04", "type": "task", "description": "ZÜRICH"})");
  Event(R"({"title": "Pack", "date": "2026-03-06", "type": "task", "status": "done"})");
  EXPECT_EQ(Titles(R"({"q": "zürich"})"), (Texts{"Book hotel", "Zürich trip"}));
  EXPECT_EQ(Titles(R"({"q": "TRIP ann"})"), (Texts{"Zürich trip"}));
  EXPECT_EQ(Titles(R"({"q": "trip bob"})"), Texts());
  EXPECT_EQ(Titles(R"({"type": "task"})"), (Texts{"Book hotel", "Pack"}));
  EXPECT_EQ(Titles(R"({"type": "task", "status": "pending"})"), (Texts{"Book hotel"}));
  EXPECT_EQ(Titles(R"({"status": "done"})"), (Texts{"Pack"}));
}

TEST_F(ListEventsTest, ABlockWithoutTypeAndStatusIsAPendingEvent) {
  Create("calendar_event", "", R"({"title": "bare", "date": "2026-03-03", "location": "Room 5"})");
  const Json list = List(R"({"type": "event", "status": "pending", "q": "room"})");
  ASSERT_EQ(list["totalCount"], 1);
  EXPECT_EQ(list["events"][0]["type"], "event");
  EXPECT_EQ(list["events"][0]["status"], "pending");
  EXPECT_EQ(list["events"][0]["location"], "Room 5");
}

TEST_F(ListEventsTest, LimitBoundsTheAnswerAndTotalCountDoesNot) {
  Event(R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=DAILY"})");
  EXPECT_EQ(List("{}")["events"].size(), 50u);
  EXPECT_EQ(List("{}")["totalCount"], 90);
  EXPECT_EQ(List(R"({"limit": 3})")["events"].size(), 3u);
  EXPECT_THAT(Call("calendar_list_events", {{"limit", 501}}), FailsWith(ErrorCode::kInvalidParams, "", ""));
}

TEST_F(ListEventsTest, SeveralDaysShowWhileOneOfThemIsIn) {
  Create("calendar_event", "", R"({"title": "fair", "date": "2026-03-08", "endDate": "2026-03-12"})");
  Create("calendar_event", "",
         R"({"title": "camp", "date": "2026-03-01", "endDate": "2026-03-03", "recurrence": "FREQ=MONTHLY"})");
  EXPECT_EQ(Titles(R"({"dateFrom": "2026-03-12", "dateTo": "2026-03-20"})"), (Texts{"fair"}));
  EXPECT_EQ(Titles(R"({"dateFrom": "2026-03-13", "dateTo": "2026-03-20"})"), Texts());
  EXPECT_EQ(Titles(R"({"dateFrom": "2026-05-03", "dateTo": "2026-05-20"})"), (Texts{"camp"}));
  const Json event = List(R"({"dateFrom": "2026-05-03", "dateTo": "2026-05-20"})")["events"][0];
  EXPECT_EQ(event["date"], "2026-05-01");
  EXPECT_EQ(event["endDate"], "2026-05-03");
}

TEST_F(ListEventsTest, WhatEndsAtMidnightDoesNotShowOnTheDayThatBegins) {
  Create("calendar_event", "",
         R"({"title": "party", "date": "2026-03-07", "time": "20:00", "endDate": "2026-03-08", "endTime": "00:00"})");
  EXPECT_EQ(Titles(R"({"dateFrom": "2026-03-07", "dateTo": "2026-03-07"})"), (Texts{"party"}));
  EXPECT_EQ(Titles(R"({"dateFrom": "2026-03-08", "dateTo": "2026-03-08"})"), Texts());
}

// ---- Zones ----------------------------------------------------------------------------------------------------------

TEST_F(ListEventsTest, AnotherZonesEventStandsOnTheCallersDay) {
  harness_.caller().time_zone = "America/Los_Angeles";
  Create("calendar_event", "",
         R"({"title": "call", "date": "2026-03-04", "time": "08:00", "endTime": "09:00", "timeZone": "Asia/Tokyo"})");
  EXPECT_EQ(Titles(R"({"dateFrom": "2026-03-04", "dateTo": "2026-03-04"})"), Texts());
  const Json list = List(R"({"dateFrom": "2026-03-03", "dateTo": "2026-03-03"})");
  ASSERT_EQ(list["totalCount"], 1);
  const Json& event = list["events"][0];
  EXPECT_EQ(event["date"], "2026-03-04");
  EXPECT_EQ(event["time"], "08:00");
  EXPECT_EQ(event["timeZone"], "Asia/Tokyo");
  EXPECT_EQ(event["start"], "2026-03-03T23:00:00Z");
  EXPECT_EQ(event["end"], "2026-03-04T00:00:00Z");
}

TEST_F(ListEventsTest, TheFurthestZonesAreTwoDaysApart) {
  harness_.caller().time_zone = "Etc/GMT+12";
  Create("calendar_event", "",
         R"({"title": "far", "date": "2026-03-10", "time": "00:30", "timeZone": "Pacific/Kiritimati",
                                   "recurrence": "FREQ=WEEKLY;COUNT=2"})");
  EXPECT_EQ(Titles(R"({"dateFrom": "2026-03-08", "dateTo": "2026-03-08"})"), (Texts{"far"}));
  EXPECT_EQ(Titles(R"({"dateFrom": "2026-03-15", "dateTo": "2026-03-15"})"), (Texts{"far"}));
  EXPECT_EQ(Titles(R"({"dateFrom": "2026-03-09", "dateTo": "2026-03-14"})"), Texts());
}

TEST_F(ListEventsTest, ASeriesKeepsItsWallClockAcrossChangesOfTheClock) {
  Create("calendar_event", "", R"({"title": "x", "date": "2026-03-28", "time": "09:00", "timeZone": "Europe/Berlin",
                                   "recurrence": "FREQ=DAILY;COUNT=2"})");
  const Json events = List("{}")["events"];
  EXPECT_EQ(Pluck(events, "start"), (Texts{"2026-03-28T08:00:00Z", "2026-03-29T07:00:00Z"}));
  EXPECT_EQ(Pluck(events, "time"), (Texts{"09:00", "09:00"}));
}

TEST_F(ListEventsTest, ASkippedTimeIsReadWithTheOffsetFromBefore) {
  Create("calendar_event", "", R"({"title": "x", "date": "2026-03-29", "time": "02:30", "timeZone": "Europe/Berlin"})");
  EXPECT_EQ(List("{}")["events"][0]["start"], "2026-03-29T01:30:00Z");  // 03:30 in Berlin.
}

TEST_F(ListEventsTest, ATimeThatComesTwiceIsTheFirst) {
  Create("calendar_event", "", R"({"title": "x", "date": "2026-10-25", "time": "02:30", "timeZone": "Europe/Berlin"})");
  EXPECT_EQ(List("{}")["events"][0]["start"], "2026-10-25T00:30:00Z");
}

TEST_F(ListEventsTest, WithoutAZoneItIsTheCallersWallClock) {
  Event(R"({"title": "x", "date": "2026-03-04", "time": "09:00"})");
  harness_.caller().time_zone = "America/New_York";
  EXPECT_EQ(List("{}")["events"][0]["start"], "2026-03-04T14:00:00Z");
  harness_.caller().time_zone = "Asia/Tokyo";
  EXPECT_EQ(List("{}")["events"][0]["start"], "2026-03-04T00:00:00Z");
}

// ---- Series ---------------------------------------------------------------------------------------------------------

TEST_F(ListEventsTest, ExpandsOccurrencesWithIdsOfTheirDays) {
  const std::string series = Daily();
  const Json list = List(R"({"dateFrom": "2026-03-03", "dateTo": "2026-03-04"})");
  EXPECT_EQ(Pluck(list["events"], "eventId"), (Texts{At(series, "2026-03-03"), At(series, "2026-03-04")}));
  EXPECT_EQ(Pluck(list["events"], "seriesId"), (Texts{series, series}));
  EXPECT_EQ(Pluck(list["events"], "recurrence"), (Texts{"FREQ=DAILY;COUNT=5", "FREQ=DAILY;COUNT=5"}));
}

TEST_F(ListEventsTest, RulesOnMonthEndsAndLeapDays) {
  Event(R"({"title": "rent", "date": "2026-01-31", "recurrence": "FREQ=MONTHLY;COUNT=4"})");
  Event(R"({"title": "leap", "date": "2024-02-29", "recurrence": "FREQ=YEARLY"})");
  EXPECT_EQ(Year(), (Texts{"01-31 rent", "03-31 rent", "05-31 rent", "07-31 rent"}));
  EXPECT_EQ(Titles(R"({"dateFrom": "2028-02-29", "dateTo": "2028-02-29"})"), (Texts{"leap"}));
}

TEST_F(ListEventsTest, ExceptionsStayEmpty) {
  Create("calendar_event", "", R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=DAILY;COUNT=4",
                                   "exceptions": ["2026-03-03", "2026-03-03", "tomorrow"]})");
  EXPECT_EQ(Year(), (Texts{"03-02 x", "03-04 x", "03-05 x"}));
}

TEST_F(ListEventsTest, AMovedOccurrenceLeavesItsPlaceEmptyHoweverFarItWent) {
  const std::string series = Daily();
  Update(At(series, "2026-03-04"), R"({"date": "2026-08-01"})");
  EXPECT_EQ(Titles(R"({"dateFrom": "2026-03-04", "dateTo": "2026-03-04"})"), Texts());
  const Json moved = List(R"({"dateFrom": "2026-08-01", "dateTo": "2026-08-01"})");
  ASSERT_EQ(moved["totalCount"], 1);
  EXPECT_EQ(moved["events"][0]["eventId"], At(series, "2026-03-04"));
  EXPECT_EQ(moved["events"][0]["recurrence"], "FREQ=DAILY;COUNT=5");
}

TEST_F(ListEventsTest, RefusesDaysThatMakeNoSense) {
  const auto list = [&](const std::string& arguments) { return Call("calendar_list_events", Parse(arguments)); };
  EXPECT_THAT(list(R"({"dateFrom": "2026-03-05", "dateTo": "2026-03-04"})"),
              FailsWith(ErrorCode::kInvalidParams, "lies before dateFrom", "/dateTo"));
  EXPECT_THAT(list(R"({"dateFrom": "someday"})"),
              FailsWith(ErrorCode::kInvalidParams, "dateFrom is not a date", "/dateFrom"));
  EXPECT_THAT(list(R"({"dateFrom": "2000-01-01", "dateTo": "2026-01-01"})"),
              FailsWith(ErrorCode::kInvalidParams, "at most 3660 days", "/dateTo"));
}

TEST_F(ListEventsTest, AnOverviewReadsTheSameAgenda) {
  Daily();
  const absl::Status status = harness_.store().Read("test", [&](storage::ReadView& view) {
    AgendaQuery query;
    query.first = absl::CivilDay(2026, 3, 3);
    query.last = absl::CivilDay(2026, 3, 4);
    query.zone = absl::UTCTimeZone();
    const fibers::Cancellation cancellation;
    const absl::StatusOr<Agenda> agenda = ReadAgenda(view, query, cancellation);
    EXPECT_TRUE(agenda.ok());
    EXPECT_EQ(agenda->total, 2);
    EXPECT_EQ(agenda->occurrences.at(0).day, absl::CivilDay(2026, 3, 3));
    EXPECT_EQ(agenda->occurrences.at(0).start,
              absl::FromCivil(absl::CivilMinute(2026, 3, 3, 9, 30), absl::UTCTimeZone()));
    return absl::OkStatus();
  });
  EXPECT_EQ(status, absl::OkStatus());
}

TEST_F(ListEventsTest, StopsWhenItsClientLeaves) {
  Daily();
  const absl::Status status = harness_.store().Read("test", [&](storage::ReadView& view) {
    AgendaQuery query;
    query.first = query.last = absl::CivilDay(2026, 3, 3);
    query.zone = absl::UTCTimeZone();
    fibers::Cancellation cancellation;
    cancellation.Cancel();
    return ReadAgenda(view, query, cancellation).status();
  });
  EXPECT_THAT(status, FailsWith(ErrorCode::kCancelled, "", ""));
}

// ---- Create ---------------------------------------------------------------------------------------------------------

using CreateEventTest = ListEventsTest;

TEST_F(CreateEventTest, FillsInTypeAndStatus) {
  const Json event = Do("calendar_create_event", {{"title", "x"}, {"date", "tomorrow"}})["event"];
  EXPECT_EQ(event["type"], "event");
  EXPECT_EQ(event["status"], "pending");
  EXPECT_EQ(event["date"], "2026-03-03");
  EXPECT_FALSE(event.contains("time"));
  EXPECT_EQ(event["revision"], 1);
}

TEST_F(CreateEventTest, TakesTheTimeFromTheDateWhereThatSaysOne) {
  harness_.caller().time_zone = "Europe/Berlin";
  EXPECT_EQ(Do("calendar_create_event", {{"title", "x"}, {"date", "tomorrow at 9am"}})["event"]["time"], "09:00");
  const Json both = Do("calendar_create_event", {{"title", "x"}, {"date", "2026-03-03T23:30:00Z"}})["event"];
  EXPECT_EQ(both["date"], "2026-03-04");
  EXPECT_EQ(both["time"], "00:30");
  EXPECT_EQ(
      Do("calendar_create_event", {{"title", "x"}, {"date", "tomorrow at 9am"}, {"time", "10:00"}})["event"]["time"],
      "10:00");
}

TEST_F(CreateEventTest, ASeriesBeginsWithTheFirstDayOfItsRule) {
  const Json result =
      Do("calendar_create_event",
         {{"title", "x"}, {"date", "2026-03-03"}, {"recurrence", "rrule:freq=weekly;byday=MO;count=2"}});
  EXPECT_EQ(result["event"]["date"], "2026-03-09");
  EXPECT_EQ(result["event"]["recurrence"], "FREQ=WEEKLY;COUNT=2;BYDAY=MO");
  EXPECT_EQ(result["event"]["seriesId"], result["eventId"]);
  EXPECT_EQ(harness_.Data(result.value("eventId", ""))["recurrenceEnd"], "2026-03-16");
}

TEST_F(CreateEventTest, RefusesWhatCannotBe) {
  const auto create = [&](const std::string& arguments) { return Call("calendar_create_event", Parse(arguments)); };
  EXPECT_THAT(create(R"({"title": "x", "date": "never"})"),
              FailsWith(ErrorCode::kInvalidParams, "not a date", "/date"));
  EXPECT_THAT(create(R"({"title": "x", "date": "today", "time": "25:00"})"),
              FailsWith(ErrorCode::kInvalidParams, "not a time of day", "/time"));
  EXPECT_THAT(create(R"({"title": "x", "date": "today", "recurrence": "FREQ=HOURLY"})"),
              FailsWith(ErrorCode::kInvalidParams, "at most once a day", "/recurrence"));
  EXPECT_THAT(create(R"({"title": "x", "date": "today", "recurrence": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"})"),
              FailsWith(ErrorCode::kInvalidParams, "yields no day", "/recurrence"));
  EXPECT_THAT(create(R"({"title": "x", "date": "today", "recurrence": "FREQ=DAILY;UNTIL=20260101"})"),
              FailsWith(ErrorCode::kInvalidParams, "UNTIL too early", "/recurrence"));
  EXPECT_THAT(create(R"({"title": "x"})"), FailsWith(ErrorCode::kInvalidParams, "", ""));
  EXPECT_THAT(create(R"({"title": "x", "date": "today", "type": "party"})"),
              FailsWith(ErrorCode::kInvalidParams, "", ""));
}

TEST_F(CreateEventTest, UndoTakesItBack) {
  const std::string empty = harness_.Snapshot();
  Daily();
  EXPECT_EQ(harness_.description(), "Created event \"Daily\"");
  EXPECT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), empty);
}

TEST_F(CreateEventTest, SearchFindsIt) {
  const std::string id = Event(R"({"title": "Dentist appointment", "date": "2026-03-04"})");
  EXPECT_EQ(Pluck(Do("search_workspace", {{"query", "dentist"}})["results"], "blockId"), (Texts{id}));
}

}  // namespace
}  // namespace toolgate::executors::calendar
