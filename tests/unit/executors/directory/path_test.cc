#include "executors/directory/path.h"

#include <optional>
#include <string>
#include <vector>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::directory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Canonical(std::string_view written) { return ParseFilePath("file", written).value_or("(refused)"); }

TEST(PathTest, ReadsOnePathInOneWay) {
  struct Row {
    std::string_view written;
    std::string_view canonical;
  };
  for (const Row& row : std::vector<Row>{{"a", "a"},
                                         {"a/b.txt", "a/b.txt"},
                                         {"./a//b/./c", "a/b/c"},
                                         {"a b/ c ", "a b/ c "},
                                         {"a'", "a'"},
                                         {"\"a\"", "\"a\""},
                                         {"..\\..\\etc", "..\\..\\etc"},
                                         {"%2e%2e/x", "%2e%2e/x"},
                                         {"...", "..."},
                                         {"..a/b..", "..a/b.."},
                                         {"~/x", "~/x"},
                                         {"C:/x", "C:/x"},
                                         {"/workspace/src/a.py", "src/a.py"},
                                         {"/workspace//src/./a.py", "src/a.py"},
                                         {"/workspace/workspace/a", "workspace/a"},
                                         {"workspace/a", "workspace/a"},
                                         {"./workspace/a", "workspace/a"},
                                         {"\xC3\xBC", "\xC3\xBC"}}) {
    EXPECT_EQ(Canonical(row.written), row.canonical) << row.written;
  }
}

TEST(PathTest, RefusesWhatIsNoPathBelowTheDirectory) {
  const std::string long_name(256, 'x');
  std::string long_path = "a";
  while (long_path.size() <= kMaxPathBytes) long_path += "/a";
  for (const std::string& written : {std::string(),
                                     std::string("/"),
                                     std::string("/etc/passwd"),
                                     std::string("//a"),
                                     std::string("/workspace"),
                                     std::string("/workspace/"),
                                     std::string("/workspace/a/"),
                                     std::string("/workspaceX/a"),
                                     std::string("/Workspace/a"),
                                     std::string("/workspace/../etc/passwd"),
                                     std::string("//workspace/a"),
                                     std::string(".."),
                                     std::string("a/.."),
                                     std::string("a/../b"),
                                     std::string("../a"),
                                     std::string("./../a"),
                                     std::string("a/"),
                                     std::string("a/."),
                                     std::string("."),
                                     std::string("./"),
                                     std::string("a\0b", 3),
                                     std::string("a\nb"),
                                     std::string("a\x7F"),
                                     std::string("\xFF"),
                                     std::string("a\xC0\xAE\xC0\xAE/b"),
                                     long_name,
                                     long_path}) {
    const auto path = ParseFilePath("file", written);
    ASSERT_FALSE(path.ok()) << written;
    const auto error = GetToolError(path.status());
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code, ErrorCode::kInvalidParams);
    ASSERT_EQ(error->violations.size(), 1u);
    EXPECT_EQ(error->violations[0].path, "file");
  }
}

TEST(PathTest, AFolderMayBeTheDirectoryItself) {
  EXPECT_EQ(ParseFolderPath("cwd", ".").value(), "");
  EXPECT_EQ(ParseFolderPath("cwd", "./").value(), "");
  EXPECT_EQ(ParseFolderPath("cwd", "a/b/").value(), "a/b");
  EXPECT_FALSE(ParseFolderPath("cwd", "").ok());
  EXPECT_EQ(ParseFolderPath("cwd", "/workspace").value(), "");
  EXPECT_EQ(ParseFolderPath("cwd", "/workspace/").value(), "");
  EXPECT_EQ(ParseFolderPath("cwd", "/workspace/a/b/").value(), "a/b");
  EXPECT_FALSE(ParseFolderPath("cwd", "/workspaces").ok());
  EXPECT_FALSE(ParseFolderPath("cwd", "/workspace/..").ok());
  EXPECT_FALSE(ParseFolderPath("cwd", "/").ok());
  EXPECT_FALSE(ParseFolderPath("cwd", "a/../..").ok());
}

TEST(PathTest, CanonicalNamesMayHaveAnyBytes) {
  EXPECT_TRUE(IsCanonical("a/\xFF\n"));
  for (const std::string_view path : {"", "/a", "a/", "a//b", ".", "a/./b", "a/..", ".."}) {
    EXPECT_FALSE(IsCanonical(path)) << path;
  }
  EXPECT_FALSE(IsCanonical(std::string_view("a\0", 2)));
}

TEST(PathTest, TakesPathsApart) {
  EXPECT_EQ(ParentOf("a/b/c"), "a/b");
  EXPECT_EQ(ParentOf("a"), "");
  EXPECT_EQ(NameOf("a/b/c"), "c");
  EXPECT_EQ(NameOf("a"), "a");
  EXPECT_EQ(JoinPath("", "a"), "a");
  EXPECT_EQ(JoinPath("a/b", "c"), "a/b/c");
  EXPECT_THAT(ComponentsOf("a/b"), ElementsAre("a", "b"));
  EXPECT_THAT(ComponentsOf(""), IsEmpty());
}

TEST(PathTest, PlainNamesAreOneComponentAnywhere) {
  for (const char* const plain : {"a", "Z-9_.b", "a..b", "x."}) EXPECT_TRUE(IsPlainName(plain, 6)) << plain;
  for (const char* const other : {"", ".", "..", ".a", "a/b", "a b", "a\\b", "a:b", "\xC3\xA4", "1234567"}) {
    EXPECT_FALSE(IsPlainName(other, 6)) << other;
  }
}

TEST(PathTest, ShowsOddNamesSafely) {
  EXPECT_EQ(ShownPath("a\x1b[2Jb"), "a?[2Jb");
  EXPECT_EQ(ShownPath("\xFFx"), "?x");
  EXPECT_EQ(ShownPath("\xC3\xBC"), "\xC3\xBC");
}

TEST(PathTest, IsAsDeepAsToolsReach) {
  std::string deepest = "a";
  for (size_t i = 1; i < kMaxComponents; ++i) deepest += "/a";
  EXPECT_EQ(ParseFilePath("file", "./" + deepest).value(), deepest);
  EXPECT_FALSE(IsOutOfReach(deepest));
  EXPECT_TRUE(IsOutOfReach(deepest + "/a"));
  for (const absl::Status& status :
       {ParseFilePath("file", deepest + "/a").status(), ParseFolderPath("cwd", deepest + "/a/").status()}) {
    const std::optional<ToolError> error = GetToolError(status);
    ASSERT_TRUE(error.has_value()) << status;
    EXPECT_EQ(error->code, ErrorCode::kInvalidParams);
    EXPECT_THAT(error->message, HasSubstr("more than 100 components"));
  }
  EXPECT_EQ(DepthOf(""), 0U);
  EXPECT_EQ(DepthOf("a/b"), 2U);
}

}  // namespace
}  // namespace toolgate::executors::directory
