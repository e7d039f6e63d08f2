#include "executors/blocks/event_data.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/recurrence.h"

namespace toolgate::executors::blocks {
namespace {

void Remove(Json& data, const char* name) { data.erase(name); }

// The members have passed their checks, so days are days.
absl::CivilDay DayAt(const Json& data, const char* name) { return ParseStoredDate(StringArgument(data, name))->day; }

absl::Status CheckEnd(std::string_view path, Json& data) {
  const std::string date(StringArgument(data, "date"));
  const std::string end_date(StringArgument(data, "endDate"));
  const std::string_view time = StringArgument(data, "time");
  const std::string_view end_time = StringArgument(data, "endTime");
  if (!end_date.empty() && end_date < date) {
    return InvalidArgument(absl::StrCat(ToAbsl(path), "/endDate"), "consistency",
                           absl::StrCat("endDate lies before date, ", date), "the last day, not before the first",
                           "an earlier day");
  }
  if (end_date == date) Remove(data, "endDate");
  if (end_time.empty()) return absl::OkStatus();
  if (time.empty()) {
    return InvalidArgument(absl::StrCat(ToAbsl(path), "/endTime"), "consistency",
                           "an event with endTime needs time too: when it starts", "endTime beside time",
                           "endTime alone");
  }
  if (FindArgument(data, "endDate") == nullptr && end_time <= time) {
    return InvalidArgument(absl::StrCat(ToAbsl(path), "/endTime"), "consistency",
                           "endTime is not after time; give endDate when the event ends on a later day",
                           absl::StrCat("a time after ", ToAbsl(time)), "an earlier one");
  }
  return absl::OkStatus();
}

absl::Status SettleRecurrence(std::string_view path, Json& data) {
  const std::string place = absl::StrCat(ToAbsl(path), "/recurrence");
  const absl::StatusOr<Recurrence> rule = Recurrence::Parse(StringArgument(data, "recurrence"));
  if (!rule.ok()) {
    return InvalidArgument(place, "format", absl::StrCat("the recurrence ", rule.status().message()), "an RRULE", "");
  }
  const absl::CivilDay start = DayAt(data, "date");
  const std::optional<absl::CivilDay> first = rule->First(start);
  if (!first.has_value()) {
    return InvalidArgument(place, "consistency",
                           absl::StrCat("the recurrence yields no day from ", FormatDay(start),
                                        " on; is its UNTIL too early, or a day that no month has?"),
                           "a rule with at least one day", "one with none");
  }
  if (FindArgument(data, "endDate") != nullptr) {
    const int64_t span = DayAt(data, "endDate") - start;
    if (span > kMaxSeriesSpanDays) {
      return InvalidArgument(absl::StrCat(ToAbsl(path), "/endDate"), "maximum",
                             absl::StrCat("an event that recurs lasts at most ", kMaxSeriesSpanDays, " days"),
                             "a nearer day", "a later one");
    }
    data["endDate"] = FormatDay(*first + span);
  }
  data["date"] = FormatDay(*first);
  const std::optional<absl::CivilDay> last = rule->Last(*first);
  if (last.has_value()) {
    data["recurrenceEnd"] = FormatDay(*last);
  } else {
    Remove(data, "recurrenceEnd");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SettleEvent(std::string_view path, Json& data) {
  RETURN_IF_ERROR(CheckEnd(path, data));
  if (FindArgument(data, "recurrence") == nullptr) {
    Remove(data, "recurrenceEnd");
    Remove(data, "exceptions");
    return absl::OkStatus();
  }
  if (FindArgument(data, "recurrenceId") != nullptr) {
    return InvalidArgument(absl::StrCat(ToAbsl(path), "/recurrence"), "consistency",
                           "a changed occurrence (recurrenceId) cannot recur itself", "recurrence without recurrenceId",
                           "both");
  }
  return SettleRecurrence(path, data);
}

absl::Status CheckChangedOccurrence(const Json& data, const storage::Block* parent, std::string_view self,
                                    storage::ReadView& view) {
  const Json* day = FindArgument(data, "recurrenceId");
  if (day == nullptr) return absl::OkStatus();
  bool in_series = false;
  if (parent != nullptr && parent->type == kEvent) {
    ASSIGN_OR_RETURN(const Json series, ParseData(*parent));
    in_series = FindArgument(series, "recurrence") != nullptr;
  }
  if (!in_series) {
    return InvalidArgument("/data/recurrenceId", "parent",
                           "a changed occurrence (recurrenceId) must lie directly in the calendar_event that recurs",
                           "the id of that event as parentId", "another place");
  }
  storage::BlockQuery query;
  query.parent_id = parent->id;
  query.types = {std::string(kEvent)};
  query.filter = storage::Filter::Compare(storage::Field::Data({"recurrenceId"}), storage::Filter::Op::kEquals, *day);
  query.limit = 2;
  ASSIGN_OR_RETURN(const storage::BlockPage page, view.FindBlocks(query));
  for (const storage::Block& other : page.blocks) {
    if (other.id == self) continue;
    return MakeError(ErrorCode::kConflict, absl::StrCat("the occurrence of ", day->get_ref<const std::string&>(),
                                                        " has been changed already, by block ", other.id));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> IsChangedOccurrence(const storage::Block& block) {
  if (block.type != kEvent) return false;
  ASSIGN_OR_RETURN(const Json data, ParseData(block));
  return FindArgument(data, "recurrenceId") != nullptr;
}

absl::Status FreeChangedOccurrences(const storage::Block& event, storage::Transaction& transaction) {
  ASSIGN_OR_RETURN(const std::vector<storage::Block> children,
                   transaction.ListChildren(event.id, std::numeric_limits<int64_t>::max()));
  for (const storage::Block& child : children) {
    ASSIGN_OR_RETURN(const bool is_changed_occurrence, IsChangedOccurrence(child));
    if (!is_changed_occurrence) continue;
    ASSIGN_OR_RETURN(Json data, ParseData(child));
    data.erase("recurrenceId");
    RETURN_IF_ERROR(transaction.UpdateBlock(child.id, DumpJson(data)).status());
  }
  return absl::OkStatus();
}

}  // namespace toolgate::executors::blocks
