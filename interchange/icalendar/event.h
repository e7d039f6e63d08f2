// One VEVENT or VTODO as the data of a calendar_event block.
#ifndef TOOLGATE_INTERCHANGE_ICALENDAR_EVENT_H_
#define TOOLGATE_INTERCHANGE_ICALENDAR_EVENT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "common/json.h"
#include "interchange/icalendar/text.h"
#include "interchange/icalendar/time.h"

namespace toolgate::interchange::icalendar {

// Maximum number of exceptions of an event.
inline constexpr size_t kMaxExceptions = 1'000;

struct IcalEvent {
  int64_t line = 0;  // Of its BEGIN.
  std::string uid;
  Json data;                              // Without recurrenceId.
  IcalTime start;                         // On the wall clock on which its days are counted.
  std::optional<IcalTime> recurrence_id;  // Of a changed occurrence.
  bool cancelled = false;
  std::vector<std::string> warnings;  // Content that could not be kept, each with its line.
};

// Nothing for a task without any date, which has no place in a calendar. Properties unknown to the calendar are left
// out; known ones that cannot be kept cause a warning. INVALID_ARGUMENT names the line where the file is broken.
absl::StatusOr<std::optional<IcalEvent>> ReadIcalEvent(const IcalComponent& component);

}  // namespace toolgate::interchange::icalendar

#endif  // TOOLGATE_INTERCHANGE_ICALENDAR_EVENT_H_
