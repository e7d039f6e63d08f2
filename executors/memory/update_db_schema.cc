#include "executors/memory/update_db_schema.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"
#include "executors/arguments.h"
#include "executors/memory/instruction.h"

namespace toolgate::executors::memory {
namespace {

// Maximum length of the notes in the summary of a confirmation, which also shows the complete arguments.
constexpr size_t kMaxShownBytes = 4000;

std::string Shown(std::string_view notes) {
  if (notes.empty()) return "nothing";
  if (notes.size() <= kMaxShownBytes) return std::string(notes);
  const std::string_view shown = text::PrefixOfBytes(notes, kMaxShownBytes);
  return absl::StrCat(ToAbsl(shown), "… (", CountCharacters(notes.substr(shown.size())),
                      " further characters are not shown)");
}

}  // namespace

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

absl::StatusOr<Preview> PreviewUpdateDbSchema(ToolContext& context, storage::ReadView&) {
  Preview preview;
  preview.summary = absl::StrCat("Replace the notes on the database, which every later conversation is given, with: ",
                                 Shown(StringArgument(context.arguments, "schema")));
  preview.undo_summary = "Undo brings the earlier notes back.";
  return preview;
}

}  // namespace toolgate::executors::memory
