// Runs `toolgate load` in this process.
#ifndef TOOLGATE_TESTS_INTEGRATION_CLI_LOAD_LOAD_COMMAND_RUN_H_
#define TOOLGATE_TESTS_INTEGRATION_CLI_LOAD_LOAD_COMMAND_RUN_H_

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/load/load_command.h"
#include "common/json.h"
#include "tests/support/fake_clock.h"

namespace toolgate::cli::load {

struct Output {
  int code = -1;
  std::string out;
  std::string err;
  Json json;  // Of --json.
};

// `arguments` follow "load". `at_terminal`: both output streams are terminals of 120 columns.
inline Output RunLoadCommand(std::vector<std::string> arguments, bool at_terminal = false) {
  arguments.insert(arguments.begin(), "load");
  std::istringstream in;
  std::ostringstream out, err;
  const testing::FakeClock clock;
  const Terminal terminal{in, out, err, false, at_terminal, at_terminal, 120, nullptr, clock};
  CommandTable commands;
  commands.push_back(std::make_unique<LoadCommand>());
  Output output;
  output.code = RunCommandLine(commands, arguments, terminal, IdSource::Real());
  output.out = out.str();
  output.err = err.str();
  if (const auto json = ParseJson(output.out, {.max_bytes = 64 << 20, .max_keys = 1 << 20, .max_values = 1 << 22});
      json.ok()) {
    output.json = *json;
  }
  return output;
}

// The step of this name in the report; an empty object, and a failed test, if there is none.
inline Json StepOf(const Output& output, const std::string& name) {
  for (const Json& step : output.json["steps"]) {
    if (step["name"] == name) return step;
  }
  ADD_FAILURE() << "no step " << name << " in " << output.out << output.err;
  return Json::object();
}

}  // namespace toolgate::cli::load

#endif  // TOOLGATE_TESTS_INTEGRATION_CLI_LOAD_LOAD_COMMAND_RUN_H_
