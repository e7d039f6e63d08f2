#include "executors/notes/notes_delete.h"

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/deletion.h"

namespace toolgate::executors::notes {
namespace {

absl::StatusOr<storage::Block> Wanted(const Json& arguments, storage::ReadView& view) {
  return blocks::GetBlockOfType(view, StringArgument(arguments, "noteId"), {blocks::kNote}, "/noteId");
}

}  // namespace

absl::StatusOr<ToolOutput> NotesDelete(ToolContext& context, storage::Transaction& transaction) {
  ASSIGN_OR_RETURN(const storage::Block block, Wanted(context.arguments, transaction));
  return blocks::Delete(context, transaction, block, storage::Children::kDelete);
}

absl::StatusOr<Preview> PreviewNotesDelete(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const storage::Block block, Wanted(context.arguments, view));
  return blocks::PreviewDeletion(view, block, storage::Children::kDelete);
}

absl::StatusOr<std::optional<Rehearsal>> RehearseNotesDelete(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const storage::Block block, Wanted(context.arguments, view));
  return blocks::RehearseDeletion(view, block, storage::Children::kDelete);
}

}  // namespace toolgate::executors::notes
