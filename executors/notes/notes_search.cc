#include "executors/notes/notes_search.h"

#include <string>
#include <string_view>
#include <utility>

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/listing_total.h"
#include "executors/notes/note_json.h"
#include "executors/planner/find_items.h"
#include "executors/planner/snippet.h"
#include "executors/planner/texts.h"

namespace toolgate::executors::notes {
namespace {

absl::StatusOr<planner::ItemQuery> QueryOf(const Json& arguments, storage::ReadView& view) {
  planner::ItemQuery query;
  query.type = std::string(blocks::kNote);
  query.words = std::string(StringArgument(arguments, "q"));
  if (const std::string_view tag = StringArgument(arguments, "tag"); !tag.empty()) {
    query.conditions.push_back(planner::HasTag(tag));
  }
  if (const std::string_view parent_id = StringArgument(arguments, "parentId"); !parent_id.empty()) {
    RETURN_IF_ERROR(blocks::GetBlockOfType(view, parent_id, {blocks::kNote, blocks::kPage}, "/parentId").status());
    query.parent_id = std::string(parent_id);
  }
  return query;
}

}  // namespace

absl::StatusOr<ToolOutput> NotesSearch(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const planner::ItemQuery query, QueryOf(context.arguments, view));
  ASSIGN_OR_RETURN(const storage::SearchPage page, planner::FindItems(view, query));
  const planner::SnippetMaker snippets(query.words);
  const size_t max_body = planner::TextShare(page.hits.size());
  Json notes = Json::array();
  for (const storage::SearchHit& hit : page.hits) {
    RETURN_IF_ERROR(context.cancellation.Check());
    ASSIGN_OR_RETURN(Json note, NoteJson(hit.block, max_body));
    if (!query.words.empty()) {
      ASSIGN_OR_RETURN(const Json data, blocks::ParseData(hit.block));
      note["snippet"] = snippets.Make(StringArgument(data, "body"));
      note["score"] = hit.score;
    }
    notes.push_back(std::move(note));
  }
  ToolOutput output;
  Json result{{"notes", std::move(notes)}};
  blocks::PutTotal(page, result);
  output.data_json = DumpJson(result);
  return output;
}

}  // namespace toolgate::executors::notes
