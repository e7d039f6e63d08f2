#ifndef TOOLGATE_CLI_HEALTH_COMMAND_H_
#define TOOLGATE_CLI_HEALTH_COMMAND_H_

#include "cli/command.h"

namespace toolgate::cli {

// `toolgate health`: asks grpc.health.v1.Health once, for container health checks and scripts. Waits five seconds at
// most, unless --timeout says otherwise.
class HealthCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  // kOk if the service is ready, kNotReady if it answers that it is not.
  ExitCode Run(Session& session) override;

 private:
  bool alive_ = false;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_HEALTH_COMMAND_H_
