// A caller's time zone.
#ifndef TOOLGATE_SECURITY_TIME_ZONE_H_
#define TOOLGATE_SECURITY_TIME_ZONE_H_

#include "absl/time/time.h"
#include "common/caller.h"
#include "common/time_zones.h"

namespace toolgate::security {

// UTC if the caller names no zone, or an unknown one (which authentication has refused before).
inline absl::TimeZone TimeZoneOf(const Caller& caller) {
  const auto found = FindTimeZone(caller.time_zone);
  return found.has_value() ? found->zone : absl::UTCTimeZone();
}

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_TIME_ZONE_H_
