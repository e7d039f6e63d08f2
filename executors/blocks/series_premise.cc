#include "executors/blocks/series_premise.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"

namespace toolgate::executors::blocks {
namespace {

using storage::Block;

// Written only here, with one text for each changed occurrence of a series.
constexpr JsonLimits kOwnText{.max_bytes = size_t{1} << 30, .max_depth = 4, .max_values = size_t{1} << 30};

std::string Standing(std::string_view block_id, std::string_view day) {
  return absl::StrCat(ToAbsl(block_id), "@", ToAbsl(day));
}

}  // namespace

absl::Status PremiseRecorder::BeforeGoing(const Block& block) {
  if (block.type != kEvent) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Json data, ParseData(block));
  return OccurrenceDay(data).empty() ? absl::OkStatus() : NoteOccurrence(block, data);
}

absl::Status PremiseRecorder::BeforeUpdate(const Block& event, const Json& before, const Json& after) {
  if (!OccurrenceDay(before).empty()) {
    return OccurrenceDay(before) == OccurrenceDay(after) ? absl::OkStatus() : NoteOccurrence(event, before);
  }
  if (!Recurs(before) || SeriesDays::Same(before, after)) return absl::OkStatus();
  return NoteSeries(event, before, after);
}

absl::Status PremiseRecorder::NoteOccurrence(const Block& block, const Json& data) {
  ASSIGN_OR_RETURN(const std::optional<Block> series, transaction_.FindBlock(block.parent_id));
  if (!series.has_value()) return absl::OkStatus();
  auto noted = noted_.find(series->id);
  const bool is_new = noted == noted_.end() || noted->second.version != series->version;
  if (is_new) {
    ASSIGN_OR_RETURN(const Json series_data, ParseData(*series));
    if (series->type != kEvent || !Recurs(series_data)) return absl::OkStatus();
    Noted row{series->version, std::string(StringArgument(series_data, "date")), SeriesDays(series_data)};
    noted = noted_.insert_or_assign(series->id, std::move(row)).first;
  }
  Json occurrences = Json::array();
  if (!noted->second.days.Has(OccurrenceDay(data))) occurrences.push_back(Standing(block.id, OccurrenceDay(data)));
  if (!is_new && occurrences.empty()) return absl::OkStatus();
  return Record(series->id, noted->second.date, std::move(occurrences));
}

absl::Status PremiseRecorder::NoteSeries(const Block& event, const Json& before, const Json& after) {
  const SeriesDays days(before);
  const bool moves = StringArgument(before, "date") != StringArgument(after, "date");
  storage::BlockQuery query;
  query.parent_id = event.id;
  query.types = {std::string(kEvent)};
  query.filter = storage::Filter::Compare(storage::Field::Data({"recurrenceId"}), storage::Filter::Op::kIsNotEmpty);
  query.limit = std::numeric_limits<int64_t>::max();
  ASSIGN_OR_RETURN(const storage::BlockPage page, transaction_.FindBlocks(query));
  Json occurrences = Json::array();
  for (const Block& child : page.blocks) {
    ASSIGN_OR_RETURN(const Json data, ParseData(child));
    if (moves || !days.Has(OccurrenceDay(data))) occurrences.push_back(Standing(child.id, OccurrenceDay(data)));
  }
  if (occurrences.empty()) return absl::OkStatus();
  return Record(event.id, StringArgument(before, "date"), std::move(occurrences));
}

absl::Status PremiseRecorder::Record(std::string_view series_id, std::string_view date, Json occurrences) {
  Json payload{{"seriesId", std::string(series_id)}, {"date", std::string(date)}};
  if (!occurrences.empty()) payload["occurrences"] = std::move(occurrences);
  return transaction_.RecordEffect({std::string(kSeriesEffect), DumpJson(payload)});
}

absl::StatusOr<SeriesPremises> SeriesPremises::Parse(const std::vector<storage::Effect>& effects) {
  SeriesPremises premises;
  for (const storage::Effect& effect : effects) {
    if (effect.kind != kSeriesEffect) continue;
    const absl::StatusOr<Json> payload = ParseJson(effect.payload, kOwnText);
    if (!payload.ok()) return absl::DataLossError("what an undo entry says of a series cannot be read");
    premises.dates_.emplace(StringArgument(*payload, "seriesId"), StringArgument(*payload, "date"));
    const Json* occurrences = FindArgument(*payload, "occurrences");
    if (occurrences == nullptr) continue;
    for (const Json& standing : *occurrences) premises.stood_.insert(standing.get<std::string>());
  }
  return premises;
}

std::string_view SeriesPremises::DateOf(std::string_view series_id) const {
  const auto found = dates_.find(series_id);
  return found == dates_.end() ? std::string_view() : found->second;
}

bool SeriesPremises::Stood(std::string_view block_id, std::string_view day) const {
  return stood_.contains(Standing(block_id, day));
}

}  // namespace toolgate::executors::blocks
