// The rules of an event's data, for every tool that writes it.
#include <string>
#include <vector>

#include "tests/support/calendar_fixture.h"

namespace toolgate::executors::calendar {
namespace {

using testing::FailsWith;

class EventDataTest : public CalendarTest {
 protected:
  Json Stored(const std::string& data) { return harness_.Data(Create("calendar_event", "", data)); }
  absl::StatusOr<Json> Try(const std::string& data, const std::string& parent = "") {
    Json arguments = {{"type", "calendar_event"}, {"data", Parse(data)}};
    if (!parent.empty()) arguments["parentId"] = parent;
    return Call("create_block", arguments);
  }
};

TEST_F(EventDataTest, ARuleIsBroughtIntoItsNormalForm) {
  EXPECT_EQ(
      Stored(
          R"({"title": "x", "date": "2026-03-04", "endDate": "2026-03-05", "recurrence": "rrule:freq=weekly;byday=fr,mo;count=3"})"),
      Parse(R"({"title": "x", "date": "2026-03-06", "endDate": "2026-03-07",
                      "recurrence": "FREQ=WEEKLY;COUNT=3;BYDAY=MO,FR", "recurrenceEnd": "2026-03-13"})"));
}

TEST_F(EventDataTest, TheEndOfARuleIsOursToSay) {
  EXPECT_EQ(Stored(R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=DAILY;UNTIL=20260310",
                       "recurrenceEnd": "2030-01-01"})")["recurrenceEnd"],
            "2026-03-10");
  EXPECT_FALSE(Stored(R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=DAILY",
                          "recurrenceEnd": "2030-01-01"})")
                   .contains("recurrenceEnd"));
  EXPECT_FALSE(
      Stored(R"({"title": "x", "date": "2026-03-02", "recurrenceEnd": "2030-01-01"})").contains("recurrenceEnd"));
}

TEST_F(EventDataTest, ExceptionsAreDaysInOrder) {
  EXPECT_EQ(Stored(R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=DAILY",
                       "exceptions": ["2026-03-09", "tomorrow", "2026-03-09"]})")["exceptions"],
            Json({"2026-03-03", "2026-03-09"}));
  EXPECT_FALSE(Stored(R"({"title": "x", "date": "2026-03-02", "exceptions": ["2026-03-09"]})").contains("exceptions"));
}

TEST_F(EventDataTest, ATimeZoneIsStoredAsTheDatabaseSpellsIt) {
  EXPECT_EQ(Stored(R"({"title": "x", "date": "2026-03-02", "timeZone": "america/port-au-prince"})")["timeZone"],
            "America/Port-au-Prince");
  EXPECT_EQ(Stored(R"({"title": "x", "date": "2026-03-02", "timeZone": "Asia/Calcutta"})")["timeZone"],
            "Asia/Calcutta");
}

TEST_F(EventDataTest, AnEndOnTheSameDayIsLeftOut) {
  EXPECT_FALSE(Stored(R"({"title": "x", "date": "2026-03-02", "endDate": "2026-03-02"})").contains("endDate"));
}

TEST_F(EventDataTest, AMemberIsCheckedWhenItIsPatchedToo) {
  const std::string id = Create("calendar_event", "", R"({"title": "x", "date": "2026-03-02", "time": "09:00"})");
  const auto patch = [&](const std::string& data) {
    return Call("update_block", {{"blockId", id}, {"data", Parse(data)}});
  };
  EXPECT_THAT(patch(R"({"endTime": "08:00"})"),
              FailsWith(ErrorCode::kInvalidParams, "endTime is not after time", "/data/endTime"));
  EXPECT_THAT(patch(R"({"recurrence": "FREQ=HOURLY"})"),
              FailsWith(ErrorCode::kInvalidParams, "once a day", "/data/recurrence"));
  EXPECT_TRUE(patch(R"({"endTime": "08:00", "endDate": "2026-03-03"})").ok());
}

struct RefusedCase {
  std::string name;
  std::string data;
  std::string message;
  std::string path;
};

class RefusedEventTest : public EventDataTest, public ::testing::WithParamInterface<RefusedCase> {};

TEST_P(RefusedEventTest, SaysWhatWouldBeRight) {
  EXPECT_THAT(Try(GetParam().data), FailsWith(ErrorCode::kInvalidParams, GetParam().message, GetParam().path));
}

INSTANTIATE_TEST_SUITE_P(
    Events, RefusedEventTest,
    ::testing::Values(
        RefusedCase{"EndsBeforeItBegins", R"({"title": "x", "date": "2026-03-02", "endDate": "2026-03-01"})",
                    "lies before date, 2026-03-02", "/data/endDate"},
        RefusedCase{"EndTimeAlone", R"({"title": "x", "date": "2026-03-02", "endTime": "10:00"})", "needs time",
                    "/data/endTime"},
        RefusedCase{"EndTimeNotAfter", R"({"title": "x", "date": "2026-03-02", "time": "10:00", "endTime": "10:00"})",
                    "give endDate", "/data/endTime"},
        RefusedCase{"NoZone", R"({"title": "x", "date": "2026-03-02", "timeZone": "Europe/Bielefeld"})", "IANA name",
                    "/data/timeZone"},
        RefusedCase{"ZoneByPath", R"({"title": "x", "date": "2026-03-02", "timeZone": "/etc/localtime"})", "IANA name",
                    "/data/timeZone"},
        RefusedCase{"ZoneByFile",
                    R"({"title": "x", "date": "2026-03-02", "timeZone": "file:/usr/share/zoneinfo/Europe/Berlin"})",
                    "must be the IANA name of a time zone, such as Europe/Berlin", "/data/timeZone"},
        RefusedCase{"ZoneOfTheMachine", R"({"title": "x", "date": "2026-03-02", "timeZone": "libc:localtime"})",
                    "IANA name", "/data/timeZone"},
        RefusedCase{"ZoneByClimbing",
                    R"({"title": "x", "date": "2026-03-02", "timeZone": "Europe/../../zoneinfo/Europe/Berlin"})",
                    "IANA name", "/data/timeZone"},
        RefusedCase{"ZoneOfALongName",
                    R"({"title": "x", "date": "2026-03-02", "timeZone": ")" + std::string(100'000, 'z') + "\"}",
                    "IANA name", "/data/timeZone"},
        RefusedCase{"ZoneOfNoText", R"({"title": "x", "date": "2026-03-02", "timeZone": 1})", "IANA name",
                    "/data/timeZone"},
        RefusedCase{"NoDays", R"({"title": "x", "date": "2026-03-02", "exceptions": ["2026-02-30"]})", "days",
                    "/data/exceptions"},
        RefusedCase{"NoRule", R"({"title": "x", "date": "2026-03-02", "recurrence": "weekly"})", "NAME=VALUE",
                    "/data/recurrence"},
        RefusedCase{"EmptyRule",
                    R"({"title": "x", "date": "2026-03-02", "recurrence": "FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1"})",
                    "yields no day", "/data/recurrence"},
        RefusedCase{"TooLongForASeries",
                    R"({"title": "x", "date": "2026-03-02", "endDate": "2027-03-10", "recurrence": "FREQ=YEARLY"})",
                    "at most 366 days", "/data/endDate"},
        RefusedCase{"ChangedWithoutSeries", R"({"title": "x", "date": "2026-03-02", "recurrenceId": "2026-03-02"})",
                    "must lie directly in the calendar_event that recurs", "/data/recurrenceId"}),
    [](const auto& test) { return test.param.name; });

TEST_F(EventDataTest, AChangedOccurrenceLiesInItsSeriesAndIsTheOnlyOne) {
  const std::string series = Daily();
  const std::string single = Event(R"({"title": "x", "date": "2026-03-02"})");
  const std::string own = R"({"title": "Own", "date": "2026-03-09", "recurrenceId": "2026-03-03"})";
  EXPECT_THAT(Try(own, single), FailsWith(ErrorCode::kInvalidParams, "must lie directly", "/data/recurrenceId"));
  const auto created = Try(own, series);
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_THAT(Try(own, series), FailsWith(ErrorCode::kConflict, "has been changed already", ""));
  EXPECT_THAT(
      Try(R"({"title": "x", "date": "2026-03-09", "recurrenceId": "2026-03-04", "recurrence": "FREQ=DAILY"})", series),
      FailsWith(ErrorCode::kInvalidParams, "cannot recur itself", "/data/recurrence"));
  EXPECT_EQ(Shown(List("{}")), (Texts{"03-02 x", "03-02 09:30 Daily", "03-04 09:30 Daily", "03-05 09:30 Daily",
                                      "03-06 09:30 Daily", "03-09 Own"}));
  EXPECT_THAT(Call("delete_block", {{"blockId", series}, {"deleteChildren", false}}),
              FailsWith(ErrorCode::kConflict, "cannot move up", ""));
}

}  // namespace
}  // namespace toolgate::executors::calendar
