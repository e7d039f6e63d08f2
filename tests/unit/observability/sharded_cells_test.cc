#include "observability/sharded_cells.h"

#include <latch>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "observability/sharded_counter.h"

namespace toolgate::observability {
namespace {

TEST(ShardedCellsTest, CellsAreIndependent) {
  ShardedCells cells(20);
  cells.Add(0, 5);
  cells.Add(19, -2);
  EXPECT_EQ(cells.Sum(0), 5);
  EXPECT_EQ(cells.Sum(1), 0);
  EXPECT_EQ(cells.Sum(19), -2);
}

// More threads at a time than there are shards, so that the shared one is used as well.
TEST(ShardedCellsTest, NothingIsLostUnderMoreThreadsThanShards) {
  constexpr int kThreads = 3 * static_cast<int>(ThreadShard::kShards);
  ShardedCells cells(3);
  std::latch all_running(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      cells.Add(2, 1);  // Takes a shard before the others can end.
      all_running.arrive_and_wait();
      for (int round = 1; round < 1000; ++round) cells.Add(2, 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cells.Sum(2), kThreads * 1000);
}

TEST(ShardedCellsTest, AnEndedThreadLeavesItsSumAndItsShard) {
  ShardedCells cells(1);
  size_t first = 0;
  size_t second = 0;
  const auto run = [&](size_t& shard) {
    std::thread([&] {
      shard = ThreadShard::Current();
      cells.Add(0, 1);
    }).join();
  };
  run(first);
  run(second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(cells.Sum(0), 2);
}

TEST(ShardedCounterTest, ExportsItsRowsWithTheirLabels) {
  ShardedCounter counter({"a_total", "Help.", {"colour"}, {{"red"}, {"blue"}}}, ShardedCounter::Unused::kOmit);
  counter.Add(1, 3);
  const auto families = counter.Collect();
  ASSERT_EQ(families.size(), 1u);
  EXPECT_EQ(families[0].type, prometheus::MetricType::Counter);
  ASSERT_EQ(families[0].metric.size(), 1u);
  EXPECT_EQ(families[0].metric[0].label[0].name, "colour");
  EXPECT_EQ(families[0].metric[0].label[0].value, "blue");
  EXPECT_EQ(families[0].metric[0].counter.value, 3);
}

TEST(ShardedCounterTest, ExportsUnusedRowsWhenAsked) {
  const ShardedCounter counter({"a_total", "Help.", {"colour"}, {{"red"}, {"blue"}}});
  EXPECT_EQ(counter.Collect()[0].metric.size(), 2u);
}

TEST(ShardedCounterTest, AGaugeGoesDownAgain) {
  ShardedCounter gauge({"a", "Help.", {}, {{}}}, ShardedCounter::Unused::kExport, ShardedCounter::Kind::kGauge);
  gauge.Add(0, 2);
  std::thread([&] { gauge.Add(0, -1); }).join();
  EXPECT_EQ(gauge.Collect()[0].type, prometheus::MetricType::Gauge);
  EXPECT_EQ(gauge.Collect()[0].metric[0].gauge.value, 1);
}

}  // namespace
}  // namespace toolgate::observability
