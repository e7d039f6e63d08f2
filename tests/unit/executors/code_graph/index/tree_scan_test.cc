#include "executors/code_graph/index/tree_scan.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/code_graph_fixture.h"

namespace toolgate::executors::code_graph::index {
namespace {

class TreeScanTest : public testing::CodeGraphFixture {
 protected:
  std::vector<std::string> Scan(int64_t max_files = 1000) {
    const auto scan = ScanTree(*directory_, max_files, [] { return true; });
    EXPECT_TRUE(scan.ok()) << scan.status();
    std::vector<std::string> paths;
    for (const FoundFile& file : scan->files) paths.push_back(file.path);
    if (scan->truncated) paths.push_back("…");
    return paths;
  }
};

using Paths = std::vector<std::string>;

TEST_F(TreeScanTest, FindsRegularFilesByPath) {
  Write("b.c", "1");
  Write("a/x.c", "2");
  Write("a.c", "3");
  std::filesystem::create_symlink("/etc/passwd", PathOf("link.c"));
  std::filesystem::create_directory_symlink(root() + "/a", PathOf("folder"));
  mkfifo(PathOf("fifo.c").c_str(), 0600);
  EXPECT_EQ(Scan(), (Paths{"a.c", "a/x.c", "b.c"}));
}

TEST_F(TreeScanTest, LeavesOutWhatTheDenyListCovers) {
  Write(".git/config", "x");
  Write(".toolgate/x", "x");
  Write(".env", "x");
  Write("a.c", "x");
  EXPECT_EQ(Scan(), Paths{"a.c"});
}

TEST_F(TreeScanTest, RespectsIgnoreFilesAtEveryLevel) {
  Write(".gitignore", "*.o\n/out/\n!keep.o\n");
  Write("a.o", "x");
  Write("keep.o", "x");
  Write("out/a.c", "x");
  Write("sub/out/a.c", "x");
  Write("sub/.gitignore", "*.c\n!/out/\n!b.o\n");
  Write("sub/x.c", "x");
  Write("sub/b.o", "x");
  Write("sub/deep/b.o", "x");
  Write("sub/deep/y.h", "x");
  EXPECT_EQ(Scan(), (Paths{".gitignore", "keep.o", "sub/.gitignore", "sub/b.o", "sub/deep/b.o", "sub/deep/y.h"}));
}

TEST_F(TreeScanTest, DoesNotLookIntoIgnoredFolders) {
  Write(".gitignore", "out/\n");
  Write("out/.gitignore", "!*\n");
  Write("out/a.c", "x");
  EXPECT_EQ(Scan(), Paths{".gitignore"});
}

TEST_F(TreeScanTest, LeavesOutTheLastFilesByPath) {
  for (const char* const path : {"c.c", "a.c", "b/x.c", "d.c"}) Write(path, "x");
  EXPECT_EQ(Scan(2), (Paths{"a.c", "b/x.c", "…"}));
  EXPECT_EQ(Scan(4).size(), 4u);
}

TEST_F(TreeScanTest, StopsWhenItMust) {
  Write("a.c", "x");
  EXPECT_TRUE(absl::IsCancelled(ScanTree(*directory_, 10, [] { return false; }).status()));
}

TEST_F(TreeScanTest, ReadsAFileWithItsStamp) {
  Write("a.c", "text");
  const auto file = ReadFileOf(*directory_, "a.c", 4);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->content, "text");
  EXPECT_EQ(file->stamp.size, 4);
  EXPECT_EQ(file->stamp, ScanTree(*directory_, 10, [] { return true; })->files[0].stamp);
  EXPECT_TRUE(absl::IsResourceExhausted(ReadFileOf(*directory_, "a.c", 3).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadFileOf(*directory_, "b.c", 3).status()));
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
