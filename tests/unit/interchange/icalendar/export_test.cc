#include "interchange/icalendar/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/calendars.h"
#include "tests/support/libical.h"

namespace toolgate::interchange::icalendar {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

// The export of an import equals the import, whichever program wrote the file.
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

// Another parser finds every event, no errors, and the same texts.
TEST_P(RoundTripTest, LibicalReadsWhatIsWritten) {
  const Imported in = Import(File(GetParam()));
  const LibicalComponent calendar = LibicalRead(Export(in.blocks));
  ASSERT_NE(calendar, nullptr);
  EXPECT_EQ(icalcomponent_count_errors(calendar.get()), 0);
  std::vector<std::string> titles, descriptions;
  for (size_t i = 0; i < in.blocks.size(); ++i) {
    titles.push_back(in.Data(i)["title"]);
    descriptions.push_back(in.Data(i).value("description", ""));
  }
  std::vector<std::string> titles_read, descriptions_read;
  for (icalcomponent* one = icalcomponent_get_first_component(calendar.get(), ICAL_ANY_COMPONENT); one != nullptr;
       one = icalcomponent_get_next_component(calendar.get(), ICAL_ANY_COMPONENT)) {
    if (icalcomponent_isa(one) == ICAL_VTIMEZONE_COMPONENT) continue;
    titles_read.emplace_back(icalcomponent_get_summary(one));
    const char* description = icalcomponent_get_description(one);
    descriptions_read.emplace_back(description == nullptr ? "" : description);
  }
  EXPECT_EQ(titles_read, titles);
  EXPECT_EQ(descriptions_read, descriptions);
}

INSTANTIATE_TEST_SUITE_P(Programs, RoundTripTest,
                         ::testing::Values("google.ics", "apple.ics", "thunderbird.ics", "outlook.ics"),
                         [](const auto& test) { return test.param.substr(0, test.param.find('.')); });

}  // namespace
}  // namespace toolgate::interchange::icalendar
