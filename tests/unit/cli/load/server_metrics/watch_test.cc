#include "cli/load/server_metrics/watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "absl/time/clock.h"
#include "cli/load/server_metrics/fetch.h"
#include "observability/metrics.h"
#include "observability/metrics_server.h"

namespace toolgate::cli::load::server_metrics {
namespace {

TEST(WatchTest, ScrapesUntilItEnds) {
  observability::Metrics metrics{observability::MetricsOptions()};
  metrics.queue_length().Set(7);
  const auto server = observability::MetricsServer::Start("127.0.0.1:0", metrics.collectable());
  ASSERT_TRUE(server.ok()) << server.status();
  std::atomic<int> asked{0};
  const Watch watch({*MetricsUrl((*server)->address())}, absl::Milliseconds(1),
                    [&] { return static_cast<double>(asked++); });
  while (watch.gauges().size() < 3) absl::SleepFor(absl::Milliseconds(1));
  const auto gauges = watch.gauges();
  EXPECT_EQ(gauges[1].seconds, 1);
  EXPECT_EQ(gauges[1].queue_length, 7);
}

TEST(WatchTest, EndsAtOnceWhereNothingListens) {
  std::atomic<int> asked{0};
  const Watch watch({"http://127.0.0.1:1/metrics"}, absl::Hours(1), [&] { return static_cast<double>(asked++); });
  while (asked == 0) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_TRUE(watch.gauges().empty());
}

TEST(ScrapeAllTest, FailsIfOneDoesNotAnswer) {
  observability::Metrics metrics{observability::MetricsOptions()};
  const auto server = observability::MetricsServer::Start("127.0.0.1:0", metrics.collectable());
  ASSERT_TRUE(server.ok());
  const std::string good = *MetricsUrl((*server)->address());
  EXPECT_EQ(ScrapeAll({good, good})->size(), 2u);
  EXPECT_FALSE(ScrapeAll({good, "http://127.0.0.1:1/metrics"}).ok());
}

}  // namespace
}  // namespace toolgate::cli::load::server_metrics
