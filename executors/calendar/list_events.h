// calendar_list_events.
#ifndef TOOLGATE_EXECUTORS_CALENDAR_LIST_EVENTS_H_
#define TOOLGATE_EXECUTORS_CALENDAR_LIST_EVENTS_H_

#include "executors/tool.h"

namespace toolgate::executors::calendar {

absl::StatusOr<ToolOutput> ListEvents(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_LIST_EVENTS_H_
