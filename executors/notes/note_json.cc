#include "executors/notes/note_json.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/planner/texts.h"

namespace toolgate::executors::notes {

absl::StatusOr<Json> NoteJson(const storage::Block& note, size_t max_body) {
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(note));
  Json json = {{"id", note.id}, {"title", StringArgument(data, "title")}};
  planner::PutText(json, "body", StringArgument(data, "body"), max_body);
  json["parentId"] = note.parent_id.empty() ? Json() : Json(note.parent_id);
  for (const char* name : {"tags", "eventLinks"}) {
    const Json* list = FindArgument(data, name);
    json[name] = list == nullptr ? Json::array() : *list;
  }
  json["createdAt"] = planner::TimeText(note.created_at);
  json["updatedAt"] = planner::TimeText(note.updated_at);
  return json;
}

absl::StatusOr<ToolOutput> WrittenNote(const storage::Block& note, std::string_view verb) {
  ASSIGN_OR_RETURN(Json json, NoteJson(note, planner::TextShare(1)));
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(note));
  ToolOutput output;
  output.description = absl::StrCat(ToAbsl(verb), " ", blocks::Describe(note.type, data));
  output.data_json = DumpJson({{"noteId", note.id}, {"note", std::move(json)}});
  return output;
}

}  // namespace toolgate::executors::notes
