#include "executors/files/write_file.h"

#include "tests/unit/executors/files/files_fixture.h"

namespace toolgate::executors::files {
namespace {

using ::testing::HasSubstr;

class WriteFileTest : public FilesFixture {};

TEST_F(WriteFileTest, MakesAFileAndItsFolders) {
  const Json data = Call("Write", {{"file", "a/b/c.txt"}, {"content", "text"}});
  EXPECT_EQ(data, Json({{"bytes", 4}, {"created", true}}));
  EXPECT_EQ(Content("a/b/c.txt"), "text");
  EXPECT_EQ(Mode("a/b/c.txt") & 0133, 0u);
  EXPECT_EQ(harness_.description(), "Created a/b/c.txt");
  ASSERT_EQ(harness_.changes().effects.size(), 1u);
  EXPECT_EQ(harness_.changes().effects[0].kind, directory::kFilesEffect);
}

TEST_F(WriteFileTest, KeepsTheModeOfAFile) {
  Put("run.sh", "old");
  chmod(PathTo("run.sh").c_str(), 0750);
  EXPECT_EQ(Call("Write", {{"file", "run.sh"}, {"content", "new"}})["created"], false);
  EXPECT_EQ(Content("run.sh"), "new");
  EXPECT_EQ(Mode("run.sh"), 0750u);
}

TEST_F(WriteFileTest, ADryRunShowsTheDifferenceAndChangesNothing) {
  Put("a", "one\ntwo\n");
  const Json data = Call("Write", {{"file", "a"}, {"content", "one\n2\n"}}, storage::CommitMode::kDryRun);
  EXPECT_EQ(data["diff"], "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
  EXPECT_EQ(Content("a"), "one\ntwo\n");
  EXPECT_FALSE(std::filesystem::exists(PathTo(".toolgate")));
}

TEST_F(WriteFileTest, AQuestionShowsTheDifference) {
  Put("a", "one\ntwo\n");
  const auto preview = harness_.PreviewOf("Write", {{"file", "a"}, {"content", "one\n2\n"}});
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_TRUE(preview->needs_confirmation);
  EXPECT_THAT(preview->summary, HasSubstr("Overwrite \"a\" (+1 −1 lines)"));
  ASSERT_TRUE(preview->change.has_value());
  EXPECT_THAT(preview->change->text, HasSubstr("--- a/a\n"));
  EXPECT_THAT(preview->change->text, HasSubstr("-two\n+2\n"));
  EXPECT_TRUE(preview->change->may_be_cut);
  EXPECT_EQ(preview->undo_summary, "Undo brings the old content back.");
  const std::string digest = preview->state_digest;
  Put("a", "one\nother\n");
  EXPECT_NE(harness_.PreviewOf("Write", {{"file", "a"}, {"content", "one\n2\n"}})->state_digest, digest);
  EXPECT_THAT(harness_.PreviewOf("Write", {{"file", "new"}, {"content", "x"}})->summary,
              HasSubstr("Create the new file \"new\""));
}

TEST_F(WriteFileTest, AVeryLongDifferenceIsToldByItsLengthAndDigest) {
  const auto preview = harness_.PreviewOf("Write", {{"file", "a"}, {"content", std::string(1'000'000, '\n')}});
  ASSERT_TRUE(preview.ok());
  EXPECT_TRUE(preview->change->is_cut);
  EXPECT_THAT(preview->change->whole, HasSubstr("1000000 bytes of new content (+1000000 −0 lines), SHA-256 "));
}

TEST_F(WriteFileTest, AScriptIsNotShownInPart) {
  EXPECT_FALSE(harness_.PreviewOf("Write", {{"file", "a"}, {"content", "#!/bin/sh\nls\n"}})->change->may_be_cut);
}

TEST_F(WriteFileTest, DoesNotWriteThroughLinksInTheLastPlace) {
  Put("real", "old");
  std::filesystem::create_symlink("real", PathTo("link"));
  std::filesystem::create_directories(PathTo("folder"));
  std::filesystem::create_symlink("folder", PathTo("to_folder"));
  EXPECT_EQ(Failure("Write", {{"file", "link"}, {"content", "x"}}).code, ErrorCode::kForbidden);
  EXPECT_EQ(Failure("Write", {{"file", "folder"}, {"content", "x"}}).code, ErrorCode::kForbidden);
  EXPECT_EQ(Content("real"), "old");
  Call("Write", {{"file", "to_folder/new"}, {"content", "x"}});
  EXPECT_EQ(Content("folder/new"), "x");
}

TEST_F(WriteFileTest, RefusesPathsThatLeadOutAndTheDenied) {
  std::filesystem::create_symlink("../../outside", PathTo("out"));
  std::filesystem::create_directories(harness_.files() + "/outside");
  EXPECT_EQ(Failure("Write", {{"file", "out/x"}, {"content", "x"}}).code, ErrorCode::kForbidden);
  EXPECT_EQ(Failure("Write", {{"file", "/tmp/x"}, {"content", "x"}}).code, ErrorCode::kInvalidParams);
  EXPECT_EQ(Failure("Write", {{"file", ".git/hooks/post-commit"}, {"content", "x"}}).code, ErrorCode::kForbidden);
  EXPECT_EQ(Failure("Write", {{"file", "deploy.pem"}, {"content", "x"}}).code, ErrorCode::kForbidden);
}

TEST_F(WriteFileTest, TheSameContentChangesNothing) {
  Put("a", "same");
  chmod(PathTo("a").c_str(), 0644);
  EXPECT_EQ(Call("Write", {{"file", "a"}, {"content", "same"}})["bytes"], 4);
  EXPECT_TRUE(harness_.changes().empty());
}

TEST_F(WriteFileTest, ReplacesABinaryFileWithoutShowingIt) {
  Put("a", std::string("\0\1\2", 3));
  EXPECT_EQ(Call("Write", {{"file", "a"}, {"content", "x"}}, storage::CommitMode::kDryRun)["diff"],
            "replaces a binary file");
}

TEST_F(WriteFileTest, WritesWhatWasGivenAndTellsWhatChangedBesidesTheText) {
  Put("a", "one\r\ntwo\r\n");
  EXPECT_EQ(Call("Write", {{"file", "a"}, {"content", "one\n2\n"}})["formChanged"], "line ends CRLF to LF");
  EXPECT_EQ(Content("a"), "one\n2\n");
  EXPECT_FALSE(Call("Write", {{"file", "a"}, {"content", "one\n"}}).contains("formChanged"));
  Put("b", "\x80 5\n");
  EXPECT_EQ(Call("Write", {{"file", "b"}, {"content", "€ 6\n"}})["formChanged"], "encoding windows-1252 to utf-8");
}

TEST_F(WriteFileTest, DoesNotLoseStrayBytes) {
  Put("a", "é\n\xE9\n");
  const ToolError error = Failure("Write", {{"file", "a"}, {"content", "é\n\uFFFD\nmore\n"}});
  EXPECT_EQ(error.code, ErrorCode::kInvalidParams);
  EXPECT_THAT(error.message, HasSubstr("0xE9 in line 2"));
  EXPECT_EQ(Content("a"), "é\n\xE9\n");
  Call("Write", {{"file", "a"}, {"content", "é\né\n"}});
}

TEST_F(WriteFileTest, MakesNoSecondNameThatLooksTheSame) {
  Put("Cafe\u0301/menu.txt", "old");
  for (const char* const name : {"Caf\u00E9/menu.txt", "Caf\u00E9/new.txt", "Cafe\u0301/menu.txt\u00A0"}) {
    if (std::string(name).ends_with("\u00A0")) Put("Cafe\u0301/menu.txt ", "blank");
    const ToolError error = Failure("Write", {{"file", name}, {"content", "x"}});
    EXPECT_EQ(error.code, ErrorCode::kConflict) << name;
    EXPECT_THAT(error.message, HasSubstr("Cafe\\u0301/")) << name;
  }
  Call("Write", {{"file", "Cafe\u0301/menu.txt"}, {"content", "new"}});
  EXPECT_EQ(Content("Cafe\u0301/menu.txt"), "new");
}

TEST_F(WriteFileTest, APathThatBashPrintsIsUnderstood) {
  Call("Write", {{"file", "/workspace/src/a.py"}, {"content", "pass\n"}});
  EXPECT_EQ(Content("src/a.py"), "pass\n");
}

}  // namespace
}  // namespace toolgate::executors::files
