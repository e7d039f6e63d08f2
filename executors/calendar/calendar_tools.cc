#include "executors/calendar/calendar_tools.h"

#include "executors/calendar/calendar_definitions.h"
#include "executors/calendar/create_event.h"
#include "executors/calendar/delete_event.h"
#include "executors/calendar/list_events.h"
#include "executors/calendar/update_event.h"

namespace toolgate::executors::calendar {
namespace {

absl::StatusOr<FamilyTools> CalendarTools(const FamilyContext&) {
  return FamilyTools{{
      {"calendar_create_event", WriteHandler(CreateEvent)},
      {.id = "calendar_delete_event",
       .run = WriteHandler(DeleteEvent),
       .preview = PreviewDeleteEvent,
       .rehearse = RehearseDeleteEvent},
      {"calendar_list_events", ReadHandler(ListEvents)},
      {"calendar_update_event", WriteHandler(UpdateEvent)},
  }};
}

}  // namespace

Family CalendarFamily() {
  return {.name = "calendar",
          .definitions = &DefinitionFiles(),
          .make = CalendarTools,
          .permissions = {"calendar:read", "calendar:create", "calendar:update", "calendar:delete"}};
}

}  // namespace toolgate::executors::calendar
