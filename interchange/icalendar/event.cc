#include "interchange/icalendar/event.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"
#include "common/time_zones.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/recurrence.h"

namespace toolgate::interchange::icalendar {
namespace {

using executors::blocks::kMaxLineLength;
using executors::blocks::kMaxTextLength;
using executors::blocks::Recurrence;

constexpr size_t kMaxTags = 100;
constexpr int64_t kMaxSeriesDays = 366;

absl::Status At(const IcalProperty& property, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", property.line, ": ", property.name, " is ", ToAbsl(what)));
}

// At most `max` characters.
std::string Cut(std::string text, int64_t max) {
  text.resize(text::PrefixOfCharacters(text, static_cast<size_t>(max)).size());
  return text;
}

// Removes characters that the store treats as control characters.
std::string Clean(std::string_view text, bool one_line) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' && one_line) {
      out += ' ';
    } else if (byte >= 0x20 || c == '\n' || c == '\t') {
      out += c;
    }
  }
  return out;
}

std::string LineOf(const IcalProperty& property) {
  const std::string text = Clean(UnescapeIcal(property.value), true);
  return Cut(std::string(absl::StripAsciiWhitespace(text)), kMaxLineLength);
}

std::string DayOf(absl::CivilSecond clock) { return FormatDay(absl::CivilDay(clock)); }

std::string TimeOf(absl::CivilSecond clock) {
  return absl::StrCat(absl::Dec(clock.hour(), absl::kZeroPad2), ":", absl::Dec(clock.minute(), absl::kZeroPad2));
}

// Reads one component, property by property.
class EventReader {
 public:
  explicit EventReader(const IcalComponent& component) : component_(component) {}

  absl::StatusOr<std::optional<IcalEvent>> Read() {
    event_.line = component_.line;
    event_.data = Json::object();
    ASSIGN_OR_RETURN(const bool dated, ReadStart());
    if (!dated) return std::optional<IcalEvent>();
    ReadTexts();
    RETURN_IF_ERROR(ReadEnd());
    ReadStatus();
    RETURN_IF_ERROR(ReadRecurrence());
    if (const IcalProperty* id = component_.Find("RECURRENCE-ID"); id != nullptr) {
      ASSIGN_OR_RETURN(event_.recurrence_id, TimeIn(*id));
      if (!id->Parameter("RANGE").empty()) Warn(*id, "RANGE was passed over: only this occurrence is changed");
    }
    return std::optional<IcalEvent>(std::move(event_));
  }

 private:
  bool is_task() const { return component_.name == "VTODO"; }

  void Warn(const IcalProperty& property, std::string_view what) {
    event_.warnings.push_back(absl::StrCat("line ", property.line, ": ", ToAbsl(what)));
  }

  absl::StatusOr<IcalTime> TimeIn(const IcalProperty& property) {
    absl::StatusOr<IcalTime> time = ParseIcalTime(property.value, property);
    if (!time.ok()) return At(property, FromAbsl(time.status().message()));
    return time;
  }

  // False for a task without a date.
  absl::StatusOr<bool> ReadStart() {
    const IcalProperty* start = component_.Find("DTSTART");
    if (start == nullptr && is_task()) start = component_.Find("DUE");
    if (start == nullptr) {
      if (is_task()) return false;
      return absl::InvalidArgumentError(absl::StrCat("line ", component_.line, ": the event has no DTSTART"));
    }
    ASSIGN_OR_RETURN(event_.start, TimeIn(*start));
    if (!event_.start.unknown.empty()) {
      Warn(*start, absl::StrCat("the time zone \"", event_.start.unknown.substr(0, 64),
                                "\" is not known; the time stands without a zone"));
    }
    event_.data["title"] = "Untitled";
    event_.data["date"] = DayOf(event_.start.clock);
    if (!event_.start.is_day) {
      event_.data["time"] = TimeOf(event_.start.clock);
      if (!event_.start.zone.empty()) event_.data["timeZone"] = event_.start.zone;
    }
    return true;
  }

  void ReadTexts() {
    const auto line = [&](const char* name, const char* field) {
      const IcalProperty* property = component_.Find(name);
      if (property == nullptr) return;
      if (std::string text = LineOf(*property); !text.empty()) event_.data[field] = std::move(text);
    };
    line("SUMMARY", "title");
    if (const IcalProperty* description = component_.Find("DESCRIPTION"); description != nullptr) {
      std::string text = Cut(Clean(UnescapeIcal(description->value), false), kMaxTextLength);
      if (!text.empty()) event_.data["description"] = std::move(text);
    }
    line("LOCATION", "location");
    if (const IcalProperty* uid = component_.Find("UID"); uid != nullptr) {
      event_.uid = Cut(std::string(absl::StripAsciiWhitespace(Clean(UnescapeIcal(uid->value), true))), 1'000);
      if (!event_.uid.empty()) event_.data["uid"] = event_.uid;
    }
    Json tags = Json::array();
    for (const IcalProperty& property : component_.properties) {
      if (property.name != "CATEGORIES") continue;
      for (const std::string& tag : UnescapeIcalList(property.value)) {
        const std::string text(absl::StripAsciiWhitespace(Cut(Clean(tag, true), kMaxLineLength)));
        if (!text.empty() && tags.size() < kMaxTags) tags.push_back(text);
      }
    }
    if (!tags.empty()) event_.data["tags"] = std::move(tags);
  }

  // The wall clock, in the start's zone, at which it ends. An end that is a day is exclusive, except a task's due day.
  absl::StatusOr<std::optional<absl::CivilSecond>> FindEnd() {
    const IcalTime& start = event_.start;
    if (const IcalProperty* end = component_.Find("DTEND"); end != nullptr) {
      ASSIGN_OR_RETURN(const IcalTime time, TimeIn(*end));
      return std::optional(ClockIn(time, start.zone));
    }
    if (const IcalProperty* duration = component_.Find("DURATION"); duration != nullptr) {
      const absl::StatusOr<int64_t> seconds = ParseIcalDuration(duration->value);
      if (!seconds.ok()) return At(*duration, FromAbsl(seconds.status().message()));
      const auto found = FindTimeZone(start.zone);
      const bool exact = !start.is_day && *seconds % 86'400 != 0 && found.has_value();
      if (!exact) return std::optional(start.clock + *seconds);
      // Days are those of the wall clock, hours are real ones.
      return std::optional(absl::ToCivilSecond(found->zone.At(start.clock).pre + absl::Seconds(*seconds), found->zone));
    }
    const IcalProperty* due = component_.Find("DUE");
    if (due == nullptr || component_.Find("DTSTART") == nullptr) return std::optional<absl::CivilSecond>();
    ASSIGN_OR_RETURN(const IcalTime time, TimeIn(*due));
    return std::optional(ClockIn(time, start.zone) + (time.is_day ? 86'400 : 0));
  }

  absl::Status ReadEnd() {
    ASSIGN_OR_RETURN(const std::optional<absl::CivilSecond> end, FindEnd());
    if (!end.has_value() || *end <= event_.start.clock) return absl::OkStatus();
    const absl::CivilDay first(event_.start.clock);
    // For whole days, DTEND is the day after the last one.
    const absl::CivilDay last(event_.start.is_day ? *end - 1 : *end);
    if (last.year() > 9999) {
      return absl::InvalidArgumentError(absl::StrCat("line ", component_.line, ": it never ends"));
    }
    if (event_.start.is_day) {
      if (last > first) event_.data["endDate"] = FormatDay(last);
      return absl::OkStatus();
    }
    if (last > first) event_.data["endDate"] = FormatDay(last);
    // Seconds are dropped on both sides.
    if (last > first || TimeOf(*end) > TimeOf(event_.start.clock)) event_.data["endTime"] = TimeOf(*end);
    return absl::OkStatus();
  }

  void ReadStatus() {
    event_.data["type"] = is_task() ? "task" : "event";
    std::string status;
    if (const IcalProperty* property = component_.Find("STATUS"); property != nullptr) {
      status = absl::AsciiStrToUpper(absl::StripAsciiWhitespace(property->value));
    }
    event_.cancelled = status == "CANCELLED";
    const IcalProperty* percent = component_.Find("PERCENT-COMPLETE");
    const IcalProperty* own = component_.Find("X-TOOLGATE-STATUS");
    const bool event_done = !is_task() && own != nullptr && own->value == "done";
    const bool done = event_done || (is_task() && (status == "COMPLETED" || component_.Find("COMPLETED") != nullptr ||
                                                   (percent != nullptr && percent->value == "100")));
    event_.data["status"] = done ? "done" : "pending";
  }

  // The rule's text, with UNTIL as a day of the start's zone and without the hour, which DTSTART gives.
  absl::StatusOr<std::string> RuleText(const IcalProperty& rule) {
    std::vector<std::string> parts;
    for (const absl::string_view part : absl::StrSplit(rule.value, ';', absl::SkipWhitespace())) {
      const std::string upper = absl::AsciiStrToUpper(absl::StripAsciiWhitespace(part));
      const auto says = [&](std::string_view name, int number) {
        int value = 0;
        const std::string prefix = absl::StrCat(ToAbsl(name), "=");
        return absl::StartsWith(upper, prefix) && absl::SimpleAtoi(upper.substr(prefix.size()), &value) &&
               value == number;
      };
      const absl::CivilSecond clock = event_.start.clock;
      if (says("BYHOUR", clock.hour()) || says("BYMINUTE", clock.minute()) || says("BYSECOND", clock.second())) {
        continue;
      }
      if (!absl::StartsWith(upper, "UNTIL=")) {
        parts.push_back(upper);
        continue;
      }
      IcalProperty bare;
      const absl::StatusOr<IcalTime> until = ParseIcalTime(std::string_view(upper).substr(6), bare);
      if (!until.ok()) return At(rule, absl::StrCat("a rule whose UNTIL is ", until.status().message()));
      const absl::CivilSecond local = ClockIn(*until, event_.start.zone);
      const bool before =
          !until->is_day && !event_.start.is_day &&
          local - absl::CivilSecond(absl::CivilDay(local)) < clock - absl::CivilSecond(absl::CivilDay(clock));
      parts.push_back(absl::StrCat("UNTIL=", IcalDayText(absl::CivilDay(local) - (before ? 1 : 0))));
    }
    return absl::StrJoin(parts, ";");
  }

  absl::Status ReadRecurrence() {
    const IcalProperty* rule = nullptr;
    for (const IcalProperty& property : component_.properties) {
      if (property.name == "RDATE") Warn(property, "RDATE was passed over: single further dates are not kept");
      if (property.name == "EXRULE") Warn(property, "EXRULE was passed over");
      if (property.name != "RRULE") continue;
      if (rule != nullptr) Warn(property, "a second RRULE was passed over");
      if (rule == nullptr) rule = &property;
    }
    if (rule == nullptr || component_.Find("RECURRENCE-ID") != nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::string text, RuleText(*rule));
    const absl::StatusOr<Recurrence> parsed = Recurrence::Parse(text);
    if (!parsed.ok()) {
      Warn(*rule, absl::StrCat("only the first occurrence is kept: the recurrence ", parsed.status().message()));
      return absl::OkStatus();
    }
    const absl::CivilDay first(event_.start.clock);
    if (!parsed->First(first).has_value()) {
      Warn(*rule, "only the first occurrence is kept: the recurrence yields no day");
      return absl::OkStatus();
    }
    event_.data["recurrence"] = parsed->ToString();
    DropLongEnd(*rule, first);
    return ReadExceptions();
  }

  void DropLongEnd(const IcalProperty& rule, absl::CivilDay first) {
    const auto end = event_.data.find("endDate");
    if (end == event_.data.end()) return;
    const absl::StatusOr<DateOrTime> last = ParseStoredDate(end->get_ref<const std::string&>());
    if (!last.ok() || last->day - first <= kMaxSeriesDays) return;
    Warn(rule, "its end was passed over: what recurs lasts a year at most");
    event_.data.erase("endDate");
    event_.data.erase("endTime");
  }

  absl::Status ReadExceptions() {
    std::set<std::string> days;
    for (const IcalProperty& property : component_.properties) {
      if (property.name != "EXDATE") continue;
      for (const absl::string_view value : absl::StrSplit(property.value, ',', absl::SkipWhitespace())) {
        const absl::StatusOr<IcalTime> time = ParseIcalTime(FromAbsl(value), property);
        if (!time.ok()) return At(property, FromAbsl(time.status().message()));
        days.insert(DayOf(ClockIn(*time, event_.start.zone)));
      }
      if (days.size() > kMaxExceptions) {
        return At(property, absl::StrCat("the exception after the first ", kMaxExceptions, ", the most an event has"));
      }
    }
    if (!days.empty()) event_.data["exceptions"] = Json(days);
    return absl::OkStatus();
  }

  const IcalComponent& component_;
  IcalEvent event_;
};

}  // namespace

absl::StatusOr<std::optional<IcalEvent>> ReadIcalEvent(const IcalComponent& component) {
  return EventReader(component).Read();
}

}  // namespace toolgate::interchange::icalendar
