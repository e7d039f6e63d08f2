// Lists the events of a workspace's calendar between two days.
#ifndef TOOLGATE_EXECUTORS_CALENDAR_AGENDA_H_
#define TOOLGATE_EXECUTORS_CALENDAR_AGENDA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "common/json.h"
#include "executors/calendar/event.h"
#include "storage/store.h"

namespace toolgate::executors::calendar {

struct AgendaQuery {
  absl::CivilDay first;  // Days in `zone`, both inclusive. An event of several days matches if one of them does.
  absl::CivilDay last;
  // Also includes single events after `last`, and the next occurrence of a series that has none up to `last`.
  bool open_ended = false;
  std::string text;     // Words that title, description or location must all contain, ignoring case. Empty: any.
  std::string type;     // "event" or "task"; empty: both.
  std::string status;   // "pending" or "done"; empty: both.
  absl::TimeZone zone;  // Caller's zone: determines when days begin, and is the zone of events without one.
  size_t limit = 100;   // Maximum number of occurrences in the result.
};

// An event that does not recur, or one occurrence of a series.
struct Occurrence {
  std::string event_id;             // "<series id>@<original day>", or the block's id.
  std::string series_id;            // Empty for a single event.
  std::string recurrence;           // The series' rule; empty for a single event and for a changed occurrence.
  absl::CivilDay day;               // First day in the caller's calendar.
  absl::CivilDay last_day;          // Last day in the caller's calendar.
  std::optional<absl::Time> start;  // Of a timed one.
  EventTimes times;                 // On the wall clock of its own zone.
  Json data;                        // Data of the event, the series or the changed occurrence.
  int64_t revision = 0;             // The block's version; for a changed occurrence plus that of its series.
};

struct Agenda {
  std::vector<Occurrence> occurrences;  // At most `limit`, ordered by day, all-day events first, then by start.
  int64_t total = 0;                    // Number of all matches.
};

// Maximum number of occurrences that a query may examine; beyond it the query is refused.
inline constexpr int64_t kMaxOccurrences = 200'000;

// Lists occurrences. INVALID_PARAMS if there are more than kMaxOccurrences. Borrows its arguments during the call, and
// checks `cancellation` regularly.
absl::StatusOr<Agenda> ReadAgenda(storage::ReadView& view, const AgendaQuery& query,
                                  const fibers::Cancellation& cancellation);

// JSON form of an occurrence in results of the calendar tools; see EventView.
Json ToJson(const Occurrence& occurrence, absl::TimeZone zone);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_AGENDA_H_
