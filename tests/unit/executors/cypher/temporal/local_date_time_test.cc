#include "executors/cypher/temporal/local_date_time.h"

#include <limits>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kOutOfRange;
using ::toolgate::testing::TextOf;

constexpr int64_t kHugeField = std::numeric_limits<int64_t>::max();

TEST(LocalDateTimeTest, IsMadeFromSeconds) {
  const struct {
    int64_t seconds, nanos;
    const char* text;
  } kRows[] = {
      {0, 0, "1970-01-01T00:00"},
      {1'234'567'890, 5, "2009-02-13T23:31:30.000000005"},
      {-1, 999'999'999, "1969-12-31T23:59:59.999999999"},
      {-86'400, 0, "1969-12-31T00:00"},
      {kHugeField, 0, kOutOfRange},
      {-kHugeField - 1, 0, kOutOfRange},
  };
  for (const auto& row : kRows) EXPECT_EQ(TextOf(LocalDateTime::FromSeconds(row.seconds, row.nanos)), row.text);
}

TEST(LocalDateTimeTest, CarriesNanosecondsUpToTheYear) {
  const LocalDateTime end = *LocalDateTime::FromSeconds(946'684'799, 999'999'999);  // The end of 1999.
  EXPECT_EQ(TextOf(end.PlusSeconds(0, 1)), "2000-01-01T00:00");
  EXPECT_EQ(TextOf(end.PlusSeconds(-1, 1)), "1999-12-31T23:59:59");
  EXPECT_EQ(TextOf(end.PlusSeconds(kHugeField, 0)), kOutOfRange);
  EXPECT_EQ(TextOf(end.PlusDays(kHugeField)), kOutOfRange);
  EXPECT_EQ(TextOf(end.PlusMonths(2)), "2000-02-29T23:59:59.999999999");
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
