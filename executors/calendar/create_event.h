// calendar_create_event.
#ifndef TOOLGATE_EXECUTORS_CALENDAR_CREATE_EVENT_H_
#define TOOLGATE_EXECUTORS_CALENDAR_CREATE_EVENT_H_

#include "executors/tool.h"

namespace toolgate::executors::calendar {

absl::StatusOr<ToolOutput> CreateEvent(ToolContext& context, storage::Transaction& transaction);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_CREATE_EVENT_H_
