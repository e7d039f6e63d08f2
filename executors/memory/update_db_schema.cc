#include "executors/memory/update_db_schema.h"

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/memory/instruction.h"

namespace toolgate::executors::memory {
absl::StatusOr<ToolOutput> UpdateDbSchema(ToolContext& context, storage::Transaction& transaction) {
  InstructionChange change;
  change.db_schema = StringArgument(context.arguments, "schema");
  RETURN_IF_ERROR(ChangeInstruction(transaction, context.caller.user_id, change).status());
  const bool empty = change.db_schema->empty();
  const char* const message = context.dry_run ? "Nothing was saved: the notes on the database would be replaced."
                              : empty         ? "The notes on the database are empty now."
                                              : "The notes on the database are saved.";
  ToolOutput output;
  output.data_json = DumpJson({{"success", true}, {"message", message}});
  output.description = empty ? "Cleared the notes on the database" : "Saved the notes on the database";
  return output;
}

absl::StatusOr<Preview> PreviewUpdateDbSchema(ToolContext&, storage::ReadView&) {
  Preview preview;
  preview.summary = "Replace the notes on the database, which every later conversation is given";
  preview.undo_summary = "Undo brings the earlier notes back.";
  return preview;
}

}  // namespace toolgate::executors::memory
