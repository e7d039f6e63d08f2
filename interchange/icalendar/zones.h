// Time zones as iCalendar files describe them.
//
// Own code and not libical's, which gives 99 of Debian's 596 zones other offsets than they have had since 1970, London
// and Moscow among them (libical_test.cc). libical reads what is written here, and finds the right offsets
// (zones_test.cc).
#ifndef TOOLGATE_INTERCHANGE_ICALENDAR_ZONES_H_
#define TOOLGATE_INTERCHANGE_ICALENDAR_ZONES_H_

#include <string>

#include "absl/time/time.h"

namespace toolgate::interchange::icalendar {

// Appends a VTIMEZONE for the IANA zone `name`, good from `first` on: rules for the changes of the clock that come
// every year, and what comes by no rule, each change on its own up to `last`.
void AppendIcalZone(const std::string& name, absl::TimeZone zone, absl::Time first, absl::Time last, std::string& out);

}  // namespace toolgate::interchange::icalendar

#endif  // TOOLGATE_INTERCHANGE_ICALENDAR_ZONES_H_
