#include "executors/memory/memory_tools.h"

#include "common/status_macros.h"
#include "executors/internal_tool.h"
#include "executors/memory/instruction.h"
#include "executors/memory/memory_definitions.h"
#include "executors/memory/save_memory.h"
#include "executors/memory/update_db_schema.h"
#include "executors/memory/update_instruction.h"

namespace toolgate::executors::memory {
namespace {

absl::StatusOr<FamilyTools> MemoryTools(const FamilyContext&) {
  return FamilyTools{MemoryHandlers(), {MemorySwitch()}};
}

}  // namespace

Family MemoryFamily() {
  return {.name = "memory", .definitions = &DefinitionFiles(), .make = MemoryTools, .permissions = {"memory:write"}};
}

std::vector<ToolHandlers> MemoryHandlers() {
  return {
      {"save_memory", WriteHandler(SaveMemory), PreviewSaveMemory},
      {"update_db_schema", WriteHandler(UpdateDbSchema), PreviewUpdateDbSchema},
      {IdOf(InternalTool::kUpdateInstruction), WriteHandler(UpdateInstruction), PreviewUpdateInstruction},
  };
}

ToolSwitch MemorySwitch() {
  return {"memory", [](const Caller& caller, storage::ReadView& view) -> absl::StatusOr<bool> {
            ASSIGN_OR_RETURN(const Instruction instruction, ReadInstruction(view, caller.user_id));
            return instruction.memory_enabled;
          }};
}

}  // namespace toolgate::executors::memory
