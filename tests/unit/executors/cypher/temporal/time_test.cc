#include "executors/cypher/temporal/time.h"

#include "gtest/gtest.h"

namespace toolgate::executors::cypher::temporal {
namespace {

TEST(TimeTest, ChangesItsOffsetAroundMidnight) {
  const Time late(*LocalTime::Create(23, 30, 0, 0), 0);
  EXPECT_EQ(late.AtOffset(3'600).ToString(), "00:30+01:00");
  EXPECT_EQ(late.AtOffset(3'600).AtOffset(-3'600).ToString(), "22:30-01:00");
}

TEST(TimeTest, IsOrderedByTheTimeInUtc) {
  const Time berlin(*LocalTime::Create(12, 0, 0, 0), 3'600);
  const Time london(*LocalTime::Create(11, 30, 0, 0), 0);
  EXPECT_LT(berlin, london);
  EXPECT_GT(london, berlin);
}

TEST(TimeTest, TheSameMomentAtTwoOffsetsIsNotEqual) {
  const Time noon(*LocalTime::Create(12, 0, 0, 0), 3'600);
  EXPECT_NE(noon, noon.AtOffset(0));
  EXPECT_GT(noon, noon.AtOffset(0));
  EXPECT_EQ(noon, noon.AtOffset(0).AtOffset(3'600));
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
