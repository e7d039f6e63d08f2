#include "executors/calendar/series.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "common/text/visible_text.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/series_days.h"
#include "storage/fault.h"

namespace toolgate::executors::calendar {
namespace {

using blocks::Recurrence;
using blocks::Recurs;
using storage::Block;

constexpr int64_t kAllOfThem = 1'000'000;
constexpr int kNearbyNamed = 3;

std::optional<absl::CivilDay> DayIn(const Json& value) {
  if (!value.is_string()) return std::nullopt;
  const absl::StatusOr<DateOrTime> day = ParseStoredDate(value.get_ref<const std::string&>());
  if (!day.ok() || day->is_instant) return std::nullopt;
  return day->day;
}

absl::Status NoSuchEvent(std::string_view event_id, std::string_view why) {
  ToolError error;
  error.code = ErrorCode::kNotFound;
  error.message = why;
  error.facts.emplace_back("eventId", event_id);
  return ToStatus(error);
}

absl::Status NoSuchOccurrence(const Series& series, absl::CivilDay day, std::string_view event_id) {
  std::vector<std::string> near;
  std::optional<absl::CivilDay> next = series.FirstFrom(day);
  while (next.has_value() && near.size() < kNearbyNamed) {
    near.push_back(FormatDay(*next));
    next = series.FirstFrom(*next + 1);
  }
  const std::string hint =
      near.empty() ? "; there is none after it either" : absl::StrCat("; the next ones are those of ", NameList(near));
  return NoSuchEvent(event_id, absl::StrCat(NameOf(series.data()), " has no occurrence of ", FormatDay(day), hint));
}

absl::StatusOr<Target> SeriesTarget(EventBlock event, std::optional<absl::CivilDay> day, std::string_view event_id,
                                    storage::ReadView& view) {
  Target target;
  ASSIGN_OR_RETURN(target.series, Series::Load(event, view));
  target.event = std::move(event);
  target.day = day;
  if (day.has_value() && !target.series->Has(*day)) return NoSuchOccurrence(*target.series, *day, event_id);
  return target;
}

}  // namespace

absl::StatusOr<EventBlock> ParseEvent(Block block) {
  EventBlock event;
  ASSIGN_OR_RETURN(event.data, blocks::ParseData(block));
  event.block = std::move(block);
  return event;
}

absl::StatusOr<Series> Series::Load(EventBlock event, storage::ReadView& view) {
  const absl::StatusOr<Recurrence> rule = Recurrence::Parse(StringArgument(event.data, "recurrence"));
  if (!rule.ok()) {
    return storage::MarkFault(
        absl::DataLossError(absl::StrCat("event ", event.block.id, " holds a bad rule: ", rule.status().message())));
  }
  ASSIGN_OR_RETURN(const EventTimes times, TimesOf(event.data));
  Series series(std::move(event), *rule, times);
  series.last_ = series.rule_.Last(times.date);
  if (const Json* exceptions = FindArgument(series.data(), "exceptions"); exceptions != nullptr) {
    for (const Json& item : *exceptions) {
      if (const auto day = DayIn(item); day.has_value()) series.exceptions_.insert(*day);
    }
  }
  storage::BlockQuery query;
  query.parent_id = series.block().id;
  query.types = {std::string(blocks::kEvent)};
  query.filter = storage::Filter::Compare(storage::Field::Data({"recurrenceId"}), storage::Filter::Op::kIsNotEmpty);
  query.limit = kAllOfThem;
  ASSIGN_OR_RETURN(storage::BlockPage page, view.FindBlocks(query));
  for (Block& block : page.blocks) {
    ASSIGN_OR_RETURN(EventBlock changed, ParseEvent(std::move(block)));
    const auto day = DayIn(changed.data["recurrenceId"]);
    if (day.has_value()) series.changed_.emplace(*day, std::move(changed));
  }
  return series;
}

const EventBlock* Series::FindChanged(absl::CivilDay day) const {
  const auto found = changed_.find(day);
  return found == changed_.end() ? nullptr : &found->second;
}

void Series::VisitPlain(absl::CivilDay from, absl::FunctionRef<bool(absl::CivilDay)> visit) const {
  // A rule may be endless, but at most as many of its days in a row are exceptions as there are exceptions.
  const absl::CivilDay to = last_.value_or(absl::CivilDay(9999, 12, 31));
  rule_.Visit(times_.date, from, to,
              [&](absl::CivilDay day) { return exceptions_.contains(day) || changed_.contains(day) || visit(day); });
}

bool Series::Has(absl::CivilDay day) const { return FirstFrom(day) == day; }

std::optional<absl::CivilDay> Series::FirstFrom(absl::CivilDay from) const {
  std::optional<absl::CivilDay> first;
  VisitPlain(from, [&](absl::CivilDay day) {
    first = day;
    return false;
  });
  const auto changed = changed_.lower_bound(from);
  if (changed != changed_.end() && (!first.has_value() || changed->first < *first)) first = changed->first;
  return first;
}

std::optional<absl::CivilDay> Series::First() const { return FirstFrom((absl::CivilDay::min)()); }

bool Series::HasOtherThan(absl::CivilDay day) const {
  const std::optional<absl::CivilDay> first = First();
  if (!first.has_value()) return false;
  return *first != day || FirstFrom(day + 1).has_value();
}

std::optional<int64_t> Series::CountFrom(absl::CivilDay from) const {
  if (!last_.has_value()) return std::nullopt;
  int64_t count = std::distance(changed_.lower_bound(from), changed_.end());
  VisitPlain(from, [&](absl::CivilDay) {
    ++count;
    return true;
  });
  return count;
}

const EventBlock& Series::SourceOf(absl::CivilDay day) const {
  const EventBlock* changed = FindChanged(day);
  return changed == nullptr ? event_ : *changed;
}

int64_t Series::RevisionOf(absl::CivilDay day) const {
  const EventBlock* changed = FindChanged(day);
  return block().version + (changed == nullptr ? 0 : changed->block.version);
}

absl::StatusOr<EventTimes> Series::TimesOn(absl::CivilDay day) const {
  const EventBlock* changed = FindChanged(day);
  if (changed == nullptr) return times_.MovedTo(day);
  return TimesOf(changed->data);
}

absl::StatusOr<Target> FindTarget(std::string_view event_id, storage::ReadView& view) {
  ASSIGN_OR_RETURN(std::optional<Block> block, view.FindBlock(event_id));
  const std::optional<OccurrenceName> name = block.has_value() ? std::nullopt : ParseOccurrenceId(event_id);
  std::optional<absl::CivilDay> day;
  if (name.has_value()) {
    ASSIGN_OR_RETURN(block, view.FindBlock(name->series_id));
    day = name->day;
  }
  if (!block.has_value()) {
    return NoSuchEvent(event_id, absl::StrCat("there is no event ", ToAbsl(event_id.substr(0, 160))));
  }
  if (block->type != blocks::kEvent) {
    return InvalidArgument(
        "/eventId", "type",
        absl::StrCat("block ", block->id, " is ", WithArticle(block->type), "; eventId must name a calendar event"),
        "id of a calendar event", block->type);
  }
  ASSIGN_OR_RETURN(EventBlock event, ParseEvent(*std::move(block)));
  if (const Json* original = FindArgument(event.data, "recurrenceId"); original != nullptr && !day.has_value()) {
    ASSIGN_OR_RETURN(std::optional<Block> parent, view.FindBlock(event.block.parent_id));
    if (parent.has_value() && parent->type == blocks::kEvent) {
      ASSIGN_OR_RETURN(EventBlock series, ParseEvent(*std::move(parent)));
      if (Recurs(series.data)) return SeriesTarget(std::move(series), DayIn(*original), event_id, view);
    }
  }
  if (Recurs(event.data)) return SeriesTarget(std::move(event), day, event_id, view);
  if (day.has_value()) {
    return NoSuchEvent(event_id, absl::StrCat(NameOf(event.data),
                                              " does not recur, so it has no occurrences; its id is ", event.block.id));
  }
  return Target{std::move(event), std::nullopt, std::nullopt};
}

Scope ScopeOf(const Json& arguments, const Target& target) {
  if (!target.series.has_value()) return Scope::kAll;
  const std::string_view scope = StringArgument(arguments, "scope");
  if (scope == "this" || (scope.empty() && target.day.has_value())) return Scope::kThis;
  if (scope != "this_and_following") return Scope::kAll;
  const Series& series = *target.series;
  const absl::CivilDay day = target.day.value_or(series.times().date);
  // The first occurrence and those that follow are the whole series.
  const bool is_first = series.First() >= day || series.rule().CountBefore(series.times().date, day) == 0;
  return is_first ? Scope::kAll : Scope::kThisAndFollowing;
}

absl::Status CheckRevision(const Json& arguments, const Target& target) {
  const std::optional<int64_t> wanted = OptionalInteger(arguments, "revision");
  const int64_t present = target.day.has_value() ? target.series->RevisionOf(*target.day) : target.event.block.version;
  if (!wanted.has_value() || *wanted == present) return absl::OkStatus();
  ToolError error;
  error.code = ErrorCode::kConflict;
  error.message = absl::StrCat(NameOf(target.event.data), " is at revision ", present, ", not ", *wanted,
                               ": somebody changed it; read it again before you change it");
  error.facts = {{"revision", absl::StrCat(present)}, {"blockId", target.event.block.id}};
  return ToStatus(error);
}

absl::StatusOr<absl::CivilDay> DayOf(const Target& target) {
  if (target.day.has_value()) return *target.day;
  const std::optional<absl::CivilDay> first = target.series->First();
  if (first.has_value()) return *first;
  return MakeError(ErrorCode::kNotFound, absl::StrCat(NameOf(target.event.data), " has no occurrence left"));
}

absl::StatusOr<Json> ViewOf(const EventBlock& event, absl::TimeZone zone) {
  ASSIGN_OR_RETURN(const EventTimes times, TimesOf(event.data));
  const std::string rule(StringArgument(event.data, "recurrence"));
  return ToJson(
      EventView{event.block.id, rule.empty() ? "" : event.block.id, rule, event.data, times, event.block.version},
      zone);
}

absl::StatusOr<Json> ViewOf(const Series& series, absl::CivilDay day, absl::TimeZone zone) {
  ASSIGN_OR_RETURN(const EventTimes times, series.TimesOn(day));
  const EventBlock& source = series.SourceOf(day);
  return ToJson(EventView{OccurrenceId(series.block().id, day), series.block().id, series.rule().ToString(),
                          source.data, times, series.RevisionOf(day)},
                zone);
}

std::string NameOf(const Json& data) {
  const std::string_view type = StringArgument(data, "type");
  return absl::StrCat(type == "task" ? "task" : "event", " ", text::Quoted(blocks::TitleOf(blocks::kEvent, data)));
}

}  // namespace toolgate::executors::calendar
