#include "executors/files/read_file.h"

#include "absl/strings/str_cat.h"
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
  EXPECT_EQ(Failure("Read", {{"file", ".env"}}).code, ErrorCode::kForbidden);
  std::ofstream(PathTo("huge")).seekp(20 << 20).put('x');
  EXPECT_THAT(Failure("Read", {{"file", "huge"}}).message, HasSubstr("tools take in files of up to 16 MiB"));
}

}  // namespace
}  // namespace toolgate::executors::files
