#include "cli/load/profile/generators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace toolgate::cli::load::profile {
namespace {

TEST(GeneratorsTest, WordsAreAsManyAsAsked) {
  schedule::Random random(1);
  for (const size_t count : {1, 2, 50}) {
    std::string text;
    AppendWords(count, random, text);
    EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), ' ')) + 1, count) << text;
  }
}

TEST(GeneratorsTest, TextHasExactlyTheLength) {
  schedule::Random random(1);
  for (size_t bytes = 1; bytes < 200; ++bytes) {
    std::string text = "before ";
    AppendText(bytes, random, text);
    EXPECT_EQ(text.size(), bytes + 7);
    EXPECT_NE(text.back(), ' ');
  }
}

TEST(GeneratorsTest, UuidsHaveTheirForm) {
  schedule::Random random(1);
  for (int i = 0; i < 100; ++i) {
    std::string uuid;
    AppendUuid(random, uuid);
    EXPECT_THAT(uuid, ::testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  }
}

}  // namespace
}  // namespace toolgate::cli::load::profile
