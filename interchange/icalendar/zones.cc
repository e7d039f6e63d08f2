#include "interchange/icalendar/zones.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "common/absl_bridge.h"
#include "interchange/icalendar/text.h"
#include "interchange/icalendar/time.h"

namespace toolgate::interchange::icalendar {
namespace {

constexpr int kYearsAhead = 10;  // Beyond the last event, to see which changes come every year.
constexpr int kRuleYears = 5;    // Minimum time for which changes must have followed a rule.
constexpr std::array<std::string_view, 7> kWeekdays = {"MO", "TU", "WE", "TH", "FR", "SA", "SU"};

// A change of the clock.
struct Change {
  absl::CivilSecond at;  // On the clock before the change.
  int from = 0;          // Seconds east of Greenwich.
  int to = 0;
  bool daylight = false;
  std::string name;
};

// Time of a yearly change.
struct YearlyRule {
  int month = 0;
  int ordinal = 0;     // -1: the last.
  int weekday = 0;     // 0 is Monday.
  int64_t second = 0;  // Of the day.
  int from = 0;
  int to = 0;
  friend bool operator==(const YearlyRule&, const YearlyRule&) = default;
};

YearlyRule RuleOf(const Change& change, bool from_end) {
  const absl::CivilDay day(change.at);
  YearlyRule rule;
  rule.month = day.month();
  rule.ordinal = from_end ? -1 : (day.day() - 1) / 7 + 1;
  rule.weekday = static_cast<int>(absl::GetWeekday(day));
  rule.second = change.at - absl::CivilSecond(day);
  rule.from = change.from;
  rule.to = change.to;
  return rule;
}

bool IsLastOfMonth(const Change& change) {
  const absl::CivilDay day(change.at);
  return absl::CivilMonth(day + 7) != absl::CivilMonth(day);
}

// The rule that fits all of `changes`, one per year.
std::optional<YearlyRule> CommonRule(const std::vector<const Change*>& changes) {
  for (const bool from_end : {true, false}) {
    bool same = true;
    for (const Change* change : changes) {
      same =
          same && (!from_end || IsLastOfMonth(*change)) && RuleOf(*change, from_end) == RuleOf(*changes[0], from_end);
    }
    if (same) return RuleOf(*changes[0], from_end);
  }
  return std::nullopt;
}

// Changes of the offset of `zone` up to `end`, from the one in force at `first`.
std::vector<Change> ChangesOf(absl::TimeZone zone, absl::Time first, absl::Time end) {
  std::vector<Change> changes;
  absl::TimeZone::CivilTransition transition;
  absl::Time at = first;
  // The change before the first event gives the offset at that time.
  if (zone.PrevTransition(first, &transition)) at = zone.At(transition.to).trans - absl::Seconds(1);
  while (zone.NextTransition(at, &transition)) {
    const absl::Time when = zone.At(transition.to).trans;
    if (when > end || when <= at) break;
    const auto before = zone.At(when - absl::Seconds(1));
    const auto after = zone.At(when);
    if (before.offset != after.offset) {
      changes.push_back({absl::ToCivilSecond(when, absl::FixedTimeZone(before.offset)), before.offset, after.offset,
                         after.is_dst, after.zone_abbr});
    }
    at = when;
  }
  return changes;
}

// "+0100"; with seconds if there are any, as before the 1920s: "-004430".
std::string OffsetText(int offset) {
  const int seconds = std::abs(offset);
  std::string text = absl::StrCat(offset < 0 ? "-" : "+", absl::Dec(seconds / 3'600, absl::kZeroPad2),
                                  absl::Dec(seconds / 60 % 60, absl::kZeroPad2));
  if (seconds % 60 != 0) absl::StrAppend(&text, absl::Dec(seconds % 60, absl::kZeroPad2));
  return text;
}

void AppendObservance(const Change& change, const std::optional<YearlyRule>& rule, std::string& out) {
  const std::string name = change.daylight ? "DAYLIGHT" : "STANDARD";
  AppendIcalLine("BEGIN:" + name, out);
  AppendIcalLine("DTSTART:" + IcalClockText(change.at), out);
  AppendIcalLine("TZOFFSETFROM:" + OffsetText(change.from), out);
  AppendIcalLine("TZOFFSETTO:" + OffsetText(change.to), out);
  if (!change.name.empty()) AppendIcalLine("TZNAME:" + change.name, out);
  if (rule.has_value()) {
    AppendIcalLine(absl::StrCat("RRULE:FREQ=YEARLY;BYMONTH=", rule->month, ";BYDAY=", rule->ordinal,
                                ToAbsl(kWeekdays[static_cast<size_t>(rule->weekday)])),
                   out);
  }
  AppendIcalLine("END:" + name, out);
}

// The rules of the years up to `last_year`: one for summer and one for winter time, or none.
std::vector<YearlyRule> RulesOf(const std::vector<Change>& changes, int64_t last_year) {
  std::vector<YearlyRule> rules;
  for (const bool daylight : {true, false}) {
    std::vector<const Change*> latest;
    for (auto change = changes.rbegin(); change != changes.rend() && latest.size() < kRuleYears; ++change) {
      if (change->daylight == daylight) latest.push_back(&*change);
    }
    // A rule that is no longer in use would continue for ever.
    if (latest.size() < kRuleYears || latest.front()->at.year() < last_year - 1) return {};
    const std::optional<YearlyRule> rule = CommonRule(latest);
    // Five in five years, never two in one.
    if (!rule.has_value() || latest.front()->at.year() - latest.back()->at.year() != kRuleYears - 1) return {};
    rules.push_back(*rule);
  }
  return rules;
}

bool Keeps(const Change& change, const YearlyRule& rule) {
  return RuleOf(change, rule.ordinal < 0) == rule && (rule.ordinal > 0 || IsLastOfMonth(change));
}

// The first change from which all changes follow a rule, and no rule skips a year.
size_t FirstRuled(const std::vector<Change>& changes, const std::vector<YearlyRule>& rules) {
  std::vector<std::optional<int64_t>> years(rules.size());  // Of each rule's earliest change so far.
  size_t first = changes.size();
  for (; first > 0; --first) {
    const Change& change = changes[first - 1];
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const auto& one) { return Keeps(change, one); });
    if (rule == rules.end()) break;
    std::optional<int64_t>& year = years[static_cast<size_t>(rule - rules.begin())];
    if (year.has_value() && *year != change.at.year() + 1) break;
    year = change.at.year();
  }
  return first;
}

}  // namespace

void AppendIcalZone(const std::string& name, absl::TimeZone zone, absl::Time first, absl::Time last, std::string& out) {
  AppendIcalLine("BEGIN:VTIMEZONE", out);
  AppendIcalLine("TZID:" + name, out);
  const absl::Time end = last + absl::Hours(24 * 366 * kYearsAhead);
  const std::vector<Change> changes = ChangesOf(zone, first, end);
  const std::vector<YearlyRule> rules = RulesOf(changes, absl::ToCivilYear(end, zone).year());
  const size_t ruled = FirstRuled(changes, rules);
  if (changes.empty()) {
    const auto info = zone.At(first);
    AppendObservance({absl::CivilSecond(1970, 1, 1), info.offset, info.offset, false, info.zone_abbr}, std::nullopt,
                     out);
  }
  for (size_t i = 0; i < ruled; ++i) AppendObservance(changes[i], std::nullopt, out);
  for (const YearlyRule& rule : rules) {
    for (size_t i = ruled; i < changes.size(); ++i) {
      if (!Keeps(changes[i], rule)) continue;
      AppendObservance(changes[i], rule, out);
      break;
    }
  }
  AppendIcalLine("END:VTIMEZONE", out);
}

}  // namespace toolgate::interchange::icalendar
