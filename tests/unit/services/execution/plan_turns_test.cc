#include "services/execution/plan_turns.h"

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::execution {
namespace {

using ::testing::ElementsAre;

class PlanTurnsTest : public ::testing::Test {
 protected:
  PlanTurns::Turn Take(const std::string& key = "a") { return turns_.Take(key, unlimited_).value(); }
  // Until `count` calls wait.
  void AwaitWaiting(int64_t count) {
    while (waits_.waiting() != count) std::this_thread::yield();
  }

  fibers::WaitTimer waits_{Clock::Real()};
  PlanTurns turns_{waits_};
  const fibers::Cancellation unlimited_;
};

TEST_F(PlanTurnsTest, WithoutATurnEveryonePasses) {
  EXPECT_TRUE(turns_.Pass("a", unlimited_).ok());
  { const PlanTurns::Turn turn = Take(); }
  EXPECT_TRUE(turns_.Pass("a", unlimited_).ok());
}

TEST_F(PlanTurnsTest, OtherKeysPass) {
  const PlanTurns::Turn turn = Take("a");
  EXPECT_TRUE(turns_.Pass("b", unlimited_).ok());
  const PlanTurns::Turn other = Take("b");
}

TEST_F(PlanTurnsTest, TurnsComeInOrderAndBeforeThoseWhoPass) {
  std::optional<PlanTurns::Turn> turn = Take();
  std::vector<std::string> order;  // Only one call at a time is past its wait.
  absl::Mutex mutex;
  const auto note = [&](const std::string& name) {
    absl::MutexLock lock(&mutex);
    order.push_back(name);
  };
  std::thread passer([&] {
    EXPECT_TRUE(turns_.Pass("a", unlimited_).ok());
    note("passer");
  });
  AwaitWaiting(1);
  std::thread second([&] {
    const PlanTurns::Turn mine = Take();
    note("second");
  });
  AwaitWaiting(2);
  std::thread third([&] {
    const PlanTurns::Turn mine = Take();
    note("third");
  });
  AwaitWaiting(3);
  turn.reset();
  for (std::thread* thread : {&passer, &second, &third}) thread->join();
  EXPECT_THAT(order, ElementsAre("second", "third", "passer"));
}

TEST_F(PlanTurnsTest, ACallThatIsOverLeavesTheLine) {
  std::optional<PlanTurns::Turn> turn = Take();
  const fibers::Cancellation short_time(Clock::Real(), Clock::Real().Monotonic() + absl::Milliseconds(30));
  EXPECT_EQ(GetToolError(turns_.Pass("a", short_time))->code, ErrorCode::kTimeout);
  EXPECT_EQ(GetToolError(turns_.Take("a", short_time).status())->code, ErrorCode::kTimeout);
  turn.reset();
  EXPECT_TRUE(turns_.Pass("a", unlimited_).ok());
  Take();
}

}  // namespace
}  // namespace toolgate::services::execution
