#include "executors/calendar/delete_event.h"

#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_writer.h"
#include "executors/blocks/deletion.h"
#include "executors/calendar/series.h"
#include "executors/calendar/series_editor.h"

namespace toolgate::executors::calendar {
namespace {

constexpr int64_t kMaxPreviewIds = 100;

std::string Counted(int64_t count, const std::string& noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

// A deletion with its scope.
struct Deletion {
  Scope scope = Scope::kAll;
  absl::CivilDay day;  // Day of the occurrence. Used only for a series.
};

absl::StatusOr<Deletion> DeletionOf(const Json& arguments, const Target& target) {
  Deletion deletion;
  deletion.scope = ScopeOf(arguments, target);
  if (!target.series.has_value() || deletion.scope == Scope::kAll) return deletion;
  ASSIGN_OR_RETURN(deletion.day, DayOf(target));
  // A series without occurrences would be invisible.
  if (deletion.scope == Scope::kThis && !target.series->HasOtherThan(deletion.day)) deletion.scope = Scope::kAll;
  return deletion;
}

// `the occurrence of 2026-03-02 of event "Stand-up"`.
std::string Subject(const Target& target, const Deletion& deletion) {
  std::string name = NameOf(target.event.data);
  if (!target.series.has_value())
    return absl::StrCat(name, " of ", std::string(StringArgument(target.event.data, "date")));
  const std::string day = FormatDay(deletion.day);
  switch (deletion.scope) {
    case Scope::kThis:
      return absl::StrCat("the occurrence of ", day, " of ", name);
    case Scope::kThisAndFollowing:
      return absl::StrCat("the occurrences from ", day, " on of ", name);
    case Scope::kAll:
      return absl::StrCat("all occurrences of ", name);
  }
  return name;
}

// Extent of a deletion, for people: ": 12 occurrences, 2 of which were changed".
std::string Extent(const Series& series, absl::CivilDay from) {
  const std::optional<int64_t> count = series.CountFrom(from);
  std::string text = count.has_value() ? absl::StrCat(": ", Counted(*count, "occurrence")) : ": a series without end";
  const auto changed = std::distance(series.changed().lower_bound(from), series.changed().end());
  if (changed > 0)
    absl::StrAppend(&text, ", ", changed, changed == 1 ? " of which was changed" : " of which were changed");
  return text;
}

absl::StatusOr<std::string> Below(const storage::Block& block, storage::ReadView& view, Preview& preview) {
  ASSIGN_OR_RETURN(
      const storage::DeletionSize size,
      view.MeasureDeletion(block, storage::Children::kDelete, storage::Measure::kWhole, kMaxPreviewIds - 1));
  RETURN_IF_ERROR(storage::CheckUndoFits(size, block));
  preview.affected_block_ids.insert(preview.affected_block_ids.end(), size.ids.begin(), size.ids.end());
  return size.blocks == 0 ? std::string() : absl::StrCat("; with it go ", Counted(size.blocks, "block"), " below it");
}

absl::StatusOr<Preview> PreviewOf(const Target& target, const Deletion& deletion, storage::ReadView& view) {
  Preview preview;
  preview.summary = absl::StrCat("Delete ", Subject(target, deletion));
  preview.undo_summary = "Undo brings everything back.";
  preview.affected_block_ids = {target.event.block.id};
  if (deletion.scope == Scope::kThis) {
    preview.summary += "; the others stay";
    if (const EventBlock* own = target.series->FindChanged(deletion.day); own != nullptr) {
      preview.affected_block_ids.push_back(own->block.id);
    }
    return preview;
  }
  if (deletion.scope == Scope::kThisAndFollowing) {
    const auto& changed = target.series->changed();
    for (auto row = changed.lower_bound(deletion.day);
         row != changed.end() && preview.affected_block_ids.size() < kMaxPreviewIds; ++row) {
      preview.affected_block_ids.push_back(row->second.block.id);
    }
    preview.summary += Extent(*target.series, deletion.day) + "; those before stay";
    return preview;
  }
  if (target.series.has_value()) preview.summary += Extent(*target.series, (absl::CivilDay::min)());
  ASSIGN_OR_RETURN(const std::string below, Below(target.event.block, view, preview));
  preview.summary += below;
  return preview;
}

}  // namespace

absl::StatusOr<ToolOutput> DeleteEvent(ToolContext& context, storage::Transaction& transaction) {
  ASSIGN_OR_RETURN(const Target target, FindTarget(StringArgument(context.arguments, "eventId"), transaction));
  ASSIGN_OR_RETURN(const Deletion deletion, DeletionOf(context.arguments, target));
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  SeriesEditor editor(transaction, writer);
  absl::StatusOr<int64_t> count;
  if (deletion.scope == Scope::kAll) {
    count = writer.Delete(target.event.block, storage::Children::kDelete);
  } else if (deletion.scope == Scope::kThis) {
    count = editor.RemoveOne(*target.series, deletion.day);
  } else {
    count = editor.RemoveFrom(*target.series, deletion.day);
  }
  RETURN_IF_ERROR(count.status());
  ToolOutput output;
  output.data_json = DumpJson({{"success", true}, {"deletedCount", *count}});
  output.description = absl::StrCat("Deleted ", Subject(target, deletion));
  return output;
}

absl::StatusOr<Preview> PreviewDeleteEvent(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const Target target, FindTarget(StringArgument(context.arguments, "eventId"), view));
  ASSIGN_OR_RETURN(const Deletion deletion, DeletionOf(context.arguments, target));
  ASSIGN_OR_RETURN(Preview preview, PreviewOf(target, deletion, view));
  preview.state_digest = StateDigest(preview);
  return preview;
}

absl::StatusOr<std::optional<Rehearsal>> RehearseDeleteEvent(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const Target target, FindTarget(StringArgument(context.arguments, "eventId"), view));
  ASSIGN_OR_RETURN(const Deletion deletion, DeletionOf(context.arguments, target));
  if (deletion.scope != Scope::kAll) return std::nullopt;
  return blocks::RehearseDeletion(view, target.event.block, storage::Children::kDelete);
}

}  // namespace toolgate::executors::calendar
