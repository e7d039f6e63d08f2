#include "executors/memory/update_instruction.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/memory/instruction.h"

namespace toolgate::executors::memory {
namespace {

InstructionChange ChangeOf(const Json& arguments) {
  InstructionChange change;
  change.core_instruction = OptionalString(arguments, "coreInstruction");
  change.memory = OptionalString(arguments, "memory");
  change.db_schema = OptionalString(arguments, "dbSchema");
  if (FindArgument(arguments, "memoryEnabled") != nullptr) {
    change.memory_enabled = BoolArgument(arguments, "memoryEnabled");
  }
  return change;
}

// Names of the changed parts, for example "core instruction and memory".
std::string PartsOf(const InstructionChange& change) {
  std::vector<std::string> parts;
  if (change.core_instruction.has_value()) parts.emplace_back("core instruction");
  if (change.memory.has_value()) parts.emplace_back("memory");
  if (change.db_schema.has_value()) parts.emplace_back("notes on the database");
  if (change.memory_enabled.has_value()) {
    parts.emplace_back(*change.memory_enabled ? "memory tools (now on)" : "memory tools (now off)");
  }
  return NameList(parts);
}

}  // namespace

absl::StatusOr<ToolOutput> UpdateInstruction(ToolContext& context, storage::Transaction& transaction) {
  const InstructionChange change = ChangeOf(context.arguments);
  ASSIGN_OR_RETURN(const Instruction instruction, ChangeInstruction(transaction, context.caller.user_id, change));
  ToolOutput output;
  output.data_json = DumpJson({{"success", true}, {"updatedAt", TimeJson(instruction.updated_at)}});
  output.description = absl::StrCat("Changed the instruction: ", PartsOf(change));
  return output;
}

absl::StatusOr<Preview> PreviewUpdateInstruction(ToolContext& context, storage::ReadView&) {
  const InstructionChange change = ChangeOf(context.arguments);
  if (change.memory.has_value()) RETURN_IF_ERROR(CheckMemory(*change.memory));
  Preview preview;
  preview.summary = absl::StrCat("Change the instruction that every later conversation is given: ", PartsOf(change));
  preview.undo_summary = "Undo brings the earlier instruction back.";
  return preview;
}

}  // namespace toolgate::executors::memory
