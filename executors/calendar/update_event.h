// calendar_update_event.
#ifndef TOOLGATE_EXECUTORS_CALENDAR_UPDATE_EVENT_H_
#define TOOLGATE_EXECUTORS_CALENDAR_UPDATE_EVENT_H_

#include "executors/tool.h"

namespace toolgate::executors::calendar {

absl::StatusOr<ToolOutput> UpdateEvent(ToolContext& context, storage::Transaction& transaction);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_UPDATE_EVENT_H_
