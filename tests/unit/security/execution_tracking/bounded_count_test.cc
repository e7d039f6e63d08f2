#include "security/execution_tracking/bounded_count.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace toolgate::security::execution_tracking {
namespace {

TEST(BoundedCountTest, RefusesBeyondItsBoundAndCountsDown) {
  BoundedCount count(2);
  std::optional<BoundedCount::Ticket> first = count.TryTake();
  {
    const std::optional<BoundedCount::Ticket> second = count.TryTake();
    EXPECT_TRUE(first.has_value() && second.has_value());
    EXPECT_FALSE(count.TryTake().has_value());
    EXPECT_EQ(count.taken(), 2);
  }
  EXPECT_EQ(count.taken(), 1);
  const std::optional<BoundedCount::Ticket> moved = std::move(first);
  first.reset();
  EXPECT_EQ(count.taken(), 1) << "a ticket that was moved from counts for nothing";
}

TEST(BoundedCountTest, HoldsItsBoundUnderThreads) {
  BoundedCount count(4);
  std::atomic<int64_t> most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const auto ticket = count.TryTake();
        int64_t seen = most.load();
        while (count.taken() > seen && !most.compare_exchange_weak(seen, count.taken())) {
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most.load(), 4);
  EXPECT_EQ(count.taken(), 0);
}

}  // namespace
}  // namespace toolgate::security::execution_tracking
