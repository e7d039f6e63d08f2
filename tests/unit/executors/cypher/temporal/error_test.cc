#include "executors/cypher/temporal/error.h"

#include "gtest/gtest.h"

namespace toolgate::executors::cypher::temporal {
namespace {

TEST(ErrorTest, CarriesMessageAndDetailWord) {
  const absl::Status status = InvalidValue("hour is 24");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "hour is 24");
  EXPECT_EQ(DetailOf(status), "InvalidArgumentValue");
  EXPECT_EQ(DetailOf(InvalidType("x")), "InvalidArgumentType");
  EXPECT_EQ(DetailOf(OutOfRange("x")), "NumberOutOfRange");
}

TEST(ErrorTest, OtherStatusesHaveNoDetail) {
  EXPECT_EQ(DetailOf(absl::OkStatus()), "");
  EXPECT_EQ(DetailOf(absl::InvalidArgumentError("hour is 24")), "");
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
