// Everything that stands in a workspace's calendar between two days.
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
#include "common/cancellation.h"
#include "common/json.h"
#include "executors/calendar/event.h"
#include "storage/store.h"

namespace toolgate::executors::calendar {

struct AgendaQuery {
  absl::CivilDay first;  // Days of `zone`, both included. An event of several days is in when one of them is.
  absl::CivilDay last;
  // Single events after `last` too; and of a series that has nothing up to `last`, its next occurrence.
  bool open_ended = false;
  std::string text;     // Words, all of which title, description and location must hold, in any case. Empty: any.
  std::string type;     // "event" or "task"; empty: both.
  std::string status;   // "pending" or "done"; empty: both.
  absl::TimeZone zone;  // The caller's: says when a day begins, and where events without a zone take place.
  size_t limit = 100;   // The most occurrences that are answered.
};

// An event that does not recur, or one occurrence of a series.
struct Occurrence {
  std::string event_id;             // "<series id>@<original day>", or the block's id.
  std::string series_id;            // Empty for a single event.
  std::string recurrence;           // The series' rule; empty for a single event and for a changed occurrence.
  absl::CivilDay day;               // The first day on which the caller's calendar shows it.
  absl::CivilDay last_day;          // The last of these days.
  std::optional<absl::Time> start;  // Of a timed one.
  EventTimes times;                 // On the wall clock of its own zone.
  Json data;                        // Of the block that it comes from: the event, the series or the changed occurrence.
  int64_t revision = 0;             // The block's version; of a changed occurrence with its series' added.
};

struct Agenda {
  std::vector<Occurrence> occurrences;  // By day, all-day ones first, then by start; `limit` at most.
  int64_t total = 0;                    // All that match.
};

// More occurrences than anybody looks at; a query for more is refused.
inline constexpr int64_t kMaxOccurrences = 200'000;

// INVALID_PARAMS when there are more than kMaxOccurrences. Borrows everything for the call; asks `cancellation` as it
// goes.
absl::StatusOr<Agenda> ReadAgenda(storage::ReadView& view, const AgendaQuery& query, const Cancellation& cancellation);

// As the calendar's tools answer it; see EventView.
Json ToJson(const Occurrence& occurrence, absl::TimeZone zone);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_AGENDA_H_
