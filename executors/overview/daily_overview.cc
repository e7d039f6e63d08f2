#include "executors/overview/daily_overview.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/overview/day_plan.h"

namespace toolgate::executors::overview {
namespace {

constexpr int64_t kDefaultDays = 7;

absl::StatusOr<absl::CivilDay> StartDay(const ToolContext& context) {
  if (FindArgument(context.arguments, "startDate") == nullptr) {
    return absl::ToCivilDay(context.now, context.time_zone);
  }
  const absl::StatusOr<DateOrTime> date =
      ParseDate(StringArgument(context.arguments, "startDate"), context.now, context.time_zone);
  if (!date.ok()) {
    return InvalidArgument("/startDate", "format", absl::StrCat("startDate is ", date.status().message()), kDateForms);
  }
  return date->is_instant ? absl::ToCivilDay(date->instant, context.time_zone) : date->day;
}

}  // namespace

absl::StatusOr<ToolOutput> DailyOverview(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const absl::CivilDay first, StartDay(context));
  const absl::CivilDay last = first + OptionalInteger(context.arguments, "days").value_or(kDefaultDays) - 1;
  ASSIGN_OR_RETURN(Json plan, DayPlan(context, view, first, last).Read());
  Json answer = {{"startDate", FormatDay(first)},
                 {"endDate", FormatDay(last)},
                 {"today", FormatDay(absl::ToCivilDay(context.now, context.time_zone))}};
  for (auto& [name, value] : plan.items()) answer[name] = std::move(value);
  ToolOutput output;
  output.data_json = DumpJson(answer);
  return output;
}

}  // namespace toolgate::executors::overview
