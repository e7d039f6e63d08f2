// Shorthands for tests of the calendar's tools.
#ifndef TOOLGATE_TESTS_SUPPORT_CALENDAR_FIXTURE_H_
#define TOOLGATE_TESTS_SUPPORT_CALENDAR_FIXTURE_H_

#include <string>
#include <vector>

#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::calendar {

// Now is 2026-03-02 09:00 UTC, a Monday.
class CalendarTest : public testing::WorkspaceTest {
 protected:
  using Texts = std::vector<std::string>;

  // Returns the id.
  std::string Event(const std::string& arguments) {
    return Do("calendar_create_event", Parse(arguments)).value("eventId", "");
  }
  // A daily series of five days from Monday, 2026-03-02, on.
  std::string Daily() {
    return Event(R"({"title": "Daily", "date": "2026-03-02", "time": "09:30", "recurrence": "FREQ=DAILY;COUNT=5"})");
  }
  static std::string At(const std::string& series, const std::string& day) { return series + "@" + day; }

  Json List(const std::string& arguments) { return Do("calendar_list_events", Parse(arguments)); }
  // "03-02 09:30 Daily", and so on, of everything in 2026.
  Texts Year() { return Shown(List(R"({"dateFrom": "2026-01-01", "dateTo": "2026-12-31", "limit": 500})")); }
  static Texts Shown(const Json& list) {
    Texts rows;
    for (const Json& event : list["events"]) {
      std::string row = event.value("date", "").substr(5);
      if (event.contains("time")) row += " " + event.value("time", "");
      rows.push_back(row + " " + event.value("title", ""));
    }
    return rows;
  }
  Json Update(const std::string& event_id, const std::string& changes) {
    Json arguments = Parse(changes);
    arguments["eventId"] = event_id;
    return Do("calendar_update_event", arguments);
  }
  absl::StatusOr<Json> TryUpdate(const std::string& event_id, const std::string& changes) {
    Json arguments = Parse(changes);
    arguments["eventId"] = event_id;
    return Call("calendar_update_event", arguments);
  }
  int64_t Delete(const std::string& event_id, const std::string& scope = "") {
    Json arguments = {{"eventId", event_id}};
    if (!scope.empty()) arguments["scope"] = scope;
    const Json result = Do("calendar_delete_event", arguments);
    return result.value("success", false) ? result.value("deletedCount", int64_t{-1}) : -1;
  }
};

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_TESTS_SUPPORT_CALENDAR_FIXTURE_H_
