// One subcommand of `toolgate`.
#ifndef TOOLGATE_CLI_COMMAND_H_
#define TOOLGATE_CLI_COMMAND_H_

#include <memory>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/flag_set.h"

namespace toolgate::cli {

class Session;

struct CommandExample {
  std::string command;  // A whole command line that works.
  std::string effect;   // What it does.
};

struct CommandInfo {
  std::string name;     // "tools"; "audit verify" for a command below another one.
  std::string purpose;  // One line.
  std::string details;  // What else a newcomer must know; may be empty.
  std::vector<CommandExample> examples;
  std::vector<ExitCode> exit_codes;  // Besides kOk and kUsage.
  bool client = true;                // Talks to a service: takes the flags of ClientOptions.
};

// Made once, run at most once. A command owns the targets of its flags.
class Command {
 public:
  virtual ~Command() = default;

  virtual CommandInfo Info() const = 0;
  virtual void Declare(FlagSet& flags) {}
  // Called after the flags were parsed. What failed has been printed through `session`.
  virtual ExitCode Run(Session& session) = 0;
};

// In the order in which help shows them.
using CommandTable = std::vector<std::unique_ptr<Command>>;

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_COMMAND_H_
