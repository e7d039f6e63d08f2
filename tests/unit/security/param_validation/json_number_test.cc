#include "security/param_validation/json_number.h"

#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::security::param_validation {
namespace {

TEST(JsonNumberTest, ComparesAcrossRepresentations) {
  // Each smaller than the next.
  const std::vector<std::string_view> ascending = {"-1e308",
                                                   "-9223372036854777856",
                                                   "-9223372036854775808",
                                                   "-1.5",
                                                   "-1",
                                                   "0",
                                                   "5e-324",
                                                   "0.5",
                                                   "1",
                                                   "1.5",
                                                   "9007199254740992.0",
                                                   "9007199254740993",
                                                   "9223372036854775807",
                                                   "9223372036854775808",
                                                   "18446744073709551614",
                                                   "18446744073709551615",
                                                   "18446744073709551616",
                                                   "1e308"};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(CompareNumbers(Json::parse(ascending[i]), Json::parse(ascending[j])), std::partial_ordering(i <=> j))
          << ascending[i] << " " << ascending[j];
    }
  }
}

TEST(JsonNumberTest, DecidesMultiplesOnDecimals) {
  struct Row {
    std::string_view value, divisor;
    bool multiple;
  };
  for (const Row& row : std::vector<Row>{{"0", "3", true},
                                         {"9", "3", true},
                                         {"-9", "3", true},
                                         {"10", "3", false},
                                         {"4.5", "1.5", true},
                                         {"35", "1.5", false},
                                         {"0.0075", "0.0001", true},
                                         {"0.00751", "0.0001", false},
                                         {"0.3", "0.1", true},
                                         {"19.99", "0.01", true},
                                         {"19.995", "0.01", false},
                                         {"12391239123", "1e-8", true},
                                         {"1e308", "0.5", true},
                                         {"1e308", "0.123456789", false},
                                         {"5e-324", "1", false},
                                         {"1", "1e308", false},
                                         {"9007199254740993", "2", false},
                                         {"18446744073709551615", "5", true}}) {
    EXPECT_EQ(IsMultipleOf(ToDecimal(Json::parse(row.value)), ToDecimal(Json::parse(row.divisor))), row.multiple)
        << row.value << " by " << row.divisor;
  }
}

TEST(JsonNumberTest, KnowsIntegers) {
  for (const char* const text : {"1", "1.0", "-0.0", "1e300", "18446744073709551615"}) {
    EXPECT_TRUE(IsInteger(Json::parse(text))) << text;
  }
  for (const char* const text : {"1.5", "1e-1"}) EXPECT_FALSE(IsInteger(Json::parse(text))) << text;
}

}  // namespace
}  // namespace toolgate::security::param_validation
