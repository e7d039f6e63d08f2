// Changes series, whole or in part.
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

// An occurrence after a change: in which series, and its original day there.
struct Moved {
  std::string series_id;
  absl::CivilDay day;
};

// Borrows both; made for one call. Occurrences are named by their original days; the caller has made sure that they are
// there.
class SeriesEditor {
 public:
  SeriesEditor(storage::Transaction& transaction, blocks::BlockWriter& writer)
      : transaction_(transaction), writer_(writer) {}

  // One occurrence gets a block of its own below the series, unless it has one, and that is changed.
  absl::Status ChangeOne(const Series& series, absl::CivilDay day, const EventChange& change);

  // Every occurrence. Each changed one follows in the fields in which it was still like the series; the one of `day`,
  // if that is given, in all. A new date moves rule, exceptions and changed occurrences by so many days that the one of
  // `day`, or the series' first day, comes to stand there. INVALID_PARAMS when no rule says that.
  absl::StatusOr<Moved> ChangeAll(const Series& series, std::optional<absl::CivilDay> day, const EventChange& change);

  // The series ends before `day`, and a new one takes the rest over, with its exceptions and changed occurrences. The
  // rule has days before `day` and days after it, or on it.
  absl::StatusOr<Series> Split(const Series& series, absl::CivilDay day);

  // Each answers how many blocks are gone; an occurrence without a block of its own counts as one. The caller sees to
  // it that something of the series is left, since nobody could find a series without occurrences.
  absl::StatusOr<int64_t> RemoveOne(const Series& series, absl::CivilDay day);
  absl::StatusOr<int64_t> RemoveFrom(const Series& series, absl::CivilDay day);

 private:
  absl::Status ChangeChanged(const Series& series, const EventBlock& occurrence, absl::CivilDay day, bool addressed,
                             int64_t days, const EventChange& change);
  // The rule of what comes before `day`.
  blocks::Recurrence RuleBefore(const Series& series, absl::CivilDay day) const;

  storage::Transaction& transaction_;
  blocks::BlockWriter& writer_;
};

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_SERIES_EDITOR_H_
