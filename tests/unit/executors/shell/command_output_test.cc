#include "executors/shell/command_output.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::executors::shell {
namespace {

TEST(CommandOutputTest, ShortOutputIsWhole) {
  CommandOutput output(10);
  output.Add("01234");
  output.Add("56789");
  EXPECT_EQ(output.Text(), "0123456789");
  EXPECT_FALSE(output.is_cut());
  EXPECT_EQ(output.total_bytes(), 10);
}

TEST(CommandOutputTest, LongOutputLosesItsMiddle) {
  CommandOutput output(10);
  for (const char* piece : {"012", "3456", "789abcdef", "g", "hi"}) output.Add(piece);
  EXPECT_EQ(output.Text(), "01234\n[… 9 bytes left out …]\nefghi");
  EXPECT_TRUE(output.is_cut());
  EXPECT_EQ(output.total_bytes(), 19);
}

TEST(CommandOutputTest, OnePieceMayBeLongerThanAll) {
  CommandOutput output(4);
  output.Add("0123456789");
  EXPECT_EQ(output.Text(), "01\n[… 6 bytes left out …]\n89");
}

TEST(CommandOutputTest, IsCutBetweenCharacters) {
  CommandOutput output(10);
  output.Add("abc😀def😀xyz");
  EXPECT_EQ(output.Text(), "abc\n[… 11 bytes left out …]\nxyz");
  EXPECT_EQ(output.ReplacedBytes(), 0);
  CommandOutput fits(14);
  fits.Add("abc😀defghi😀xyz");
  EXPECT_EQ(fits.Text(), "abc😀\n[… 6 bytes left out …]\n😀xyz");
}

TEST(CommandOutputTest, CountsBytesThatAreNoText) {
  CommandOutput output(100);
  output.Add("a\xFF");
  output.Add("b\xC3");
  output.Add("\xA9");
  EXPECT_EQ(output.ReplacedBytes(), 1) << "a character may come in two pieces";
}

}  // namespace
}  // namespace toolgate::executors::shell
