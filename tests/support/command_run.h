// Runs command lines as main does, with streams, a terminal and an environment that a test chooses.
#ifndef TOOLGATE_TESTS_SUPPORT_COMMAND_RUN_H_
#define TOOLGATE_TESTS_SUPPORT_COMMAND_RUN_H_

#include <map>
#include <string>
#include <vector>

#include "cli/inspect_command.h"
#include "cli/terminal.h"
#include "tests/support/fake_clock.h"

namespace toolgate::cli {

struct Surroundings {
  std::string in = {};
  bool at_terminal = false;
  int width = 80;
  std::map<std::string, std::string> environment = {};
  std::vector<Inspection> inspections = {};
};

struct CommandOutput {
  int code = -1;
  std::string out;
  std::string err;
};

CommandOutput RunCommand(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

}  // namespace toolgate::cli

#endif  // TOOLGATE_TESTS_SUPPORT_COMMAND_RUN_H_
