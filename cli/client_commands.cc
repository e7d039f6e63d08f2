#include "cli/client_commands.h"

#include <memory>
#include <utility>

#include "cli/about_commands.h"
#include "cli/audit_commands.h"
#include "cli/call_command.h"
#include "cli/confirmation_commands.h"
#include "cli/data_commands.h"
#include "cli/health_command.h"
#include "cli/instruction_commands.h"
#include "cli/restore_command.h"
#include "cli/tools_command.h"
#include "cli/undo_commands.h"

namespace toolgate::cli {

CommandTable ClientCommands(std::vector<Inspection> inspections) {
  CommandTable commands;
  const auto add = [&](auto command) { commands.push_back(std::move(command)); };
  add(std::make_unique<HealthCommand>());
  add(std::make_unique<ToolsCommand>());
  add(std::make_unique<CallCommand>());
  add(std::make_unique<UndoCommand>());
  add(std::make_unique<HistoryCommand>());
  add(std::make_unique<AuditCommand>());
  add(std::make_unique<AuditShowCommand>());
  add(std::make_unique<AuditVerifyCommand>());
  add(std::make_unique<ConfirmationsCommand>("confirmations"));
  add(std::make_unique<ConfirmationsCommand>("confirmations list"));
  add(std::make_unique<DecideCommand>(/*approve=*/true));
  add(std::make_unique<DecideCommand>(/*approve=*/false));
  add(std::make_unique<InstructionCommand>());
  add(std::make_unique<InstructionSetCommand>());
  add(std::make_unique<PromptCommand>());
  add(std::make_unique<ImportCommand>());
  add(std::make_unique<ExportCommand>());
  add(std::make_unique<BackupCommand>());
  add(std::make_unique<RestoreCommand>());
  add(std::make_unique<InspectOverviewCommand>());
  for (Inspection& inspection : inspections) add(std::make_unique<InspectCommand>(std::move(inspection)));
  add(std::make_unique<VersionCommand>());
  add(std::make_unique<HelpCommand>());
  return commands;
}

}  // namespace toolgate::cli
