#include "executors/directory/name_search.h"

#include <optional>
#include <string>

#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"
#include "executors/outside_quote.h"
#include "gmock/gmock.h"
#include "tests/unit/executors/directory/directory_fixture.h"

namespace toolgate::executors::directory {
namespace {

using ::testing::HasSubstr;

class NameSearchTest : public DirectoryFixture {
 protected:
  std::string Found(std::string_view path) {
    const absl::StatusOr<std::string> found = FindAlike(*directory_, path);
    return found.ok() ? *found : std::string(found.status().message());
  }
  ToolError Nearest(std::string_view path) {
    return GetToolError(WithNearest(*directory_, path, PathError(ErrorCode::kNotFound, path, "does not exist")))
        .value_or(ToolError());
  }
};

TEST_F(NameSearchTest, AnExactNameComesFirst) {
  Put("caf\u00E9", "nfc");
  Put("cafe\u0301", "nfd");
  EXPECT_EQ(Found("caf\u00E9"), "caf\u00E9");
  EXPECT_EQ(Found("cafe\u0301"), "cafe\u0301");
  EXPECT_TRUE(RefuseAlike(*directory_, "caf\u00E9").ok());
}

TEST_F(NameSearchTest, EachFolderOfAPathIsSearched) {
  Put("U\u0308ben/a\u00A0b/o\u0308.txt", "x");
  EXPECT_EQ(Found("\u00DCben/a b/\u00F6.txt"), "U\u0308ben/a\u00A0b/o\u0308.txt");
  EXPECT_EQ(Found("\u00DCben/a b/new/\u00F6.txt"), "U\u0308ben/a\u00A0b/new/\u00F6.txt");
  EXPECT_EQ(Found("other/a b"), "other/a b");
  Link("U\u0308ben", "link");
  EXPECT_EQ(Found("link/a b"), "link/a\u00A0b");
}

TEST_F(NameSearchTest, SeveralNamesThatLookTheSameAreQuoted) {
  Put("a\u00A0b", "1");
  Put("a\u202Fb", "2");
  const auto error = GetToolError(FindAlike(*directory_, "a b").status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kConflict);
  EXPECT_THAT(error->message, HasSubstr("\"a\\u00a0b\""));
  EXPECT_THAT(error->message, HasSubstr("\"a\\u202fb\""));
  EXPECT_TRUE(QuotesOutside(*error));
}

TEST_F(NameSearchTest, NothingIsFoundBehindTheDenyListOrOutside) {
  Put(".ssh/cafe\u0301", "x");
  EXPECT_EQ(Found(".ssh/caf\u00E9"), ".ssh/caf\u00E9");
  Put("cafe\u0301.key", "x");
  EXPECT_EQ(Found("caf\u00E9.key"), "caf\u00E9.key");
  Link("..", "out");
  EXPECT_EQ(Found("out/work"), "out/work");
}

TEST_F(NameSearchTest, TellsTheNearestName) {
  Put("src/main.cc", "x");
  Put("README.md", "x");
  Put("secret.key", "x");
  EXPECT_THAT(Nearest("readme.md").message, HasSubstr("did you mean \"README.md\"?"));
  EXPECT_THAT(Nearest("scr/main.cc").message, HasSubstr("did you mean \"src\"?"));
  EXPECT_THAT(Nearest("src/main.c").message, HasSubstr("did you mean \"src/main.cc\"?"));
  EXPECT_TRUE(QuotesOutside(Nearest("src/main.c")));
  EXPECT_EQ(Nearest("secre.key").message, "\"secre.key\" does not exist");
  EXPECT_EQ(Nearest("quite/different").message, "\"quite/different\" does not exist");
}

}  // namespace
}  // namespace toolgate::executors::directory
