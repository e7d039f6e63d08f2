// Runs command lines as main does, with streams, a terminal and an environment that a test chooses.
#ifndef TOOLGATE_TESTS_UNIT_CLI_COMMAND_RUN_H_
#define TOOLGATE_TESTS_UNIT_CLI_COMMAND_RUN_H_

#include <map>
#include <string>
#include <vector>

#include "cli/inspect_command.h"
#include "cli/terminal.h"
#include "common/ids.h"
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

// "id1", "id2" and so on.
class CountingIds final : public IdSource {
 public:
  std::string NewId(absl::Time) override { return "id" + std::to_string(++count_); }
  std::string RandomBytes(size_t count) override { return std::string(count, 'r'); }

 private:
  int count_ = 0;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_TESTS_UNIT_CLI_COMMAND_RUN_H_
