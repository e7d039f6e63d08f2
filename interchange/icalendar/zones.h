// Time zones in iCalendar files.
//
// Own code and not libical's, which gives 99 of Debian's 596 zones other offsets than they have had since 1970, London
// and Moscow among them (libical_test.cc). libical reads the result of this code with the right offsets
// (zones_test.cc).
#ifndef TOOLGATE_INTERCHANGE_ICALENDAR_ZONES_H_
#define TOOLGATE_INTERCHANGE_ICALENDAR_ZONES_H_

#include <string>

#include "absl/time/time.h"

namespace toolgate::interchange::icalendar {

// Appends a VTIMEZONE for the IANA zone `name`, valid from `first` on: rules for yearly changes of the clock, and each
// irregular change separately, up to `last`.
void AppendIcalZone(const std::string& name, absl::TimeZone zone, absl::Time first, absl::Time last, std::string& out);

}  // namespace toolgate::interchange::icalendar

#endif  // TOOLGATE_INTERCHANGE_ICALENDAR_ZONES_H_
