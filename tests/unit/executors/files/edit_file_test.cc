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
  EXPECT_THAT(error.message, HasSubstr("the nearest is at line 2: line 2 has other blanks. It is:\n\tindented line"));
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

TEST_F(EditFileTest, AUtf8FileWithAStrayByteStaysUtf8) {
  Put("a", "na\xC3\xAFve \xE9\nend\n");
  Call("Edit", {{"file", "a"}, {"oldText", "end"}, {"newText", "è fin"}});
  EXPECT_EQ(Content("a"), "na\xC3\xAFve \xE9\n\xC3\xA8 fin\n");
  // Around the stray byte, which is shown as U+FFFD.
  Call("Edit", {{"file", "a"}, {"oldText", "naïve \uFFFD\nè"}, {"newText", "naïf \uFFFD\nà"}});
  EXPECT_EQ(Content("a"),
            "na\xC3\xAF"
            "f \xE9\n\xC3\xA0 fin\n");
  // It can be mended, but not copied.
  const ToolError error = Failure("Edit", {{"file", "a"}, {"oldText", "fin"}, {"newText", "fin \uFFFD"}});
  EXPECT_EQ(error.code, ErrorCode::kInvalidParams);
  EXPECT_THAT(error.message, HasSubstr("U+FFFD"));
  Call("Edit", {{"file", "a"}, {"oldText", "naïf \uFFFD"}, {"newText", "naïf é"}});
  EXPECT_EQ(Content("a"),
            "na\xC3\xAF"
            "f \xC3\xA9\n\xC3\xA0 fin\n");
}

TEST_F(EditFileTest, StrayBytesKeepTheirPlacesAmongOthers) {
  Put("a", "é \xE1 x \xE2 x \xE3 \uFFFD x é\n");
  Call("Edit", {{"file", "a"}, {"oldText", "x"}, {"newText", "çç"}, {"replaceAll", true}});
  EXPECT_EQ(Content("a"), "é \xE1 çç \xE2 çç \xE3 \uFFFD çç é\n");
  Call("Edit", {{"file", "a"}, {"oldText", "\uFFFD çç \uFFFD çç"}, {"newText", "\uFFFD çç \uFFFD ß"}});
  EXPECT_EQ(Content("a"), "é \xE1 çç \xE2 ß \xE3 \uFFFD çç é\n");
  // The same byte may be anywhere.
  Put("a", "ééé \xE1 x \xE1\n");
  Call("Edit", {{"file", "a"}, {"oldText", "\uFFFD x \uFFFD"}, {"newText", "[\uFFFD|\uFFFD]"}});
  EXPECT_EQ(Content("a"), "ééé [\xE1|\xE1]\n");
}

TEST_F(EditFileTest, StrayBytesAreNotExchanged) {
  const struct {
    std::string bytes;
    std::string from;
    std::string to;
  } rows[] = {
      {"ééé\ncaf\xE9\nd\xE8s\n", "caf\uFFFD\nd\uFFFDs", "d\uFFFDs\ncaf\uFFFD"},
      {"ééé\ncaf\xE9\r\nd\xE8s\r\n", "caf\uFFFD\nd\uFFFDs", "d\uFFFDs\ncaf\uFFFD"},
      {"ééé\ncaf\xE9\nd\xE8s\n", "caf\uFFFD\nd\uFFFDs", "x\uFFFDs\ny\uFFFD"},
      {"ééé \xE9p \xE8q\n", "\uFFFDp \uFFFDq", "\uFFFDq \uFFFDp"},
      {"ééé a\xE9 b\xE8\n", "a\uFFFD b\uFFFD", "b\uFFFD a\uFFFD"},
      {"ééé\n\xE9tat\n\xE8re\n", "\uFFFDtat\n\uFFFDre", "\uFFFDre\n\uFFFDtat"},
      {"ééé\na\xE9\nb\uFFFD\n", "a\uFFFD\nb\uFFFD", "b\uFFFD\na\uFFFD"},
      {"ééé\na\xE9\nx\nb\xE8\n", "a\uFFFD\nx\nb\uFFFD", "b\uFFFD\nx\na\uFFFD"},
  };
  for (const auto& row : rows) {
    Put("a", row.bytes);
    const ToolError error = Failure("Edit", {{"file", "a"}, {"oldText", row.from}, {"newText", row.to}});
    EXPECT_EQ(error.code, ErrorCode::kInvalidParams) << row.to;
    EXPECT_THAT(error.message, HasSubstr("U+FFFD"));
    EXPECT_EQ(Content("a"), row.bytes) << row.to;
  }
}

TEST_F(EditFileTest, LinesWithDifferentStrayBytesAreEditedBehindThemAndOneByOne) {
  Put("a", "ééé\ncaf\xE9 1\nd\xE8s 1\n");
  Call("Edit", {{"file", "a"}, {"oldText", "caf\uFFFD 1\nd\uFFFDs 1"}, {"newText", "caf\uFFFD 2\nnew\nd\uFFFDs 2"}});
  EXPECT_EQ(Content("a"), "ééé\ncaf\xE9 2\nnew\nd\xE8s 2\n");
  Call("Edit", {{"file", "a"}, {"oldText", "d\uFFFDs 2"}, {"newText", "caf\uFFFD 2"}});
  EXPECT_EQ(Content("a"), "ééé\ncaf\xE9 2\nnew\ncaf\xE8 2\n");
}

TEST_F(EditFileTest, Windows1252IsEditedInItsCharacters) {
  Put("a", "\x93quoted\x94 \x96 5 \x80\n");
  Call("Edit", {{"file", "a"}, {"oldText", "“quoted” – 5 €"}, {"newText", "„zitiert“ — 6 €"}});
  EXPECT_EQ(Content("a"), "\x84zitiert\x93 \x97 6 \x80\n");
  const ToolError error = Failure("Edit", {{"file", "a"}, {"oldText", "6"}, {"newText", "a\n6 č"}});
  EXPECT_EQ(error.code, ErrorCode::kInvalidParams);
  EXPECT_THAT(error.message, HasSubstr("\"č\" (U+010D) in its line 2"));
  EXPECT_THAT(error.message, HasSubstr("windows-1252"));
}

TEST_F(EditFileTest, AnEditThatWouldChangeTheEncodingIsRefused) {
  Put("a", "\xC3 \xA9 b\n");
  const ToolError error = Failure("Edit", {{"file", "a"}, {"oldText", "Ã © b"}, {"newText", "Ã© b"}});
  EXPECT_EQ(error.code, ErrorCode::kInvalidParams);
  EXPECT_EQ(Content("a"), "\xC3 \xA9 b\n");
}

TEST_F(EditFileTest, LinesWithLfMatchAFileWithCrlf) {
  Put("a", "one\r\ntwo\r\nthree\r\nlast");
  EXPECT_EQ(Call("Edit", {{"file", "a"}, {"oldText", "two\nthree\n"}, {"newText", "2\n2.5\n3\n"}})["line"], 2);
  EXPECT_EQ(Content("a"), "one\r\n2\r\n2.5\r\n3\r\nlast");
  Call("Edit", {{"file", "a"}, {"oldText", "one"}, {"newText", "zero\none"}});
  EXPECT_EQ(Content("a"), "zero\r\none\r\n2\r\n2.5\r\n3\r\nlast");
  Call("Edit", {{"file", "a"}, {"oldText", "last"}, {"newText", "last\nend\n"}});
  EXPECT_EQ(Content("a"), "zero\r\none\r\n2\r\n2.5\r\n3\r\nlast\r\nend\r\n");
  Call("Edit", {{"file", "a"}, {"oldText", "\n2"}, {"newText", ""}, {"replaceAll", true}});
  EXPECT_EQ(Content("a"), "zero\r\none.5\r\n3\r\nlast\r\nend\r\n");
}

TEST_F(EditFileTest, LineEndsThatAreWrittenOutAreTakenAsTheyAre) {
  Put("a", "one\r\ntwo\r\n");
  Call("Edit", {{"file", "a"}, {"oldText", "one\r\n"}, {"newText", "one\n"}});
  EXPECT_EQ(Content("a"), "one\ntwo\r\n");
  Call("Edit", {{"file", "a"}, {"oldText", "one\ntwo\n"}, {"newText", "one\r\n2\r\n"}});
  EXPECT_EQ(Content("a"), "one\r\n2\r\n");
}

TEST_F(EditFileTest, MixedLineEndsStayWhereNothingIsEdited) {
  Put("a", "a\r\nb\nc\r\nd\ne");
  Call("Edit", {{"file", "a"}, {"oldText", "a\nb\nc\nd\n"}, {"newText", "A\nb\nC\nD\n"}});
  EXPECT_EQ(Content("a"), "A\r\nb\nC\r\nD\ne");
  Call("Edit", {{"file", "a"}, {"oldText", "b\nC\n"}, {"newText", "b\nnew\nC\n"}});
  EXPECT_EQ(Content("a"), "A\r\nb\nnew\nC\r\nD\ne");
  Call("Edit", {{"file", "a"}, {"oldText", "C\n"}, {"newText", "C\nmore\n"}});
  EXPECT_EQ(Content("a"), "A\r\nb\nnew\nC\r\nmore\r\nD\ne");
  Call("Edit", {{"file", "a"}, {"oldText", "D\ne"}, {"newText", "D\ne\n"}});
  EXPECT_EQ(Content("a"), "A\r\nb\nnew\nC\r\nmore\r\nD\ne\n");
}

TEST_F(EditFileTest, TheNearestLinesOfAFileWithCrlfAreShownWithoutIt) {
  Put("a", "first\r\n\tindented line\r\nlast\r\n");
  const ToolError error = Failure("Edit", {{"file", "a"}, {"oldText", "    indented line\n"}, {"newText", "z"}});
  EXPECT_THAT(error.message, HasSubstr("line 2 has other blanks. It is:\n\tindented line"));
}

TEST_F(EditFileTest, AFileIsFoundByANameThatLooksTheSame) {
  Put("Cafe\u0301/Bildschirmfoto 3.04.12\u202FPM.txt", "one");
  const Json data =
      Call("Edit", {{"file", "Caf\u00E9/Bildschirmfoto 3.04.12 PM.txt"}, {"oldText", "one"}, {"newText", "two"}});
  EXPECT_EQ(data["file"], "Cafe\u0301/Bildschirmfoto 3.04.12\u202FPM.txt");
  EXPECT_EQ(Content("Cafe\u0301/Bildschirmfoto 3.04.12\u202FPM.txt"), "two");
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
