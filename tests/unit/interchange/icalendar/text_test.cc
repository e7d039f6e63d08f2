#include "interchange/icalendar/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace toolgate::interchange::icalendar {
namespace {

using ::testing::ElementsAre;

TEST(IcalTextTest, EscapesAndFoldsWithoutCuttingCharacters) {
  EXPECT_EQ(EscapeIcal("a,b;c\\d\r\ne"), "a\\,b\\;c\\\\d\\ne");
  EXPECT_EQ(UnescapeIcal("a\\,b\\;c\\\\d\\Ne\\"), "a,b;c\\d\ne\\");
  EXPECT_THAT(UnescapeIcalList("a,b\\,c,,d"), ElementsAre("a", "b,c", "", "d"));
  std::string text = "SUMMARY:";
  for (int i = 0; i < 60; ++i) text += "ä";
  std::string folded;
  AppendIcalLine(text, folded);
  size_t start = 0;
  std::string unfolded;
  for (size_t end = folded.find("\r\n"); end != std::string::npos; start = end + 2, end = folded.find("\r\n", start)) {
    const std::string line = folded.substr(start, end - start);
    EXPECT_LE(line.size(), 75u);
    EXPECT_NE(static_cast<unsigned char>(line.back()) & 0xC0, 0xC0) << "cut within a character";
    unfolded += start == 0 ? line : line.substr(1);
  }
  EXPECT_EQ(unfolded, text);
}

}  // namespace
}  // namespace toolgate::interchange::icalendar
