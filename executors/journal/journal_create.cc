#include "executors/journal/journal_create.h"

#include "common/status_macros.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"
#include "executors/journal/entry_json.h"
#include "executors/planner/item_data.h"

namespace toolgate::executors::journal {

absl::StatusOr<ToolOutput> JournalCreate(ToolContext& context, storage::Transaction& transaction) {
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  const absl::StatusOr<storage::Block> entry = writer.Create(
      blocks::kJournalEntry, "", planner::DataOf(context.arguments, {"title", "body", "date", "mood", "tags"}));
  if (!entry.ok()) return planner::OfArguments(entry.status());
  return WrittenEntry(*entry, "Created");
}

}  // namespace toolgate::executors::journal
