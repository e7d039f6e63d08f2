// Many commands that leave processes behind: none outlives its command, however it ends. TOOLGATE_ORPHAN_ROUNDS: how
// many commands.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/find_processes.h"
#include "tests/support/sandbox_options.h"
#include "tests/support/sandbox_run.h"
#include "tests/support/temp_dir.h"

namespace toolgate {
namespace {

using executors::shell::sandbox::Ending;
using executors::shell::sandbox::Sandbox;
using executors::shell::sandbox::SandboxedCommand;
using ::testing::IsEmpty;
using testing::ProcessesWith;

constexpr char kMark[] = "74747";
constexpr absl::Duration kLimit = absl::Milliseconds(100);

// The ways in which commands leave processes behind, each with one that ends by itself or not.
constexpr const char* kCommands[] = {
    "sleep 74747 & exit 0",
    "(setsid sleep 74747 &); exit 3",
    "setsid bash -c 'trap \"\" TERM HUP INT; sleep 74747; sleep 74747' & kill -SEGV $$",
    "nohup sleep 74747 >/dev/null 2>&1 & disown; true",
    "sleep 74747",
    "(sleep 74747 &); sleep 74747",
    "trap '' TERM INT; while :; do sleep 74747; done",
};

Ending Wait(SandboxedCommand& command) {
  for (;;) {
    command.Take();
    if (const auto ending = command.ending(); ending.has_value()) return *ending;
    command.news().WaitAside();
  }
}

TEST(OrphansTest, NoProcessOutlivesItsCommand) {
  TOOLGATE_NEEDS_SANDBOX(geteuid());
  const char* const wanted = getenv("TOOLGATE_ORPHAN_ROUNDS");
  const int rounds = wanted == nullptr ? 300 : std::atoi(wanted);
  const testing::TempDir dir;
  const Descriptor folder(open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<Sandbox> sandbox = Sandbox::Create(testing::SandboxOptions()).value();
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    const char* const text = kCommands[static_cast<size_t>(round) % std::size(kCommands)];
    SCOPED_TRACE(::testing::Message() << round << ": " << text);
    const auto command = sandbox->Start({folder.get(), "", text, {}, kLimit});
    ASSERT_TRUE(command.ok()) << command.status();
    // Some are stopped instead.
    const Ending ending = round % 10 == 9 ? (*command)->StopAndWait() : Wait(**command);
    EXPECT_TRUE(ending.built.ok()) << ending.built;
    EXPECT_THAT(ProcessesWith(kMark), IsEmpty());
  }
}

}  // namespace
}  // namespace toolgate
