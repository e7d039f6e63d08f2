#include "interchange/icalendar/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "executors/blocks/block_writer.h"
#include "interchange/icalendar/time.h"
#include "storage/store.h"
#include "tests/support/calendars.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"

namespace toolgate::interchange::icalendar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A VEVENT with these lines.
std::string Event(const std::string& lines) {
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:u1\r\nSUMMARY:x\r\n" + lines +
         "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
}

Json Parse(const std::string& text) {
  const absl::StatusOr<Json> json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << json.status();
  return json.ok() ? *json : Json();
}

TEST(IcalImportTest, ReadsWhatGoogleCalendarWrites) {
  const Imported in = Import(File("google.ics"));
  ASSERT_TRUE(in.status.ok()) << in.status;
  EXPECT_THAT(in.warnings, IsEmpty());
  ASSERT_EQ(in.blocks.size(), 4u);
  EXPECT_EQ(in.Data(0),
            Parse(R"({"title": "Stand-up", "date": "2026-03-02", "time": "09:30", "timeZone": "Europe/Berlin",
    "description": "Room <b>5</b>\nBring: pens, paper; a \\ and more of what a line needs before it is folded by those who wrote it",
    "location": "Main Street 1, Berlin", "uid": "weekly1@google.com", "endTime": "10:00", "type": "event",
    "status": "pending", "recurrence": "FREQ=WEEKLY;UNTIL=20260331;BYDAY=MO", "exceptions": ["2026-03-16"]})"));
  EXPECT_EQ(in.blocks[1].parent_id(), in.blocks[0].id());
  EXPECT_EQ(in.Data(1), Parse(R"json({"title": "Stand-up (moved)", "date": "2026-03-24", "time": "14:00",
    "timeZone": "Europe/Berlin", "endTime": "15:00", "type": "event", "status": "pending",
    "recurrenceId": "2026-03-23"})json"));
  EXPECT_EQ(in.Data(2), Parse(R"({"title": "Trip", "date": "2026-04-08", "uid": "trip1@google.com",
    "endDate": "2026-04-10", "type": "event", "status": "pending"})"));
  EXPECT_EQ(in.Data(3), Parse(R"({"title": "Untitled", "date": "2026-03-12", "time": "09:00", "timeZone": "UTC",
    "uid": "call1@google.com", "endTime": "10:00", "type": "event", "status": "pending"})"));
  EXPECT_THAT(in.places, ElementsAre("line 26", "line 48", "line 56", "line 64"));
}

TEST(IcalImportTest, ReadsWhatAppleCalendarWrites) {
  const Imported in = Import(File("apple.ics"));
  ASSERT_TRUE(in.status.ok()) << in.status;
  EXPECT_THAT(in.warnings, IsEmpty());
  ASSERT_EQ(in.blocks.size(), 2u);
  EXPECT_EQ(in.Data(0), Parse(R"({"title": "Book club", "date": "2026-03-10", "time": "17:30",
    "timeZone": "America/New_York", "location": "Library 12 Main St, Springfield",
    "uid": "0A1B2C3D-0000-4000-8000-000000000001", "endTime": "19:00", "type": "event", "status": "pending",
    "recurrence": "FREQ=MONTHLY;COUNT=6;BYDAY=2TU"})"));
  EXPECT_EQ(in.Data(1)["date"], "1992-02-29");
  EXPECT_EQ(in.Data(1)["recurrence"], "FREQ=YEARLY");
}

TEST(IcalImportTest, ReadsWhatThunderbirdWrites) {
  const Imported in = Import(File("thunderbird.ics"));
  ASSERT_TRUE(in.status.ok()) << in.status;
  EXPECT_THAT(in.warnings, ElementsAre("line 34: a task without a date has no place in a calendar"));
  ASSERT_EQ(in.blocks.size(), 3u);
  EXPECT_EQ(in.Data(0), Parse(R"({"title": "File the return", "date": "2026-03-01", "time": "09:00",
    "timeZone": "Europe/Vienna", "uid": "todo-done", "tags": ["Taxes", "Home, sweet home", "2026"],
    "endTime": "12:00", "type": "task", "status": "done"})"));
  EXPECT_EQ(in.Data(1), Parse(R"({"title": "Water the plants", "date": "2026-03-05", "uid": "todo-due", "type": "task",
    "status": "pending"})"));
  EXPECT_EQ(in.Data(2), Parse(R"({"title": "Breakfast", "date": "2026-03-02", "time": "07:30", "uid": "floating",
    "endTime": "08:15", "type": "event", "status": "pending"})"));
}

TEST(IcalImportTest, ReadsWhatOutlookWrites) {
  const Imported in = Import(File("outlook.ics"));
  ASSERT_TRUE(in.status.ok()) << in.status;
  EXPECT_THAT(in.warnings, ElementsAre(HasSubstr("the time zone \"Customized Time Zone\" is not known")));
  ASSERT_EQ(in.blocks.size(), 2u);
  EXPECT_EQ(in.Data(0),
            Parse(R"({"title": "Planning", "date": "2026-03-04", "time": "10:30", "timeZone": "Europe/Berlin",
    "description": "\n", "uid": "040000008200E00074C5B7101A82E00800000000B0", "endTime": "11:30", "type": "event",
    "status": "pending", "recurrence": "FREQ=MONTHLY;COUNT=10;BYDAY=1WE",
    "exceptions": ["2026-04-01", "2026-05-06", "2026-06-03"]})"));
  EXPECT_EQ(in.Data(1), Parse(R"({"title": "Elsewhere", "date": "2026-03-10", "time": "08:00", "uid": "custom",
    "type": "event", "status": "pending"})"));
}

// The service accepts everything that is read.
TEST(IcalImportTest, EveryBlockIsTakenByTheStore) {
  toolgate::testing::TempDir directory;
  testing::TestStoreOptions options;
  options.data_dir = directory.path();
  options.clock = &Clock::Real();
  const auto store = testing::MakeTestStore(options);
  for (const char* name : {"google.ics", "apple.ics", "thunderbird.ics", "outlook.ics"}) {
    const Imported in = Import(File(name));
    const fibers::Cancellation cancellation;
    const absl::Status status =
        store->Commit({name, "ann", name, kNow}, storage::CommitMode::kDurable, cancellation,
                      [&](storage::Transaction& transaction) -> absl::Status {
                        executors::blocks::BlockWriter writer(transaction, kNow, absl::UTCTimeZone());
                        for (size_t i = 0; i < in.blocks.size(); ++i) {
                          const auto created = writer.Create("calendar_event", in.blocks[i].parent_id(), in.Data(i),
                                                             std::nullopt, in.blocks[i].id());
                          if (!created.ok()) return created.status();
                          Json stored = *ParseJson(created->data);
                          stored.erase("recurrenceEnd");
                          EXPECT_EQ(stored, in.Data(i)) << "nothing had to be settled";
                        }
                        return absl::OkStatus();
                      });
    EXPECT_EQ(status, absl::OkStatus()) << name;
  }
}

TEST(IcalImportTest, DurationsAreDaysOfTheWallClockAndRealHours) {
  EXPECT_EQ(Import(Event("DTSTART;VALUE=DATE:20260302\r\nDURATION:P3D")).Data(0)["endDate"], "2026-03-04");
  // 23 hours on the wall clock of the day on which summer time begins.
  const Json data = Import(Event("DTSTART;TZID=Europe/Berlin:20260328T120000\r\nDURATION:PT23H30M")).Data(0);
  EXPECT_EQ(data["endDate"], "2026-03-29");
  EXPECT_EQ(data["endTime"], "12:30");
  EXPECT_EQ(Import(Event("DTSTART;TZID=Europe/Berlin:20260328T120000\r\nDURATION:P1D")).Data(0)["endTime"], "12:00");
}

TEST(IcalImportTest, AnEndInAnotherZoneIsReadOnTheStartsClock) {
  const Json data =
      Import(Event("DTSTART;TZID=Europe/Berlin:20260302T100000\r\nDTEND;TZID=America/New_York:20260302T053000"))
          .Data(0);
  EXPECT_EQ(data["endTime"], "11:30");
}

TEST(IcalImportTest, UntilIsTheLastDayOnTheStartsClock) {
  const auto until = [](const std::string& value) {
    return Import(Event("DTSTART;TZID=America/New_York:20260302T200000\r\nRRULE:FREQ=DAILY;UNTIL=" + value))
        .Data(0)
        .value("recurrence", "");
  };
  EXPECT_EQ(until("20260306T010000Z"), "FREQ=DAILY;UNTIL=20260305");  // 20:00 on the fifth.
  EXPECT_EQ(until("20260306T005959Z"), "FREQ=DAILY;UNTIL=20260304");
  EXPECT_EQ(until("20260306"), "FREQ=DAILY;UNTIL=20260306");
}

TEST(IcalImportTest, AChangedOccurrenceMayComeBeforeItsSeriesOrAlone) {
  const std::string changed =
      "BEGIN:VEVENT\nUID:a\nRECURRENCE-ID:20260303T090000\nDTSTART:20260303T110000\nSUMMARY:later\nEND:VEVENT\n";
  const std::string series = "BEGIN:VEVENT\nUID:a\nDTSTART:20260302T090000\nRRULE:FREQ=DAILY\nSUMMARY:x\nEND:VEVENT\n";
  const Imported both = Import("BEGIN:VCALENDAR\n" + changed + series + "END:VCALENDAR\n");
  ASSERT_EQ(both.blocks.size(), 2u);
  EXPECT_EQ(both.Data(1)["recurrenceId"], "2026-03-03");
  EXPECT_EQ(both.blocks[1].parent_id(), both.blocks[0].id());
  const Imported alone = Import("BEGIN:VCALENDAR\n" + changed + "END:VCALENDAR\n");
  ASSERT_EQ(alone.blocks.size(), 1u);
  EXPECT_FALSE(alone.Data(0).contains("recurrenceId"));
  EXPECT_EQ(alone.Data(0)["time"], "11:00");
}

TEST(IcalImportTest, WhatCannotBeKeptIsWarnedOf) {
  const Imported hourly = Import(Event("DTSTART:20260302T090000Z\r\nRRULE:FREQ=HOURLY;COUNT=3"));
  EXPECT_THAT(hourly.warnings, ElementsAre(HasSubstr("line 7: only the first occurrence is kept: the recurrence has "
                                                     "FREQ=HOURLY")));
  EXPECT_FALSE(hourly.Data(0).contains("recurrence"));
  EXPECT_THAT(Import(Event("DTSTART:20260302T090000Z\r\nRDATE:20260401T090000Z")).warnings,
              ElementsAre(HasSubstr("RDATE was passed over")));
  const Imported cancelled = Import(Event("DTSTART:20260302T090000Z\r\nSTATUS:CANCELLED"));
  EXPECT_THAT(cancelled.blocks, IsEmpty());
  EXPECT_THAT(cancelled.warnings, ElementsAre("line 3: a cancelled event"));
}

TEST(IcalImportTest, AnHourInTheRuleThatIsThatOfTheStartSaysNothing) {
  EXPECT_EQ(
      Import(Event("DTSTART:20260302T090000\r\nRRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0")).Data(0)["recurrence"],
      "FREQ=DAILY");
}

std::string SeriesWithCancelled(int count) {
  std::string text =
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART;VALUE=DATE:20260302\nRRULE:FREQ=DAILY\nEND:VEVENT\n";
  for (int i = 0; i < count; ++i) {
    const std::string day = IcalDayText(absl::CivilDay(2026, 3, 2) + i);
    absl::StrAppend(&text, "BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;VALUE=DATE:", day, "\nDTSTART;VALUE=DATE:", day,
                    "\nSTATUS:CANCELLED\nEND:VEVENT\n");
  }
  return text + "END:VCALENDAR\n";
}

TEST(IcalImportTest, EveryCancelledOccurrenceIsAnException) {
  const Imported in = Import(SeriesWithCancelled(1'000));
  ASSERT_EQ(in.blocks.size(), 1u) << in.status;
  EXPECT_EQ(in.Data(0)["exceptions"].size(), 1'000u);
  EXPECT_EQ(Import(SeriesWithCancelled(1'001)).status,
            absl::InvalidArgumentError(
                "line 6007: the occurrence is cancelled after 1000 exceptions, the most an event has"));
}

struct BrokenCase {
  std::string name;
  std::string text;
  std::string message;
};

class BrokenIcalTest : public ::testing::TestWithParam<BrokenCase> {};

TEST_P(BrokenIcalTest, NamesTheLineAndImportsNothing) {
  const Imported in = Import(GetParam().text);
  EXPECT_EQ(in.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(in.status.message()), HasSubstr(GetParam().message));
  EXPECT_THAT(in.blocks, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Files, BrokenIcalTest,
    ::testing::Values(
        BrokenCase{"Empty", "", "line 1: there is no BEGIN:VCALENDAR"},
        BrokenCase{"NotOne", "{\"type\": \"page\"}\n", "line 1: a line must begin with the name of a property"},
        BrokenCase{"Outside", "SUMMARY:x\n", "line 1: this stands outside of BEGIN:VCALENDAR"},
        BrokenCase{"CutOff", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260302\n", "line 2: BEGIN:VEVENT has no END"},
        BrokenCase{"WrongEnd", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n",
                   "line 3: END:VCALENDAR does not fit: BEGIN:VEVENT of line 2 is open"},
        BrokenCase{"NoColon", Event("DTSTART 20260302"), "line 6: a colon is missing after DTSTART"},
        BrokenCase{"BadParameter", Event("DTSTART;VALUE:20260302"), "line 6: a parameter of DTSTART is not NAME=value"},
        BrokenCase{"OpenQuote", Event("DTSTART;TZID=\"Europe/Berlin:20260302T090000"), "line 6: a quotation mark"},
        BrokenCase{"NoStart", Event("LOCATION:here"), "line 3: the event has no DTSTART"},
        BrokenCase{"NoDay", Event("DTSTART;VALUE=DATE:20260230"), "line 6: DTSTART is not a day"},
        BrokenCase{"NoTime", Event("DTSTART:20260302T2500"), "line 6: DTSTART is not a day"},
        BrokenCase{"BadEnd", Event("DTSTART:20260302T090000\r\nDTEND:soon"), "line 7: DTEND is not a day"},
        BrokenCase{"BadDuration", Event("DTSTART:20260302T090000\r\nDURATION:1H"),
                   "line 7: DURATION is not a duration"},
        BrokenCase{"EndAfterTheLastYear", Event("DTSTART;VALUE=DATE:99991231\r\nDURATION:P2D"), "it never ends"},
        BrokenCase{"BadException", Event("DTSTART:20260302T090000\r\nRRULE:FREQ=DAILY\r\nEXDATE:never"),
                   "line 8: EXDATE is not a day"},
        BrokenCase{"AfterFoldedLines", Event("DESCRIPTION:a\r\n b\r\n c\r\nDTSTART:x"), "line 9: DTSTART is not a day"},
        BrokenCase{"NotUtf8", Event("DTSTART:20260302T090000\r\nLOCATION:\xFF"), "line 7: not UTF-8"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace toolgate::interchange::icalendar
