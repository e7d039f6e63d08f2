// `toolgate serve`: runs the service.
#ifndef TOOLGATE_CLI_SERVE_COMMAND_H_
#define TOOLGATE_CLI_SERVE_COMMAND_H_

#include <string>

#include "cli/command.h"

namespace toolgate::cli {

// Serves until SIGTERM or SIGINT; reloads its configuration on SIGHUP.
class ServeCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  std::string config_file_;
  std::string listen_;
  std::string metrics_listen_;
  std::string http_listen_;
  std::string data_dir_;
  std::string log_level_;
  std::string log_format_;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_SERVE_COMMAND_H_
