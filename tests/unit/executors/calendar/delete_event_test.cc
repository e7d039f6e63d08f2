// calendar_delete_event.
#include <string>
#include <vector>

#include "common/dates.h"
#include "tests/support/calendar_fixture.h"

namespace toolgate::executors::calendar {
namespace {

using testing::FailsWith;

// The series is daily, 03-02 to 03-06 at 09:30; 03-03 is an exception, and 03-05 was put off to 03-12.
struct DeleteCase {
  std::string name;
  std::string day;
  std::string scope;
  std::vector<std::string> year;
  int64_t count;
  std::string preview;
};

class DeleteScopeTest : public CalendarTest, public ::testing::WithParamInterface<DeleteCase> {};

TEST_P(DeleteScopeTest, TakesWhatItNames) {
  const DeleteCase& row = GetParam();
  const std::string series = Daily();
  Delete(At(series, "2026-03-03"));
  Update(At(series, "2026-03-05"), R"({"date": "2026-03-12"})");
  const std::string before = harness_.Snapshot();
  const std::string id = row.day.empty() ? series : At(series, row.day);
  Json arguments = {{"eventId", id}};
  if (!row.scope.empty()) arguments["scope"] = row.scope;
  const auto preview = harness_.PreviewOf("calendar_delete_event", arguments);
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->summary, row.preview);
  EXPECT_EQ(preview->undo_summary, "Undo brings everything back.");
  EXPECT_EQ(preview->affected_block_ids[0], series);
  EXPECT_EQ(Delete(id, row.scope), row.count);
  EXPECT_EQ(Year(), row.year);
  EXPECT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Calendar, DeleteScopeTest,
    ::testing::Values(
        DeleteCase{"ThisFirst",
                   "2026-03-02",
                   "",
                   {"03-04 09:30 Daily", "03-06 09:30 Daily", "03-12 09:30 Daily"},
                   1,
                   "Delete the occurrence of 2026-03-02 of event \"Daily\"; the others stay"},
        DeleteCase{"ThisMiddle",
                   "2026-03-04",
                   "this",
                   {"03-02 09:30 Daily", "03-06 09:30 Daily", "03-12 09:30 Daily"},
                   1,
                   "Delete the occurrence of 2026-03-04 of event \"Daily\"; the others stay"},
        DeleteCase{"ThisLast",
                   "2026-03-06",
                   "",
                   {"03-02 09:30 Daily", "03-04 09:30 Daily", "03-12 09:30 Daily"},
                   1,
                   "Delete the occurrence of 2026-03-06 of event \"Daily\"; the others stay"},
        DeleteCase{"ThisChanged",
                   "2026-03-05",
                   "",
                   {"03-02 09:30 Daily", "03-04 09:30 Daily", "03-06 09:30 Daily"},
                   1,
                   "Delete the occurrence of 2026-03-05 of event \"Daily\"; the others stay"},
        DeleteCase{"ThisOfTheBareId",
                   "",
                   "this",
                   {"03-04 09:30 Daily", "03-06 09:30 Daily", "03-12 09:30 Daily"},
                   1,
                   "Delete the occurrence of 2026-03-02 of event \"Daily\"; the others stay"},
        DeleteCase{
            "FollowingMiddle",
            "2026-03-04",
            "this_and_following",
            {"03-02 09:30 Daily"},
            2,
            "Delete the occurrences from 2026-03-04 on of event \"Daily\": 3 occurrences, 1 of which was changed; "
            "those before stay"},
        DeleteCase{
            "FollowingChanged",
            "2026-03-05",
            "this_and_following",
            {"03-02 09:30 Daily", "03-04 09:30 Daily"},
            1,
            "Delete the occurrences from 2026-03-05 on of event \"Daily\": 2 occurrences, 1 of which was changed; "
            "those before stay"},
        DeleteCase{"FollowingLast",
                   "2026-03-06",
                   "this_and_following",
                   {"03-02 09:30 Daily", "03-04 09:30 Daily", "03-12 09:30 Daily"},
                   1,
                   "Delete the occurrences from 2026-03-06 on of event \"Daily\": 1 occurrence; those before stay"},
        DeleteCase{
            "FollowingFirst",
            "2026-03-02",
            "this_and_following",
            {},
            2,
            "Delete all occurrences of event \"Daily\": 4 occurrences, 1 of which was changed; with it go 1 block "
            "below it"},
        DeleteCase{
            "All",
            "2026-03-06",
            "all",
            {},
            2,
            "Delete all occurrences of event \"Daily\": 4 occurrences, 1 of which was changed; with it go 1 block "
            "below it"},
        DeleteCase{
            "TheBareId",
            "",
            "",
            {},
            2,
            "Delete all occurrences of event \"Daily\": 4 occurrences, 1 of which was changed; with it go 1 block "
            "below it"}),
    [](const auto& test) { return test.param.name; });

class DeleteEventTest : public CalendarTest {};

TEST_F(DeleteEventTest, ASingleEventGoesWithWhatIsBelowIt) {
  const std::string id = Event(R"({"title": "Dentist", "date": "2026-03-04"})");
  Create("paragraph", id, R"({"content": "Bring the X-rays"})");
  const auto preview = harness_.PreviewOf("calendar_delete_event", {{"eventId", id}});
  ASSERT_TRUE(preview.ok());
  EXPECT_EQ(preview->summary, "Delete event \"Dentist\" of 2026-03-04; with it go 1 block below it");
  EXPECT_EQ(preview->affected_block_ids.size(), 2u);
  EXPECT_EQ(Delete(id, "this"), 2);
  EXPECT_EQ(harness_.description(), "Deleted event \"Dentist\" of 2026-03-04");
  EXPECT_EQ(Year(), Texts());
}

TEST_F(DeleteEventTest, TheSeriesGoesWithItsLastOccurrence) {
  const std::string series = Event(R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=DAILY;COUNT=2"})");
  Delete(At(series, "2026-03-02"));
  const auto preview = harness_.PreviewOf("calendar_delete_event", {{"eventId", At(series, "2026-03-03")}});
  ASSERT_TRUE(preview.ok());
  EXPECT_EQ(preview->summary, "Delete all occurrences of event \"x\": 1 occurrence");
  Delete(At(series, "2026-03-03"));
  EXPECT_EQ(harness_.Snapshot(), "");
}

TEST_F(DeleteEventTest, AnEndlessSeriesSaysSo) {
  const std::string series = Event(R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=DAILY"})");
  const auto preview = harness_.PreviewOf("calendar_delete_event",
                                          {{"eventId", At(series, "2026-03-10")}, {"scope", "this_and_following"}});
  ASSERT_TRUE(preview.ok());
  EXPECT_EQ(preview->summary,
            "Delete the occurrences from 2026-03-10 on of event \"x\": a series without end; those before stay");
  Delete(At(series, "2026-03-10"), "this_and_following");
  EXPECT_EQ(harness_.Data(series)["recurrence"], "FREQ=DAILY;UNTIL=20260309");
}

TEST_F(DeleteEventTest, MoreThanAThousandExceptionsAreRefused) {
  Json days = Json::array();
  for (int i = 1; i <= 1000; ++i) days.push_back(FormatDay(absl::CivilDay(2026, 3, 2) + i));
  const std::string series = Create(
      "calendar_event", "",
      R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=DAILY", "exceptions": )" + DumpJson(days) + "}");
  EXPECT_THAT(Call("calendar_delete_event", {{"eventId", series}, {"scope", "this"}}),
              FailsWith(ErrorCode::kInvalidParams, "at most 1000 days", "/data/exceptions"));
}

TEST_F(DeleteEventTest, RefusesWhatIsNotThere) {
  const std::string page = Create("page", "", R"({"title": "Page"})");
  EXPECT_THAT(Call("calendar_delete_event", {{"eventId", page}}),
              FailsWith(ErrorCode::kInvalidParams, "page", "/eventId"));
  EXPECT_THAT(Call("calendar_delete_event", {{"eventId", "gone@2026-03-02"}}),
              FailsWith(ErrorCode::kNotFound, "gone", ""));
}

}  // namespace
}  // namespace toolgate::executors::calendar
