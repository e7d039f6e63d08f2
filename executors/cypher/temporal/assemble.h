#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ASSEMBLE_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ASSEMBLE_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "executors/cypher/temporal/map_fields.h"
#include "executors/cypher/temporal/temporal.h"
#include "executors/cypher/temporal/zone.h"

namespace toolgate::executors::cypher::temporal {

// The parts of an instant that a value has. A plain value.
struct Parts {
  std::optional<Date> date;
  std::optional<LocalTime> time;
  std::optional<Zone> zone;
  std::optional<int32_t> offset;  // Set together with the zone.

  // None of a duration's.
  static Parts Of(const Temporal& value);

  // A zone's, and the offset that is in force in it at an instant of which the local time is known.
  void SetZone(const Zone& new_zone, int32_t new_offset);
};

// Effect of a time zone in the map on a value that has one already.
enum class ZoneChange {
  kKeepInstant,    // The same instant on another clock.
  kKeepLocalTime,  // The same clock face somewhere else.
};

// A value of `kind`, not a duration: `base` with the members of `fields` set that stand for single fields, and then in
// its time zone. Members that hold other values must have been made into `base` before. InvalidValue as FromMap answers
// it.
absl::StatusOr<Temporal> Assemble(Kind kind, const Parts& base, const MapFields& fields, ZoneChange change);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ASSEMBLE_H_
