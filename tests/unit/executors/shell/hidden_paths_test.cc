#include "executors/shell/hidden_paths.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/directory_limits.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::shell {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class HiddenPathsTest : public ::testing::Test {
 protected:
  void Put(const std::string& name) const {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << "x";
  }
  std::string Path(const std::string& name) const { return dir_.path() + "/" + name; }
  HiddenPaths Make(HiddenPaths::Options options = {.show_git = true}) const {
    return HiddenPaths(directory::Directory::Open(dir_.path(), directory::DenyList::Create({"/private"}).value(),
                                                  testing::kDirectoryLimits)
                           .value(),
                       options);
  }

  const testing::TempDir dir_;
};

TEST_F(HiddenPathsTest, AreThoseOfTheDenyList) {
  Put("src/main.cc");
  Put("src/.env");
  Put("src/deep/key.pem");
  Put("private/a/b");
  Put(".toolgate/staging/x");
  EXPECT_THAT(*Make().Find(), UnorderedElementsAre("src/.env", "src/deep/key.pem", "private", ".toolgate"));
}

TEST_F(HiddenPathsTest, AreFoundAgainWhenFoldersChange) {
  Put("a/b/file");
  HiddenPaths hidden = Make();
  EXPECT_THAT(*hidden.Find(), IsEmpty());
  Put("a/b/.env");
  EXPECT_THAT(*hidden.Find(), ElementsAre("a/b/.env"));
  fs::rename(Path("a"), Path("c"));
  EXPECT_THAT(*hidden.Find(), ElementsAre("c/b/.env"));
  fs::remove_all(Path("c"));
  EXPECT_THAT(*hidden.Find(), IsEmpty());
}

TEST_F(HiddenPathsTest, VersionControlIsShownWithoutItsPasswords) {
  Put(".git/HEAD");
  Put(".git/config");
  Put(".git/objects/ab/cd");
  Put(".git/modules/inner/config");
  Put("inner/.git");
  EXPECT_THAT(*Make().Find(), UnorderedElementsAre(".git/config", ".git/modules"));
  EXPECT_THAT(*Make({.show_git = false}).Find(), UnorderedElementsAre(".git", "inner/.git"));
}

TEST_F(HiddenPathsTest, LinksAreNotFollowed) {
  Put("folder/.env");
  fs::create_directory_symlink(Path("folder"), Path("link"));
  EXPECT_THAT(*Make().Find(), ElementsAre("folder/.env"));
}

TEST_F(HiddenPathsTest, AreBounded) {
  for (int i = 0; i < 5; ++i) Put("f" + std::to_string(i) + "/.env");
  EXPECT_TRUE(Make({.show_git = true, .max_paths = 5}).Find().ok());
  EXPECT_EQ(Make({.show_git = true, .max_paths = 4}).Find().status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace toolgate::executors::shell
