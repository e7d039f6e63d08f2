// List of all commands that use a service.
#ifndef TOOLGATE_CLI_CLIENT_COMMANDS_H_
#define TOOLGATE_CLI_CLIENT_COMMANDS_H_

#include <vector>

#include "cli/command.h"
#include "cli/inspect_command.h"

namespace toolgate::cli {

// All commands except those that run the service (`serve`, `check`), which main.cc adds in front. Includes one
// `inspect NAME` for each of `inspections`.
CommandTable ClientCommands(std::vector<Inspection> inspections);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_CLIENT_COMMANDS_H_
