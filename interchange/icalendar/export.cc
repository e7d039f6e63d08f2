#include "interchange/icalendar/export.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "common/stored_json.h"
#include "common/time_zones.h"
#include "executors/blocks/recurrence.h"
#include "interchange/icalendar/text.h"
#include "interchange/icalendar/time.h"
#include "interchange/icalendar/zones.h"

namespace toolgate::interchange::icalendar {
namespace {

using executors::blocks::Recurrence;

constexpr std::string_view kUtc = "UTC";
constexpr absl::CivilDay kLastDay(9999, 12, 31);  // A later one cannot be written.

std::string Text(const Json& data, const char* name) {
  const auto found = data.find(name);
  return found != data.end() && found->is_string() ? found->get<std::string>() : "";
}

// A wall clock in the data's zone.
absl::CivilSecond ClockOf(const std::string& day, const std::string& time) {
  const absl::StatusOr<DateOrTime> date = ParseStoredDate(day);
  const absl::CivilSecond midnight(date.ok() ? date->day : absl::CivilDay());
  if (time.size() != 5) return midnight;
  const int64_t minutes = 60 * ((time[0] - '0') * 10 + (time[1] - '0')) + (time[3] - '0') * 10 + (time[4] - '0');
  return midnight + minutes * 60;
}

// ";VALUE=DATE:20260302", ":20260302T090000Z", ";TZID=Europe/Berlin:20260302T100000" or ":20260302T100000".
std::string Value(const std::string& day, const std::string& time, const std::string& zone) {
  const absl::CivilSecond clock = ClockOf(day, time);
  if (time.empty()) return absl::StrCat(";VALUE=DATE:", IcalDayText(absl::CivilDay(clock)));
  if (zone == kUtc) return absl::StrCat(":", IcalClockText(clock), "Z");
  return absl::StrCat(zone.empty() ? "" : absl::StrCat(";TZID=", zone), ":", IcalClockText(clock));
}

void AppendText(const char* name, const std::string& text, std::string& out) {
  if (!text.empty()) AppendIcalLine(absl::StrCat(name, ":", EscapeIcal(text)), out);
}

std::string Stamp(absl::Time time) { return IcalClockText(absl::ToCivilSecond(time, absl::UTCTimeZone())) + "Z"; }

}  // namespace

void IcalExport::Use(const std::string& zone, absl::CivilSecond clock) {
  const auto found = FindTimeZone(zone);
  if (zone == kUtc || !found.has_value()) return;
  const absl::Time at = found->zone.At(clock).pre;
  const auto [place, added] = zones_.try_emplace(zone, Span{at, at});
  place->second.first = std::min(place->second.first, at);
  place->second.last = std::max(place->second.last, at);
}

void IcalExport::AppendTimes(const Json& data, bool is_task, std::string& out) {
  const std::string date = Text(data, "date");
  const std::string time = Text(data, "time");
  const std::string zone = time.empty() ? "" : Text(data, "timeZone");
  const bool only_due = is_task && Text(data, "endDate").empty() && Text(data, "endTime").empty() &&
                        !data.contains("recurrence") && !data.contains("recurrenceId");
  AppendIcalLine((only_due ? "DUE" : "DTSTART") + Value(date, time, zone), out);
  if (!time.empty()) Use(zone, ClockOf(date, time));
  if (only_due) return;
  const std::string end_day = Text(data, "endDate");
  const std::string last = end_day.empty() ? date : end_day;
  const char* const name = is_task ? "DUE" : "DTEND";
  if (time.empty()) {
    // DTEND is the day after, or, if there is none, a length; a task is due on its day.
    const absl::CivilDay day(ClockOf(last, ""));
    if (!is_task && day < kLastDay) AppendIcalLine(absl::StrCat(name, ";VALUE=DATE:", IcalDayText(day + 1)), out);
    if (!is_task && day == kLastDay) {
      AppendIcalLine(absl::StrCat("DURATION:P", day - absl::CivilDay(ClockOf(date, "")) + 1, "D"), out);
    }
    if (is_task && !end_day.empty()) AppendIcalLine(absl::StrCat(name, ";VALUE=DATE:", IcalDayText(day)), out);
    return;
  }
  const std::string end_time = Text(data, "endTime");
  if (!end_time.empty()) {
    AppendIcalLine(name + Value(last, end_time, zone), out);
    Use(zone, ClockOf(last, end_time));
  } else if (!end_day.empty()) {
    // Until its last day is over.
    const absl::CivilDay day(ClockOf(last, ""));
    const bool has_next = day < kLastDay;
    AppendIcalLine(name + Value(FormatDay(has_next ? day + 1 : day), has_next ? "00:00" : "23:59", zone), out);
  }
}

void IcalExport::AppendRule(const Json& data, std::string& out) const {
  const absl::StatusOr<Recurrence> rule = Recurrence::Parse(Text(data, "recurrence"));
  if (!rule.ok()) return;
  const std::string time = Text(data, "time");
  const std::string zone = time.empty() ? "" : Text(data, "timeZone");
  std::string text = rule->ToString();
  if (rule->until().has_value() && !time.empty()) {
    // UNTIL has the same type as DTSTART; with a zone it is in UTC.
    const absl::CivilSecond last = ClockOf(FormatDay(*rule->until()), time);
    const auto zoned = FindTimeZone(zone);
    const std::string day = IcalDayText(*rule->until());
    const std::string until = zoned.has_value() ? Stamp(zoned->zone.At(last).pre) : IcalClockText(last);
    text.replace(text.find(day), day.size(), until);
  }
  AppendIcalLine("RRULE:" + text, out);
  const auto exceptions = data.find("exceptions");
  if (exceptions == data.end() || !exceptions->is_array()) return;
  for (const Json& day : *exceptions) {
    if (day.is_string()) AppendIcalLine("EXDATE" + Value(day.get<std::string>(), time, zone), out);
  }
}

absl::Status IcalExport::Add(const v1::PortableBlock& block) {
  if (block.type() != "calendar_event") return absl::OkStatus();
  const absl::StatusOr<Json> data = ParseJson(block.data_json(), kStoredJson);
  if (!data.ok() || !data->is_object()) {
    return absl::DataLossError(absl::StrCat("block ", block.id(), " holds data that is not a JSON object"));
  }
  const bool is_task = Text(*data, "type") == "task";
  const std::string own_uid = Text(*data, "uid");
  std::string uid = own_uid.empty() ? absl::StrCat(block.id(), "@toolgate") : own_uid;
  const std::string original = Text(*data, "recurrenceId");
  const auto series = series_.find(block.parent_id());
  const bool is_changed = !original.empty() && series != series_.end();
  if (is_changed) uid = series->second.uid;
  const char* const component = is_task ? "VTODO" : "VEVENT";
  AppendIcalLine(absl::StrCat("BEGIN:", component), body_);
  AppendText("UID", uid, body_);
  AppendIcalLine("DTSTAMP:" + Stamp(now_), body_);
  if (is_changed) {
    AppendIcalLine("RECURRENCE-ID" + Value(original, series->second.time, series->second.zone), body_);
  }
  AppendTimes(*data, is_task, body_);
  if (data->contains("recurrence")) {
    AppendRule(*data, body_);
    const std::string time = Text(*data, "time");
    series_[block.id()] = {uid, time.empty() ? "" : Text(*data, "timeZone"), time};
  }
  AppendText("SUMMARY", Text(*data, "title"), body_);
  AppendText("DESCRIPTION", Text(*data, "description"), body_);
  AppendText("LOCATION", Text(*data, "location"), body_);
  if (const auto tags = data->find("tags"); tags != data->end() && tags->is_array() && !tags->empty()) {
    AppendIcalLine(
        "CATEGORIES:" + absl::StrJoin(*tags, ",",
                                      [](std::string* out, const Json& tag) {
                                        out->append(EscapeIcal(tag.is_string() ? tag.get<std::string>() : ""));
                                      }),
        body_);
  }
  const bool done = Text(*data, "status") == "done";
  if (is_task) AppendIcalLine(done ? "STATUS:COMPLETED" : "STATUS:NEEDS-ACTION", body_);
  if (!is_task && done) AppendIcalLine("X-TOOLGATE-STATUS:done", body_);
  AppendIcalLine(absl::StrCat("END:", component), body_);
  ++events_;
  return absl::OkStatus();
}

std::string IcalExport::Finish() const {
  std::string out;
  for (const char* line :
       {"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//toolgate//toolgate//EN", "CALSCALE:GREGORIAN"}) {
    AppendIcalLine(line, out);
  }
  for (const auto& [name, span] : zones_) {
    const auto found = FindTimeZone(name);
    if (found.has_value()) AppendIcalZone(name, found->zone, span.first, std::max(span.last, now_), out);
  }
  out += body_;
  AppendIcalLine("END:VCALENDAR", out);
  return out;
}

}  // namespace toolgate::interchange::icalendar
