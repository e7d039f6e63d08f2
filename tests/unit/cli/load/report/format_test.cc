#include "cli/load/report/format.h"

#include <gtest/gtest.h>

namespace toolgate::cli::load::report {
namespace {

TEST(FormatTest, SecondsHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(FormatSeconds(0), "0 ns");
  EXPECT_EQ(FormatSeconds(850e-9), "850 ns");
  EXPECT_EQ(FormatSeconds(12.34e-6), "12.3 µs");
  EXPECT_EQ(FormatSeconds(4.5678e-3), "4.57 ms");
  EXPECT_EQ(FormatSeconds(0.9996), "1.00 s");
  EXPECT_EQ(FormatSeconds(123.4), "123 s");
}

TEST(FormatTest, CountsHaveCommas) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
  EXPECT_EQ(FormatCount(-1234), "-1,234");
  EXPECT_EQ(Plural(1, "call"), "1 call");
  EXPECT_EQ(Plural(2000, "call"), "2,000 calls");
}

TEST(FormatTest, RatesSharesAndBytes) {
  EXPECT_EQ(FormatRate(0), "0");
  EXPECT_EQ(FormatRate(1.234), "1.23");
  EXPECT_EQ(FormatRate(1234.5), "1,235");
  EXPECT_EQ(FormatPercent(0), "0 %");
  EXPECT_EQ(FormatPercent(0.00001), "0.0010 %");
  EXPECT_EQ(FormatPercent(0.123), "12.3 %");
  EXPECT_EQ(FormatPercent(1), "100 %");
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1536), "1.50 KiB");
  EXPECT_EQ(FormatBytes(50.0 * 1024 * 1024), "50.0 MiB");
}

}  // namespace
}  // namespace toolgate::cli::load::report
