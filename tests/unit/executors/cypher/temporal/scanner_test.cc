#include "executors/cypher/temporal/scanner.h"

#include "gtest/gtest.h"

namespace toolgate::executors::cypher::temporal {
namespace {

TEST(ScannerTest, TakesAsManyDigitsAsItMay) {
  Scanner scanner("20240731x");
  EXPECT_EQ(scanner.CountDigits(), 8u);
  EXPECT_EQ(scanner.TakeNumber(4, 4), 2024);
  EXPECT_EQ(scanner.TakeNumber(1, 2), 7);
  EXPECT_EQ(scanner.TakeNumber(3, 3), std::nullopt);
  EXPECT_EQ(scanner.TakeNumber(1, 9), 31);
  EXPECT_FALSE(scanner.Take('y'));
  EXPECT_TRUE(scanner.Take('x'));
  EXPECT_TRUE(scanner.at_end());
  EXPECT_FALSE(scanner.Take('x'));
  EXPECT_EQ(scanner.TakeNumber(1, 1), std::nullopt);
}

TEST(ScannerTest, TakesDecimalNumbers) {
  const struct {
    const char *text, *number, *rest;
  } kRows[] = {
      {"1D", "1", "D"}, {"-1.50D", "-1.50", "D"}, {"+2,5", "+2,5", ""}, {"3.D", "3", ".D"},
      {".5", "", ".5"}, {"-D", "", "-D"},         {"", "", ""},         {"1.2.3", "1.2", ".3"},
  };
  for (const auto& row : kRows) {
    Scanner scanner(row.text);
    EXPECT_EQ(scanner.TakeDecimal(), row.number) << row.text;
    EXPECT_EQ(scanner.rest(), row.rest) << row.text;
  }
}

TEST(ScannerTest, TakesFractionsOfASecond) {
  const struct {
    const char* text;
    std::optional<int64_t> nanos;
  } kRows[] = {
      {"", 0},
      {"x", 0},
      {".5", 500'000'000},
      {",000000001", 1},
      {".", std::nullopt},
      {".x", std::nullopt},
      {".1234567890", std::nullopt},
  };
  for (const auto& row : kRows) EXPECT_EQ(Scanner(row.text).TakeFractionOfSecond(), row.nanos) << row.text;
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
