#include "common/text/look_alike.h"

#include "gtest/gtest.h"

namespace toolgate::text {
namespace {

TEST(LookAlikeTest, AccentsAndBlanksMayBeWrittenInSeveralWays) {
  EXPECT_TRUE(LooksAlike("Caf\u00E9", "Cafe\u0301"));
  EXPECT_TRUE(LooksAlike("\uD55C\uAE00", "\u1112\u1161\u11AB\u1100\u1173\u11AF")) << "Hangul";
  EXPECT_TRUE(LooksAlike("3.04.12\u202FPM", "3.04.12 PM"));
  EXPECT_TRUE(LooksAlike("a\u00A0b", "a\u2009b"));
  EXPECT_EQ(LookAlikeForm("\u00DCbung\u00A01"), "\u00DCbung 1");
}

TEST(LookAlikeTest, OtherNamesStayApart) {
  EXPECT_FALSE(LooksAlike("Cafe", "Caf\u00E9"));
  EXPECT_FALSE(LooksAlike("caf\u00E9", "Caf\u00E9")) << "case";
  EXPECT_FALSE(LooksAlike("a b", "a_b"));
  EXPECT_FALSE(LooksAlike("\uFF11", "1")) << "compatibility";
  EXPECT_FALSE(LooksAlike("a\u200Bb", "ab")) << "invisible, and not a blank";
  EXPECT_EQ(LookAlikeForm("\xFF\u00A0"), "\xFF\u00A0") << "ill-formed";
}

}  // namespace
}  // namespace toolgate::text
