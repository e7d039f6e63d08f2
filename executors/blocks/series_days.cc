#include "executors/blocks/series_days.h"

#include "absl/status/statusor.h"
#include "common/dates.h"
#include "executors/arguments.h"

namespace toolgate::executors::blocks {

bool Recurs(const Json& data) { return FindArgument(data, "recurrence") != nullptr; }

std::string_view OccurrenceDay(const Json& data) { return StringArgument(data, "recurrenceId"); }

SeriesDays::SeriesDays(const Json& data) {
  const absl::StatusOr<Recurrence> rule = Recurrence::Parse(StringArgument(data, "recurrence"));
  const absl::StatusOr<DateOrTime> start = ParseStoredDate(StringArgument(data, "date"));
  if (!rule.ok() || !start.ok()) return;
  rule_ = *rule;
  start_ = start->day;
  last_ = rule_->Last(start_);
  const Json* exceptions = FindArgument(data, "exceptions");
  if (exceptions == nullptr) return;
  for (const Json& day : *exceptions) {
    if (day.is_string()) exceptions_.insert(day.get<std::string>());
  }
}

bool SeriesDays::Same(const Json& a, const Json& b) {
  for (const char* name : {"date", "recurrence", "exceptions"}) {
    const Json* in_a = FindArgument(a, name);
    const Json* in_b = FindArgument(b, name);
    if (in_a == nullptr || in_b == nullptr ? in_a != in_b : *in_a != *in_b) return false;
  }
  return true;
}

bool SeriesDays::Has(std::string_view day) const {
  const absl::StatusOr<DateOrTime> parsed = ParseStoredDate(day);
  if (!rule_.has_value() || !parsed.ok() || exceptions_.contains(day) || (last_.has_value() && parsed->day > *last_))
    return false;
  bool found = false;
  rule_->Visit(start_, parsed->day, parsed->day, [&found](absl::CivilDay) {
    found = true;
    return false;
  });
  return found;
}

}  // namespace toolgate::executors::blocks
