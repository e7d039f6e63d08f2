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
  std::string command;  // Complete command line that works.
  std::string effect;   // Its effect.
};

struct CommandInfo {
  std::string name;     // "tools"; "audit verify" for a subcommand.
  std::string purpose;  // One line.
  std::string details;  // Further explanation for newcomers; may be empty.
  std::vector<CommandExample> examples;
  std::vector<ExitCode> exit_codes;  // In addition to kOk and kUsage.
  bool client = true;                // Uses a service, and so accepts the flags of ClientOptions.
};

// Created once, run at most once. A command owns the targets of its flags.
class Command {
 public:
  virtual ~Command() = default;

  virtual CommandInfo Info() const = 0;
  virtual void Declare(FlagSet& flags) {}
  // Runs the command after its flags are parsed. Prints failures through `session`.
  virtual ExitCode Run(Session& session) = 0;
};

// Commands in the order in which help shows them.
using CommandTable = std::vector<std::unique_ptr<Command>>;

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_COMMAND_H_
