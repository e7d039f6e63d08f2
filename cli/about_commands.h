#ifndef TOOLGATE_CLI_ABOUT_COMMANDS_H_
#define TOOLGATE_CLI_ABOUT_COMMANDS_H_

#include <string>

#include "cli/command.h"

namespace toolgate::cli {

// `toolgate version`.
class VersionCommand final : public Command {
 public:
  CommandInfo Info() const override;
  ExitCode Run(Session& session) override;
};

// `toolgate help [COMMAND]`.
class HelpCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  std::string command_;
  std::string below_;
};

// Version of the binary, for example "0.1.0".
const char* Version();

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_ABOUT_COMMANDS_H_
