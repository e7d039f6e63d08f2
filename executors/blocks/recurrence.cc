#include "executors/blocks/recurrence.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::executors::blocks {
namespace {

constexpr size_t kMaxText = 1'000;
constexpr int kLastYear = 9999;
constexpr int kYearsAhead = 100;  // Range that First searches.
constexpr std::array<std::string_view, 7> kWeekdays = {"MO", "TU", "WE", "TH", "FR", "SA", "SU"};
constexpr std::array<std::string_view, 4> kFrequencies = {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"};

// Days counted from 1970-01-01. Uses the standard library's calendar, because Abseil's takes ten times as long for far
// years.
int64_t NumberOf(int64_t year, int month, int day) {
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  return std::chrono::sys_days(date).time_since_epoch().count();
}
int64_t NumberOf(absl::CivilDay day) { return NumberOf(day.year(), day.month(), day.day()); }
absl::CivilDay DayOf(int64_t number) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(number))};
  return absl::CivilDay(static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
                        static_cast<int>(static_cast<unsigned>(date.day())));
}

// Months counted from January of the year 0.
int64_t MonthOf(absl::CivilDay day) { return day.year() * 12 + day.month() - 1; }
int64_t MonthOf(int64_t day) { return MonthOf(DayOf(day)); }

// 0 is Monday; 1970-01-01 was a Thursday.
int WeekdayOf(int64_t number) { return static_cast<int>(((number + 3) % 7 + 7) % 7); }

std::optional<int> WeekdayFromName(std::string_view name) {
  const auto found = std::find(kWeekdays.begin(), kWeekdays.end(), name);
  if (found == kWeekdays.end()) return std::nullopt;
  return static_cast<int>(found - kWeekdays.begin());
}

std::optional<int> WholeNumber(std::string_view text) {
  if (text.size() > 1 && text.front() == '+') text.remove_prefix(1);
  int value = 0;
  if (text.empty() || text.front() == '+' || text.size() > 6 || !absl::SimpleAtoi(ToAbsl(text), &value)) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string DayText(absl::CivilDay day) {
  return absl::StrCat(absl::Dec(day.year(), absl::kZeroPad4), absl::Dec(day.month(), absl::kZeroPad2),
                      absl::Dec(day.day(), absl::kZeroPad2));
}

int Rotated(int weekday, int64_t days) { return static_cast<int>(((weekday + days) % 7 + 7) % 7); }

}  // namespace

// ---- Reading and writing --------------------------------------------------------------------------------------------

// Takes one rule apart.
class RecurrenceParser {
 public:
  absl::StatusOr<Recurrence> Parse(std::string_view text) {
    const std::string upper = absl::AsciiStrToUpper(absl::StripAsciiWhitespace(ToAbsl(text)));
    std::string_view rest = upper;
    if (rest.substr(0, 6) == "RRULE:") rest.remove_prefix(6);
    if (text.size() > kMaxText || rest.empty()) return Wrong("must be a rule such as FREQ=WEEKLY;BYDAY=MO,WE");
    if (rest.back() == ';') rest.remove_suffix(1);
    for (const std::string_view part : SplitAt(rest, ';')) RETURN_IF_ERROR(ReadPart(part));
    RETURN_IF_ERROR(CheckWhole());
    Tidy();
    return std::move(rule_);
  }

 private:
  template <typename... Parts>
  static absl::Status Wrong(const Parts&... parts) {
    return absl::InvalidArgumentError(absl::StrCat(parts...));
  }

  absl::Status ReadPart(std::string_view part) {
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals + 1 == part.size()) {
      return Wrong("must consist of NAME=VALUE parts with semicolons between them");
    }
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = part.substr(equals + 1);
    if (std::find(seen_.begin(), seen_.end(), name) != seen_.end()) {
      return Wrong("says ", ToAbsl(name.substr(0, 16)), " twice");
    }
    seen_.push_back(name);
    if (name == "FREQ") return ReadFrequency(value);
    if (name == "INTERVAL") return ReadOne(value, 1, Recurrence::kMaxInterval, "INTERVAL", rule_.interval_);
    if (name == "COUNT") {
      int count = 0;
      RETURN_IF_ERROR(ReadOne(value, 1, Recurrence::kMaxCount, "COUNT", count));
      rule_.count_ = count;
      return absl::OkStatus();
    }
    if (name == "UNTIL") return ReadUntil(value);
    if (name == "WKST") {
      const std::optional<int> weekday = WeekdayFromName(value);
      if (!weekday.has_value()) return Wrong("has a WKST that is none of MO, TU, WE, TH, FR, SA, SU");
      rule_.week_start_ = *weekday;
      return absl::OkStatus();
    }
    return ReadBy(name, value);
  }

  absl::Status ReadBy(std::string_view name, std::string_view value) {
    if (name == "BYDAY") return ReadWeekdays(value);
    if (name == "BYMONTHDAY") return ReadList(value, 31, true, "BYMONTHDAY", rule_.by_month_day_);
    if (name == "BYYEARDAY") return ReadList(value, 366, true, "BYYEARDAY", rule_.by_year_day_);
    if (name == "BYWEEKNO") return ReadList(value, 53, true, "BYWEEKNO", rule_.by_week_no_);
    if (name == "BYMONTH") return ReadList(value, 12, false, "BYMONTH", rule_.by_month_);
    if (name == "BYSETPOS") return ReadList(value, 366, true, "BYSETPOS", rule_.by_set_pos_);
    if (name == "BYHOUR" || name == "BYMINUTE" || name == "BYSECOND") {
      return Wrong("has ", ToAbsl(name), ", but an event recurs at most once a day; its time says at what hour");
    }
    if (name == "RSCALE" || name == "SKIP") {
      return Wrong("has ", ToAbsl(name), ", but only the Gregorian calendar is known here; leave it out");
    }
    return Wrong("has the unknown part \"", ToAbsl(name.substr(0, 32)),
                 "\"; known are FREQ, INTERVAL, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYYEARDAY, BYWEEKNO, "
                 "BYSETPOS and WKST");
  }

  absl::Status ReadFrequency(std::string_view value) {
    if (value == "SECONDLY" || value == "MINUTELY" || value == "HOURLY") {
      return Wrong("has FREQ=", ToAbsl(value), ", but an event recurs at most once a day; ", Frequencies());
    }
    const auto found = std::find(kFrequencies.begin(), kFrequencies.end(), value);
    if (found == kFrequencies.end()) return Wrong("has a FREQ that does not exist; ", Frequencies());
    rule_.frequency_ = static_cast<Recurrence::Frequency>(found - kFrequencies.begin());
    has_frequency_ = true;
    return absl::OkStatus();
  }

  static std::string Frequencies() { return "write FREQ=DAILY, WEEKLY, MONTHLY or YEARLY"; }

  static absl::Status ReadOne(std::string_view value, int64_t min, int64_t max, std::string_view name, int& out) {
    const std::optional<int> number = WholeNumber(value);
    if (!number.has_value() || *number < min || *number > max) {
      return Wrong("has a ", ToAbsl(name), " that is not a whole number from ", min, " to ", max);
    }
    out = *number;
    return absl::OkStatus();
  }

  static absl::Status ReadList(std::string_view value, int max, bool negative, std::string_view name,
                               std::vector<int>& out) {
    for (const std::string_view item : SplitAt(value, ',')) {
      const std::optional<int> number = WholeNumber(item);
      if (!number.has_value() || *number == 0 || *number > max || *number < (negative ? -max : 1)) {
        return Wrong("has a ", ToAbsl(name), " that is not a list of numbers from 1 to ", max,
                     negative ? absl::StrCat(", or from -1 to -", max, " to count from the end") : "");
      }
      out.push_back(*number);
    }
    return absl::OkStatus();
  }

  absl::Status ReadWeekdays(std::string_view value) {
    for (const std::string_view item : SplitAt(value, ',')) {
      const std::optional<int> weekday = item.size() < 2 ? std::nullopt : WeekdayFromName(item.substr(item.size() - 2));
      const std::string_view ordinal = item.substr(0, item.size() < 2 ? 0 : item.size() - 2);
      const std::optional<int> number = ordinal.empty() ? std::optional(0) : WholeNumber(ordinal);
      const bool good_ordinal = ordinal.empty() || (number.has_value() && *number != 0 && std::abs(*number) <= 53);
      if (!weekday.has_value() || !good_ordinal) {
        return Wrong(
            "has a BYDAY that is not a list of MO, TU, WE, TH, FR, SA, SU, each perhaps with a number before "
            "it (2TU, -1FR)");
      }
      rule_.by_day_.push_back({*number, *weekday});
    }
    return absl::OkStatus();
  }

  absl::Status ReadUntil(std::string_view value) {
    const auto digits = [](std::string_view text) {
      return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    std::string_view time = value.substr(std::min<size_t>(value.size(), 8));
    if (!time.empty() && time.back() == 'Z') time.remove_suffix(1);
    const bool good_time = time.empty() || (time.size() == 7 && time[0] == 'T' && digits(time.substr(1)));
    absl::CivilDay day;
    bool good_day = false;
    if (value.size() >= 8 && digits(value.substr(0, 8))) {
      const int year = *WholeNumber(value.substr(0, 4));
      const int month = *WholeNumber(value.substr(4, 2));
      const int month_day = *WholeNumber(value.substr(6, 2));
      day = absl::CivilDay(year, month, month_day);
      good_day = year > 0 && day.month() == month && day.day() == month_day;
    }
    if (!good_day || !good_time) {
      return Wrong("has an UNTIL that is not a day that exists, written as YYYYMMDD (20261231)");
    }
    rule_.until_ = day;
    return absl::OkStatus();
  }

  // Checks the rule against the prohibitions of RFC 5545, 3.3.10.
  absl::Status CheckWhole() const {
    using Frequency = Recurrence::Frequency;
    if (!has_frequency_) return Wrong("has no FREQ; ", Frequencies());
    if (rule_.count_ > 0 && rule_.until_.has_value()) return Wrong("has both COUNT and UNTIL; give one of them");
    const Frequency frequency = rule_.frequency_;
    const bool ordinals =
        std::any_of(rule_.by_day_.begin(), rule_.by_day_.end(), [](const auto& day) { return day.ordinal != 0; });
    if (ordinals && (frequency == Frequency::kDaily || frequency == Frequency::kWeekly)) {
      return Wrong("has numbers in BYDAY, which only FREQ=MONTHLY and YEARLY can have");
    }
    if (ordinals && !rule_.by_week_no_.empty()) return Wrong("has numbers in BYDAY beside BYWEEKNO; leave one out");
    if (!rule_.by_month_day_.empty() && frequency == Frequency::kWeekly) {
      return Wrong("has BYMONTHDAY, which FREQ=WEEKLY cannot have; use FREQ=MONTHLY");
    }
    if (!rule_.by_year_day_.empty() && frequency != Frequency::kYearly) {
      return Wrong("has BYYEARDAY, which only FREQ=YEARLY can have");
    }
    if (!rule_.by_week_no_.empty() && frequency != Frequency::kYearly) {
      return Wrong("has BYWEEKNO, which only FREQ=YEARLY can have");
    }
    const bool other_parts = !rule_.by_day_.empty() || !rule_.by_month_day_.empty() || !rule_.by_year_day_.empty() ||
                             !rule_.by_week_no_.empty() || !rule_.by_month_.empty();
    if (!rule_.by_set_pos_.empty() && !other_parts) return Wrong("has BYSETPOS, which needs another BY part beside it");
    return absl::OkStatus();
  }

  template <typename T, typename Less>
  static void SortUnique(std::vector<T>& list, Less less) {
    std::stable_sort(list.begin(), list.end(), less);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  // Gives equivalent rules the same text.
  void Tidy() {
    for (std::vector<int>* list :
         {&rule_.by_month_day_, &rule_.by_year_day_, &rule_.by_week_no_, &rule_.by_month_, &rule_.by_set_pos_}) {
      SortUnique(*list, std::less<>());
    }
    if (!rule_.SetsOfAWeek() && rule_.by_week_no_.empty()) rule_.week_start_ = 0;
    SortUnique(rule_.by_day_, [first = rule_.week_start_](const auto& a, const auto& b) {
      return std::pair(Rotated(a.weekday, -first), a.ordinal) < std::pair(Rotated(b.weekday, -first), b.ordinal);
    });
  }

  Recurrence rule_;
  std::vector<std::string_view> seen_;
  bool has_frequency_ = false;
};

absl::StatusOr<Recurrence> Recurrence::Parse(std::string_view text) { return RecurrenceParser().Parse(text); }

std::string Recurrence::ToString() const {
  std::string text = absl::StrCat("FREQ=", ToAbsl(kFrequencies[static_cast<size_t>(frequency_)]));
  if (until_.has_value()) absl::StrAppend(&text, ";UNTIL=", DayText(*until_));
  if (count_ > 0) absl::StrAppend(&text, ";COUNT=", count_);
  if (interval_ > 1) absl::StrAppend(&text, ";INTERVAL=", interval_);
  if (!by_day_.empty()) {
    absl::StrAppend(&text, ";BYDAY=", absl::StrJoin(by_day_, ",", [](std::string* out, const WeekdayRule& day) {
      if (day.ordinal != 0) absl::StrAppend(out, day.ordinal);
      absl::StrAppend(out, ToAbsl(kWeekdays[static_cast<size_t>(day.weekday)]));
    }));
  }
  const auto list = [&text](std::string_view name, const std::vector<int>& values) {
    if (!values.empty()) absl::StrAppend(&text, ";", ToAbsl(name), "=", absl::StrJoin(values, ","));
  };
  list("BYMONTHDAY", by_month_day_);
  list("BYYEARDAY", by_year_day_);
  list("BYWEEKNO", by_week_no_);
  list("BYMONTH", by_month_);
  list("BYSETPOS", by_set_pos_);
  if (week_start_ != 0) absl::StrAppend(&text, ";WKST=", ToAbsl(kWeekdays[static_cast<size_t>(week_start_)]));
  return text;
}

bool Recurrence::SetsOfAWeek() const {
  return frequency_ == Frequency::kWeekly && !by_day_.empty() && (interval_ > 1 || !by_set_pos_.empty());
}

Recurrence Recurrence::WithCount(int64_t count) const {
  Recurrence rule = *this;
  rule.until_.reset();
  rule.count_ = count;
  return rule;
}

Recurrence Recurrence::WithUntil(absl::CivilDay until) const {
  Recurrence rule = *this;
  rule.count_ = 0;
  rule.until_ = until;
  return rule;
}

// ---- Expanding ------------------------------------------------------------------------------------------------------

// The days of one rule from one start on. As RFC 5545, 3.3.10 has it, every period (a day, week, month or year) holds a
// set of days, those that pass all BY parts, and BYSETPOS chooses from that set. Sets consist of months, each a word of
// bits, so that even 8,000 years without a match take only some milliseconds.
class RecurrenceExpander {
 public:
  RecurrenceExpander(const Recurrence& rule, absl::CivilDay start) : rule_(rule), start_(NumberOf(start)) {
    for (const int month : rule.by_month_) months_ |= 1u << month;
    for (const Recurrence::WeekdayRule& day : rule.by_day_) {
      if (day.ordinal == 0) weekdays_ |= 1u << day.weekday;
    }
    TakeFromStart(start);
    if (months_ == 0) months_ = ~0u;
  }

  // Calls `visit` with the days within [from, to], in order, until it answers false.
  void Visit(int64_t from, int64_t to, absl::FunctionRef<bool(int64_t)> visit) {
    if (rule_.frequency_ == Frequency::kDaily) return VisitDaily(from, to, visit);
    const int64_t interval = rule_.interval_;
    for (int64_t index = IndexOf(from) / interval * interval;; index += interval) {
      const Period period = PeriodAt(index);
      if (period.first > to) return;
      ExpandPeriod(period);
      for (const int64_t day : days_) {
        if (day < from) continue;
        if (day > to || !visit(day)) return;
      }
    }
  }

 private:
  using Frequency = Recurrence::Frequency;
  struct Period {
    int64_t first = 0;
    int64_t last = 0;
  };
  struct Month {
    int64_t year = 0;
    int month = 0;  // 1 is January.
    int64_t first = 0;
    int length = 0;
    Period Days() const { return {first, first + length - 1}; }
  };

  // Parts that the rule leaves open are taken from the first day.
  void TakeFromStart(absl::CivilDay start) {
    if (!rule_.by_day_.empty() || !rule_.by_month_day_.empty() || !rule_.by_year_day_.empty()) return;
    if (rule_.frequency_ == Frequency::kWeekly || !rule_.by_week_no_.empty()) {
      weekdays_ = 1u << WeekdayOf(start_);
    } else if (rule_.frequency_ != Frequency::kDaily) {
      start_month_day_ = start.day();
      if (rule_.frequency_ == Frequency::kYearly && months_ == 0) months_ = 1u << start.month();
    }
  }

  // ---- Periods: weeks, months or years, counted from that of the start ----

  int64_t WeekOf(int64_t day) const { return day - Rotated(WeekdayOf(day), -rule_.week_start_); }

  // A week belongs to the year that contains most of it, and so its fourth day.
  static int64_t YearOfWeek(int64_t week) { return DayOf(week + 3).year(); }
  int64_t FirstWeekOf(int64_t year) const { return WeekOf(NumberOf(year, 1, 4)); }

  // With BYWEEKNO, years consist of whole weeks.
  int64_t YearOf(int64_t day) const { return rule_.by_week_no_.empty() ? DayOf(day).year() : YearOfWeek(WeekOf(day)); }
  int64_t FirstDayOf(int64_t year) const {
    return rule_.by_week_no_.empty() ? NumberOf(year, 1, 1) : FirstWeekOf(year);
  }

  int64_t IndexOf(int64_t day) const {
    if (rule_.frequency_ == Frequency::kWeekly) return (WeekOf(day) - WeekOf(start_)) / 7;
    if (rule_.frequency_ == Frequency::kMonthly) return MonthOf(day) - MonthOf(start_);
    return YearOf(day) - YearOf(start_);
  }

  Period PeriodAt(int64_t index) const {
    if (rule_.frequency_ == Frequency::kWeekly) {
      const int64_t week = WeekOf(start_) + 7 * index;
      return {week, week + 6};
    }
    if (rule_.frequency_ == Frequency::kMonthly) return MonthAt(MonthOf(start_) + index).Days();
    const int64_t year = YearOf(start_) + index;
    return {FirstDayOf(year), FirstDayOf(year + 1) - 1};
  }

  static Month MonthAt(int64_t number) {
    const int64_t year = number / 12;
    const auto month = static_cast<int>(number % 12 + 1);
    const int64_t first = NumberOf(year, month, 1);
    const int64_t next = month == 12 ? NumberOf(year + 1, 1, 1) : NumberOf(year, month + 1, 1);
    return {year, month, first, static_cast<int>(next - first)};
  }

  // ---- Sets of days ----

  // Goes month by month: a month without any matching day is skipped as a whole.
  void VisitDaily(int64_t from, int64_t to, absl::FunctionRef<bool(int64_t)> visit) const {
    const std::vector<int>& positions = rule_.by_set_pos_;
    // The set of a day has one element, which is both first and last.
    const bool takes_one = positions.empty() || Contains(positions, 1) || Contains(positions, -1);
    if (!takes_one) return;
    const int64_t last_month = MonthOf(to);
    for (int64_t number = MonthOf(from); number <= last_month; ++number) {
      const Month month = MonthAt(number);
      const uint32_t days = DaysOf(month);
      if (days == 0) continue;
      const auto [first, last] = month.Days();
      const int64_t begin = std::max(first, from);
      const int64_t end = std::min(last, to);
      const int64_t steps = (begin - start_ + rule_.interval_ - 1) / rule_.interval_;
      for (int64_t day = start_ + steps * rule_.interval_; day <= end; day += rule_.interval_) {
        if ((days >> (day - first) & 1) != 0 && !visit(day)) return;
      }
    }
  }

  // Puts the days of the period into `days_`.
  void ExpandPeriod(Period period) {
    days_.clear();
    const int64_t last_month = MonthOf(period.last);
    for (int64_t number = MonthOf(period.first); number <= last_month; ++number) {
      const Month month = MonthAt(number);
      for (uint32_t left = DaysOf(month); left != 0; left &= left - 1) {
        const int64_t day = month.first + std::countr_zero(left);
        if (day >= period.first && day <= period.last) days_.push_back(day);
      }
    }
    if (!rule_.by_set_pos_.empty()) ChooseBySetPos();
  }

  void ChooseBySetPos() {
    const int count = static_cast<int>(days_.size());
    int position = 0;
    std::erase_if(days_, [&](int64_t) {
      ++position;
      return !Contains(rule_.by_set_pos_, position) && !Contains(rule_.by_set_pos_, position - count - 1);
    });
  }

  static bool Contains(const std::vector<int>& list, int value) {
    return std::binary_search(list.begin(), list.end(), value);
  }

  // Bit d: the day d days after the month's first passes all parts.
  uint32_t DaysOf(const Month& month) const {
    if ((months_ >> month.month & 1) == 0) return 0;
    uint32_t days = ~0u >> (32 - month.length);
    if (start_month_day_ > 0) days &= 1u << (start_month_day_ - 1);
    if (!rule_.by_month_day_.empty()) days &= ByMonthDay(month);
    if (weekdays_ != 0 || !rule_.by_day_.empty()) days &= ByDay(month);
    if (!rule_.by_year_day_.empty()) days &= ByYearDay(month);
    if (days != 0 && !rule_.by_week_no_.empty()) days &= ByWeekNo(month);
    return days;
  }

  // Adds `day` to the set, where it is one of the month.
  static void Add(int64_t day, const Month& month, uint32_t& days) {
    if (day >= month.first && day < month.first + month.length) days |= 1u << (day - month.first);
  }

  static Period YearAround(const Month& month) { return {NumberOf(month.year, 1, 1), NumberOf(month.year, 12, 31)}; }

  uint32_t ByMonthDay(const Month& month) const {
    uint32_t days = 0;
    for (const int day : rule_.by_month_day_) {
      Add(month.first + (day > 0 ? day - 1 : month.length + day), month, days);
    }
    return days;
  }

  uint32_t ByDay(const Month& month) const {
    // Five weeks, each of which begins with the weekday of the month's first.
    const int weekday = WeekdayOf(month.first);
    const uint64_t week = (weekdays_ >> weekday | weekdays_ << (7 - weekday)) & 0x7F;
    auto days = static_cast<uint32_t>(week * 0x10204081);
    // Numbers count within the month, or within the year if no month is named.
    const bool within_year = rule_.frequency_ == Frequency::kYearly && rule_.by_month_.empty();
    const Period period = within_year ? YearAround(month) : month.Days();
    for (const Recurrence::WeekdayRule& day : rule_.by_day_) {
      if (day.ordinal > 0) {
        const int64_t first = period.first + Rotated(day.weekday, -WeekdayOf(period.first));
        Add(first + int64_t{7} * (day.ordinal - 1), month, days);
      } else if (day.ordinal < 0) {
        const int64_t last = period.last - Rotated(WeekdayOf(period.last), -day.weekday);
        Add(last + int64_t{7} * (day.ordinal + 1), month, days);
      }
    }
    return days;
  }

  uint32_t ByYearDay(const Month& month) const {
    const Period year = YearAround(month);
    uint32_t days = 0;
    for (const int day : rule_.by_year_day_) Add(day > 0 ? year.first + day - 1 : year.last + day + 1, month, days);
    return days;
  }

  uint32_t ByWeekNo(const Month& month) const {
    uint32_t days = 0;
    for (int64_t week = WeekOf(month.first); week < month.first + month.length; week += 7) {
      const int64_t year = YearOfWeek(week);
      const auto number = static_cast<int>((week - FirstWeekOf(year)) / 7 + 1);
      const auto from_end = static_cast<int>((week - FirstWeekOf(year + 1)) / 7);
      if (!Contains(rule_.by_week_no_, number) && !Contains(rule_.by_week_no_, from_end)) continue;
      for (int64_t day = week; day < week + 7; ++day) Add(day, month, days);
    }
    return days;
  }

  const Recurrence& rule_;
  const int64_t start_;
  uint32_t months_ = 0;      // Bit m: month m passes; all do where the rule names none.
  uint32_t weekdays_ = 0;    // Bit d: weekday d passes without a number.
  int start_month_day_ = 0;  // The day of the month that the start gives; 0 if it gives none.
  std::vector<int64_t> days_;
};

void Recurrence::Visit(absl::CivilDay start, absl::CivilDay from, absl::CivilDay to,
                       absl::FunctionRef<bool(absl::CivilDay)> visit) const {
  from = std::max(from, start);
  to = std::min({to, until_.value_or(to), absl::CivilDay(kLastYear, 12, 31)});
  if (to < from) return;
  RecurrenceExpander(*this, start).Visit(NumberOf(from), NumberOf(to), [&visit](int64_t day) {
    return visit(DayOf(day));
  });
}

std::optional<absl::CivilDay> Recurrence::First(absl::CivilDay start) const {
  std::optional<absl::CivilDay> first;
  const absl::CivilDay end = start + int64_t{366} * kYearsAhead;
  Visit(start, start, end, [&](absl::CivilDay day) {
    first = day;
    return false;
  });
  return first;
}

std::optional<absl::CivilDay> Recurrence::Last(absl::CivilDay start) const {
  std::optional<absl::CivilDay> last;
  if (count_ > 0) {
    int64_t seen = 0;
    Visit(start, start, absl::CivilDay(kLastYear, 12, 31), [&](absl::CivilDay day) {
      last = day;
      return ++seen < count_;
    });
    return last;
  }
  if (!until_.has_value()) return std::nullopt;
  // Backwards from the end, in windows that grow.
  absl::CivilDay to = *until_;
  for (int64_t width = 62; to >= start && !last.has_value(); width *= 4) {
    Visit(start, to - width, to, [&](absl::CivilDay day) {
      last = day;
      return true;
    });
    to -= width + 1;
  }
  return last;
}

bool Recurrence::Has(absl::CivilDay start, absl::CivilDay day) const {
  bool found = false;
  Visit(start, day, day, [&](absl::CivilDay) {
    found = true;
    return false;
  });
  return found && (count_ == 0 || CountBefore(start, day) < count_);
}

int64_t Recurrence::CountBefore(absl::CivilDay start, absl::CivilDay day) const {
  int64_t seen = 0;
  Visit(start, start, day - 1, [&](absl::CivilDay) { return ++seen < kMaxCount; });
  return seen;
}

// ---- Shifting -------------------------------------------------------------------------------------------------------

// Parts of the shifted rule, provided that a rule can express it.
Recurrence Recurrence::ShiftedParts(absl::CivilDay start, int64_t days) const {
  Recurrence rule = *this;
  if (until_.has_value()) rule.until_ = *until_ + days;
  if (SetsOfAWeek()) rule.week_start_ = Rotated(week_start_, days);
  for (WeekdayRule& day : rule.by_day_) {
    if (day.ordinal != 0 && days % 7 == 0) day.ordinal += static_cast<int>(days / 7);
    if (day.ordinal == 0) day.weekday = Rotated(day.weekday, days);
  }
  const absl::CivilDay moved = start + days;
  const bool one_day_of_one_month =
      by_month_.size() == 1 && by_month_[0] == start.month() && by_month_day_.size() == 1 && by_month_day_[0] > 0;
  if (one_day_of_one_month) rule.by_month_day_ = {moved.day()};
  if (by_month_.size() == 1 && by_month_[0] == start.month()) rule.by_month_ = {moved.month()};
  if (one_day_of_one_month) return rule;
  for (int& day : rule.by_month_day_) {
    // The day before the first is the last of the month before, -1, and vice versa: there is no day 0.
    const int shifted = day + static_cast<int>(std::clamp<int64_t>(days, -400, 400));
    const bool passes = day > 0 ? shifted <= 0 : shifted >= 0;
    day = passes ? shifted + (day > 0 ? -1 : 1) : shifted;
  }
  return rule;
}

std::optional<Recurrence> Recurrence::Shifted(absl::CivilDay start, int64_t days) const {
  if (days == 0) return *this;
  const absl::StatusOr<Recurrence> candidate = Parse(ShiftedParts(start, days).ToString());
  if (!candidate.ok()) return std::nullopt;  // For example, the thirty-second of the month.
  // Long enough for leap years.
  const absl::CivilDay end = std::min(start + int64_t{366} * 40, Last(start).value_or((absl::CivilDay::max)()));
  std::vector<absl::CivilDay> wanted;
  Visit(start, start, end, [&](absl::CivilDay day) {
    wanted.push_back(day + days);
    return true;
  });
  size_t next = 0;
  bool same = true;
  candidate->Visit(start + days, start + days, end + days, [&](absl::CivilDay day) {
    same = next < wanted.size() && wanted[next] == day;
    ++next;
    return same;
  });
  if (!same || next != wanted.size()) return std::nullopt;
  return *candidate;
}

}  // namespace toolgate::executors::blocks
