// Registration of the calendar tools.
#ifndef TOOLGATE_EXECUTORS_CALENDAR_CALENDAR_TOOLS_H_
#define TOOLGATE_EXECUTORS_CALENDAR_CALENDAR_TOOLS_H_

#include <vector>

#include "executors/tool.h"

namespace toolgate::executors::calendar {

std::vector<ToolHandlers> CalendarHandlers();

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_CALENDAR_TOOLS_H_
