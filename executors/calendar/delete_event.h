// calendar_delete_event.
#ifndef TOOLGATE_EXECUTORS_CALENDAR_DELETE_EVENT_H_
#define TOOLGATE_EXECUTORS_CALENDAR_DELETE_EVENT_H_

#include "executors/tool.h"

namespace toolgate::executors::calendar {

absl::StatusOr<ToolOutput> DeleteEvent(ToolContext& context, storage::Transaction& transaction);
absl::StatusOr<Preview> PreviewDeleteEvent(ToolContext& context, storage::ReadView& view);
absl::StatusOr<std::optional<Rehearsal>> RehearseDeleteEvent(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_DELETE_EVENT_H_
