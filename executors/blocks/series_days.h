// The days on which an event that recurs has occurrences.
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

// Those that its rule yields and that are no exceptions, whether they were changed or not.
class SeriesDays {
 public:
  // `data` is a calendar_event's, with a recurrence. One that cannot be read, as BlockWriter would not have left it,
  // yields no day.
  explicit SeriesDays(const Json& data);
  // Whether the days of both, events that recur, are said in the same words.
  static bool Same(const Json& a, const Json& b);

  // `day` as YYYY-MM-DD. Looks at the period around it alone: of a rule with COUNT, all days are counted once, when
  // this is made.
  bool Has(std::string_view day) const;

 private:
  std::optional<Recurrence> rule_;
  absl::CivilDay start_;
  std::optional<absl::CivilDay> last_;
  std::set<std::string, std::less<>> exceptions_;
};

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_SERIES_DAYS_H_
