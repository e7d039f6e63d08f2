#include "common/grpc_status_name.h"

#include "gtest/gtest.h"

namespace toolgate {
namespace {

TEST(GrpcStatusNameTest, NamesTheCodes) {
  EXPECT_EQ(GrpcStatusName(0), "OK");
  EXPECT_EQ(GrpcStatusName(5), "NOT_FOUND");
  EXPECT_EQ(GrpcStatusName(16), "UNAUTHENTICATED");
}

TEST(GrpcStatusNameTest, OtherNumbersAreUnknown) {
  EXPECT_EQ(GrpcStatusName(17), "UNKNOWN");
  EXPECT_EQ(GrpcStatusName(-1), "UNKNOWN");
}

}  // namespace
}  // namespace toolgate
