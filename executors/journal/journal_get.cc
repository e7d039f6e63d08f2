#include "executors/journal/journal_get.h"

#include <utility>

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/journal/entry_json.h"
#include "executors/planner/texts.h"

namespace toolgate::executors::journal {

absl::StatusOr<ToolOutput> JournalGet(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(
      const storage::Block block,
      blocks::GetBlockOfType(view, StringArgument(context.arguments, "entryId"), {blocks::kJournalEntry}, "/entryId"));
  ASSIGN_OR_RETURN(Json entry, EntryJson(block, planner::TextShare(1)));
  ToolOutput output;
  output.data_json = DumpJson({{"entry", std::move(entry)}});
  return output;
}

}  // namespace toolgate::executors::journal
