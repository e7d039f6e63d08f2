#include "cli/client_commands.h"

#include <memory>

#include "cli/about_commands.h"
#include "cli/call_command.h"
#include "cli/tools_command.h"

namespace toolgate::cli {

CommandTable ClientCommands() {
  CommandTable commands;
  commands.push_back(std::make_unique<ToolsCommand>());
  commands.push_back(std::make_unique<CallCommand>());
  commands.push_back(std::make_unique<VersionCommand>());
  commands.push_back(std::make_unique<HelpCommand>());
  return commands;
}

}  // namespace toolgate::cli
