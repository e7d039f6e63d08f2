// A caller's time zone.
#ifndef TOOLGATE_SECURITY_TIME_ZONE_H_
#define TOOLGATE_SECURITY_TIME_ZONE_H_

#include "absl/time/time.h"
#include "common/caller.h"

namespace toolgate::security {

// UTC when the caller names none, or one that does not exist (which authentication has refused before).
inline absl::TimeZone TimeZoneOf(const Caller& caller) {
  absl::TimeZone zone = absl::UTCTimeZone();
  if (!caller.time_zone.empty() && !absl::LoadTimeZone(caller.time_zone, &zone)) return absl::UTCTimeZone();
  return zone;
}

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_TIME_ZONE_H_
