// A recurring event with everything that was changed about it.
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

// Read once from a view; does not follow later changes. An occurrence is known by its original day, on which the rule
// has it, wherever it was moved since. An occurrence is there when the rule has its day and that is no exception, or
// when it was changed.
class Series {
 public:
  // `block` is a calendar_event that recurs.
  static absl::StatusOr<Series> Load(EventBlock event, storage::ReadView& view);

  const storage::Block& block() const { return event_.block; }
  const Json& data() const { return event_.data; }
  const blocks::Recurrence& rule() const { return rule_; }
  const EventTimes& times() const { return times_; }  // Of the first day of the rule.
  const std::set<absl::CivilDay>& exceptions() const { return exceptions_; }
  // The changed occurrences by original day.
  const std::map<absl::CivilDay, EventBlock>& changed() const { return changed_; }
  const EventBlock* FindChanged(absl::CivilDay day) const;

  bool Has(absl::CivilDay day) const;
  // The first occurrence, by original day, on or after `from`.
  std::optional<absl::CivilDay> FirstFrom(absl::CivilDay from) const;
  std::optional<absl::CivilDay> First() const;
  // Whether an occurrence is there besides that of `day`.
  bool HasOtherThan(absl::CivilDay day) const;
  // Whether the rule has no day from `day` on. Changed occurrences may stand there all the same.
  bool RuleEndsBefore(absl::CivilDay day) const { return last_.has_value() && *last_ < day; }
  // How many occurrences are there from `from` on; nothing when they never end.
  std::optional<int64_t> CountFrom(absl::CivilDay from) const;
  // The block that says what the occurrence is: the changed one's, or the series'.
  const EventBlock& SourceOf(absl::CivilDay day) const;
  // Grows with every change of the occurrence or of its series. The version of a changed occurrence's block alone would
  // not do: its first is that of a young series, and who read the one could overwrite the other unawares.
  int64_t RevisionOf(absl::CivilDay day) const;
  // Where the occurrence stands now.
  absl::StatusOr<EventTimes> TimesOn(absl::CivilDay day) const;

 private:
  Series(EventBlock event, blocks::Recurrence rule, EventTimes times)
      : event_(std::move(event)), rule_(std::move(rule)), times_(times) {}

  // The days of the rule from `from` on that are neither exceptions nor changed, until `visit` answers false.
  void VisitPlain(absl::CivilDay from, absl::FunctionRef<bool(absl::CivilDay)> visit) const;

  EventBlock event_;
  blocks::Recurrence rule_;
  EventTimes times_;
  std::optional<absl::CivilDay> last_;  // The last day of the rule.
  std::set<absl::CivilDay> exceptions_;
  std::map<absl::CivilDay, EventBlock> changed_;
};

// What an event id stands for: a single event, a series, or one occurrence of a series.
struct Target {
  EventBlock event;                   // The single event, or the series.
  std::optional<Series> series;       // Set for the latter two.
  std::optional<absl::CivilDay> day;  // The occurrence's original day; unset for a bare id.
};

// Takes a block's id, "<series id>@<day>", or the id of a changed occurrence's own block. NOT_FOUND, naming occurrences
// near it where there are any; INVALID_PARAMS when the block is no event.
absl::StatusOr<Target> FindTarget(std::string_view event_id, storage::ReadView& view);

// Which occurrences a change is about.
enum class Scope { kThis, kThisAndFollowing, kAll };
// What the argument "scope" says; without it, this for an occurrence's id and all for a bare one. A single event is
// always kAll; the first occurrence and those that follow are kAll too.
Scope ScopeOf(const Json& arguments, const Target& target);

// CONFLICT, naming the present revision, unless the argument "revision" is absent or that of the target.
absl::Status CheckRevision(const Json& arguments, const Target& target);

// The original day of the occurrence that is meant: the one addressed, or the first.
absl::StatusOr<absl::CivilDay> DayOf(const Target& target);

// What tools answer: of an event or a series as a whole, under its bare id, and of one occurrence.
absl::StatusOr<Json> ViewOf(const EventBlock& event, absl::TimeZone zone);
absl::StatusOr<Json> ViewOf(const Series& series, absl::CivilDay day, absl::TimeZone zone);

// `event "Stand-up"` or `task "Stand-up"`, for descriptions.
std::string NameOf(const Json& data);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_SERIES_H_
