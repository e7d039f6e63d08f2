#include "executors/blocks/occurrence_integrity.h"

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/integrity_conflict.h"
#include "executors/blocks/series_days.h"

namespace toolgate::executors::blocks {
namespace {

using storage::Block;
using storage::BlockDelta;

std::string_view DateOf(const Json& data) { return StringArgument(data, "date"); }

// `calendar_event "Stand-up" (01jq…), the changed occurrence of 2026-12-03,`.
std::string Subject(const Block& occurrence, std::string_view day) {
  return absl::StrCat(Name(occurrence), ", the changed occurrence of ", ToAbsl(day), ",");
}

class OccurrenceChecker {
 public:
  OccurrenceChecker(storage::ReadView& view, const SeriesPremises& premises) : view_(view), premises_(premises) {}

  absl::Status Check(const storage::Changes& done) {
    for (const BlockDelta& delta : done.blocks) {
      if (delta.after) touched_.insert(delta.after->id);
    }
    for (const BlockDelta& delta : done.blocks) {
      if (!delta.after || delta.after->type != kEvent) continue;
      ASSIGN_OR_RETURN(const Json data, ParseData(*delta.after));
      Json before;
      if (delta.before) {
        ASSIGN_OR_RETURN(before, ParseData(*delta.before));
      }
      const bool stays = delta.before && delta.before->parent_id == delta.after->parent_id;
      if (!OccurrenceDay(data).empty()) {
        if (!stays || OccurrenceDay(before) != OccurrenceDay(data))
          RETURN_IF_ERROR(CheckOccurrence(*delta.after, OccurrenceDay(data)));
      } else if (Recurs(data) && Recurs(before) && !SeriesDays::Same(before, data)) {
        RETURN_IF_ERROR(CheckSeries(*delta.after, before, data));
      }
    }
    return absl::OkStatus();
  }

 private:
  struct Series {
    Block block;
    std::string date;
    SeriesDays days;
  };

  // Checks an occurrence that came back, or belongs to another day now.
  absl::Status CheckOccurrence(const Block& occurrence, std::string_view day) {
    if (touched_.contains(occurrence.parent_id)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Series* series, SeriesOf(occurrence));
    const std::string_view was = premises_.DateOf(series->block.id);
    if (!was.empty() && was != series->date) {
      return Conflict(series->block,
                      absl::StrCat(Subject(occurrence, day), " would stand for another one: ", Name(series->block),
                                   " has been moved since, from ", ToAbsl(was), " to ", series->date));
    }
    if (series->days.Has(day) || premises_.Stood(occurrence.id, day)) return absl::OkStatus();
    return Conflict(series->block, absl::StrCat(Subject(occurrence, day), " would come back to ", Name(series->block),
                                                ", which has no occurrence on that day any more"));
  }

  // Checks a series whose days have changed.
  absl::Status CheckSeries(const Block& series, const Json& before, const Json& after) {
    const SeriesDays days(after);
    const bool moves = DateOf(before) != DateOf(after);
    ASSIGN_OR_RETURN(const std::vector<Block> children,
                     view_.ListChildren(series.id, std::numeric_limits<int64_t>::max()));
    for (const Block& child : children) {
      if (child.type != kEvent || touched_.contains(child.id)) continue;
      ASSIGN_OR_RETURN(const Json data, ParseData(child));
      const std::string_view day = OccurrenceDay(data);
      if (day.empty() || premises_.Stood(child.id, day) || (!moves && days.Has(day))) continue;
      const std::string why =
          moves ? absl::StrCat(" would stand for another one of ", Name(series), ", which would move from ",
                               ToAbsl(DateOf(before)), " to ", ToAbsl(DateOf(after)))
                : absl::StrCat(" would stand on a day on which ", Name(series), " has none");
      return Conflict(child, Subject(child, day) + why);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<const Series*> SeriesOf(const Block& occurrence) {
    const auto known = series_.find(occurrence.parent_id);
    if (known != series_.end()) return &known->second;
    ASSIGN_OR_RETURN(Block block, view_.GetBlock(occurrence.parent_id));
    ASSIGN_OR_RETURN(const Json data, ParseData(block));
    Series series{std::move(block), std::string(DateOf(data)), SeriesDays(data)};
    return &series_.emplace(occurrence.parent_id, std::move(series)).first->second;
  }

  storage::ReadView& view_;
  const SeriesPremises& premises_;
  absl::flat_hash_set<std::string> touched_;
  std::map<std::string, Series> series_;
};

}  // namespace

absl::Status CheckOccurrences(storage::ReadView& view, const storage::Changes& done, const SeriesPremises& premises) {
  return OccurrenceChecker(view, premises).Check(done);
}

}  // namespace toolgate::executors::blocks
