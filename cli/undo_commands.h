#ifndef TOOLGATE_CLI_UNDO_COMMANDS_H_
#define TOOLGATE_CLI_UNDO_COMMANDS_H_

#include <cstdint>
#include <string>

#include "cli/command.h"

namespace toolgate::cli {

// `toolgate undo [ENTRY]`.
class UndoCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  std::string entry_;
  std::string all_of_request_;
  std::string all_of_conversation_;
  std::string idempotency_key_;
  std::string request_id_;
  bool dry_run_ = false;
};

// `toolgate history`: the undo stack.
class HistoryCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  int64_t limit_ = 50;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_UNDO_COMMANDS_H_
