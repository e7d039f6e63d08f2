#include "executors/workspace/delete_block.h"

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/deletion.h"

namespace toolgate::executors::workspace {
namespace {

storage::Children ChildrenOf(const Json& arguments) {
  return BoolArgument(arguments, "deleteChildren") ? storage::Children::kDelete : storage::Children::kMoveToParent;
}

}  // namespace

absl::StatusOr<ToolOutput> DeleteBlock(ToolContext& context, storage::Transaction& transaction) {
  ASSIGN_OR_RETURN(const storage::Block block, transaction.GetBlock(StringArgument(context.arguments, "blockId")));
  return blocks::Delete(context, transaction, block, ChildrenOf(context.arguments));
}

absl::StatusOr<Preview> PreviewDeleteBlock(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const storage::Block block, view.GetBlock(StringArgument(context.arguments, "blockId")));
  return blocks::PreviewDeletion(view, block, ChildrenOf(context.arguments));
}

absl::StatusOr<std::optional<Rehearsal>> RehearseDeleteBlock(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const storage::Block block, view.GetBlock(StringArgument(context.arguments, "blockId")));
  return blocks::RehearseDeletion(view, block, ChildrenOf(context.arguments));
}

}  // namespace toolgate::executors::workspace
