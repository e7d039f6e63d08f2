#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/check_command.h"
#include "cli/client_commands.h"
#include "cli/command_line.h"
#include "cli/inspections/inspections.h"
#include "cli/load/load_command.h"
#include "cli/serve_command.h"
#include "cli/terminal.h"
#include "common/ids.h"

int main(int argc, char** argv) {
  using namespace toolgate::cli;  // NOLINT(google-build-using-namespace): this is the command line.
  CommandTable commands;
  commands.push_back(std::make_unique<ServeCommand>());
  commands.push_back(std::make_unique<CheckCommand>());
  commands.push_back(std::make_unique<load::LoadCommand>());
  CommandTable client = ClientCommands(toolgate::cli::inspections::Inspections());
  for (std::unique_ptr<Command>& command : client) commands.push_back(std::move(command));
  return RunCommandLine(commands, std::vector<std::string>(argv + 1, argv + argc), Terminal::Real(),
                        toolgate::IdSource::Real());
}
