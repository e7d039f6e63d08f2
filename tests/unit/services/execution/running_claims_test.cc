#include "services/execution/running_claims.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace toolgate::services::execution {
namespace {

TEST(RunningClaimsTest, HoldsAClaimWhileItsHandlerRuns) {
  RunningClaims claims;
  std::optional<RunningClaims::Guard> first(std::in_place, claims, RunningClaims::Entry{"a", "w", "ann"});
  const RunningClaims::Guard second(claims, {"b", "w", "bob"});
  EXPECT_TRUE(claims.Contains("a"));
  EXPECT_TRUE(claims.Contains("b"));
  EXPECT_FALSE(claims.Contains("c"));
  EXPECT_EQ(claims.List().size(), 2u);
  first.reset();
  EXPECT_FALSE(claims.Contains("a"));
  EXPECT_TRUE(claims.Contains("b"));
  ASSERT_EQ(claims.List().size(), 1u);
  EXPECT_EQ(claims.List()[0].user_id, "bob");
}

}  // namespace
}  // namespace toolgate::services::execution
