#include "common/text/cut_text.h"

#include "gtest/gtest.h"

namespace toolgate::text {
namespace {

TEST(CutTextTest, LeavesWhatFits) {
  EXPECT_EQ(CutText("", 0), "");
  EXPECT_EQ(CutText("abc", 3), "abc");
}

TEST(CutTextTest, CutsWhereACharacterEndsAndSaysSo) {
  EXPECT_EQ(CutText("abcd", 3), "abc…");
  EXPECT_EQ(CutText("aé", 2), "a…") << "the second byte of two is beyond the end";
  EXPECT_EQ(CutText("é", 1), "…");
}

}  // namespace
}  // namespace toolgate::text
