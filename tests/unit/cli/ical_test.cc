// iCalendar files in and out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/ical_export.h"
#include "cli/ical_import.h"
#include "cli/ical_text.h"
#include "cli/ical_time.h"
#include "cli/ical_zones.h"
#include "common/cancellation.h"
#include "common/clock.h"
#include "common/ids.h"
#include "common/json.h"
#include "common/time_zones.h"
#include "executors/blocks/block_writer.h"
#include "storage/sqlite/sqlite_store.h"
#include "tests/support/temp_dir.h"
#include "tests/support/zone_paths.h"

namespace toolgate::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const absl::Time kNow = absl::FromUnixSeconds(1772442000);  // 2026-03-02T09:00:00Z

struct Imported {
  absl::Status status;
  std::vector<v1::PortableBlock> blocks;
  std::vector<std::string> warnings;
  std::vector<std::string> places;

  Json Data(size_t i) const { return i < blocks.size() ? *ParseJson(blocks[i].data_json()) : Json(); }
};

Imported Import(const std::string& text) {
  Imported imported;
  const auto source = IcalImport::Parse(text, kNow, IdSource::Real());
  imported.status = source.status();
  if (!source.ok()) return imported;
  v1::PortableBlock block;
  while (*(*source)->Next(block)) {
    imported.blocks.push_back(block);
    imported.places.push_back((*source)->Place());
  }
  imported.warnings = (*source)->Warnings();
  return imported;
}

std::string File(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(std::string(TOOLGATE_SOURCE_DIR) + "/tests/unit/cli/data/calendars/" + name, std::ios::binary)
              .rdbuf();
  return text.str();
}

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

// ---- Files as other programs write them -----------------------------------------------------------------------------

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

// What is read is what the service takes.
TEST(IcalImportTest, EveryBlockIsTakenByTheStore) {
  toolgate::testing::TempDir directory;
  storage::sqlite::SqliteStore::Options options;
  options.data_dir = directory.path();
  options.clock = &Clock::Real();
  const auto store = storage::sqlite::SqliteStore::Create(options);
  ASSERT_TRUE(store.ok()) << store.status();
  for (const char* name : {"google.ics", "apple.ics", "thunderbird.ics", "outlook.ics"}) {
    const Imported in = Import(File(name));
    const Cancellation cancellation;
    const absl::Status status =
        (*store)->Commit({name, "ann", name, kNow}, storage::CommitMode::kDurable, cancellation,
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

// ---- Single habits --------------------------------------------------------------------------------------------------

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

// ---- Text -----------------------------------------------------------------------------------------------------------

TEST(IcalTextTest, EscapesAndFoldsWithoutCuttingCharacters) {
  EXPECT_EQ(EscapeIcal("a,b;c\\d\r\ne"), "a\\,b\\;c\\\\d\\ne");
  EXPECT_EQ(UnescapeIcal("a\\,b\\;c\\\\d\\Ne\\"), "a,b;c\\d\ne\\");
  EXPECT_THAT(UnescapeIcalList("a,b\\,c,,d"), ElementsAre("a", "b,c", "", "d"));
  std::string text = "SUMMARY:";
  for (int i = 0; i < 60; ++i) text += "ä";
  std::string folded;
  AppendIcalLine(text, folded);
  size_t start = 0;
  std::string unfolded;
  for (size_t end = folded.find("\r\n"); end != std::string::npos; start = end + 2, end = folded.find("\r\n", start)) {
    const std::string line = folded.substr(start, end - start);
    EXPECT_LE(line.size(), 75u);
    EXPECT_NE(static_cast<unsigned char>(line.back()) & 0xC0, 0xC0) << "cut within a character";
    unfolded += start == 0 ? line : line.substr(1);
  }
  EXPECT_EQ(unfolded, text);
}

TEST(IcalTimeTest, KnowsZonesUnderTheNamesThatProgramsGiveThem) {
  EXPECT_EQ(ZoneOfTzid("Europe/Berlin"), "Europe/Berlin");
  EXPECT_EQ(ZoneOfTzid("/freeassociation.sourceforge.net/America/Argentina/Ushuaia"), "America/Argentina/Ushuaia");
  EXPECT_EQ(ZoneOfTzid("/mozilla.org/20050126_1/europe/berlin"), "Europe/Berlin");
  EXPECT_EQ(ZoneOfTzid("Eastern Standard Time"), "America/New_York");
  EXPECT_EQ(ZoneOfTzid("Nowhere"), std::nullopt);
  EXPECT_EQ(ZoneOfTzid(""), std::nullopt);
  testing::ZonePaths paths;
  for (const std::string& name : paths.names()) {
    EXPECT_EQ(ZoneOfTzid(name), std::nullopt) << name;
    EXPECT_FALSE(paths.Opened()) << name;
  }
}

TEST(IcalTimeTest, ReadsDurations) {
  EXPECT_EQ(*ParseIcalDuration("P1W"), 7 * 86'400);
  EXPECT_EQ(*ParseIcalDuration("-PT15M"), -900);
  EXPECT_EQ(*ParseIcalDuration("P1DT2H3M4S"), 86'400 + 2 * 3'600 + 184);
  for (const char* bad : {"", "P", "PT", "1D", "P1H", "PT1D", "P1", "P-1D", "P99999999999D", "PTT1H"}) {
    EXPECT_FALSE(ParseIcalDuration(bad).ok()) << bad;
  }
}

TEST(IcalZonesTest, WritesTheRulesOfTheClock) {
  const absl::TimeZone zone = FindTimeZone("Europe/Berlin")->zone;
  std::string text;
  AppendIcalZone("Europe/Berlin", zone, kNow, kNow, text);
  EXPECT_EQ(text,
            "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n"
            "BEGIN:DAYLIGHT\r\nDTSTART:20260329T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nTZNAME:CEST\r\n"
            "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\nEND:DAYLIGHT\r\n"
            "BEGIN:STANDARD\r\nDTSTART:20251026T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nTZNAME:CET\r\n"
            "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r\nEND:STANDARD\r\n"
            "END:VTIMEZONE\r\n");
}

TEST(IcalZonesTest, WritesChangesWithoutARuleOneByOneAndAZoneWithoutChanges) {
  const absl::TimeZone zone = FindTimeZone("America/New_York")->zone;
  std::string text;
  AppendIcalZone("America/New_York", zone, absl::FromCivil(absl::CivilDay(2006, 1, 10), zone), kNow, text);
  // Until 2006 other rules held than since.
  EXPECT_THAT(text,
              HasSubstr("DTSTART:20060402T020000\r\nTZOFFSETFROM:-0500\r\nTZOFFSETTO:-0400\r\nTZNAME:EDT\r\nEND:"));
  EXPECT_THAT(text,
              HasSubstr("DTSTART:20070311T020000\r\nTZOFFSETFROM:-0500\r\nTZOFFSETTO:-0400\r\nTZNAME:EDT\r\nRRULE:"));
  EXPECT_THAT(text, HasSubstr("RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU"));
  text.clear();
  AppendIcalZone("Asia/Tokyo", FindTimeZone("Asia/Tokyo")->zone, kNow, kNow, text);
  EXPECT_THAT(text, HasSubstr("BEGIN:STANDARD\r\n"));
  EXPECT_THAT(text, HasSubstr("TZOFFSETTO:+0900"));
  EXPECT_THAT(text, Not(HasSubstr("RRULE")));
}

// ---- Export ---------------------------------------------------------------------------------------------------------

std::string Export(const std::vector<v1::PortableBlock>& blocks) {
  IcalExport calendar(kNow);
  for (const v1::PortableBlock& block : blocks) EXPECT_EQ(calendar.Add(block), absl::OkStatus());
  return calendar.Finish();
}

v1::PortableBlock Block(const std::string& id, const std::string& parent, const std::string& data,
                        const std::string& type = "calendar_event") {
  v1::PortableBlock block;
  block.set_id(id);
  block.set_parent_id(parent);
  block.set_type(type);
  block.set_data_json(data);
  return block;
}

TEST(IcalExportTest, WritesEventsAndTasks) {
  const std::string text =
      Export({Block("p", "", R"({"title": "A page"})", "page"),
              Block("a", "", R"({"title": "Lunch; with Ann", "date": "2026-03-02", "time": "12:00", "endTime": "13:00",
                          "timeZone": "UTC", "description": "Line\nbreak", "tags": ["a,b", "c"]})"),
              Block("b", "", R"({"title": "Trip", "date": "2026-04-08", "endDate": "2026-04-10"})"),
              Block("c", "", R"({"title": "Taxes", "date": "2026-04-10", "type": "task", "status": "done"})")});
  EXPECT_EQ(text,
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//toolgate//toolgate//EN\r\nCALSCALE:GREGORIAN\r\n"
            "BEGIN:VEVENT\r\nUID:a@toolgate\r\nDTSTAMP:20260302T090000Z\r\nDTSTART:20260302T120000Z\r\n"
            "DTEND:20260302T130000Z\r\nSUMMARY:Lunch\\; with Ann\r\nDESCRIPTION:Line\\nbreak\r\n"
            "CATEGORIES:a\\,b,c\r\nEND:VEVENT\r\n"
            "BEGIN:VEVENT\r\nUID:b@toolgate\r\nDTSTAMP:20260302T090000Z\r\nDTSTART;VALUE=DATE:20260408\r\n"
            "DTEND;VALUE=DATE:20260411\r\nSUMMARY:Trip\r\nEND:VEVENT\r\n"
            "BEGIN:VTODO\r\nUID:c@toolgate\r\nDTSTAMP:20260302T090000Z\r\nDUE;VALUE=DATE:20260410\r\n"
            "SUMMARY:Taxes\r\nSTATUS:COMPLETED\r\nEND:VTODO\r\n"
            "END:VCALENDAR\r\n");
}

TEST(IcalExportTest, UntilIsInUtcForTimesInAZone) {
  const std::string text = Export({Block("a", "", R"({"title": "x", "date": "2026-03-02", "time": "20:00",
      "timeZone": "America/New_York", "recurrence": "FREQ=DAILY;UNTIL=20260305", "recurrenceEnd": "2026-03-05",
      "exceptions": ["2026-03-03"]})")});
  EXPECT_THAT(text, HasSubstr("RRULE:FREQ=DAILY;UNTIL=20260306T010000Z\r\n"));
  EXPECT_THAT(text, HasSubstr("EXDATE;TZID=America/New_York:20260303T200000\r\n"));
  EXPECT_THAT(text, HasSubstr("BEGIN:VTIMEZONE\r\nTZID:America/New_York\r\n"));
}

TEST(IcalExportTest, RefusesDataThatIsNone) {
  IcalExport calendar(kNow);
  EXPECT_EQ(calendar.Add(Block("a", "", "[]")).code(), absl::StatusCode::kDataLoss);
}

TEST(IcalExportTest, AnEventMayLastUntilTheLastDay) {
  const std::vector<v1::PortableBlock> blocks = {
      Block("a", "", R"({"title": "one day", "date": "9999-12-31", "type": "event", "status": "pending"})"),
      Block("b", "", R"({"title": "for ever", "date": "2026-03-02", "endDate": "9999-12-31", "type": "event",
                         "status": "pending"})"),
      Block("c", "", R"({"title": "task", "date": "9999-12-30", "endDate": "9999-12-31", "type": "task",
                         "status": "pending"})"),
      Block("d", "", R"({"title": "timed", "date": "2026-03-02", "time": "09:00", "endDate": "9999-12-31",
                         "type": "event", "status": "pending"})")};
  const std::string text = Export(blocks);
  EXPECT_THAT(text, HasSubstr("DTSTART;VALUE=DATE:99991231\r\nDURATION:P1D\r\n"));
  const Imported in = Import(text);
  ASSERT_EQ(in.blocks.size(), blocks.size()) << in.status << text;
  EXPECT_EQ(in.Data(0)["date"], "9999-12-31");
  EXPECT_FALSE(in.Data(0).contains("endDate"));
  for (size_t i = 1; i < blocks.size(); ++i) EXPECT_EQ(in.Data(i)["endDate"], "9999-12-31") << i;
}

// What comes back is what went out, whichever program wrote it first.
class RoundTripTest : public ::testing::TestWithParam<std::string> {};

TEST_P(RoundTripTest, LosesNothing) {
  const Imported first = Import(File(GetParam()));
  ASSERT_TRUE(first.status.ok()) << first.status;
  ASSERT_THAT(first.blocks, Not(IsEmpty()));
  const std::string text = Export(first.blocks);
  const Imported second = Import(text);
  ASSERT_TRUE(second.status.ok()) << second.status << "\n" << text;
  EXPECT_THAT(second.warnings, IsEmpty());
  ASSERT_EQ(second.blocks.size(), first.blocks.size());
  for (size_t i = 0; i < first.blocks.size(); ++i) {
    EXPECT_EQ(second.Data(i), first.Data(i)) << text;
    EXPECT_EQ(second.blocks[i].parent_id().empty(), first.blocks[i].parent_id().empty());
  }
  EXPECT_EQ(Export(second.blocks), text);
}

INSTANTIATE_TEST_SUITE_P(Programs, RoundTripTest,
                         ::testing::Values("google.ics", "apple.ics", "thunderbird.ics", "outlook.ics"),
                         [](const auto& test) { return test.param.substr(0, test.param.find('.')); });

}  // namespace
}  // namespace toolgate::cli
