#ifndef TOOLGATE_CLI_CONFIRMATION_COMMANDS_H_
#define TOOLGATE_CLI_CONFIRMATION_COMMANDS_H_

#include <string>
#include <utility>

#include "cli/command.h"

namespace toolgate::cli {

// `toolgate confirmations` and `toolgate confirmations list`: lists pending confirmations.
class ConfirmationsCommand final : public Command {
 public:
  // `name` is "confirmations" or "confirmations list".
  explicit ConfirmationsCommand(std::string name) : name_(std::move(name)) {}

  CommandInfo Info() const override;
  ExitCode Run(Session& session) override;

 private:
  const std::string name_;
};

// `toolgate confirmations approve ID` and `… deny ID`.
class DecideCommand final : public Command {
 public:
  explicit DecideCommand(bool approve) : approve_(approve) {}

  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  const bool approve_;
  std::string id_;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_CONFIRMATION_COMMANDS_H_
