#include "tests/support/command_run.h"

#include <sstream>

#include "cli/client_commands.h"
#include "cli/command_line.h"
#include "tests/support/counting_ids.h"

namespace toolgate::cli {

CommandOutput RunCommand(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  std::istringstream in(surroundings.in);
  std::ostringstream out, err;
  const testing::FakeClock clock;
  testing::CountingIds ids;
  const auto environment = [&](std::string_view name) -> std::optional<std::string> {
    const auto found = surroundings.environment.find(std::string(name));
    if (found == surroundings.environment.end()) return std::nullopt;
    return found->second;
  };
  const bool terminal = surroundings.at_terminal;
  const Terminal surrounding{in, out, err, terminal, terminal, terminal, surroundings.width, environment, clock};
  CommandOutput output;
  output.code = RunCommandLine(ClientCommands(surroundings.inspections), arguments, surrounding, ids);
  output.out = out.str();
  output.err = err.str();
  return output;
}

}  // namespace toolgate::cli
