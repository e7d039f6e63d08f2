#include "services/execution/running_claims.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace toolgate::services::execution {
namespace {

TEST(RunningClaimsTest, HoldsAClaimWhileItsHandlerRuns) {
  RunningClaims claims;
  std::optional<RunningClaims::Guard> first(std::in_place, claims, "a");
  const RunningClaims::Guard second(claims, "b");
  EXPECT_TRUE(claims.Contains("a"));
  EXPECT_TRUE(claims.Contains("b"));
  EXPECT_FALSE(claims.Contains("c"));
  first.reset();
  EXPECT_FALSE(claims.Contains("a"));
  EXPECT_TRUE(claims.Contains("b"));
}

}  // namespace
}  // namespace toolgate::services::execution
