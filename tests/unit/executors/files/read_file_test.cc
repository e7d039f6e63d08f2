#include "executors/files/read_file.h"

#include "absl/strings/str_cat.h"
#include "executors/outside_quote.h"
#include "tests/unit/executors/files/files_fixture.h"

namespace toolgate::executors::files {
namespace {

using ::testing::HasSubstr;

class ReadFileTest : public FilesFixture {};

TEST_F(ReadFileTest, AnswersAFileAsItIs) {
  Put("a", "one\ntwo\r\nthree");
  const Json data = Call("Read", {{"file", "a"}});
  EXPECT_EQ(data["content"], "one\ntwo\r\nthree");
  EXPECT_EQ(data["totalLines"], 3);
  EXPECT_EQ(data["size"], 14);
  EXPECT_FALSE(data.contains("truncated"));
}

TEST_F(ReadFileTest, AnEmptyFileHasNoLines) {
  Put("a", "");
  const Json data = Call("Read", {{"file", "a"}});
  EXPECT_EQ(data["content"], "");
  EXPECT_EQ(data["totalLines"], 0);
}

TEST_F(ReadFileTest, ReadsPartsThatMakeTheWhole) {
  std::string whole;
  for (int i = 1; i <= 25; ++i) absl::StrAppend(&whole, "line ", i, "\n");
  Put("a", whole);
  std::string parts;
  int64_t offset = 1;
  for (int i = 0; i < 10; ++i) {
    const Json data = Call("Read", {{"file", "a"}, {"offset", offset}, {"limit", 10}});
    parts += data["content"].get<std::string>();
    if (!data.contains("nextOffset")) break;
    EXPECT_EQ(data["truncated"], true);
    offset = data["nextOffset"].get<int64_t>();
  }
  EXPECT_EQ(parts, whole);
  EXPECT_EQ(Failure("Read", {{"file", "a"}, {"offset", 26}}).code, ErrorCode::kInvalidParams);
}

TEST_F(ReadFileTest, LongAnswersSayWhereToReadOn) {
  std::string whole;
  for (int i = 0; i < 20'000; ++i) absl::StrAppend(&whole, "a line of some length, number ", i, "\n");
  Put("a", whole);
  const Json data = Call("Read", {{"file", "a"}});
  const auto& content = data["content"].get_ref<const std::string&>();
  EXPECT_LE(content.size(), 262'144u);
  EXPECT_GT(content.size(), 262'000u);
  EXPECT_EQ(content.back(), '\n');
  EXPECT_EQ(data["truncated"], true);
  const Json rest = Call("Read", {{"file", "a"}, {"offset", data["nextOffset"]}, {"limit", 1}});
  EXPECT_EQ(rest["content"], absl::StrCat("a line of some length, number ", data["nextOffset"].get<int>() - 1, "\n"));
}

TEST_F(ReadFileTest, ALineThatIsTooLongIsCutAndMarked) {
  Put("a", std::string(300'000, 'x') + "\nnext\n");
  const Json data = Call("Read", {{"file", "a"}});
  EXPECT_EQ(data["content"].get_ref<const std::string&>().size(), 262'144u);
  EXPECT_EQ(data["lineCut"], true);
  EXPECT_EQ(data["nextOffset"], 2);
}

TEST_F(ReadFileTest, ALineThatIsCutCanBeReadOn) {
  std::string line;
  for (int i = 0; line.size() < 600'000; ++i) absl::StrAppend(&line, "é", i, ",");
  Put("a", absl::StrCat("first\n", line, "\nlast\n"));
  std::string whole;
  Json data;
  int64_t column = 1;
  do {
    data = Call("Read", {{"file", "a"}, {"offset", 2}, {"column", column}});
    whole += data["content"].get_ref<const std::string&>();
    column = data.value("nextColumn", int64_t{0});
  } while (column > 0);
  EXPECT_EQ(whole, absl::StrCat(line, "\nlast\n"));
  EXPECT_FALSE(data.contains("truncated"));

  EXPECT_EQ(Call("Read", {{"file", "a"}, {"column", 5}, {"limit", 1}})["content"], "t\n");
  EXPECT_EQ(Call("Read", {{"file", "a"}, {"column", 6}, {"limit", 1}})["content"], "\n");
  const ToolError beyond = Failure("Read", {{"file", "a"}, {"column", 7}});
  EXPECT_EQ(beyond.code, ErrorCode::kInvalidParams);
  EXPECT_THAT(beyond.message, HasSubstr("line 1 has 5 characters"));
}

TEST_F(ReadFileTest, RecognisesEncodings) {
  Put("latin", "gr\xFC\xDF");
  EXPECT_EQ(Call("Read", {{"file", "latin"}})["content"], "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(Call("Read", {{"file", "latin"}})["encoding"], "iso-8859-1");
}

TEST_F(ReadFileTest, GivesClearAnswersWhereItCannotRead) {
  Put("binary", std::string("\x89PNG\0\0", 6));
  EXPECT_THAT(Failure("Read", {{"file", "binary"}}).message, HasSubstr("a binary file of 6 bytes"));
  std::filesystem::create_directories(PathTo("folder"));
  EXPECT_THAT(Failure("Read", {{"file", "folder"}}).message, HasSubstr("is a folder"));
  EXPECT_EQ(Failure("Read", {{"file", "none"}}).code, ErrorCode::kNotFound);
  EXPECT_EQ(Failure("Read", {{"file", "../x"}}).code, ErrorCode::kInvalidParams);
  Put(".env", "SECRET=1");
  Put(".env.test.example", "SECRET=");
  EXPECT_EQ(Call("Read", {{"file", ".env.test.example"}})["content"], "SECRET=");
  EXPECT_EQ(Failure("Read", {{"file", ".env"}}).code, ErrorCode::kForbidden);
  std::ofstream(PathTo("huge")).seekp(20 << 20).put('x');
  EXPECT_THAT(Failure("Read", {{"file", "huge"}}).message, HasSubstr("tools take in files of up to 16 MiB"));
}

TEST_F(ReadFileTest, TellsTheBytesThatAreNotUtf8) {
  Put("a", "caf\xC3\xA9\n\x96 \xE9\n");
  const Json data = Call("Read", {{"file", "a"}});
  EXPECT_EQ(data["encoding"], "utf-8");
  EXPECT_EQ(data["content"], "café\n\uFFFD \uFFFD\n");
  EXPECT_EQ(data["strayBytes"], 2);
  EXPECT_EQ(data["strays"], Json({{{"line", 2}, {"byte", "0x96"}, {"windows1252", "–"}},
                                  {{"line", 2}, {"byte", "0xE9"}, {"windows1252", "é"}}}));
}

TEST_F(ReadFileTest, Windows1252IsReadInItsCharacters) {
  Put("a", "\x93\x80 5\x94\n");
  const Json data = Call("Read", {{"file", "a"}});
  EXPECT_EQ(data["encoding"], "windows-1252");
  EXPECT_EQ(data["content"], "“€ 5”\n");
}

TEST_F(ReadFileTest, APathThatBashPrintsIsUnderstood) {
  Put("src/a.py", "pass\n");
  Put("workspace/b.py", "import a\n");
  EXPECT_EQ(Call("Read", {{"file", "/workspace/src/a.py"}})["content"], "pass\n");
  EXPECT_EQ(Call("Read", {{"file", "workspace/b.py"}})["content"], "import a\n");
  EXPECT_EQ(Call("Read", {{"file", "/workspace/workspace/b.py"}})["content"], "import a\n");
  EXPECT_EQ(Failure("Read", {{"file", "/workspace"}}).code, ErrorCode::kInvalidParams);
  EXPECT_EQ(Failure("Read", {{"file", "/workspacex/a"}}).code, ErrorCode::kInvalidParams);
  EXPECT_EQ(Failure("Read", {{"file", "/workspace/../etc/passwd"}}).code, ErrorCode::kInvalidParams);
}

TEST_F(ReadFileTest, AFileIsFoundByANameThatLooksTheSame) {
  Put("Cafe\u0301.txt", "nfd");
  Put("Screenshot 3.04.12\u202FPM.txt", "blank");
  const Json data = Call("Read", {{"file", "Caf\u00E9.txt"}});
  EXPECT_EQ(data["content"], "nfd");
  EXPECT_EQ(data["file"], "Cafe\u0301.txt");
  EXPECT_EQ(Call("Read", {{"file", "Screenshot 3.04.12 PM.txt"}})["content"], "blank");
  EXPECT_FALSE(Call("Read", {{"file", "Cafe\u0301.txt"}}).contains("file")) << "by its own name";
  Put("Caf\u00E9.txt", "nfc");
  EXPECT_EQ(Call("Read", {{"file", "Caf\u00E9.txt"}})["content"], "nfc");
}

TEST_F(ReadFileTest, TheNearestNameIsTold) {
  Put("src/main.cc", "x");
  const ToolError error = Failure("Read", {{"file", "src/mian.cc"}});
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.message, HasSubstr("\"src/mian.cc\" does not exist; did you mean \"src/main.cc\"?"));
  EXPECT_TRUE(QuotesOutside(error));
  EXPECT_FALSE(QuotesOutside(Failure("Read", {{"file", "other"}})));
}

}  // namespace
}  // namespace toolgate::executors::files
