#include "cli/load/load_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/help.h"
#include "tests/support/counting_ids.h"
#include "tests/support/fake_clock.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_dir.h"

namespace toolgate::cli::load {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Output {
  int code = -1;
  std::string out;
  std::string err;
};

Output RunLoadCommand(std::vector<std::string> arguments) {
  std::istringstream in;
  std::ostringstream out, err;
  const testing::FakeClock clock;
  testing::CountingIds ids;
  const Terminal terminal{in, out, err, false, false, false, 80, nullptr, clock};
  CommandTable commands;
  commands.push_back(std::make_unique<LoadCommand>());
  arguments.insert(arguments.begin(), "load");
  Output output;
  output.code = RunCommandLine(commands, arguments, terminal, ids);
  output.out = out.str();
  output.err = err.str();
  return output;
}

TEST(LoadCommandTest, ListsAndPrintsProfilesWithoutAService) {
  const Output list = RunLoadCommand({"--list-profiles"});
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, AllOf(HasSubstr("read-mostly"), HasSubstr("hostile")));
  const Output printed = RunLoadCommand({"--profile", "writes", "--print-profile"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_TRUE(profile::ParseProfile("printed", printed.out).ok());
}

TEST(LoadCommandTest, ExitCodesTellKindsOfMistakes) {
  const testing::TempDir folder;
  const std::string taken = folder.path() + "/taken.html";
  std::ofstream(taken) << "x";
  const std::string invalid = folder.path() + "/invalid.yaml";
  std::ofstream(invalid) << "steps: [{tool: a, colour: red}]\n";
  EXPECT_EQ(RunLoadCommand({"--rate", "fast"}).code, 2);
  EXPECT_EQ(RunLoadCommand({"--target", "service.example:1"}).code, 2);
  EXPECT_EQ(RunLoadCommand({"--tool", "a", "--arguments", "["}).code, 2);
  EXPECT_EQ(RunLoadCommand({"--profile", "nothing-like-it"}).code, 9);
  EXPECT_THAT(RunLoadCommand({"--profile", invalid}).err, HasSubstr("invalid.yaml:1:"));
  const Output existing = RunLoadCommand({"--html", taken});
  EXPECT_EQ(existing.code, 9);
  EXPECT_THAT(existing.err, HasSubstr("--force"));
  const Output nobody = RunLoadCommand({"--address", "127.0.0.1:1"});
  EXPECT_EQ(nobody.code, 5);
  EXPECT_THAT(nobody.err, HasSubstr("cannot connect to 127.0.0.1:1"));
}

// As for the other commands; this one is plugged in by the program.
TEST(LoadCommandTest, IsDocumentedWithEachFlag) {
  std::ifstream file(SourceDir() + "/docs/cli.md");
  std::stringstream text;
  text << file.rdbuf();
  LoadCommand command;
  FlagSet flags;
  command.Declare(flags);
  EXPECT_THAT(text.str(), HasSubstr("### toolgate load"));
  for (const FlagRow& row : flags.rows()) EXPECT_THAT(text.str(), HasSubstr("`" + row.name)) << row.name;
  const CommandTable none;
  std::istringstream help(HelpFor(command, none, false));
  for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 140u) << line;
}

}  // namespace
}  // namespace toolgate::cli::load
