#include "executors/memory/save_memory.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/memory/instruction.h"

namespace toolgate::executors::memory {
namespace {

std::string Message(size_t characters, bool dry_run) {
  if (dry_run) {
    return absl::StrCat("Nothing was saved: the memory would hold ", characters, " of ", kMaxMemoryCharacters,
                        " characters.");
  }
  if (characters == 0) return "The memory is empty now.";
  return absl::StrCat("Saved: the memory holds ", characters, " of ", kMaxMemoryCharacters, " characters.");
}

}  // namespace

absl::StatusOr<ToolOutput> SaveMemory(ToolContext& context, storage::Transaction& transaction) {
  InstructionChange change;
  change.memory = StringArgument(context.arguments, "memory");
  RETURN_IF_ERROR(ChangeInstruction(transaction, context.caller.user_id, change).status());
  const size_t characters = CountCharacters(*change.memory);
  ToolOutput output;
  output.data_json = DumpJson({{"success", true}, {"message", Message(characters, context.dry_run)}});
  output.description =
      characters == 0 ? "Cleared the memory" : absl::StrCat("Saved a memory of ", characters, " characters");
  return output;
}

absl::StatusOr<Preview> PreviewSaveMemory(ToolContext& context, storage::ReadView& view) {
  const std::string_view memory = StringArgument(context.arguments, "memory");
  RETURN_IF_ERROR(CheckMemory(memory));
  ASSIGN_OR_RETURN(const Instruction present, ReadInstruction(view, context.caller.user_id));
  Preview preview;
  preview.summary = absl::StrCat("Replace the memory (", CountCharacters(present.memory),
                                 " characters), which every later conversation is given");
  preview.undo_summary = "Undo brings the earlier memory back.";
  return preview;
}

}  // namespace toolgate::executors::memory
