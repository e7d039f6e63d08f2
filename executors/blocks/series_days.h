// The days on which a recurring event has occurrences.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_SERIES_DAYS_H_
#define TOOLGATE_EXECUTORS_BLOCKS_SERIES_DAYS_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/time/civil_time.h"
#include "common/json.h"
#include "executors/blocks/recurrence.h"

namespace toolgate::executors::blocks {

// Whether the event with this data is a series.
bool Recurs(const Json& data);
// The day that an occurrence stands for, as YYYY-MM-DD; empty for other events.
std::string_view OccurrenceDay(const Json& data);

// Days that the rule yields and that are not exceptions, whether their occurrences were changed or not.
class SeriesDays {
 public:
  // `data` is a calendar_event's, with a recurrence. An unreadable one, which BlockWriter never writes, yields no day.
  explicit SeriesDays(const Json& data);
  // True if the days of both recurring events are given in the same words.
  static bool Same(const Json& a, const Json& b);

  // `day` as YYYY-MM-DD. Examines only the period around it; the days of a rule with COUNT are all counted once, in the
  // constructor.
  bool Has(std::string_view day) const;

 private:
  std::optional<Recurrence> rule_;
  absl::CivilDay start_;
  std::optional<absl::CivilDay> last_;
  std::set<std::string, std::less<>> exceptions_;
};

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_SERIES_DAYS_H_
