#include "services/api/input_budget.h"

#include <cstdint>
#include <utility>

#include "gtest/gtest.h"

namespace toolgate::services::api {
namespace {

constexpr int64_t kFree = InputBudget::kFreeBytes;

TEST(InputBudgetTest, CountsWhatIsBeyondTheFreeBytes) {
  InputBudget budget(1000);
  InputBudget::Lease lease(budget);
  EXPECT_TRUE(lease.Grow(kFree));
  EXPECT_EQ(budget.taken(), 0);
  EXPECT_TRUE(lease.Grow(600));
  EXPECT_TRUE(lease.Grow(400));
  EXPECT_EQ(budget.taken(), 1000);
  EXPECT_FALSE(lease.Grow(1));
  EXPECT_EQ(budget.taken(), 1000) << "what did not fit is not counted";
  lease.Release();
  EXPECT_EQ(budget.taken(), 0);
}

TEST(InputBudgetTest, SmallRequestsGoWhenLargeOnesHoldAll) {
  InputBudget budget(1000);
  InputBudget::Lease large(budget);
  ASSERT_TRUE(large.Grow(kFree + 1000));
  InputBudget::Lease other(budget);
  EXPECT_FALSE(other.Grow(kFree + 1));
  EXPECT_TRUE(other.Grow(kFree));
}

TEST(InputBudgetTest, GivesBackOnce) {
  InputBudget budget(1000);
  {
    InputBudget::Lease first(budget);
    ASSERT_TRUE(first.Grow(kFree + 10));
    InputBudget::Lease second = std::move(first);
    EXPECT_EQ(budget.taken(), 10);
    InputBudget::Lease third(budget);
    ASSERT_TRUE(third.Grow(kFree + 20));
    third = std::move(second);
    EXPECT_EQ(budget.taken(), 10);
  }
  EXPECT_EQ(budget.taken(), 0);
}

TEST(InputBudgetTest, ALeaseOfNoBudgetCountsNothing) {
  InputBudget::Lease lease;
  EXPECT_TRUE(lease.Grow(int64_t{1} << 40));
}

TEST(InputBudgetTest, ATreeCostsMoreThanItsText) {
  EXPECT_GT(CostOfJson(300'000, {.keys = 0, .values = 100'000}), 6'000'000);
  EXPECT_EQ(CostOfJson(100, {}), 200);
}

}  // namespace
}  // namespace toolgate::services::api
