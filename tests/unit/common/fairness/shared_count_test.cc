#include "common/fairness/shared_count.h"

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace toolgate::fairness {
namespace {

bool IsTaken(const SharedCount::Taken& taken) { return std::holds_alternative<SharedCount::Ticket>(taken); }

TEST(SharedCountTest, RefusesBeyondItsBoundAndCountsDown) {
  SharedCount count(2);
  std::optional<SharedCount::Taken> first = count.TryTake({"w", "a"});
  {
    const SharedCount::Taken second = count.TryTake({"w", "a"});
    EXPECT_TRUE(IsTaken(*first) && IsTaken(second));
    EXPECT_EQ(std::get<Bound>(count.TryTake({"w", "b"})), Bound::kTotal);
    EXPECT_EQ(count.taken(), 2);
  }
  EXPECT_EQ(count.taken(), 1);
  const std::optional<SharedCount::Taken> moved = std::move(first);
  first.reset();
  EXPECT_EQ(count.taken(), 1);
}

TEST(SharedCountTest, LeavesRoomForOthers) {
  SharedCount count(8, {.of_user = 0.75, .of_workspace = 0.9});
  std::vector<SharedCount::Taken> taken;
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(IsTaken(taken.emplace_back(count.TryTake({"w", "a"}))));
  EXPECT_EQ(std::get<Bound>(count.TryTake({"w", "a"})), Bound::kUser);
  ASSERT_TRUE(IsTaken(taken.emplace_back(count.TryTake({"w", "b"}))));
  EXPECT_EQ(std::get<Bound>(count.TryTake({"w", "c"})), Bound::kWorkspace);
  EXPECT_TRUE(IsTaken(taken.emplace_back(count.TryTake({"x", "c"}))));
  EXPECT_EQ(std::get<Bound>(count.TryTake({"y", "d"})), Bound::kTotal);
}

TEST(SharedCountTest, HoldsItsBoundUnderThreads) {
  SharedCount count(4, {.of_user = 0.75, .of_workspace = 1});
  std::atomic<int> most{0};
  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, user = absl::StrCat("u", t % 3)] {
      for (int i = 0; i < 2000; ++i) {
        const SharedCount::Taken taken = count.TryTake({"w", user});
        if (!IsTaken(taken)) continue;
        const int now = ++inside;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most.load(), 4);
  EXPECT_EQ(count.taken(), 0);
}

}  // namespace
}  // namespace toolgate::fairness
