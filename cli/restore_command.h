#ifndef TOOLGATE_CLI_RESTORE_COMMAND_H_
#define TOOLGATE_CLI_RESTORE_COMMAND_H_

#include <string>

#include "cli/command.h"

namespace toolgate::cli {

// `toolgate restore FILE`: works directly on the data directory, without a service.
class RestoreCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  std::string file_;
  std::string data_dir_ = "data";
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_RESTORE_COMMAND_H_
