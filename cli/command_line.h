// Parses a command line and runs its command.
#ifndef TOOLGATE_CLI_COMMAND_LINE_H_
#define TOOLGATE_CLI_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/terminal.h"
#include "common/ids.h"

namespace toolgate::cli {

// Parses `arguments` (without the program's name), runs the command that they name, and returns the exit code of the
// process. For unknown names, the message suggests the nearest known one. Never throws.
int RunCommandLine(const CommandTable& commands, const std::vector<std::string>& arguments, const Terminal& terminal,
                   IdSource& ids);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_COMMAND_LINE_H_
