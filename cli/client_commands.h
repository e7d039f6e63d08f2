// The one list of the command line's commands.
#ifndef TOOLGATE_CLI_CLIENT_COMMANDS_H_
#define TOOLGATE_CLI_CLIENT_COMMANDS_H_

#include "cli/command.h"

namespace toolgate::cli {

// Every command but those that run the service (`serve`, `check`), which main.cc puts in front.
CommandTable ClientCommands();

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_CLIENT_COMMANDS_H_
