#include "executors/calendar/event.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "common/time_zones.h"
#include "executors/arguments.h"
#include "storage/fault.h"

namespace toolgate::executors::calendar {
namespace {

constexpr int64_t kDayMinutes = int64_t{24} * 60;
constexpr size_t kDayLength = 10;  // YYYY-MM-DD

std::optional<absl::CivilDay> DayAt(const Json& data, const char* name) {
  const absl::StatusOr<DateOrTime> day = ParseStoredDate(StringArgument(data, name));
  if (!day.ok() || day->is_instant) return std::nullopt;
  return day->day;
}

}  // namespace

EventTimes EventTimes::MovedTo(absl::CivilDay day) const {
  EventTimes moved = *this;
  moved.date = day;
  if (end.has_value()) moved.end = *end + (day - date);
  return moved;
}

EventTimes EventTimes::MovedTo(std::optional<int> at) const {
  EventTimes moved = *this;
  moved.minute = at;
  if (!at.has_value()) {
    moved.end_minute.reset();
    return moved;
  }
  if (!minute.has_value() || !end_minute.has_value()) return moved;
  const int64_t length = (last_day() - date) * kDayMinutes + *end_minute - *minute;
  const int64_t ends = *at + length;
  const int64_t days = ends / kDayMinutes;
  moved.end = days > 0 ? std::optional(date + days) : std::nullopt;
  moved.end_minute = static_cast<int>(ends % kDayMinutes);
  return moved;
}

std::optional<int> MinuteOfDay(std::string_view text) {
  const auto digit = [&](size_t i) { return text[i] >= '0' && text[i] <= '9' ? text[i] - '0' : 100; };
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  const int hour = digit(0) * 10 + digit(1);
  const int minute = digit(3) * 10 + digit(4);
  if (hour > 23 || minute > 59) return std::nullopt;
  return hour * 60 + minute;
}

std::string ClockText(int minute) {
  return absl::StrCat(absl::Dec(minute / 60, absl::kZeroPad2), ":", absl::Dec(minute % 60, absl::kZeroPad2));
}

absl::Time InstantOf(absl::CivilDay day, int minute, absl::TimeZone zone) {
  const absl::CivilSecond clock = absl::CivilSecond(day) + int64_t{60} * minute;
  return zone.At(clock).pre;
}

absl::StatusOr<EventTimes> TimesOf(const Json& data) {
  const std::optional<absl::CivilDay> date = DayAt(data, "date");
  if (!date.has_value()) return storage::MarkFault(absl::DataLossError("a calendar event holds no day"));
  EventTimes times;
  times.date = *date;
  times.minute = MinuteOfDay(StringArgument(data, "time"));
  times.end = DayAt(data, "endDate");
  if (times.minute.has_value()) times.end_minute = MinuteOfDay(StringArgument(data, "endTime"));
  return times;
}

void PutTimes(const EventTimes& times, Json& data) {
  const auto clock = [](std::optional<int> minute) { return minute.has_value() ? Json(ClockText(*minute)) : Json(); };
  data["date"] = FormatDay(times.date);
  data["time"] = clock(times.minute);
  data["endDate"] = times.end.has_value() && *times.end != times.date ? Json(FormatDay(*times.end)) : Json();
  data["endTime"] = clock(times.end_minute);
}

std::string OccurrenceId(std::string_view series_id, absl::CivilDay day) {
  return absl::StrCat(ToAbsl(series_id), "@", FormatDay(day));
}

std::optional<OccurrenceName> ParseOccurrenceId(std::string_view id) {
  if (id.size() < kDayLength + 2 || id[id.size() - kDayLength - 1] != '@') return std::nullopt;
  const absl::StatusOr<DateOrTime> day = ParseStoredDate(id.substr(id.size() - kDayLength));
  if (!day.ok()) return std::nullopt;
  return OccurrenceName{id.substr(0, id.size() - kDayLength - 1), day->day};
}

Json ToJson(const EventView& event, absl::TimeZone zone) {
  Json json = {{"eventId", event.event_id}};
  if (!event.series_id.empty()) json["seriesId"] = event.series_id;
  if (!event.recurrence.empty()) json["recurrence"] = event.recurrence;
  const auto copy = [&](const char* name) {
    if (const Json* value = FindArgument(event.data, name); value != nullptr) json[name] = *value;
  };
  const auto put = [&](const char* name, Json value) {
    if (!value.is_null()) json[name] = std::move(value);
  };
  copy("title");
  copy("description");
  Json times;
  PutTimes(event.times, times);
  for (const char* name : {"date", "time", "endDate", "endTime"}) put(name, std::move(times[name]));
  const std::string_view type = StringArgument(event.data, "type");
  const std::string_view status = StringArgument(event.data, "status");
  json["type"] = std::string(type.empty() ? "event" : type);
  json["status"] = std::string(status.empty() ? "pending" : status);
  for (const char* name : {"location", "timeZone", "tags"}) copy(name);
  if (event.times.minute.has_value()) {
    if (const auto own = FindTimeZone(StringArgument(event.data, "timeZone")); own.has_value()) zone = own->zone;
    json["start"] = FormatInstant(InstantOf(event.times.date, *event.times.minute, zone));
    if (event.times.end_minute.has_value()) {
      json["end"] = FormatInstant(InstantOf(event.times.last_day(), *event.times.end_minute, zone));
    }
  }
  json["revision"] = event.revision;
  return json;
}

}  // namespace toolgate::executors::calendar
