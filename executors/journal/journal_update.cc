#include "executors/journal/journal_update.h"

#include <string>
#include <vector>

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"
#include "executors/journal/entry_json.h"
#include "executors/planner/item_data.h"

namespace toolgate::executors::journal {

using storage::Block;

absl::StatusOr<ToolOutput> JournalUpdate(ToolContext& context, storage::Transaction& transaction) {
  const Json& arguments = context.arguments;
  const std::vector<std::string> names = {"title", "body", "date", "mood", "tags"};
  ASSIGN_OR_RETURN(const Block entry, blocks::GetBlockOfType(transaction, StringArgument(arguments, "entryId"),
                                                             {blocks::kJournalEntry}, "/entryId"));
  RETURN_IF_ERROR(planner::CheckChanges(arguments, names));
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  const absl::StatusOr<Block> updated = writer.Update(entry, planner::PatchOf(arguments, names));
  if (!updated.ok()) return planner::OfArguments(updated.status());
  return WrittenEntry(*updated, "Updated");
}

}  // namespace toolgate::executors::journal
