#ifndef TOOLGATE_CLI_LOAD_LOAD_COMMAND_H_
#define TOOLGATE_CLI_LOAD_LOAD_COMMAND_H_

#include <string>

#include "cli/command.h"
#include "cli/load/load_options.h"
#include "cli/load/report/report.h"

namespace toolgate::cli::load {

// `toolgate load`: puts load on a service and reports how it bears it.
class LoadCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  ExitCode ListProfiles(const Session& session) const;
  ExitCode PrintProfile(const Session& session) const;
  // The command line as far as it is no secret.
  std::string CommandLine(const Session& session) const;

  LoadOptions options_;
};

}  // namespace toolgate::cli::load

#endif  // TOOLGATE_CLI_LOAD_LOAD_COMMAND_H_
