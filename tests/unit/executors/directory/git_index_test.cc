#include "executors/directory/git_index.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::executors::directory {
namespace {

// An index of version 2 with one entry, whose times and inode are `noted`.
std::string Index(char noted, const std::string& name, char object, const std::string& extension = "") {
  std::string entry(24, noted);
  entry += std::string("\0\0\x81\xa4", 4) + std::string(12, noted) + std::string(20, object);
  entry += std::string(1, '\0') + static_cast<char>(name.size()) + name;
  entry.resize((entry.size() / 8 + 1) * 8, '\0');
  return std::string("DIRC\0\0\0\2\0\0\0\1", 12) + entry + extension + std::string(20, noted);
}

TEST(GitIndexTest, WhatIsListedCounts) {
  const std::optional<std::string> digest = IndexDigest(Index('a', "file", 'x'));
  ASSERT_TRUE(digest.has_value());
  EXPECT_EQ(IndexDigest(Index('b', "file", 'x')), digest);
  EXPECT_EQ(IndexDigest(Index('b', "file", 'x', std::string("TREE\0\0\0\2ab", 10))), digest);
  EXPECT_NE(IndexDigest(Index('a', "file", 'y')), digest);
  EXPECT_NE(IndexDigest(Index('a', "filf", 'x')), digest);
}

TEST(GitIndexTest, WhatIsNoWholeIndexHasNone) {
  EXPECT_EQ(IndexDigest(""), std::nullopt);
  EXPECT_EQ(IndexDigest(std::string(200, 'x')), std::nullopt);
  EXPECT_EQ(IndexDigest(Index('a', "file", 'x', std::string("link\0\0\0\2ab", 10))), std::nullopt);
  const std::string whole = Index('a', "file", 'x');
  for (size_t size = 0; size < 84; ++size) EXPECT_EQ(IndexDigest(whole.substr(0, size)), std::nullopt) << size;
}

TEST(GitIndexTest, EntriesAreListed) {
  const std::optional<std::vector<IndexEntry>> entries = ListIndex(Index('a', "file", 'x'), 20);
  ASSERT_TRUE(entries.has_value());
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().path, "file");
  EXPECT_EQ(entries->front().mode, 0100644u);
  EXPECT_TRUE(ListIndex(Index('a', "file", 'x', std::string("TREE\0\0\0\2ab", 10)), 20).has_value());
}

TEST(GitIndexTest, WhatCanBeReadInTwoWaysIsNotListed) {
  const auto is_listed = [](const std::string& index) { return ListIndex(index, 20).has_value(); };
  EXPECT_FALSE(is_listed(""));
  EXPECT_FALSE(is_listed(Index('a', "file", 'x') + "x")) << "something behind the checksum";
  EXPECT_FALSE(is_listed(Index('a', "file", 'x', std::string("link\0\0\0\2ab", 10)))) << "split";
  EXPECT_FALSE(is_listed(Index('a', std::string("file\0x", 6), 'x'))) << "two lengths of the name";
  EXPECT_FALSE(is_listed(Index('a', "file", 'x', std::string("EOIE\0\0\0\4\0\0\0\1", 12)))) << "another end";
  EXPECT_TRUE(is_listed(Index('a', "file", 'x', std::string("EOIE\0\0\0\4\0\0\0\x54", 12))));
  EXPECT_FALSE(is_listed(Index('a', "file", 'x', std::string("IEOT\0\0\0\x0c\0\0\0\1\0\0\0\x20\0\0\0\1", 20))));
  EXPECT_TRUE(is_listed(Index('a', "file", 'x', std::string("IEOT\0\0\0\x0c\0\0\0\1\0\0\0\x0c\0\0\0\1", 20))));
  const std::string whole = Index('a', "file", 'x');
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(is_listed(whole.substr(0, size))) << size;
}

TEST(GitIndexTest, WhatGitIsNotToCheckOutIsToldByItsName) {
  const auto is_safe = [](const std::string& path) { return IsSafeInIndex({path, 0100644}); };
  for (const char* path : {".git",
                           ".git/x",
                           "a/.git/hooks/x",
                           ".GIT/x",
                           "a/.giT",
                           "git~1",
                           "GIT~1/x",
                           ".git./x",
                           ".git /x",
                           ".git . ./x",
                           ".git:x/y",
                           ".git::$INDEX_ALLOCATION/x",
                           ".g\u200Cit/x",
                           "\uFEFF.git/x",
                           ".gi\u206At/x",
                           "a\\.git\\x",
                           ".git\\x",
                           "..",
                           "../x",
                           "a/../b",
                           ".",
                           "./a",
                           "/a",
                           "",
                           "a//b",
                           "a/"}) {
    EXPECT_FALSE(is_safe(path)) << path;
  }
  for (const char* path :
       {"a", "a/b", ".gitignore", ".gitmodules", "git", "a.git", "a/git~2", "...", "x/.github/y", "a:b", " ", "a\\b"}) {
    EXPECT_TRUE(is_safe(path)) << path;
  }
  EXPECT_TRUE(IsSafeInIndex({"folder/", 040000})) << "of a sparse index";
  EXPECT_FALSE(IsSafeInIndex({"folder/.git/", 040000}));
}

}  // namespace
}  // namespace toolgate::executors::directory
