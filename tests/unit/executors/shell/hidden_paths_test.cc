#include "executors/shell/hidden_paths.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "common/fibers/cancellation.h"
#include "common/tool_error.h"
#include "executors/directory/path.h"
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
  absl::StatusOr<std::vector<std::string>> Find(HiddenPaths& hidden) const {
    absl::StatusOr<HiddenPaths::Found> found = hidden.Find(*directory_, fibers::Cancellation());
    if (!found.ok()) return found.status();
    return std::move(found->hidden);
  }
  std::vector<std::string> Found(HiddenPaths::Options options = {.show_git = true}) const {
    HiddenPaths hidden(options);
    return Find(hidden).value();
  }

  const testing::TempDir dir_;
  const std::shared_ptr<directory::Directory> directory_ =
      directory::Directory::Open(dir_.path(), directory::DenyList::Create({"/private"}).value(),
                                 testing::kDirectoryLimits)
          .value();
};

TEST_F(HiddenPathsTest, AreThoseOfTheDenyList) {
  Put("src/main.cc");
  Put("src/.env");
  Put("src/.env.example");
  Put("src/deep/key.pem");
  Put("private/a/b");
  Put(".toolgate/staging/x");
  EXPECT_THAT(Found(), UnorderedElementsAre("src/.env", "src/deep/key.pem", "private", ".toolgate"));
}

TEST_F(HiddenPathsTest, AreFoundAgainWhenFoldersChange) {
  Put("a/b/file");
  HiddenPaths hidden({.show_git = true});
  EXPECT_THAT(*Find(hidden), IsEmpty());
  Put("a/b/.env");
  EXPECT_THAT(*Find(hidden), ElementsAre("a/b/.env"));
  fs::rename(Path("a"), Path("c"));
  EXPECT_THAT(*Find(hidden), ElementsAre("c/b/.env"));
  fs::remove_all(Path("c"));
  EXPECT_THAT(*Find(hidden), IsEmpty());
}

TEST_F(HiddenPathsTest, VersionControlIsShownWithoutItsPasswords) {
  Put(".git/HEAD");
  Put(".git/config");
  Put(".git/objects/ab/cd");
  Put(".git/credentials");
  Put(".git/modules/inner/config");
  Put("inner/.git");
  EXPECT_THAT(Found(), ElementsAre(".git/credentials"));
  EXPECT_THAT(Found({.show_git = false}), UnorderedElementsAre(".git", "inner/.git"));
}

TEST_F(HiddenPathsTest, RepositoriesAreFoundOnTheWay) {
  for (const char* folder : {".git", ".git/modules/a/b", "sub/.git", "bare.git", "common", "not/x"}) {
    for (const char* name : {"HEAD", "objects/x", "refs/x"}) Put(std::string(folder) + "/" + name);
  }
  Put(".git/worktrees/w/HEAD");
  Put(".git/worktrees/w/commondir");
  Put(".git/objects/fake/.git/HEAD");
  fs::remove(Path("common/HEAD"));
  fs::remove_all(Path("not/x/refs"));
  Put("w/.git");
  HiddenPaths hidden({.show_git = true});
  const HiddenPaths::Found found = *hidden.Find(*directory_, fibers::Cancellation());
  EXPECT_THAT(found.git.repositories,
              UnorderedElementsAre(".git", ".git/modules/a/b", ".git/worktrees/w", "sub/.git", "bare.git", "common"))
      << "a linked worktree takes its configuration from a folder without HEAD too";
  EXPECT_THAT(found.git.links, ElementsAre("w/.git"));
}

TEST_F(HiddenPathsTest, LinksAreNotFollowed) {
  Put("folder/.env");
  fs::create_directory_symlink(Path("folder"), Path("link"));
  EXPECT_THAT(Found(), ElementsAre("folder/.env"));
}

TEST_F(HiddenPathsTest, AreBounded) {
  for (int i = 0; i < 5; ++i) Put("f" + std::to_string(i) + "/.env");
  EXPECT_EQ(Found({.show_git = true, .max_paths = 5}).size(), 5U);
  HiddenPaths fewer({.show_git = true, .max_paths = 4});
  EXPECT_EQ(Find(fewer).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(HiddenPathsTest, WhatIsOutOfReachIsHidden) {
  std::string deepest = "d";
  for (size_t i = 1; i < directory::kMaxComponents; ++i) deepest += "/d";
  fs::create_directories(Path(deepest));
  HiddenPaths hidden({.show_git = true});
  EXPECT_THAT(*Find(hidden), IsEmpty());
  // Nobody looks into the deepest folder, so it is hidden, whatever is in it.
  for (int i = 0; i < 900; ++i) fs::create_directories(Path(deepest += "/d"));
  Put(deepest + "/.env");
  EXPECT_THAT(*Find(hidden), ElementsAre(deepest.substr(0, 2 * directory::kMaxComponents - 1)));
  EXPECT_LE(hidden.remembered(), directory::kMaxComponents) << "nothing below was looked at";
}

TEST_F(HiddenPathsTest, RemembersSoManyFolders) {
  for (int i = 0; i < 5; ++i) Put("f" + std::to_string(i) + "/.env");
  HiddenPaths hidden({.show_git = true, .max_remembered = 3});
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Find(hidden)->size(), 5U);
    EXPECT_EQ(hidden.remembered(), 3U);
  }
}

TEST_F(HiddenPathsTest, AskForCancellation) {
  Put("a/.env");
  HiddenPaths hidden({.show_git = true});
  fibers::Cancellation cancellation;
  cancellation.Cancel();
  EXPECT_EQ(GetToolError(hidden.Find(*directory_, cancellation).status())->code, ErrorCode::kCancelled);
  EXPECT_THAT(*Find(hidden), ElementsAre("a/.env")) << "a search that was stopped leaves nothing wrong behind";
}

}  // namespace
}  // namespace toolgate::executors::shell
