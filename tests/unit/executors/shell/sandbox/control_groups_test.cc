#include "executors/shell/sandbox/control_groups.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::shell::sandbox {
namespace {

using ::testing::HasSubstr;
using testing::TempDir;

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A folder with the files of a group. What the kernel would do with them is tested where it can be
// (tests/hostile/sandbox_test.cc).
class ControlGroupsTest : public ::testing::Test {
 protected:
  ControlGroupsTest() {
    Write("cgroup.controllers", "cpu memory pids\n");
    Write("cgroup.subtree_control", "");
    Write("cgroup.procs", absl::StrCat(getpid(), "\n"));
    std::filesystem::create_directory(Path("toolgate-service"));
    Write("toolgate-service/cgroup.procs", "");
  }

  std::string Path(const std::string& file) const { return absl::StrCat(dir_.path(), "/", file); }
  void Write(const std::string& file, const std::string& text) const { std::ofstream(Path(file)) << text; }
  absl::Status Open(bool only_delegated = false) const {
    return ControlGroups::Open({.folder = dir_.path(), .only_delegated = only_delegated}).status();
  }
  static void ExpectAbsent(const absl::Status& status, const std::string& reason) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr(reason));
  }

  const TempDir dir_;
};

TEST_F(ControlGroupsTest, MoveTheServiceAsideAndEnableTheControllers) {
  EXPECT_TRUE(Open().ok());
  EXPECT_EQ(TextOf(Path("toolgate-service/cgroup.procs")), "0");
  EXPECT_EQ(TextOf(Path("cgroup.subtree_control")), "+memory +pids");
}

TEST_F(ControlGroupsTest, LeaveAGroupAloneThatIsDividedAlready) {
  Write("cgroup.subtree_control", "memory pids\n");
  Write("cgroup.procs", "");
  EXPECT_TRUE(Open().ok());
  EXPECT_EQ(TextOf(Path("toolgate-service/cgroup.procs")), "");
}

TEST_F(ControlGroupsTest, AreAbsentWithoutControllers) {
  Write("cgroup.controllers", "cpu pids\n");
  ExpectAbsent(Open(), "no controllers of memory and pids");
}

TEST_F(ControlGroupsTest, AreAbsentWhereOthersRun) {
  Write("cgroup.procs", absl::StrCat(getpid(), "\n1\n"));
  ExpectAbsent(Open(), "other processes are in");
  EXPECT_EQ(TextOf(Path("cgroup.subtree_control")), "");
}

TEST_F(ControlGroupsTest, AreAbsentWhereNothingIsDelegated) {
  if (geteuid() != 0) GTEST_SKIP() << "what an ordinary user owns is delegated to it";
  ExpectAbsent(Open(/*only_delegated=*/true), "is not delegated");
}

TEST_F(ControlGroupsTest, AreNotLeftHalfDivided) {
  std::filesystem::remove(Path("cgroup.subtree_control"));
  std::filesystem::create_directory(Path("cgroup.subtree_control"));
  ExpectAbsent(Open(), "cannot divide");
  EXPECT_EQ(TextOf(Path("cgroup.procs")), absl::StrCat("0", absl::StrCat(getpid(), "\n").substr(1)));
}

TEST_F(ControlGroupsTest, RemoveWhatAnEarlierProcessLeft) {
  std::filesystem::create_directory(Path("toolgate-command-1-7"));
  const std::string own = absl::StrCat("toolgate-command-", getpid(), "-7777");
  std::filesystem::create_directory(Path(own));
  EXPECT_TRUE(Open().ok());
  EXPECT_FALSE(std::filesystem::exists(Path("toolgate-command-1-7")));
  EXPECT_TRUE(std::filesystem::exists(Path(own)));
}

TEST_F(ControlGroupsTest, LeaveNoGroupThatCannotBeBounded) {
  const auto groups = ControlGroups::Open({.folder = dir_.path(), .only_delegated = false}).value();
  EXPECT_EQ(groups->Make({.max_memory_bytes = 1, .max_processes = 1}).status().code(), absl::StatusCode::kUnavailable);
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
    EXPECT_THAT(entry.path().string(), ::testing::Not(HasSubstr("toolgate-command-")));
  }
}

}  // namespace
}  // namespace toolgate::executors::shell::sandbox
