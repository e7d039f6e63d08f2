// Processes that are killed at every point of a shell command: between its claim and its settlement, and at each step
// in which its changes are moved into the workspace.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/find_processes.h"
#include "tests/support/folder_listing.h"
#include "tests/support/sandbox_run.h"
#include "tests/support/shell_service.h"
#include "tests/support/temp_dir.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;
using security::ToolResult;
using testing::IsKilled;
using testing::ListFolder;
using testing::ShellProcess;

constexpr char kKey[] = "the-key";
// Each kind of change. The log tells how often it has run.
constexpr char kCommand[] =
    "echo ran >> log; echo new > changed; rm gone; mkdir folder; echo x > folder/file; chmod 700 mode; ln -s log link; "
    "rm -r old; echo file > old";

class ShellCrashTest : public ::testing::Test {
 protected:
  void SetUp() override { TOOLGATE_NEEDS_SANDBOX(geteuid()); }

  // A fresh service whose workspace has some files.
  void Begin() {
    dir_ = std::make_unique<testing::TempDir>();
    fs::create_directories(workspace() + "/old/inner");
    for (const char* name : {"changed", "gone", "mode", "log", "old/inner/file"}) {
      std::ofstream(workspace() + "/" + name) << name << "\n";
    }
    before_ = ListFolder(workspace());
  }
  std::string workspace() const { return dir_->path() + "/workspace"; }

  // All processes of commands are gone, sooner or later.
  void AwaitNoProcesses() const {
    while (!testing::ProcessesWith("echo ran >> log").empty()) std::this_thread::yield();
  }

  // Recovers, sends the call again, and compares everything observable.
  void Check(ShellProcess& process) {
    EXPECT_EQ(process.Recover(), 0);
    EXPECT_TRUE(process.store().ListClaims({}, 10)->empty());
    const absl::StatusOr<ToolResult> result = process.Run(kCommand, kKey);
    ASSERT_TRUE(result.ok()) << result.status();
    const std::string after = ListFolder(workspace());
    if (!result->success) {
      EXPECT_EQ(after, before_);
    } else {
      EXPECT_THAT(after, ::testing::HasSubstr("log 100644 log\nran\n\n"));
      EXPECT_THAT(after, ::testing::HasSubstr("changed 100644 new\n"));
      ASSERT_TRUE(process.Undo()->success);
      EXPECT_EQ(ListFolder(workspace()), before_);
    }
    AwaitNoProcesses();
  }

  std::unique_ptr<testing::TempDir> dir_;
  std::string before_;
};

TEST_F(ShellCrashTest, ACommandThatIsKilledAnywhereTakesEffectOnceOrNotAtAll) {
  int rounds = 0;
  for (bool killed = true; killed; ++rounds) {
    SCOPED_TRACE(rounds);
    Begin();
    killed = IsKilled([&] { ShellProcess(dir_->path(), rounds).Run(kCommand, kKey).IgnoreError(); });
    ShellProcess next(dir_->path());
    Check(next);
    if (HasFailure()) return;
  }
  // Three commits with three points each, and two points for each change.
  EXPECT_GT(rounds, 25);
}

TEST_F(ShellCrashTest, ARecoveryThatIsKilledItselfIsMadeAgain) {
  for (int first = 8; first < 24; first += 3) {
    bool killed = true;
    for (int second = 0; killed; second += 2) {
      SCOPED_TRACE(::testing::Message() << first << " then " << second);
      Begin();
      IsKilled([&] { ShellProcess(dir_->path(), first).Run(kCommand, kKey).IgnoreError(); });
      killed = IsKilled([&] { ShellProcess(dir_->path(), second).Recover(); });
      ShellProcess next(dir_->path());
      Check(next);
      if (HasFailure()) return;
    }
  }
}

TEST_F(ShellCrashTest, AnUndoThatIsKilledAnywhereIsMadeOnce) {
  int rounds = 0;
  for (bool killed = true; killed; ++rounds) {
    SCOPED_TRACE(rounds);
    Begin();
    ASSERT_TRUE(ShellProcess(dir_->path()).Run(kCommand)->success);
    killed = IsKilled([&] { ShellProcess(dir_->path(), rounds).Undo(kKey).IgnoreError(); });
    ShellProcess next(dir_->path());
    EXPECT_EQ(next.Recover(), 0);
    absl::StatusOr<ToolResult> undone = next.Undo(kKey);
    // One that had not begun is not made by recovery.
    if (undone.ok() && !undone->success) undone = next.Undo("another key");
    ASSERT_TRUE(undone.ok()) << undone.status();
    EXPECT_TRUE(undone->success) << undone->error->message;
    EXPECT_EQ(ListFolder(workspace()), before_);
    if (HasFailure()) return;
  }
}

// Also between the points that the test knows. TOOLGATE_CRASH_ROUNDS: how often.
TEST_F(ShellCrashTest, ACommandThatIsKilledAtAnyMomentTakesEffectOnceOrNotAtAll) {
  const char* const wanted = getenv("TOOLGATE_CRASH_ROUNDS");
  const int rounds = wanted == nullptr ? 60 : std::atoi(wanted);
  int killed = 0;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Begin();
    const pid_t child = fork();
    if (child == 0) {
      ShellProcess process(dir_->path());
      process.Run(kCommand, kKey).IgnoreError();
      std::_Exit(0);
    }
    // Spread over the time that a whole process takes.
    usleep(static_cast<useconds_t>(round % 60) * 4001);
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    ShellProcess next(dir_->path());
    Check(next);
  }
  EXPECT_GT(killed, 0);
}

}  // namespace
}  // namespace toolgate
