// The one list of the command line's commands.
#ifndef TOOLGATE_CLI_CLIENT_COMMANDS_H_
#define TOOLGATE_CLI_CLIENT_COMMANDS_H_

#include <vector>

#include "cli/command.h"
#include "cli/inspect_command.h"

namespace toolgate::cli {

// Every command but those that run the service (`serve`, `check`), which main.cc puts in front, with one
// `inspect NAME` for each of `inspections`.
CommandTable ClientCommands(std::vector<Inspection> inspections);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_CLIENT_COMMANDS_H_
