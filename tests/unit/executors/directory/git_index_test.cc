#include "executors/directory/git_index.h"

#include <optional>
#include <string>

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

}  // namespace
}  // namespace toolgate::executors::directory
