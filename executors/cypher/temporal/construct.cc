#include "executors/cypher/temporal/construct.h"

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/cypher/temporal/assemble.h"
#include "executors/cypher/temporal/error.h"
#include "executors/cypher/temporal/map_fields.h"

namespace toolgate::executors::cypher::temporal {
namespace {

absl::Status Lacks(const Temporal& value, std::string_view what, Kind kind) {
  return InvalidType(absl::StrCat("a ", ToAbsl(FunctionName(KindOf(value))), " has no ", ToAbsl(what), " for a ",
                                  ToAbsl(FunctionName(kind)), " to take"));
}

absl::StatusOr<DateTime> Instant(absl::Time now, const Zone& zone) {
  const int64_t seconds = absl::ToUnixSeconds(now);
  return DateTime::FromEpoch(seconds, (now - absl::FromUnixSeconds(seconds)) / absl::Nanoseconds(1), zone);
}

absl::StatusOr<Temporal> NowIn(Kind kind, absl::Time now, const Zone& zone) {
  const absl::StatusOr<DateTime> instant = Instant(now, zone);
  if (!instant.ok()) return instant.status();
  return Select(kind, *instant);
}

absl::StatusOr<Temporal> EpochIn(int64_t seconds, int64_t nanoseconds, const Zone& zone) {
  const int64_t rest = nanoseconds % kNanosPerSecond;
  const int64_t carry = nanoseconds / kNanosPerSecond - (rest < 0 ? 1 : 0);
  if (__builtin_add_overflow(seconds, carry, &seconds)) return OutOfRange("the seconds since 1970 exceed 64 bits");
  const absl::StatusOr<DateTime> instant = DateTime::FromEpoch(seconds, rest < 0 ? rest + kNanosPerSecond : rest, zone);
  if (!instant.ok()) return instant.status();
  return Temporal(*instant);
}

absl::StatusOr<Temporal> EpochMillisIn(int64_t milliseconds, int64_t nanoseconds, const Zone& zone) {
  const int64_t rest = milliseconds % 1'000;
  const int64_t seconds = milliseconds / 1'000 - (rest < 0 ? 1 : 0);
  return EpochIn(seconds, (rest < 0 ? rest + 1'000 : rest) * 1'000'000 + nanoseconds, zone);
}

bool SelectsOther(const MapFields& fields) { return fields.from_date || fields.from_time || fields.from_datetime; }

bool IsOnlyZone(const MapFields& fields) {
  const bool has_epoch = fields.epoch_seconds || fields.epoch_millis;
  return fields.timezone && fields.date.empty() && fields.time.empty() && !SelectsOther(fields) && !has_epoch;
}

// A map with epochSeconds or epochMillis.
absl::StatusOr<Temporal> FromEpochMap(const MapFields& fields) {
  TimeFields others = fields.time;
  others.nanosecond.reset();
  const bool both = fields.epoch_seconds && fields.epoch_millis;
  if (both || !fields.date.empty() || !others.empty() || SelectsOther(fields)) {
    return InvalidValue("beside 'epochSeconds' or 'epochMillis' only 'nanosecond' and 'timezone' may stand");
  }
  const int64_t nanos = fields.time.nanosecond.value_or(0);
  const int64_t end = fields.epoch_seconds ? kNanosPerSecond : 1'000'000;
  if (nanos < 0 || nanos >= end) {
    return InvalidValue(absl::StrCat("'nanosecond' is ", nanos, "; it must be 0 to ", end - 1));
  }
  const Zone zone = fields.timezone.value_or(Zone());
  return fields.epoch_seconds ? EpochIn(*fields.epoch_seconds, nanos, zone)
                              : EpochMillisIn(*fields.epoch_millis, nanos, zone);
}

absl::StatusOr<Parts> PartsOfDateTime(Kind kind, const MapFields& fields) {
  if (fields.from_date || fields.from_time) return InvalidValue("'datetime' cannot stand beside 'date' or 'time'");
  const Parts parts = Parts::Of(*fields.from_datetime);
  if (!parts.date || !parts.time) return Lacks(*fields.from_datetime, "date and time", kind);
  return parts;
}

// The parts that members with other values give.
absl::StatusOr<Parts> PartsOfOthers(Kind kind, const MapFields& fields) {
  if (fields.from_datetime) return PartsOfDateTime(kind, fields);
  Parts parts;
  if (fields.from_time) {
    parts = Parts::Of(*fields.from_time);
    if (!parts.time) return Lacks(*fields.from_time, "time", kind);
    // A time of day needs the date for the offset of a named zone; other kinds take it from elsewhere.
    if (!IsTimeOfDay(kind)) parts.date.reset();
  }
  if (fields.from_date) {
    parts.date = Parts::Of(*fields.from_date).date;
    if (!parts.date) return Lacks(*fields.from_date, "date", kind);
  }
  return parts;
}

// A time of day in a named zone has the offset that is in force there today.
absl::Status AddToday(absl::Time now, const Zone& zone, Parts* parts) {
  const absl::StatusOr<DateTime> instant = Instant(now, zone);
  if (instant.ok()) parts->date = instant->local().date();
  return instant.status();
}

}  // namespace

absl::StatusOr<Temporal> FromMap(Kind kind, absl::Span<const Component> map, absl::Time now) {
  if (kind == Kind::kDuration) {
    const absl::StatusOr<Duration> duration = DurationFromMap(map);
    if (!duration.ok()) return duration.status();
    return Temporal(*duration);
  }
  const absl::StatusOr<MapFields> fields = MapFields::Read(kind, map);
  if (!fields.ok()) return fields.status();
  if (IsOnlyZone(*fields)) return NowIn(kind, now, *fields->timezone);
  if (fields->epoch_seconds || fields->epoch_millis) return FromEpochMap(*fields);
  absl::StatusOr<Parts> parts = PartsOfOthers(kind, *fields);
  if (!parts.ok()) return parts.status();
  if (IsTimeOfDay(kind) && !parts->time && !fields->time.hour) {
    return InvalidValue("a time needs 'hour', or another time to take it from");
  }
  if (kind == Kind::kTime && !parts->date && fields->timezone && !fields->timezone->is_offset()) {
    if (absl::Status status = AddToday(now, *fields->timezone, &*parts); !status.ok()) return status;
  }
  return Assemble(kind, *parts, *fields, ZoneChange::kKeepInstant);
}

absl::StatusOr<Temporal> Select(Kind kind, const Temporal& value) {
  if (KindOf(value) == kind) return value;
  const Parts parts = Parts::Of(value);
  if (kind == Kind::kDuration) return Lacks(value, "duration", kind);
  if (IsTimeOfDay(kind) && !parts.time) return Lacks(value, "time", kind);
  if (!IsTimeOfDay(kind) && !parts.date) return Lacks(value, "date", kind);
  return Assemble(kind, parts, MapFields(), ZoneChange::kKeepInstant);
}

absl::StatusOr<Temporal> Now(Kind kind, absl::Time now) { return NowIn(kind, now, Zone()); }

absl::StatusOr<Temporal> FromEpoch(int64_t seconds, int64_t nanoseconds) {
  return EpochIn(seconds, nanoseconds, Zone());
}

absl::StatusOr<Temporal> FromEpochMillis(int64_t milliseconds) { return EpochMillisIn(milliseconds, 0, Zone()); }

}  // namespace toolgate::executors::cypher::temporal
