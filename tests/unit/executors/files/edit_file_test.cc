#include "executors/files/edit_file.h"

#include "tests/unit/executors/files/files_fixture.h"

namespace toolgate::executors::files {
namespace {

using ::testing::HasSubstr;

class EditFileTest : public FilesFixture {};

TEST_F(EditFileTest, ReplacesTheOneOccurrence) {
  Put("a", "one two three");
  EXPECT_EQ(Call("Edit", {{"file", "a"}, {"oldText", "two"}, {"newText", "2"}}),
            Json({{"replacements", 1}, {"line", 1}, {"bytes", 11}}));
  EXPECT_EQ(Content("a"), "one 2 three");
}

TEST_F(EditFileTest, AnAmbiguousMatchNamesItsLines) {
  Put("a", "x\ny\nx\nx\n");
  const ToolError error = Failure("Edit", {{"file", "a"}, {"oldText", "x"}, {"newText", "z"}});
  EXPECT_EQ(error.code, ErrorCode::kConflict);
  EXPECT_THAT(error.message, HasSubstr("occurs 3 times, at lines 1, 3, 4;"));
  Call("Edit", {{"file", "a"}, {"oldText", "x"}, {"newText", "xx"}, {"replaceAll", true}});
  EXPECT_EQ(Content("a"), "xx\ny\nxx\nxx\n");
}

TEST_F(EditFileTest, WithoutAMatchTheNearestLinesAreShown) {
  Put("a", "first\n\tindented line\nlast\n");
  const ToolError error = Failure("Edit", {{"file", "a"}, {"oldText", "    indented line"}, {"newText", "z"}});
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.message,
              HasSubstr("the nearest is at line 2: line 2 has other blanks. There stands:\n\tindented line"));
  EXPECT_THAT(Failure("Edit", {{"file", "a"}, {"oldText", "qqqq"}, {"newText", "z"}}).message,
              HasSubstr("no part of it is similar"));
}

TEST_F(EditFileTest, KeepsEncodingAndMode) {
  Put("a", "\xFF\xFE" + std::string("a\0b\0", 4));
  chmod(PathTo("a").c_str(), 0600);
  Call("Edit", {{"file", "a"}, {"oldText", "b"}, {"newText", "\xE2\x82\xAC"}});
  EXPECT_EQ(Content("a"), "\xFF\xFE" + std::string("a\0\xAC\x20", 4));
  EXPECT_EQ(Mode("a"), 0600u);
  Put("latin", "\xFC");
  const ToolError error = Failure("Edit", {{"file", "latin"}, {"oldText", "\xC3\xBC"}, {"newText", "\xE2\x82\xAC"}});
  EXPECT_EQ(error.code, ErrorCode::kInvalidParams);
  EXPECT_THAT(error.message, HasSubstr("iso-8859-1"));
  EXPECT_EQ(Content("latin"), "\xFC");
}

TEST_F(EditFileTest, ADryRunAndAQuestionShowTheDifference) {
  Put("a", "one\ntwo\n");
  const Json arguments = {{"file", "a"}, {"oldText", "two\n"}, {"newText", "2\n"}};
  EXPECT_EQ(Call("Edit", arguments, storage::CommitMode::kDryRun)["diff"],
            "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
  EXPECT_EQ(Content("a"), "one\ntwo\n");
  EXPECT_THAT(harness_.PreviewOf("Edit", arguments)->summary, HasSubstr("Edit \"a\" (+1 −1 lines)"));
}

TEST_F(EditFileTest, RefusesWhatChangesNothing) {
  Put("a", "one");
  EXPECT_EQ(Failure("Edit", {{"file", "a"}, {"oldText", "one"}, {"newText", "one"}}).code, ErrorCode::kInvalidParams);
  EXPECT_EQ(Failure("Edit", {{"file", "none"}, {"oldText", "a"}, {"newText", "b"}}).code, ErrorCode::kNotFound);
  std::filesystem::create_symlink("a", PathTo("link"));
  EXPECT_EQ(Failure("Edit", {{"file", "link"}, {"oldText", "one"}, {"newText", "b"}}).code, ErrorCode::kForbidden);
}

}  // namespace
}  // namespace toolgate::executors::files
