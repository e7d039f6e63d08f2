// libical for tests: its interpretation of our files, and of files that we read.
#ifndef TOOLGATE_TESTS_SUPPORT_LIBICAL_H_
#define TOOLGATE_TESTS_SUPPORT_LIBICAL_H_

#include <libical/ical.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace toolgate::interchange::icalendar {

struct FreeComponent {
  void operator()(icalcomponent* component) const { icalcomponent_free(component); }
};
using LibicalComponent = std::unique_ptr<icalcomponent, FreeComponent>;

// Null if libical reads nothing.
inline LibicalComponent LibicalRead(const std::string& text) {
  return LibicalComponent(icalparser_parse_string(text.c_str()));
}

inline std::string LibicalText(icalcomponent* component) {
  char* text = icalcomponent_as_ical_string_r(component);
  std::string copy(text);
  std::free(text);
  return copy;
}

// A clock as libical reads it in a VTIMEZONE.
class LibicalZone {
 public:
  explicit LibicalZone(const std::string& vtimezone) : zone_(icaltimezone_new()) {
    icaltimezone_set_component(zone_, icalparser_parse_string(vtimezone.c_str()));
  }
  ~LibicalZone() { icaltimezone_free(zone_, 1); }
  LibicalZone(const LibicalZone&) = delete;
  LibicalZone& operator=(const LibicalZone&) = delete;

  // Seconds east of Greenwich.
  int OffsetAt(absl::Time at) {
    const absl::CivilSecond utc = absl::ToCivilSecond(at, absl::UTCTimeZone());
    icaltimetype time = icaltime_null_time();
    time.year = static_cast<int>(utc.year());
    time.month = utc.month();
    time.day = utc.day();
    time.hour = utc.hour();
    time.minute = utc.minute();
    time.second = utc.second();
    time.zone = icaltimezone_get_utc_timezone();
    int daylight = 0;
    return icaltimezone_get_utc_offset_of_utc_time(zone_, &time, &daylight);
  }

 private:
  icaltimezone* const zone_;
};

}  // namespace toolgate::interchange::icalendar

#endif  // TOOLGATE_TESTS_SUPPORT_LIBICAL_H_
