#include "executors/notes/notes_update.h"

#include <string_view>
#include <utility>

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"
#include "executors/notes/note_json.h"
#include "executors/planner/item_data.h"

namespace toolgate::executors::notes {
namespace {

using storage::Block;

// Moves the note: to the last place below `parentId`, or at the root if that is null.
absl::StatusOr<Block> Moved(const Json& arguments, Block note, storage::Transaction& transaction,
                            blocks::BlockWriter& writer) {
  const std::string_view parent_id = StringArgument(arguments, "parentId");
  if (!arguments.contains("parentId") || parent_id == note.parent_id) return note;
  if (!parent_id.empty()) {
    RETURN_IF_ERROR(
        blocks::GetBlockOfType(transaction, parent_id, {blocks::kNote, blocks::kPage}, "/parentId").status());
  }
  return writer.Move(note, parent_id);
}

}  // namespace

absl::StatusOr<ToolOutput> NotesUpdate(ToolContext& context, storage::Transaction& transaction) {
  const Json& arguments = context.arguments;
  ASSIGN_OR_RETURN(
      Block note, blocks::GetBlockOfType(transaction, StringArgument(arguments, "noteId"), {blocks::kNote}, "/noteId"));
  RETURN_IF_ERROR(planner::CheckChanges(arguments, {"title", "body", "parentId", "tags", "eventLinks"}));
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  ASSIGN_OR_RETURN(note, Moved(arguments, std::move(note), transaction, writer));
  const absl::StatusOr<Block> updated =
      writer.Update(note, planner::PatchOf(arguments, {"title", "body", "tags", "eventLinks"}));
  if (!updated.ok()) return planner::OfArguments(updated.status());
  return WrittenNote(*updated, "Updated");
}

}  // namespace toolgate::executors::notes
