// Help texts: the purpose, usage, examples and exit codes of each command.
#ifndef TOOLGATE_CLI_HELP_H_
#define TOOLGATE_CLI_HELP_H_

#include <string>

#include "cli/command.h"

namespace toolgate::cli {

// Output of `toolgate help`.
std::string Overview(const CommandTable& commands, bool colour);

// Output of `toolgate help NAME`.
std::string HelpFor(Command& command, const CommandTable& commands, bool colour);

// Usage line, for example "toolgate call TOOL [JSON] [FLAGS]".
std::string UsageOf(Command& command);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_HELP_H_
