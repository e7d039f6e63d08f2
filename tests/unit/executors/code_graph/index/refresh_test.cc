#include "executors/code_graph/index/refresh.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/code_graph_fixture.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Rows = std::vector<std::string>;

class RefreshTest : public testing::CodeGraphFixture {
 protected:
  Rows Functions() { return Query("MATCH (f:Function) RETURN f.name ORDER BY f.name"); }
  // Sets a file's times to an hour ago, as if it had not been touched for long.
  void Age(std::string_view path) const {
    const timespec hour_ago = {time(nullptr) - 3600, 0};
    const timespec times[] = {hour_ago, hour_ago};
    ASSERT_EQ(utimensat(AT_FDCWD, PathOf(path).c_str(), times, 0), 0);
  }
};

TEST_F(RefreshTest, FollowsFilesThatComeChangeAndGo) {
  Write("a.c", "void one(void) {\n}\n");
  EXPECT_EQ(Functions(), Rows{"one"});
  Write("b.c", "void two(void) {\n}\n");
  EXPECT_EQ(Functions(), (Rows{"one", "two"}));
  Write("a.c", "void three(void) {\n}\n");
  EXPECT_EQ(Functions(), (Rows{"three", "two"}));
  Remove("a.c");
  EXPECT_EQ(Functions(), Rows{"two"});
  std::filesystem::rename(PathOf("b.c"), PathOf("c.c"));
  EXPECT_EQ(Query("MATCH (f:Function) RETURN f.path"), Rows{"c.c"});
}

TEST_F(RefreshTest, SeesAChangeThatLeavesSizeAndTimesAsTheyAre) {
  Write("a.c", "void one(void) {\n}\n");
  Age("a.c");
  EXPECT_EQ(Functions(), Rows{"one"});
  Write("a.c", "void two(void) {\n}\n");
  Age("a.c");  // The change time is another one, but may be as coarse as two seconds.
  EXPECT_EQ(Functions(), Rows{"two"});
}

TEST_F(RefreshTest, ReadsOnlyWhatMayHaveChanged) {
  Write("a.c", "void one(void) {\n}\n");
  EXPECT_EQ(Refresh().changed, 1);
  // Just written: read again, and found to be the same.
  const RefreshReport again = Refresh();
  EXPECT_EQ(again.read, 1);
  EXPECT_EQ(again.changed, 0);
  EXPECT_EQ(again.files, 1);
}

TEST_F(RefreshTest, DoesNotReadFilesThatAreOldAndUnchanged) {
  Write("a.c", "void one(void) {\n}\n");
  Refresh();
  // As if the last look had been later than the file system's grain.
  auto connection = database_->OpenToWrite();
  ASSERT_TRUE(connection.ok());
  ASSERT_EQ((*connection)->Execute("UPDATE files SET checked = checked + 3000000000"), absl::OkStatus());
  EXPECT_EQ(Refresh().read, 0);
}

TEST_F(RefreshTest, SaysWhyAFileHasNoSymbols) {
  options_.max_file_bytes = 1000;
  Write("binary.c", std::string("void f(void) {}\0", 16));
  Write("large.c", std::string(1001, ' '));
  Write("plain.c", "int x;\n");
  Write("secret.c", "int y;\n");
  EXPECT_EQ(Query("MATCH (f:File) RETURN f.path, f.skipped, f.lines ORDER BY f.path"),
            (Rows{"binary.c | binary | 0", "large.c | too large | 0", "plain.c | null | 1", "secret.c | null | 1"}));
}

TEST_F(RefreshTest, GoesOnAfterAFileThatIsTooMuchForCtags) {
  options_.ctags_limits.max_output_bytes = 2000;
  std::string many;
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&many, "int v", i, ";\n");
  Write("a.c", many);
  Write("b.c", "void f(void) {\n}\n");
  EXPECT_EQ(Query("MATCH (f:File) RETURN f.path, f.skipped ORDER BY f.path"),
            (Rows{"a.c | too much for universal-ctags", "b.c | null"}));
  EXPECT_EQ(Functions(), Rows{"f"});
}

TEST_F(RefreshTest, ManyFilesThatTakeTooLongDoNotAddUp) {
  const std::string slow = temp_.path() + "/slow";
  std::ofstream(slow) << "#!/bin/sh\nexec sleep 600\n";
  std::filesystem::permissions(slow, std::filesystem::perms::owner_all);
  options_.ctags = slow;
  options_.ctags_limits.max_time = absl::Milliseconds(20);
  options_.processes = 1;
  for (int i = 0; i < 150; ++i) Write(absl::StrCat("f", i, ".c"), absl::StrCat("int v", i, ";\n"));
  EXPECT_EQ(Query("MATCH (f:File {skipped: 'too much for universal-ctags'}) RETURN count(*)"), Rows{"150"});
}

TEST_F(RefreshTest, IndexesFilesWithEvilNames) {
  const Rows names = {"-o.c", "--options=x.c", "a\nb.c", "a b'\".c", "{\"command\"}.c", "$(touch x).c", "\xFF.c"};
  for (size_t i = 0; i < names.size(); ++i) Write(names[i], absl::StrCat("void f", i, "(void) {\n}\n"));
  EXPECT_EQ(Functions(), (Rows{"f0", "f1", "f2", "f3", "f4", "f5", "f6"}));
  EXPECT_FALSE(std::filesystem::exists("x"));
}

TEST_F(RefreshTest, LeavesOutFilesBeyondTheBound) {
  options_.max_files = 2;
  for (const char* const path : {"a.c", "b.c", "c.c"}) Write(path, "");
  EXPECT_TRUE(Refresh().truncated);
  EXPECT_EQ(testing::RowsOf(*Graph(), "MATCH (f:File) RETURN f.path ORDER BY f.path"), (Rows{"a.c", "b.c"}));
}

TEST_F(RefreshTest, IsIncompleteUntilManyFilesAreDoneAndGoesOnWhereItWas) {
  for (int i = 0; i < 600; ++i) Write(absl::StrCat("f", i, ".c"), absl::StrCat("void f", i, "(void) {\n}\n"));
  auto connection = database_->OpenToWrite();
  ASSERT_TRUE(connection.ok());
  RefreshProgress progress;
  const auto stopped = index::Refresh(
      *directory_, **connection, options_, [&] { return progress.done < 300; }, progress);
  EXPECT_TRUE(absl::IsCancelled(stopped.status())) << stopped.status();
  EXPECT_FALSE(*IsComplete(**connection));
  EXPECT_TRUE(absl::IsFailedPrecondition(StoredGraph::Open(*database_).status()));
  connection = absl::CancelledError();  // Closes it.
  const RefreshReport rest = Refresh();
  EXPECT_LE(rest.changed, 300);
  EXPECT_EQ(testing::RowsOf(*Graph(), "MATCH (f:Function) RETURN count(*)"), Rows{"600"});
}

TEST_F(RefreshTest, FewChangesAreSeenAllOrNotAtAll) {
  Write("a.c", "void one(void) {\n}\n");
  Refresh();
  const auto before = Graph();
  Write("a.c", "void two(void) {\n}\n");
  Refresh();
  EXPECT_EQ(testing::RowsOf(*before, "MATCH (f:Function) RETURN f.name"), Rows{"one"});
  EXPECT_EQ(testing::RowsOf(*Graph(), "MATCH (f:Function) RETURN f.name"), Rows{"two"});
}

TEST_F(RefreshTest, NamesOnlyWhatComesAfterTheIndexIsFull) {
  options_.max_index_bytes = 1;
  for (int i = 0; i < 600; ++i) Write(absl::StrCat("f", i, ".c"), absl::StrCat("void f", i, "(void) {\n}\n"));
  EXPECT_EQ(Query("MATCH (f:File {skipped: 'the index is full'}) RETURN count(*) > 0"), Rows{"true"});
  EXPECT_EQ(Query("MATCH (f:File) RETURN count(*)"), Rows{"600"});
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
