#include "executors/journal/journal_list.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/listing_total.h"
#include "executors/journal/entry_json.h"
#include "executors/planner/find_items.h"
#include "executors/planner/texts.h"

namespace toolgate::executors::journal {
namespace {

using storage::Field;
using storage::Filter;

absl::StatusOr<std::optional<absl::CivilDay>> DayArgument(const ToolContext& context, std::string_view name) {
  if (FindArgument(context.arguments, name) == nullptr) return std::nullopt;
  const absl::StatusOr<DateOrTime> date =
      ParseDate(StringArgument(context.arguments, name), context.now, context.time_zone);
  if (!date.ok()) {
    return InvalidArgument(absl::StrCat("/", ToAbsl(name)), "format",
                           absl::StrCat(ToAbsl(name), " is ", date.status().message()), kDateForms);
  }
  return date->is_instant ? absl::ToCivilDay(date->instant, context.time_zone) : date->day;
}

absl::StatusOr<std::vector<Filter>> DayConditions(const ToolContext& context) {
  ASSIGN_OR_RETURN(const std::optional<absl::CivilDay> day, DayArgument(context, "date"));
  ASSIGN_OR_RETURN(const std::optional<absl::CivilDay> from, DayArgument(context, "dateFrom"));
  ASSIGN_OR_RETURN(const std::optional<absl::CivilDay> to, DayArgument(context, "dateTo"));
  if (from && to && *to < *from) {
    return InvalidArgument("/dateTo", "consistency", "dateTo lies before dateFrom", "the same day or a later one",
                           "an earlier day");
  }
  std::vector<Filter> conditions;
  const auto add = [&](Filter::Op op, const std::optional<absl::CivilDay>& limit) {
    if (limit) conditions.push_back(Filter::Compare(Field::Data({"date"}), op, FormatDay(*limit)));
  };
  add(Filter::Op::kEquals, day);
  add(Filter::Op::kGreaterOrEqual, from);
  add(Filter::Op::kLessOrEqual, to);
  return conditions;
}

}  // namespace

absl::StatusOr<ToolOutput> JournalList(ToolContext& context, storage::ReadView& view) {
  planner::ItemQuery query;
  query.type = std::string(blocks::kJournalEntry);
  query.words = std::string(StringArgument(context.arguments, "q"));
  ASSIGN_OR_RETURN(query.conditions, DayConditions(context));
  if (const std::string_view tag = StringArgument(context.arguments, "tag"); !tag.empty()) {
    query.conditions.push_back(planner::HasTag(tag));
  }
  query.order = {{Field::Data({"date"}), true}, {{Field::Kind::kCreatedAt}, true}};
  ASSIGN_OR_RETURN(const storage::SearchPage page, planner::FindItems(view, query));
  const size_t max_body = planner::TextShare(page.hits.size());
  Json entries = Json::array();
  for (const storage::SearchHit& hit : page.hits) {
    RETURN_IF_ERROR(context.cancellation.Check());
    ASSIGN_OR_RETURN(Json entry, EntryJson(hit.block, max_body));
    entries.push_back(std::move(entry));
  }
  ToolOutput output;
  Json result{{"entries", std::move(entries)}};
  blocks::PutTotal(page, result);
  output.data_json = DumpJson(result);
  return output;
}

}  // namespace toolgate::executors::journal
