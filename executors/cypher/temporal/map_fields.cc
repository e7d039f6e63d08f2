#include "executors/cypher/temporal/map_fields.h"

#include <string>
#include <string_view>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/cypher/temporal/decimal.h"
#include "executors/cypher/temporal/duration_sum.h"
#include "executors/cypher/temporal/error.h"

namespace toolgate::executors::cypher::temporal {
namespace {

absl::Status WrongType(std::string_view name, std::string_view expected) {
  return InvalidType(absl::StrCat("'", ToAbsl(name), "' must be ", ToAbsl(expected)));
}

absl::Status Unknown(std::string_view function, std::string_view name) {
  return InvalidValue(
      absl::StrCat(ToAbsl(function), "() takes no member '", ToAbsl(name.substr(0, 40)), "' in its map"));
}

// A member of T by its name in a map.
template <typename T>
struct NumberMember {
  std::string_view name;
  std::optional<int64_t> T::*field;
};

constexpr NumberMember<DateFields> kDateMembers[] = {
    {"year", &DateFields::year},
    {"quarter", &DateFields::quarter},
    {"month", &DateFields::month},
    {"week", &DateFields::week},
    {"day", &DateFields::day},
    {"dayOfWeek", &DateFields::day_of_week},
    {"dayOfQuarter", &DateFields::day_of_quarter},
    {"ordinalDay", &DateFields::ordinal_day},
};

constexpr NumberMember<TimeFields> kTimeMembers[] = {
    {"hour", &TimeFields::hour},
    {"minute", &TimeFields::minute},
    {"second", &TimeFields::second},
    {"millisecond", &TimeFields::millisecond},
    {"microsecond", &TimeFields::microsecond},
    {"nanosecond", &TimeFields::nanosecond},
};

constexpr NumberMember<MapFields> kEpochMembers[] = {
    {"epochSeconds", &MapFields::epoch_seconds},
    {"epochMillis", &MapFields::epoch_millis},
};

bool HasDate(Kind kind) { return kind == Kind::kDate || kind == Kind::kLocalDateTime || kind == Kind::kDateTime; }

bool HasTime(Kind kind) { return kind != Kind::kDate && kind != Kind::kDuration; }

// Nothing when no member has the name.
template <typename T, size_t N>
std::optional<absl::Status> SetNumber(const NumberMember<T> (&members)[N], const Component& component, T* fields) {
  for (const NumberMember<T>& member : members) {
    if (member.name != component.name) continue;
    const auto* const number = std::get_if<int64_t>(&component.value);
    if (number == nullptr) return WrongType(component.name, "an integer");
    fields->*member.field = *number;
    return absl::OkStatus();
  }
  return std::nullopt;
}

absl::Status SetZone(const Component& component, std::optional<Zone>* zone) {
  const auto* const text = std::get_if<std::string>(&component.value);
  if (text == nullptr) return WrongType(component.name, "a string");
  const absl::StatusOr<Zone> parsed = Zone::Parse(*text);
  if (parsed.ok()) *zone = *parsed;
  return parsed.status();
}

absl::Status SetTemporal(const Component& component, std::optional<Temporal>* temporal) {
  const auto* const value = std::get_if<Temporal>(&component.value);
  if (value == nullptr) return WrongType(component.name, "a temporal value");
  *temporal = *value;
  return absl::OkStatus();
}

// The members that hold another value to select from, and the time zone. Nothing when there is none of the name.
std::optional<absl::Status> SetOther(Kind kind, const Component& component, MapFields* fields) {
  const bool whole = HasDate(kind) && HasTime(kind);
  if (component.name == "date" && HasDate(kind)) return SetTemporal(component, &fields->from_date);
  if (component.name == "time" && HasTime(kind)) return SetTemporal(component, &fields->from_time);
  if (component.name == "datetime" && whole) return SetTemporal(component, &fields->from_datetime);
  // Every kind may be asked for the present time somewhere.
  if (component.name == "timezone") return SetZone(component, &fields->timezone);
  return std::nullopt;
}

absl::Status Set(Kind kind, const Component& component, MapFields* fields) {
  std::optional<absl::Status> status;
  if (HasDate(kind)) status = SetNumber(kDateMembers, component, &fields->date);
  if (!status && HasTime(kind)) status = SetNumber(kTimeMembers, component, &fields->time);
  if (!status && kind == Kind::kDateTime) status = SetNumber(kEpochMembers, component, fields);
  if (!status) status = SetOther(kind, component, fields);
  return status ? *status : Unknown(FunctionName(kind), component.name);
}

// A member of a duration's map, and what one of it adds to the sum.
struct DurationMember {
  std::string_view name;
  void (DurationSum::*add)(const Decimal& count, int64_t size);
  int64_t size;
};

constexpr DurationMember kDurationMembers[] = {
    {"years", &DurationSum::AddMonths, 12},
    {"quarters", &DurationSum::AddMonths, 3},
    {"months", &DurationSum::AddMonths, 1},
    {"weeks", &DurationSum::AddDays, 7},
    {"days", &DurationSum::AddDays, 1},
    {"hours", &DurationSum::AddSeconds, 3600},
    {"minutes", &DurationSum::AddSeconds, 60},
    {"seconds", &DurationSum::AddSeconds, 1},
    {"milliseconds", &DurationSum::AddFractionsOfSecond, 1'000},
    {"microseconds", &DurationSum::AddFractionsOfSecond, 1'000'000},
    {"nanoseconds", &DurationSum::AddFractionsOfSecond, 1'000'000'000},
};

absl::StatusOr<Decimal> NumberOf(const Component& component) {
  if (const auto* const number = std::get_if<double>(&component.value)) return Decimal::FromDouble(*number);
  const auto* const integer = std::get_if<int64_t>(&component.value);
  if (integer == nullptr) return WrongType(component.name, "a number");
  return Decimal{*integer, 0};
}

absl::Status AddMember(const Component& component, DurationSum* sum) {
  for (const DurationMember& member : kDurationMembers) {
    if (member.name != component.name) continue;
    const absl::StatusOr<Decimal> number = NumberOf(component);
    if (number.ok()) (sum->*member.add)(*number, member.size);
    return number.status();
  }
  return Unknown("duration", component.name);
}

}  // namespace

bool DateFields::empty() const {
  return !year && !quarter && !month && !week && !day && !day_of_week && !day_of_quarter && !ordinal_day;
}

absl::StatusOr<MapFields> MapFields::Read(Kind kind, absl::Span<const Component> map) {
  MapFields fields;
  for (const Component& component : map) {
    if (absl::Status status = Set(kind, component, &fields); !status.ok()) return status;
  }
  return fields;
}

absl::StatusOr<Duration> DurationFromMap(absl::Span<const Component> map) {
  if (map.empty()) return InvalidValue("duration() needs at least one member in its map, such as days");
  DurationSum sum;
  for (const Component& component : map) {
    if (absl::Status status = AddMember(component, &sum); !status.ok()) return status;
  }
  return sum.Build();
}

}  // namespace toolgate::executors::cypher::temporal
