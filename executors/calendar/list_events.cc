#include "executors/calendar/list_events.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/calendar/agenda.h"
#include "executors/calendar/event_change.h"

namespace toolgate::executors::calendar {
namespace {

constexpr int64_t kDefaultLimit = 50;
constexpr int kHorizonDays = 90;  // Days to expand series if no last day is given.
constexpr int kMaxDays = 3'660;   // Maximum number of days from the first to the last: ten years.

absl::StatusOr<std::optional<absl::CivilDay>> DayArgument(const ToolContext& context, const char* name) {
  if (FindArgument(context.arguments, name) == nullptr) return std::optional<absl::CivilDay>();
  ASSIGN_OR_RETURN(const DateOrTime date, ReadDateArgument(context.arguments, name, context.now, context.time_zone));
  return date.is_instant ? absl::ToCivilDay(date.instant, context.time_zone) : date.day;
}

// Days to list. Without a first day, they start today, or before the last day if that is in the past.
absl::Status SetDays(const ToolContext& context, AgendaQuery& query) {
  ASSIGN_OR_RETURN(const std::optional<absl::CivilDay> from, DayArgument(context, "dateFrom"));
  ASSIGN_OR_RETURN(const std::optional<absl::CivilDay> to, DayArgument(context, "dateTo"));
  const absl::CivilDay today = absl::ToCivilDay(context.now, context.time_zone);
  query.open_ended = !to.has_value();
  query.first = from.value_or(to.has_value() && *to < today ? *to - (kHorizonDays - 1) : today);
  query.last = to.value_or(query.first + (kHorizonDays - 1));
  if (query.last < query.first) {
    return InvalidArgument(
        "/dateTo", "consistency",
        absl::StrCat("dateTo, ", FormatDay(query.last), ", lies before dateFrom, ", FormatDay(query.first)),
        "a day that is not before dateFrom", "an earlier day");
  }
  if (query.last - query.first >= kMaxDays) {
    return InvalidArgument("/dateTo", "maximum",
                           absl::StrCat("from dateFrom to dateTo there may be at most ", kMaxDays,
                                        " days; ask for fewer, in several calls"),
                           absl::StrCat("at most ", kMaxDays, " days"), "more");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ToolOutput> ListEvents(ToolContext& context, storage::ReadView& view) {
  AgendaQuery query;
  query.zone = context.time_zone;
  query.text = StringArgument(context.arguments, "q");
  query.type = StringArgument(context.arguments, "type");
  query.status = StringArgument(context.arguments, "status");
  query.limit = static_cast<size_t>(OptionalInteger(context.arguments, "limit").value_or(kDefaultLimit));
  RETURN_IF_ERROR(SetDays(context, query));
  ASSIGN_OR_RETURN(const Agenda agenda, ReadAgenda(view, query, context.cancellation));
  Json events = Json::array();
  for (const Occurrence& occurrence : agenda.occurrences) events.push_back(ToJson(occurrence, context.time_zone));
  Json result = {{"events", std::move(events)}, {"totalCount", agenda.total}, {"dateFrom", FormatDay(query.first)}};
  result[query.open_ended ? "seriesUntil" : "dateTo"] = FormatDay(query.last);
  ToolOutput output;
  output.data_json = DumpJson(result);
  return output;
}

}  // namespace toolgate::executors::calendar
