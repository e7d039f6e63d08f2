#include "executors/kanban/kanban_delete_card.h"

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/deletion.h"

namespace toolgate::executors::kanban {
namespace {

absl::StatusOr<storage::Block> Wanted(const Json& arguments, storage::ReadView& view) {
  return blocks::GetBlockOfType(view, StringArgument(arguments, "cardId"), {blocks::kCard}, "/cardId");
}

}  // namespace

absl::StatusOr<ToolOutput> KanbanDeleteCard(ToolContext& context, storage::Transaction& transaction) {
  ASSIGN_OR_RETURN(const storage::Block block, Wanted(context.arguments, transaction));
  return blocks::Delete(context, transaction, block, storage::Children::kDelete);
}

absl::StatusOr<Preview> PreviewKanbanDeleteCard(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const storage::Block block, Wanted(context.arguments, view));
  return blocks::PreviewDeletion(view, block, storage::Children::kDelete);
}

absl::StatusOr<std::optional<Rehearsal>> RehearseKanbanDeleteCard(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const storage::Block block, Wanted(context.arguments, view));
  return blocks::RehearseDeletion(view, block, storage::Children::kDelete);
}

}  // namespace toolgate::executors::kanban
