#ifndef TOOLGATE_CLI_INSPECT_COMMAND_H_
#define TOOLGATE_CLI_INSPECT_COMMAND_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "cli/command.h"

namespace toolgate::cli {

// Maps one line of JSON to one line of JSON, both without line feeds. Never fails: errors in a line become its verdict.
using LineInspector = std::function<std::string(std::string_view line)>;

// One layer that can be tried on its own.
struct Inspection {
  std::string name;  // "injection": the command is `toolgate inspect injection`.
  std::string purpose;
  std::string details;
  std::string example_line;
  std::function<absl::StatusOr<LineInspector>()> make;  // Called once, before the first line.
};

// `toolgate inspect NAME`: writes each verdict as soon as its line is read.
class InspectCommand final : public Command {
 public:
  explicit InspectCommand(Inspection inspection) : inspection_(std::move(inspection)) {}

  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  const Inspection inspection_;
  std::string file_ = "-";
};

// `toolgate inspect` without a layer: refers to the list of layers.
class InspectOverviewCommand final : public Command {
 public:
  CommandInfo Info() const override;
  ExitCode Run(Session& session) override;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_INSPECT_COMMAND_H_
