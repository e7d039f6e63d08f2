#include "executors/shell/sandbox/remove_tree.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::shell::sandbox {
namespace {

namespace fs = std::filesystem;

TEST(RemoveTreeTest, RemovesFoldersThatForbidIt) {
  const testing::TempDir dir;
  const std::string tree = dir.path() + "/tree";
  fs::create_directories(tree + "/a/b");
  std::ofstream(tree + "/a/b/file") << "x";
  fs::permissions(tree + "/a/b", fs::perms::none);
  fs::permissions(tree + "/a", fs::perms::owner_exec);
  RemoveTree(tree);
  EXPECT_FALSE(fs::exists(tree));
}

TEST(RemoveTreeTest, FollowsNoLink) {
  const testing::TempDir dir;
  const std::string tree = dir.path() + "/tree";
  fs::create_directories(dir.path() + "/other");
  std::ofstream(dir.path() + "/other/file") << "x";
  fs::create_directories(tree);
  fs::create_directory_symlink(dir.path() + "/other", tree + "/link");
  RemoveTree(tree);
  EXPECT_FALSE(fs::exists(tree));
  EXPECT_TRUE(fs::exists(dir.path() + "/other/file"));
}

TEST(RemoveTreeTest, LeavesWhatIsNotThereAlone) { RemoveTree("/nowhere/at/all"); }

}  // namespace
}  // namespace toolgate::executors::shell::sandbox
