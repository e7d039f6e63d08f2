#include "executors/files/file_text.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "common/digest.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/directory_limits.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::files {
namespace {

using directory::DenyList;
using directory::Directory;
using ::testing::HasSubstr;

class FileTextTest : public ::testing::Test {
 protected:
  FileTextTest() {
    directory::Limits limits = testing::kDirectoryLimits;
    limits.max_file_bytes = 100;
    directory_ = Directory::Open(dir_.path(), DenyList::Create({}).value(), limits).value();
  }
  void Put(const std::string& name, const std::string& content) const {
    std::ofstream(dir_.path() + "/" + name, std::ios::binary) << content;
  }
  static ErrorCode CodeOf(const absl::Status& status) {
    const std::optional<ToolError> error = GetToolError(status);
    EXPECT_TRUE(error.has_value()) << status;
    return error.value_or(ToolError()).code;
  }

  testing::TempDir dir_;
  std::shared_ptr<Directory> directory_;
};

TEST_F(FileTextTest, KnowsTheFileThatItRead) {
  Put("a", "\xEF\xBB\xBFtext");
  std::filesystem::create_symlink("a", dir_.path() + "/link");
  const auto text = ReadText(*directory_, "link", fibers::Cancellation());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->path, "a");
  EXPECT_EQ(text->decoded.text, "text");
  EXPECT_EQ(text->state.sha256, Sha256("\xEF\xBB\xBFtext"));
  EXPECT_EQ(text->state, directory_->Look("a").value());
}

TEST_F(FileTextTest, LooksAtATargetAndReadsNoMoreThanToolsTakeIn) {
  const fibers::Cancellation never;
  const auto look = [&](const char* name) {
    return LookAtTarget(*directory_, FindTarget(*directory_, name).value(), never).value();
  };
  Put("a", "text");
  const SeenTarget text = look("a");
  EXPECT_EQ(text.state, directory_->Look("a").value());
  EXPECT_EQ(text.bytes, "text");
  EXPECT_EQ(text.state_digest, StateDigestOf("a", *text.state));
  Put("a", "txet");
  EXPECT_NE(look("a").state_digest, text.state_digest);
  EXPECT_EQ(look("new").state, directory::FileState());
  Put("large", std::string(101, 'x'));
  const SeenTarget large = look("large");
  EXPECT_FALSE(large.state.has_value());
  EXPECT_TRUE(large.bytes.empty());
  EXPECT_EQ(look("large").state_digest, large.state_digest);
  Put("large", std::string(102, 'x'));
  EXPECT_NE(look("large").state_digest, large.state_digest);
}

TEST_F(FileTextTest, StopsReadingWhenItsCallMust) {
  Put("a", "text");
  fibers::Cancellation cancelled;
  cancelled.Cancel();
  EXPECT_EQ(CodeOf(ReadText(*directory_, "a", cancelled).status()), ErrorCode::kCancelled);
  EXPECT_EQ(CodeOf(LookAtTarget(*directory_, FindTarget(*directory_, "a").value(), cancelled).status()),
            ErrorCode::kCancelled);
}

TEST_F(FileTextTest, RefusesBinaryAndLargeFiles) {
  Put("binary", std::string("\0", 1));
  Put("large", std::string(101, 'x'));
  EXPECT_EQ(CodeOf(ReadText(*directory_, "binary", fibers::Cancellation()).status()), ErrorCode::kInvalidParams);
  EXPECT_EQ(CodeOf(ReadText(*directory_, "large", fibers::Cancellation()).status()), ErrorCode::kQuotaExceeded);
}

TEST_F(FileTextTest, ATargetIsAFileOrNothing) {
  Put("a", "x");
  std::filesystem::create_directory(dir_.path() + "/d");
  std::filesystem::create_symlink("a", dir_.path() + "/link");
  std::filesystem::create_symlink("d", dir_.path() + "/to_d");
  EXPECT_TRUE(FindTarget(*directory_, "a")->exists);
  EXPECT_FALSE(FindTarget(*directory_, "new")->exists);
  EXPECT_EQ(FindTarget(*directory_, "to_d/x/y")->path, "d/x/y");
  EXPECT_EQ(CodeOf(FindTarget(*directory_, "d").status()), ErrorCode::kForbidden);
  EXPECT_EQ(CodeOf(FindTarget(*directory_, "link").status()), ErrorCode::kForbidden);
  EXPECT_EQ(CodeOf(FindTarget(*directory_, "a/b").status()), ErrorCode::kNotFound);
  EXPECT_EQ(CodeOf(FindTarget(*directory_, "d/.env").status()), ErrorCode::kForbidden);
}

TEST_F(FileTextTest, ADiffNamesTheFile) {
  EXPECT_EQ(DiffOf("d/a", "x\n", "y\n", true, 1000).text, "--- a/d/a\n+++ b/d/a\n@@ -1 +1 @@\n-x\n+y\n");
  EXPECT_THAT(DiffOf("a", "", "y\n", false, 1000).text, HasSubstr("--- /dev/null\n+++ b/a\n"));
  EXPECT_EQ(DiffOf("a", "x\n", "y\nz\n", true, 1000).counts, "+2 −1 lines");
}

}  // namespace
}  // namespace toolgate::executors::files
