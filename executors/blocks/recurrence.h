// RFC 5545 recurrence rules over days.
//
// A rule answers days on the wall calendar; at which time of day, and in which zone, is the event's affair. So a day
// names an occurrence, and UNTIL is a day.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_RECURRENCE_H_
#define TOOLGATE_EXECUTORS_BLOCKS_RECURRENCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"

namespace toolgate::executors::blocks {

// What FREQ=DAILY, WEEKLY, MONTHLY and YEARLY can say, expanded as RFC 5545, 3.3.10 has it. Where that leaves something
// open: a year of a rule with BYWEEKNO consists of whole weeks, and BYWEEKNO without BYDAY is the weekday of the start.
// A rule ends with the year 9999; no call takes longer than the way there does, some milliseconds. A value; const
// methods may be called by several threads.
class Recurrence {
 public:
  enum class Frequency { kDaily, kWeekly, kMonthly, kYearly };
  static constexpr int64_t kMaxCount = 10'000;
  static constexpr int kMaxInterval = 9'999;

  // Reads a rule with or without "RRULE:", in any case. A time in UNTIL is dropped, so that the day it names is the
  // last. INVALID_ARGUMENT otherwise; the message completes "the recurrence …" and says what would be right.
  static absl::StatusOr<Recurrence> Parse(std::string_view text);

  // The normal form: upper case, a fixed order of parts, nothing that says what holds anyway.
  std::string ToString() const;

  Frequency frequency() const { return frequency_; }
  std::optional<int64_t> count() const { return count_ > 0 ? std::optional(count_) : std::nullopt; }
  std::optional<absl::CivilDay> until() const { return until_; }
  // The same days with another end.
  Recurrence WithCount(int64_t count) const;
  Recurrence WithUntil(absl::CivilDay until) const;

  // Below, `start` is the day from which the rule counts: DTSTART. Events keep it on a day of their rule; only First
  // may be asked with another.

  // Calls `visit` with the days within [from, to], in order, until it answers false. Looks at UNTIL and not at COUNT:
  // who has a rule with COUNT bounds `to` by Last.
  void Visit(absl::CivilDay start, absl::CivilDay from, absl::CivilDay to,
             absl::FunctionRef<bool(absl::CivilDay)> visit) const;
  // The first day, on or after `start`; nothing when there is none within a hundred years.
  std::optional<absl::CivilDay> First(absl::CivilDay start) const;
  // The last day; nothing when it goes on for ever, or when there is no day at all.
  std::optional<absl::CivilDay> Last(absl::CivilDay start) const;
  // Whether the rule, to its end, has this day.
  bool Has(absl::CivilDay start, absl::CivilDay day) const;
  // How many days lie before `day`; counts no further than kMaxCount.
  int64_t CountBefore(absl::CivilDay start, absl::CivilDay day) const;

  // The rule whose days, counted from `start` + `days`, are those of this one, each `days` later. Nothing when no rule
  // says that: the second Tuesdays, a day later, are not always the second Wednesdays.
  std::optional<Recurrence> Shifted(absl::CivilDay start, int64_t days) const;

  friend bool operator==(const Recurrence&, const Recurrence&) = default;

 private:
  friend class RecurrenceExpander;
  friend class RecurrenceParser;

  // A BYDAY value.
  struct WeekdayRule {
    int ordinal = 0;  // 2: the second, -1: the last, 0: every one.
    int weekday = 0;  // 0 is Monday.
    friend bool operator==(const WeekdayRule&, const WeekdayRule&) = default;
  };

  // Whether it matters with which day a week begins, other than for BYWEEKNO.
  bool SetsOfAWeek() const;
  Recurrence ShiftedParts(absl::CivilDay start, int64_t days) const;

  Frequency frequency_ = Frequency::kDaily;
  int interval_ = 1;
  int64_t count_ = 0;  // 0: none.
  std::optional<absl::CivilDay> until_;
  std::vector<WeekdayRule> by_day_;
  std::vector<int> by_month_day_;
  std::vector<int> by_year_day_;
  std::vector<int> by_week_no_;
  std::vector<int> by_month_;
  std::vector<int> by_set_pos_;
  int week_start_ = 0;  // 0 is Monday.
};

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_RECURRENCE_H_
