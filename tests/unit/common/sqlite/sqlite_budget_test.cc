#include "common/sqlite/sqlite_budget.h"

#include <sqlite3.h>

#include <cstdlib>

#include "common/fairness/memory_budget.h"
#include "gtest/gtest.h"

namespace toolgate::sqlite {
namespace {

constexpr int64_t kMany = int64_t{1} << 40;

const StackBound kAnyStack(SIZE_MAX);

bool Always() { return true; }

class SqliteBudgetTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(SqliteBudget::Install()); }
};

TEST_F(SqliteBudgetTest, CountsWhatIsAllocatedAndFreed) {
  void* before = sqlite3_malloc(1000);
  SqliteBudget budget(kMany, kAnyStack, Always);
  void* memory = sqlite3_malloc(10'000);
  EXPECT_GE(budget.used(), 10'000);
  EXPECT_LT(budget.used(), 20'000);
  memory = sqlite3_realloc(memory, 100'000);
  EXPECT_GE(budget.used(), 100'000);
  sqlite3_free(memory);
  EXPECT_EQ(budget.used(), 0);
  EXPECT_GE(budget.peak(), 100'000);
  sqlite3_free(before);
  EXPECT_LE(budget.used(), -1000);
}

TEST_F(SqliteBudgetTest, BeyondTheBoundAllocationsFail) {
  SqliteBudget budget(50'000, kAnyStack, Always);
  void* first = sqlite3_malloc(40'000);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(sqlite3_malloc(20'000), nullptr);
  EXPECT_EQ(sqlite3_realloc(first, 60'000), nullptr);
  EXPECT_TRUE(budget.exhausted());
  sqlite3_free(first);
  void* second = sqlite3_malloc(20'000);
  EXPECT_NE(second, nullptr);
  sqlite3_free(second);
}

TEST_F(SqliteBudgetTest, AllocationsFailWhenTheBudgetOfAllIsUsedUp) {
  fairness::MemoryBudget all({.total_bytes = 4 << 20, .shares = {}, .free_bytes = 1 << 20});
  fairness::MemoryBudget::Reservation other(all, {"w", "other"});
  ASSERT_TRUE(other.Resize(4 << 20));
  fairness::MemoryBudget::Reservation own(all, {"w", "own"});
  {
    SqliteBudget budget(kMany, kAnyStack, Always, &own);
    void* small = sqlite3_malloc(500'000);
    EXPECT_NE(small, nullptr) << "the first bytes are each statement's own";
    EXPECT_EQ(sqlite3_malloc(3'000'000), nullptr);
    EXPECT_FALSE(own.status().ok());
    EXPECT_FALSE(budget.exhausted());
    ASSERT_TRUE(other.Resize(0));
    void* large = sqlite3_malloc(3'000'000);
    EXPECT_NE(large, nullptr);
    EXPECT_GT(all.reserved_bytes(), 2'000'000);
    sqlite3_free(large);
    sqlite3_free(small);
  }
}

TEST_F(SqliteBudgetTest, AStopFailsLargeAllocationsAtOnceAndSmallOnesSoon) {
  bool may_go_on = true;
  SqliteBudget budget(kMany, kAnyStack, [&] { return may_go_on; });
  may_go_on = false;
  EXPECT_EQ(sqlite3_malloc(10'000), nullptr);
  int allowed = 0;
  while (allowed < 1000) {
    void* memory = sqlite3_malloc(16);
    if (memory == nullptr) break;
    sqlite3_free(memory);
    ++allowed;
  }
  EXPECT_LT(allowed, 100);
  EXPECT_FALSE(budget.exhausted());
}

TEST_F(SqliteBudgetTest, WhereTheStackDoesNotHoldItIsAskedEachTime) {
  int asked = 0;
  SqliteBudget budget(kMany, StackBound(0), [&] {
    ++asked;
    return asked < 3;
  });
  void* first = sqlite3_malloc(16);
  void* second = sqlite3_malloc(16);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(sqlite3_malloc(16), nullptr);
  EXPECT_EQ(asked, 3);
  sqlite3_free(first);
  sqlite3_free(second);
}

TEST_F(SqliteBudgetTest, APauseCountsForNobody) {
  SqliteBudget budget(10'000, kAnyStack, Always);
  void* memory = nullptr;
  {
    const SqliteBudget::Pause pause;
    memory = sqlite3_malloc(1'000'000);
    EXPECT_NE(memory, nullptr);
    sqlite3_free(memory);
  }
  EXPECT_EQ(budget.used(), 0);
  EXPECT_EQ(sqlite3_malloc(1'000'000), nullptr);
}

TEST_F(SqliteBudgetTest, WithoutABudgetNothingIsBounded) {
  { const SqliteBudget budget(1, kAnyStack, Always); }
  void* memory = sqlite3_malloc(1'000'000);
  EXPECT_NE(memory, nullptr);
  sqlite3_free(memory);
}

TEST_F(SqliteBudgetTest, AStatementThatNeedsMoreFailsAndTheConnectionLives) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  {
    const SqliteBudget budget(1 << 20, kAnyStack, Always);
    EXPECT_EQ(sqlite3_exec(db, "SELECT hex(zeroblob(10000000))", nullptr, nullptr, nullptr), SQLITE_NOMEM);
  }
  EXPECT_EQ(sqlite3_exec(db, "SELECT hex(zeroblob(10000000))", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
}

TEST(SqliteBudgetDeathTest, ComesTooLateOnceSqliteIsInUse) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        sqlite3_initialize();
        std::exit(SqliteBudget::Install() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace toolgate::sqlite
