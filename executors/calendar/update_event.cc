#include "executors/calendar/update_event.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/time_zones.h"
#include "executors/arguments.h"
#include "executors/blocks/block_writer.h"
#include "executors/calendar/event_change.h"
#include "executors/calendar/series.h"
#include "executors/calendar/series_editor.h"

namespace toolgate::executors::calendar {
namespace {

// Zone for words such as "tomorrow at 9am": the event's own zone, or else the caller's.
absl::TimeZone ZoneOf(const Target& target, absl::TimeZone callers) {
  const std::string_view name = StringArgument(target.event.data, "timeZone");
  const auto own = FindTimeZone(name);
  return own.has_value() ? own->zone : callers;
}

ToolOutput Answer(Json event, std::string description) {
  ToolOutput output;
  const Json id = event["eventId"];
  output.data_json = DumpJson({{"eventId", id}, {"event", std::move(event)}});
  output.description = std::move(description);
  return output;
}

class EventUpdate {
 public:
  EventUpdate(ToolContext& context, storage::Transaction& transaction, const Target& target, const EventChange& change)
      : context_(context),
        transaction_(transaction),
        target_(target),
        change_(change),
        writer_(transaction, context.now, context.time_zone),
        editor_(transaction, writer_) {}

  absl::StatusOr<ToolOutput> Run() {
    if (!target_.series.has_value()) return ChangeSingle();
    ASSIGN_OR_RETURN(const absl::CivilDay day, DayOf(target_));
    const Scope scope = ScopeOf(context_.arguments, target_);
    if (scope == Scope::kAll) return ChangeAll();
    // After the end of the rule only changed occurrences may remain, and no others follow them.
    if (scope == Scope::kThis || target_.series->RuleEndsBefore(day)) return ChangeOne(day);
    return ChangeFollowing(day);
  }

 private:
  absl::StatusOr<ToolOutput> ChangeSingle() {
    ASSIGN_OR_RETURN(const EventTimes times, TimesOf(target_.event.data));
    Json patch = change_.fields;
    PutTimes(Changed(times, change_, change_.date), patch);
    ASSIGN_OR_RETURN(storage::Block block, writer_.Update(target_.event.block, patch));
    return AnswerBlock(std::move(block), "Updated ");
  }

  absl::StatusOr<ToolOutput> ChangeAll() {
    ASSIGN_OR_RETURN(const Moved moved, editor_.ChangeAll(*target_.series, target_.day, change_));
    const std::string_view verb = "Updated every occurrence of ";
    if (target_.day.has_value()) return AnswerOccurrence(moved, verb);
    ASSIGN_OR_RETURN(storage::Block block, transaction_.GetBlock(moved.series_id));
    return AnswerBlock(std::move(block), verb);
  }

  absl::StatusOr<ToolOutput> ChangeOne(absl::CivilDay day) {
    RETURN_IF_ERROR(editor_.ChangeOne(*target_.series, day, change_));
    return AnswerOccurrence({target_.series->block().id, day},
                            absl::StrCat("Updated the occurrence of ", FormatDay(day), " of "));
  }

  absl::StatusOr<ToolOutput> ChangeFollowing(absl::CivilDay day) {
    ASSIGN_OR_RETURN(const Series rest, editor_.Split(*target_.series, day));
    ASSIGN_OR_RETURN(const Moved moved, editor_.ChangeAll(rest, day, change_));
    return AnswerOccurrence(moved, absl::StrCat("Updated the occurrences from ", FormatDay(day), " on of "));
  }

  absl::StatusOr<ToolOutput> AnswerBlock(storage::Block block, std::string_view verb) const {
    ASSIGN_OR_RETURN(const EventBlock event, ParseEvent(std::move(block)));
    ASSIGN_OR_RETURN(Json view, ViewOf(event, context_.time_zone));
    return Answer(std::move(view), Description(verb));
  }

  absl::StatusOr<ToolOutput> AnswerOccurrence(const Moved& moved, std::string_view verb) {
    ASSIGN_OR_RETURN(storage::Block block, transaction_.GetBlock(moved.series_id));
    ASSIGN_OR_RETURN(EventBlock event, ParseEvent(std::move(block)));
    ASSIGN_OR_RETURN(const Series series, Series::Load(std::move(event), transaction_));
    ASSIGN_OR_RETURN(Json view, ViewOf(series, moved.day, context_.time_zone));
    return Answer(std::move(view), Description(verb));
  }

  // Uses the name before the change.
  std::string Description(std::string_view verb) const {
    return absl::StrCat(ToAbsl(verb), NameOf(target_.event.data));
  }

  ToolContext& context_;
  storage::Transaction& transaction_;
  const Target& target_;
  const EventChange& change_;
  blocks::BlockWriter writer_;
  SeriesEditor editor_;
};

}  // namespace

absl::StatusOr<ToolOutput> UpdateEvent(ToolContext& context, storage::Transaction& transaction) {
  ASSIGN_OR_RETURN(const Target target, FindTarget(StringArgument(context.arguments, "eventId"), transaction));
  ASSIGN_OR_RETURN(const EventChange change,
                   ReadChange(context.arguments, context.now, ZoneOf(target, context.time_zone)));
  if (change.empty()) {
    return InvalidArgument("", "required",
                           "nothing to change: give at least one of title, description, date, time, status and type",
                           "a field to change", "none");
  }
  RETURN_IF_ERROR(CheckRevision(context.arguments, target));
  return EventUpdate(context, transaction, target, change).Run();
}

}  // namespace toolgate::executors::calendar
