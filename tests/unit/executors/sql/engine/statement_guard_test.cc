#include "executors/sql/engine/statement_guard.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/fake_clock.h"
#include "tests/support/tool_matchers.h"

namespace toolgate::executors::sql::engine {
namespace {

using testing::FailsWith;

class Reports final : public ProgressSink {
 public:
  void Report(const Progress& progress) override { seen.push_back(progress); }
  std::vector<Progress> seen;
};

class StatementGuardTest : public ::testing::Test {
 protected:
  testing::FakeClock clock_;
  fibers::Cancellation cancellation_{clock_, absl::InfiniteDuration()};
  Reports reports_;
};

TEST_F(StatementGuardTest, StopsAtItsTimeAndStaysStopped) {
  StatementGuard guard(clock_, cancellation_, absl::Seconds(2));
  EXPECT_TRUE(guard.MayContinue());
  clock_.Advance(absl::Seconds(2));
  EXPECT_FALSE(guard.MayContinue());
  EXPECT_THAT(guard.status(), FailsWith(ErrorCode::kTimeout, "", ""));
  EXPECT_FALSE(guard.MayContinue());
}

TEST_F(StatementGuardTest, StopsWhenTheClientLeaves) {
  StatementGuard guard(clock_, cancellation_, absl::Seconds(2));
  cancellation_.Cancel();
  EXPECT_FALSE(guard.MayContinue());
  EXPECT_THAT(guard.status(), FailsWith(ErrorCode::kCancelled, "", ""));
}

TEST_F(StatementGuardTest, ReportsTheTimeUsedNotMoreThanFourTimesASecond) {
  StatementGuard guard(clock_, cancellation_, absl::Seconds(2));
  guard.ReportTo(reports_);
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(absl::Milliseconds(10));
    EXPECT_TRUE(guard.MayContinue());
  }
  ASSERT_EQ(reports_.seen.size(), 4U);
  EXPECT_EQ(reports_.seen[0].done, 250);
  EXPECT_EQ(reports_.seen[3].done, 1000);
  EXPECT_EQ(reports_.seen[3].total, 2000);
  EXPECT_EQ(reports_.seen[3].message, "the statement has run for 1000 ms of at most 2000 ms");
}

}  // namespace
}  // namespace toolgate::executors::sql::engine
