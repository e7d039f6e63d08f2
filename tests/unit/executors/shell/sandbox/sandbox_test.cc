#include "executors/shell/sandbox/sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/sandbox_options.h"
#include "tests/support/sandbox_run.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::shell::sandbox {
namespace {

using ::testing::HasSubstr;
using testing::RunInSandbox;
using testing::SandboxJob;
using testing::SandboxRun;
using ::testing::StartsWith;
using testing::TempDir;

void Write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// Runs as root and as an ordinary user, with scratch space in memory and on disk.
struct Setting {
  const char* name;
  uid_t user;
  Scratch scratch;
};

class SandboxTest : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    TOOLGATE_NEEDS_SANDBOX(user());
    std::filesystem::create_directories(workspace() + "/folder/inner");
    Write(workspace() + "/file", "content\n");
    Write(workspace() + "/folder/inner/deep", "deep\n");
    Write(workspace() + "/folder/secret.key", "secret\n");
    testing::GiveTo(user(), dir_.path());
  }

  uid_t user() const { return GetParam().user == 0 ? geteuid() : GetParam().user; }
  std::string workspace() const { return dir_.path() + "/workspace"; }
  SandboxRun Run(const std::string& command) const { return Run(SandboxJob{.command = command}); }
  SandboxRun Run(SandboxJob job) const {
    job.user = user();
    job.options.scratch = GetParam().scratch;
    job.options.scratch_folder = dir_.path() + "/scratch";
    SandboxRun run = RunInSandbox(workspace(), job);
    EXPECT_EQ(run.error, "");
    return run;
  }

  const TempDir dir_;
};

TEST_P(SandboxTest, ACommandAnswersItsOutputAndExitCode) {
  const SandboxRun run = Run("echo to stdout; echo to stderr >&2; exit 7");
  EXPECT_EQ(run.out, "to stdout\n");
  EXPECT_EQ(run.err, "to stderr\n");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(run.killed, "");
  EXPECT_FALSE(run.stopped);
  EXPECT_EQ(run.changes, "");
}

TEST_P(SandboxTest, ASignalIsAnExitCodeOfShells) { EXPECT_EQ(Run("kill -SEGV $$").exit_code, 128 + SIGSEGV); }

TEST_P(SandboxTest, ACommandThatBeginsWithADashIsNoOptionOfBash) {
  EXPECT_EQ(Run("-c 'echo no'").exit_code, 127);
  EXPECT_EQ(Run("--version").exit_code, 127);
}

TEST_P(SandboxTest, TheUpperLayerHasAllChangesAndTheWorkspaceNone) {
  const SandboxRun run =
      Run("echo more >> file; mkdir new; echo x > new/y; ln -s ../file new/link; rm -r folder/inner; chmod 700 folder;"
          " mkfifo pipe");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.changes,
            "file 644 file\n"
            "folder 700 folder\n"
            "removed folder/inner\n"
            "folder 755 new\n"
            "link new/link -> ../file\n"
            "file 644 new/y\n"
            "special pipe\n");
  EXPECT_TRUE(std::filesystem::exists(workspace() + "/folder/inner/deep"));
  EXPECT_FALSE(std::filesystem::exists(workspace() + "/new"));
}

TEST_P(SandboxTest, AFolderThatIsMadeAnewHidesTheOldOne) {
  const SandboxRun run = Run("rm -r folder; mkdir folder; touch folder/other");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.changes, "folder! 755 folder\nfile 644 folder/other\n");
}

TEST_P(SandboxTest, ARenamedFolderIsACopyAndARemoval) {
  const SandboxRun run = Run("mv folder moved && cat moved/inner/deep");
  EXPECT_EQ(run.out, "deep\n") << run.err;
  EXPECT_THAT(run.changes, StartsWith("removed folder\nfolder 755 moved\n"));
}

TEST_P(SandboxTest, FilesThatTheirOwnerMayNotReadAreReadAllTheSame) {
  const SandboxRun run = Run("mkdir closed; echo x > closed/x; chmod 0 closed/x closed");
  EXPECT_EQ(run.changes, "folder 0 closed\nfile 0 closed/x\n");
}

TEST_P(SandboxTest, ItBeginsInTheFolderThatIsNamed) {
  EXPECT_EQ(Run(SandboxJob{.command = "pwd", .cwd = "folder/inner"}).out, "/workspace/folder/inner\n");
}

TEST_P(SandboxTest, HiddenPathsDoNotExist) {
  const SandboxRun run =
      Run(SandboxJob{.command = "ls -a folder; cat folder/secret.key; cat folder/inner/deep; stat -c %a folder",
                     .hidden = {"folder/secret.key", "folder/inner", "gone/away"}});
  EXPECT_EQ(run.out, ".\n..\n755\n");
  EXPECT_THAT(run.err, HasSubstr("folder/secret.key: No such file or directory"));
  EXPECT_EQ(run.changes, "");
}

TEST_P(SandboxTest, AFileThatIsMadeAtAHiddenPathIsAChange) {
  EXPECT_EQ(Run(SandboxJob{.command = "echo mine > folder/secret.key", .hidden = {"folder/secret.key"}}).changes,
            "folder 755 folder\nfile 644 folder/secret.key\n");
}

TEST_P(SandboxTest, ACommandIsKilledAtItsLimitOfTime) {
  const SandboxRun run = Run(SandboxJob{.command = "echo begun; sleep 60", .timeout = absl::Milliseconds(300)});
  EXPECT_EQ(run.killed, "timeout");
  EXPECT_EQ(run.out, "begun\n");
}

TEST_P(SandboxTest, LongOutputIsComplete) {
  const SandboxRun run = Run("head -c 5000000 /dev/zero | tr '\\0' x; echo end >&2");
  EXPECT_EQ(run.out, std::string(5'000'000, 'x'));
  EXPECT_EQ(run.err, "end\n");
}

TEST_P(SandboxTest, TheDiskOfACommandIsBounded) {
  SandboxJob job{.command = "for i in 1 2 3 4; do head -c 30000000 /dev/zero > big$i || exit 9; sync; sleep 0.3; done"};
  job.options.limits.max_changed_bytes = 50'000'000;
  const SandboxRun run = Run(job);
  EXPECT_TRUE(run.exit_code == 9 || run.killed == "disk") << run.exit_code << run.killed;
}

TEST_P(SandboxTest, NothingIsLeftOfScratchSpace) {
  Run("mkdir -p a/b; touch a/b/c; chmod 0 a/b");
  const std::string scratch = dir_.path() + "/scratch";
  EXPECT_EQ(std::filesystem::exists(scratch), GetParam().scratch == Scratch::kDisk);
  if (std::filesystem::exists(scratch)) {
    EXPECT_TRUE(std::filesystem::is_empty(scratch));
  }
}

INSTANTIATE_TEST_SUITE_P(All, SandboxTest,
                         ::testing::Values(Setting{"ByRootInMemory", 0, Scratch::kMemory},
                                           Setting{"ByRootOnDisk", 0, Scratch::kDisk},
                                           Setting{"ByAUserInMemory", testing::kNobody, Scratch::kMemory},
                                           Setting{"ByAUserOnDisk", testing::kNobody, Scratch::kDisk}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SandboxOfRootTest, RunsCommandsAsTheOwnerOfTheWorkspace) {
  TOOLGATE_NEEDS_SANDBOX(geteuid());
  if (geteuid() != 0) GTEST_SKIP() << "only root can run a command as another user";
  const TempDir dir;
  std::filesystem::create_directory(dir.path() + "/workspace");
  Write(dir.path() + "/workspace/file", "old");
  Write(dir.path() + "/workspace/closed.key", "secret");
  testing::GiveTo(1234, dir.path() + "/workspace");
  Write(dir.path() + "/workspace/roots", "root's");
  std::filesystem::permissions(dir.path() + "/workspace/roots", std::filesystem::perms::owner_read);
  SandboxJob job{
      .command = "id -u; stat -c %u . file; echo new > file; cat roots; for i in $(seq 60); do sleep 1 & done",
      .hidden = {"closed.key"}};
  job.options.limits.max_processes = 40;
  const SandboxRun run = RunInSandbox(dir.path() + "/workspace", job);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.out, "1000\n1000\n1000\n");
  EXPECT_THAT(run.err, HasSubstr("cat: roots: Permission denied"));
  EXPECT_THAT(run.err, HasSubstr("Resource temporarily unavailable"));
  EXPECT_EQ(run.changes, "file 644 file\n");
}

// In this process.
class StartedCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TOOLGATE_NEEDS_SANDBOX(geteuid());
    Sandbox::Options options = testing::SandboxOptions();
    options.max_running = 2;
    sandbox_ = Sandbox::Create(options).value();
    folder_ = Descriptor(open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  absl::StatusOr<std::unique_ptr<SandboxedCommand>> Start(const std::string& command) {
    return sandbox_->Start({folder_.get(), "", command, {}, absl::Minutes(1)});
  }

  const TempDir dir_;
  std::unique_ptr<Sandbox> sandbox_;
  Descriptor folder_;
};

TEST_F(StartedCommandTest, CanBeStopped) {
  const auto command = Start("sleep 60").value();
  EXPECT_FALSE(command->ending().has_value());
  EXPECT_TRUE(command->StopAndWait().stopped);
}

TEST_F(StartedCommandTest, WaitsWhileItsOutputIsNotTaken) {
  const auto command = Start("head -c 5000000 /dev/zero; echo done >&2").value();
  size_t bytes = 0;
  while (bytes < RunningCommand::kMaxBuffered) {
    command->news().WaitAside();
    for (const OutputPiece& piece : command->Take()) bytes += piece.bytes.size();
  }
  EXPECT_LT(bytes, 5'000'000U);
  EXPECT_TRUE(command->StopAndWait().stopped);
}

TEST_F(StartedCommandTest, IsRefusedBeyondTheBound) {
  const auto one = Start("sleep 60").value();
  auto two = Start("sleep 60").value();
  EXPECT_EQ(Start("true").status().code(), absl::StatusCode::kResourceExhausted);
  two.reset();
  EXPECT_TRUE(Start("true").ok());
}

TEST_F(StartedCommandTest, IsRefusedWithATextThatNoProgramCanBeGiven) {
  EXPECT_EQ(Start(std::string("echo \0", 6)).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Start(std::string(Sandbox::kMaxTextBytes + 1, 'x')).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SandboxCreationTest, SaysWhatIsMissing) {
  Sandbox::Options options = testing::SandboxOptions();
  options.bubblewrap = "/nowhere/bwrap";
  const absl::Status status = Sandbox::Create(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nowhere/bwrap"));
}

TEST(SandboxCreationTest, IsRefusedWhereATrialFails) {
  const TempDir dir;
  const std::string program = dir.path() + "/bwrap";
  Write(program, "#!/bin/sh\necho trouble >&2\nexit 1\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  Sandbox::Options options = testing::SandboxOptions();
  options.bubblewrap = program;
  const absl::Status status = Sandbox::Create(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("docs/shell.md"));
}

}  // namespace
}  // namespace toolgate::executors::shell::sandbox
