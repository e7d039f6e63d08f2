#include "executors/journal/entry_json.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/planner/texts.h"

namespace toolgate::executors::journal {

absl::StatusOr<Json> EntryJson(const storage::Block& entry, size_t max_body) {
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(entry));
  Json json = {{"id", entry.id}, {"title", StringArgument(data, "title")}, {"date", StringArgument(data, "date")}};
  planner::PutText(json, "body", StringArgument(data, "body"), max_body);
  if (const Json* mood = FindArgument(data, "mood"); mood != nullptr) json["mood"] = *mood;
  const Json* tags = FindArgument(data, "tags");
  json["tags"] = tags == nullptr ? Json::array() : *tags;
  json["createdAt"] = planner::TimeText(entry.created_at);
  json["updatedAt"] = planner::TimeText(entry.updated_at);
  return json;
}

absl::StatusOr<ToolOutput> WrittenEntry(const storage::Block& entry, std::string_view verb) {
  ASSIGN_OR_RETURN(Json json, EntryJson(entry, planner::TextShare(1)));
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(entry));
  ToolOutput output;
  output.description = absl::StrCat(ToAbsl(verb), " journal entry \"", blocks::TitleOf(entry.type, data), "\" of ",
                                    ToAbsl(StringArgument(data, "date")));
  output.data_json = DumpJson({{"entryId", entry.id}, {"entry", std::move(json)}});
  return output;
}

}  // namespace toolgate::executors::journal
