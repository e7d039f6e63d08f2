// Registration of the calendar tools.
#ifndef TOOLGATE_EXECUTORS_CALENDAR_CALENDAR_TOOLS_H_
#define TOOLGATE_EXECUTORS_CALENDAR_CALENDAR_TOOLS_H_

#include "executors/family.h"

namespace toolgate::executors::calendar {

Family CalendarFamily();

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_CALENDAR_TOOLS_H_
