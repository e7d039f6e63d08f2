// RFC 5545 recurrence rules over days.
//
// A rule answers days on the wall calendar; the time of day and the zone belong to the event. So a day identifies an
// occurrence, and UNTIL is a day.
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

// Rules with FREQ=DAILY, WEEKLY, MONTHLY and YEARLY, expanded as RFC 5545, 3.3.10 requires. Where the RFC leaves a
// choice: a year of a rule with BYWEEKNO consists of whole weeks, and BYWEEKNO without BYDAY means the weekday of the
// start. A rule ends with the year 9999; no call takes longer than expanding up to there, some milliseconds. A value;
// const methods may be called by several threads.
class Recurrence {
 public:
  enum class Frequency { kDaily, kWeekly, kMonthly, kYearly };
  static constexpr int64_t kMaxCount = 10'000;
  static constexpr int kMaxInterval = 9'999;

  // Reads a rule with or without "RRULE:", in any case. A time in UNTIL is dropped, so that the day it names is the
  // last. INVALID_ARGUMENT otherwise; the message completes "the recurrence …" and says what would be right.
  static absl::StatusOr<Recurrence> Parse(std::string_view text);

  // The normal form: upper case, a fixed order of parts, no parts that equal their defaults.
  std::string ToString() const;

  Frequency frequency() const { return frequency_; }
  std::optional<int64_t> count() const { return count_ > 0 ? std::optional(count_) : std::nullopt; }
  std::optional<absl::CivilDay> until() const { return until_; }
  // The same days with another end.
  Recurrence WithCount(int64_t count) const;
  Recurrence WithUntil(absl::CivilDay until) const;

  // Below, `start` is the day from which the rule counts: DTSTART. Events keep it on a day of their rule; only First
  // accepts any day.

  // Calls `visit` with the days within [from, to], in order, until it answers false. Respects UNTIL but not COUNT: for
  // a rule with COUNT, the caller limits `to` to Last.
  void Visit(absl::CivilDay start, absl::CivilDay from, absl::CivilDay to,
             absl::FunctionRef<bool(absl::CivilDay)> visit) const;
  // The first day, on or after `start`; nothing when there is none within a hundred years.
  std::optional<absl::CivilDay> First(absl::CivilDay start) const;
  // The last day; nothing if the rule is endless or yields no day at all.
  std::optional<absl::CivilDay> Last(absl::CivilDay start) const;
  // True if the rule, up to its end, yields this day.
  bool Has(absl::CivilDay start, absl::CivilDay day) const;
  // Number of days before `day`; counts no further than kMaxCount.
  int64_t CountBefore(absl::CivilDay start, absl::CivilDay day) const;

  // The rule whose days, counted from `start` + `days`, are those of this one, each `days` later. Nothing if no rule
  // expresses that: the second Tuesdays, a day later, are not always the second Wednesdays.
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

  // True if the first day of the week matters, other than for BYWEEKNO.
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
