// A recurring event with its changed occurrences.
#ifndef TOOLGATE_EXECUTORS_CALENDAR_SERIES_H_
#define TOOLGATE_EXECUTORS_CALENDAR_SERIES_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "common/json.h"
#include "executors/blocks/recurrence.h"
#include "executors/calendar/event.h"
#include "storage/store.h"

namespace toolgate::executors::calendar {

// An event's block with its data.
struct EventBlock {
  storage::Block block;
  Json data;
};
absl::StatusOr<EventBlock> ParseEvent(storage::Block block);

// Read once from a view; does not see later changes. An occurrence is identified by its original day, which the rule
// yields, even if it was moved. An occurrence exists if the rule yields its day and the day is not an exception, or if
// it was changed.
class Series {
 public:
  // `block` must be a recurring calendar_event.
  static absl::StatusOr<Series> Load(EventBlock event, storage::ReadView& view);

  const storage::Block& block() const { return event_.block; }
  const Json& data() const { return event_.data; }
  const blocks::Recurrence& rule() const { return rule_; }
  const EventTimes& times() const { return times_; }  // Of the first day of the rule.
  const std::set<absl::CivilDay>& exceptions() const { return exceptions_; }
  // Changed occurrences by original day.
  const std::map<absl::CivilDay, EventBlock>& changed() const { return changed_; }
  const EventBlock* FindChanged(absl::CivilDay day) const;

  bool Has(absl::CivilDay day) const;
  // The first occurrence, by original day, on or after `from`.
  std::optional<absl::CivilDay> FirstFrom(absl::CivilDay from) const;
  std::optional<absl::CivilDay> First() const;
  // True if an occurrence other than that of `day` exists.
  bool HasOtherThan(absl::CivilDay day) const;
  // True if the rule yields no day from `day` on. Changed occurrences may exist there nevertheless.
  bool RuleEndsBefore(absl::CivilDay day) const { return last_.has_value() && *last_ < day; }
  // Number of occurrences from `from` on; nothing if they never end.
  std::optional<int64_t> CountFrom(absl::CivilDay from) const;
  // Block with the data of the occurrence: that of the changed occurrence, or the series.
  const EventBlock& SourceOf(absl::CivilDay day) const;
  // Grows with every change of the occurrence or its series. The version of a changed occurrence's block alone is not
  // enough: its first version could equal that of the series, so a caller who read the series could unknowingly
  // overwrite the occurrence.
  int64_t RevisionOf(absl::CivilDay day) const;
  // Current times of the occurrence.
  absl::StatusOr<EventTimes> TimesOn(absl::CivilDay day) const;

 private:
  Series(EventBlock event, blocks::Recurrence rule, EventTimes times)
      : event_(std::move(event)), rule_(std::move(rule)), times_(times) {}

  // Visits the days of the rule from `from` on that are neither exceptions nor changed, until `visit` returns false.
  void VisitPlain(absl::CivilDay from, absl::FunctionRef<bool(absl::CivilDay)> visit) const;

  EventBlock event_;
  blocks::Recurrence rule_;
  EventTimes times_;
  std::optional<absl::CivilDay> last_;  // The last day of the rule.
  std::set<absl::CivilDay> exceptions_;
  std::map<absl::CivilDay, EventBlock> changed_;
};

// Target of an event id: a single event, a series, or one occurrence of a series.
struct Target {
  EventBlock event;                   // The single event, or the series.
  std::optional<Series> series;       // Set for a series and its occurrences.
  std::optional<absl::CivilDay> day;  // The occurrence's original day; unset for a bare id.
};

// Resolves a block's id, "<series id>@<day>", or the id of a changed occurrence's own block. NOT_FOUND, which names
// nearby occurrences if there are any; INVALID_PARAMS if the block is not an event.
absl::StatusOr<Target> FindTarget(std::string_view event_id, storage::ReadView& view);

// Occurrences that a change affects.
enum class Scope { kThis, kThisAndFollowing, kAll };
// Reads the argument "scope". Default: kThis for an occurrence's id, kAll for a block's id. The scope of a single event
// is always kAll, and so is that of the first occurrence and those that follow.
Scope ScopeOf(const Json& arguments, const Target& target);

// CONFLICT, which names the current revision, unless the argument "revision" is absent or equals that of the target.
absl::Status CheckRevision(const Json& arguments, const Target& target);

// Original day of the addressed occurrence, or of the first one.
absl::StatusOr<absl::CivilDay> DayOf(const Target& target);

// JSON forms for results: of an event or a whole series, under its block id, and of one occurrence.
absl::StatusOr<Json> ViewOf(const EventBlock& event, absl::TimeZone zone);
absl::StatusOr<Json> ViewOf(const Series& series, absl::CivilDay day, absl::TimeZone zone);

// `event "Stand-up"` or `task "Stand-up"`, for descriptions.
std::string NameOf(const Json& data);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_SERIES_H_
