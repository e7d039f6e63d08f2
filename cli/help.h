// Help that teaches: for each command its purpose, how it is written, examples that work, and what its exit says.
#ifndef TOOLGATE_CLI_HELP_H_
#define TOOLGATE_CLI_HELP_H_

#include <string>

#include "cli/command.h"

namespace toolgate::cli {

// What `toolgate help` prints.
std::string Overview(const CommandTable& commands, bool colour);

// What `toolgate help NAME` prints.
std::string HelpFor(Command& command, const CommandTable& commands, bool colour);

// "toolgate call TOOL [JSON] [flags]".
std::string UsageOf(Command& command);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_HELP_H_
