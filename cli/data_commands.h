#ifndef TOOLGATE_CLI_DATA_COMMANDS_H_
#define TOOLGATE_CLI_DATA_COMMANDS_H_

#include <string>

#include "cli/command.h"

namespace toolgate::cli {

class BlockSource;

// `toolgate import FILE|FOLDER`.
class ImportCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  ExitCode RunMarkdown(Session& session) const;
  ExitCode RunLines(Session& session) const;
  ExitCode RunFrom(BlockSource& source, Session& session) const;

  std::string source_;
  std::string under_;
};

// `toolgate export FILE`.
class ExportCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  std::string file_;
  std::string under_;
  bool force_ = false;
};

// `toolgate backup FILE`.
class BackupCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  std::string file_;
  bool force_ = false;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_DATA_COMMANDS_H_
