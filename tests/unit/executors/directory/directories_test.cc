#include "executors/directory/directories.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/directory_limits.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::directory {
namespace {

using ::testing::HasSubstr;

std::string Reason(const absl::Status& status) {
  const auto error = GetToolError(status);
  if (!error.has_value() || error->code != ErrorCode::kNotConfigured) return status.ToString();
  return error->message;
}

Directories::Options Options() {
  Directories::Options options;
  options.deny_list = DenyList::Create({}).value();
  options.limits = testing::kDirectoryLimits;
  return options;
}

TEST(DirectoriesTest, WithoutASettingThereAreNone) {
  Directories directories(Options());
  EXPECT_THAT(Reason(directories.Check("w")), HasSubstr("set files.root or files.workspaces"));
  EXPECT_THAT(Reason(directories.Of("w").status()), HasSubstr("set files.root or files.workspaces"));
}

TEST(DirectoriesTest, EachWorkspaceHasAFolderInTheRoot) {
  const testing::TempDir dir;
  Directories::Options options = Options();
  options.root = dir.path();
  Directories directories(options);
  EXPECT_TRUE(directories.Check("w1").ok());
  EXPECT_FALSE(std::filesystem::exists(dir.path() + "/w1")) << "not before it is used";
  const auto first = directories.Of("w1");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)->path(), dir.path() + "/w1");
  EXPECT_EQ(directories.Of("w1").value(), *first) << "one object for all";
  EXPECT_NE(directories.Of("w2").value(), *first);
}

TEST(DirectoriesTest, NoWorkspaceIdLeadsOutOfTheRoot) {
  const testing::TempDir dir;
  Directories::Options options = Options();
  options.root = dir.path() + "/root";
  std::filesystem::create_directory(options.root);
  Directories directories(options);
  for (const std::string& id : {std::string(".."), std::string("."), std::string("../x"), std::string("/etc"),
                                std::string("a/b"), std::string(""), std::string("a\0b", 3), std::string(".hidden"),
                                std::string(128, 'x') + "y", std::string("=x")}) {
    const auto directory = directories.Of(id);
    ASSERT_TRUE(directory.ok()) << directory.status();
    EXPECT_EQ((*directory)->path(), options.root + "/" + FolderOfWorkspace(id));
    EXPECT_EQ(FolderOfWorkspace(id).find_first_of("/."), std::string::npos) << id;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(DirectoriesTest, KeepsThoseThatWereUsedLast) {
  const testing::TempDir dir;
  Directories::Options options = Options();
  options.root = dir.path();
  options.max_open = 3;
  Directories directories(options);
  const std::shared_ptr<Directory> in_use = directories.Of("in-use").value();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(directories.Of("w" + std::to_string(i)).ok());
    EXPECT_LE(directories.open_count(), 3U);
  }
  EXPECT_EQ(directories.Of("in-use").value(), in_use) << "no second object, so that locks and counts hold";
  std::vector<std::shared_ptr<Directory>> all;
  for (int i = 0; i < 5; ++i) all.push_back(directories.Of("x" + std::to_string(i)).value());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(directories.Of("x" + std::to_string(i)).value(), all[static_cast<size_t>(i)]);
  all.clear();
  ASSERT_TRUE(directories.Of("last").ok());
  EXPECT_LE(directories.open_count(), 3U) << "those in use were more";
}

TEST(DirectoriesTest, AWorkspaceWithoutADirectoryIsToldTheSetting) {
  const testing::TempDir dir;
  Directories::Options options = Options();
  options.workspaces = {{"w1", dir.path()}};
  Directories directories(options);
  EXPECT_EQ(directories.Of("w1").value()->path(), dir.path());
  EXPECT_THAT(Reason(directories.Check("w2")), HasSubstr("add it to files.workspaces"));
}

TEST(DirectoriesTest, AFolderThatWentAwayIsAReason) {
  Directories::Options options = Options();
  options.workspaces = {{"w", "/no/such/folder"}};
  Directories directories(options);
  EXPECT_THAT(Reason(directories.Of("w").status()), HasSubstr("/no/such/folder cannot be opened"));
}

}  // namespace
}  // namespace toolgate::executors::directory
