#include "executors/notes/notes_create.h"

#include <string_view>

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"
#include "executors/notes/note_json.h"
#include "executors/planner/item_data.h"

namespace toolgate::executors::notes {

absl::StatusOr<ToolOutput> NotesCreate(ToolContext& context, storage::Transaction& transaction) {
  const Json& arguments = context.arguments;
  const std::string_view parent_id = StringArgument(arguments, "parentId");
  if (!parent_id.empty()) {
    RETURN_IF_ERROR(
        blocks::GetBlockOfType(transaction, parent_id, {blocks::kNote, blocks::kPage}, "/parentId").status());
  }
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  const absl::StatusOr<storage::Block> note =
      writer.Create(blocks::kNote, parent_id, planner::DataOf(arguments, {"title", "body", "tags", "eventLinks"}));
  if (!note.ok()) return planner::OfArguments(note.status());
  return WrittenNote(*note, "Created");
}

}  // namespace toolgate::executors::notes
