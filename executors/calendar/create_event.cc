#include "executors/calendar/create_event.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"
#include "executors/blocks/recurrence.h"
#include "executors/calendar/event_change.h"
#include "executors/calendar/series.h"

namespace toolgate::executors::calendar {
namespace {

// Checks the argument "recurrence" as the block writer checks "/data/recurrence", so that errors name the argument.
absl::Status CheckRule(const Json& arguments, absl::CivilDay date) {
  const Json* text = FindArgument(arguments, "recurrence");
  if (text == nullptr) return absl::OkStatus();
  const auto rule = blocks::Recurrence::Parse(text->get_ref<const std::string&>());
  std::string problem;
  if (!rule.ok()) problem = absl::StrCat("the recurrence ", rule.status().message());
  if (rule.ok() && !rule->First(date).has_value()) {
    problem = absl::StrCat("the recurrence yields no day from ", FormatDay(date),
                           " on; is its UNTIL too early, or a day that no month has?");
  }
  if (problem.empty()) return absl::OkStatus();
  return InvalidArgument("/recurrence", "format", problem, "a rule such as FREQ=WEEKLY;BYDAY=MO,WE", KindOf(*text));
}

}  // namespace

absl::StatusOr<ToolOutput> CreateEvent(ToolContext& context, storage::Transaction& transaction) {
  const Json& arguments = context.arguments;
  ASSIGN_OR_RETURN(const EventChange change, ReadChange(arguments, context.now, context.time_zone));
  RETURN_IF_ERROR(CheckRule(arguments, *change.date));
  EventTimes times;
  times.date = *change.date;
  times.minute = change.time.value_or(std::nullopt);
  Json data = change.fields;
  PutTimes(times, data);
  if (FindArgument(data, "type") == nullptr) data["type"] = "event";
  if (FindArgument(data, "status") == nullptr) data["status"] = "pending";
  if (const Json* rule = FindArgument(arguments, "recurrence"); rule != nullptr) data["recurrence"] = *rule;
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  ASSIGN_OR_RETURN(storage::Block block, writer.Create(blocks::kEvent, "", data));
  ASSIGN_OR_RETURN(const EventBlock event, ParseEvent(std::move(block)));
  ASSIGN_OR_RETURN(Json view, ViewOf(event, context.time_zone));
  ToolOutput output;
  output.data_json = DumpJson({{"eventId", event.block.id}, {"event", std::move(view)}});
  output.description = absl::StrCat("Created ", NameOf(event.data));
  return output;
}

}  // namespace toolgate::executors::calendar
