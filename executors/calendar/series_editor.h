// Changes whole series or parts of them.
#ifndef TOOLGATE_EXECUTORS_CALENDAR_SERIES_EDITOR_H_
#define TOOLGATE_EXECUTORS_CALENDAR_SERIES_EDITOR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "common/json.h"
#include "executors/blocks/block_writer.h"
#include "executors/calendar/event_change.h"
#include "executors/calendar/series.h"
#include "storage/store.h"

namespace toolgate::executors::calendar {

// An occurrence after a change: its series, and its original day in that series.
struct Moved {
  std::string series_id;
  absl::CivilDay day;
};

// Borrows both arguments; created for one call. Occurrences are given by their original days, and must exist.
class SeriesEditor {
 public:
  SeriesEditor(storage::Transaction& transaction, blocks::BlockWriter& writer)
      : transaction_(transaction), writer_(writer) {}

  // Changes one occurrence in its own block below the series, which is created if it does not exist.
  absl::Status ChangeOne(const Series& series, absl::CivilDay day, const EventChange& change);

  // Changes every occurrence. A changed occurrence follows in the fields that still equal those of the series; that of
  // `day`, if given, follows in all fields. A new date moves rule, exceptions and changed occurrences by the same
  // number of days, so that the occurrence of `day`, or else the first, falls on it. INVALID_PARAMS if no rule yields
  // the moved days.
  absl::StatusOr<Moved> ChangeAll(const Series& series, std::optional<absl::CivilDay> day, const EventChange& change);

  // Ends the series before `day`, and creates a new one for the rest, with its exceptions and changed occurrences. The
  // rule must yield days before `day`, and days on or after it.
  absl::StatusOr<Series> Split(const Series& series, absl::CivilDay day);

  // Each returns the number of deleted blocks; an occurrence without its own block counts as one. The caller must leave
  // at least one occurrence, because a series without occurrences would be invisible.
  absl::StatusOr<int64_t> RemoveOne(const Series& series, absl::CivilDay day);
  absl::StatusOr<int64_t> RemoveFrom(const Series& series, absl::CivilDay day);

 private:
  absl::Status ChangeChanged(const Series& series, const EventBlock& occurrence, absl::CivilDay day, bool addressed,
                             int64_t days, const EventChange& change);
  // Rule of the part before `day`.
  blocks::Recurrence RuleBefore(const Series& series, absl::CivilDay day) const;

  storage::Transaction& transaction_;
  blocks::BlockWriter& writer_;
};

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_SERIES_EDITOR_H_
