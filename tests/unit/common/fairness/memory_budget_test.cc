#include "common/fairness/memory_budget.h"

#include <list>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::fairness {
namespace {

using Reservation = MemoryBudget::Reservation;
using ::testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr MemoryBudget::Options kOptions{
    .total_bytes = 100 * kMiB, .shares = {.of_user = 0.75, .of_workspace = 0.9}, .free_bytes = kMiB};

TEST(MemoryBudgetTest, SmallQueriesTakeNothingOfIt) {
  MemoryBudget budget(kOptions);
  std::list<Reservation> many;
  for (int i = 0; i < 500; ++i) EXPECT_TRUE(many.emplace_back(budget, Party{"w", "a"}).Resize(kMiB));
  EXPECT_EQ(budget.reserved_bytes(), 0);
}

TEST(MemoryBudgetTest, GrowsInStepsAndGivesBack) {
  MemoryBudget budget(kOptions);
  {
    Reservation query(budget, {"w", "a"});
    EXPECT_TRUE(query.Resize(10 * kMiB + 1));
    EXPECT_EQ(budget.reserved_bytes(), 10 * kMiB);
    EXPECT_TRUE(query.Resize(9 * kMiB));
    EXPECT_EQ(budget.reserved_bytes(), 10 * kMiB) << "some slack saves further steps";
    EXPECT_TRUE(query.Resize(0));
    EXPECT_EQ(budget.reserved_bytes(), 0);
    EXPECT_TRUE(query.Resize(50 * kMiB));
    EXPECT_TRUE(query.status().ok());
  }
  EXPECT_EQ(budget.reserved_bytes(), 0);
}

TEST(MemoryBudgetTest, OneUsersQueriesLeaveRoomForAnothers) {
  MemoryBudget budget(kOptions);
  std::list<Reservation> heavy;
  int served = 0;
  for (int i = 0; i < 40; ++i) served += heavy.emplace_back(budget, Party{"w", "a"}).Resize(30 * kMiB) ? 1 : 0;
  EXPECT_EQ(served, 2);
  EXPECT_LE(budget.reserved_bytes(), 75 * kMiB);
  EXPECT_EQ(budget.refused(), 38);
  const std::optional<ToolError> error = GetToolError(heavy.back().status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kOverloaded);
  EXPECT_TRUE(error->retryable);
  EXPECT_TRUE(error->retry_after.has_value());
  EXPECT_THAT(error->message, HasSubstr("your queries"));

  Reservation other(budget, {"x", "b"});
  EXPECT_TRUE(other.Resize(20 * kMiB));
  Reservation small(budget, {"w", "a"});
  EXPECT_TRUE(small.Resize(kMiB));
}

TEST(MemoryBudgetTest, ARefusalChangesNothing) {
  MemoryBudget budget(kOptions);
  Reservation query(budget, {"w", "a"});
  EXPECT_TRUE(query.Resize(60 * kMiB));
  EXPECT_FALSE(query.Resize(90 * kMiB));
  EXPECT_EQ(budget.reserved_bytes(), 59 * kMiB);
  EXPECT_TRUE(query.Resize(61 * kMiB)) << "what there is may still be taken";
}

TEST(MemoryBudgetTest, LosesNothingUnderThreads) {
  MemoryBudget budget(kOptions);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, user = absl::StrCat("u", t % 3)] {
      for (int i = 0; i < 300; ++i) {
        Reservation query(budget, {"w", user});
        for (int64_t mib = 1; mib < 40 && query.Resize(mib * kMiB); ++mib) {
          ASSERT_LE(budget.reserved_bytes(), budget.total_bytes());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget.reserved_bytes(), 0);
}

}  // namespace
}  // namespace toolgate::fairness
