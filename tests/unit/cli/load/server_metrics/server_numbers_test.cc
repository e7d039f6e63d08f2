#include "cli/load/server_metrics/server_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace toolgate::cli::load::server_metrics {
namespace {

Scrape Of(const std::string& text) {
  auto samples = ParseExposition(text);
  EXPECT_TRUE(samples.ok()) << samples.status();
  return {*samples};
}

TEST(BucketCountsTest, InterpolatesAsPromqlDoes) {
  BucketCounts counts;
  counts.cumulative = {{0.1, 10}, {0.2, 20}, {HUGE_VAL, 21}};
  counts.count = 21;
  EXPECT_NEAR(counts.Quantile(0.5), 0.105, 1e-9);
  EXPECT_NEAR(counts.Quantile(10.0 / 21), 0.1, 1e-9);
  EXPECT_NEAR(counts.Quantile(0.999), 0.2, 1e-9);  // The last finite bound.
  EXPECT_EQ(BucketCounts().Quantile(0.5), 0);
}

TEST(DifferenceTest, CountsOnlyBetweenTheScrapes) {
  const char* before = R"(
toolgate_build_info{version="1.2"} 1
process_cpu_seconds_total 10
grpc_server_handling_seconds_bucket{grpc_method="Execute",le="0.1"} 5
grpc_server_handling_seconds_bucket{grpc_method="Execute",le="+Inf"} 5
grpc_server_handling_seconds_sum{grpc_method="Execute"} 0.25
grpc_server_handling_seconds_count{grpc_method="Execute"} 5
toolgate_calls_total{tool="get_block",outcome="OK"} 5
)";
  const char* after = R"(
toolgate_build_info{version="1.2"} 1
process_cpu_seconds_total 12.5
grpc_server_handling_seconds_bucket{grpc_method="Execute",le="0.1"} 15
grpc_server_handling_seconds_bucket{grpc_method="Execute",le="+Inf"} 15
grpc_server_handling_seconds_sum{grpc_method="Execute"} 0.75
grpc_server_handling_seconds_count{grpc_method="Execute"} 15
grpc_server_handling_seconds_count{grpc_method="ListTools"} 99
toolgate_calls_total{tool="get_block",outcome="OK"} 15
toolgate_calls_total{tool="get_block",outcome="NOT_FOUND"} 2
toolgate_call_duration_seconds_count{tool="get_block"} 12
toolgate_call_duration_seconds_sum{tool="get_block"} 0.6
toolgate_call_duration_seconds_count{tool="never_called"} 0
toolgate_layer_duration_seconds_count{layer="execute"} 12
toolgate_layer_duration_seconds_sum{layer="execute"} 0.4
toolgate_layer_duration_seconds_count{layer="resolve"} 12
toolgate_layer_duration_seconds_sum{layer="resolve"} 0.1
toolgate_rejections_total{layer="rate_limit",reason="RATE_LIMITED"} 3
toolgate_shed_total{reason="queue_full"} 4
)";
  const ServerNumbers numbers = Difference(Of(before), Of(after), 5);
  EXPECT_EQ(numbers.version, "1.2");
  EXPECT_DOUBLE_EQ(numbers.cpu_seconds, 2.5);
  EXPECT_DOUBLE_EQ(numbers.execute.count, 10);
  EXPECT_DOUBLE_EQ(numbers.execute.mean(), 0.05);
  EXPECT_DOUBLE_EQ(numbers.execute.Quantile(0.5), 0.05);
  ASSERT_EQ(numbers.tools.size(), 1u);
  EXPECT_EQ(numbers.tools[0].tool, "get_block");
  EXPECT_DOUBLE_EQ(numbers.tools[0].outcomes.at("OK"), 10);
  EXPECT_DOUBLE_EQ(numbers.tools[0].outcomes.at("NOT_FOUND"), 2);
  ASSERT_EQ(numbers.layers.size(), 2u);
  EXPECT_EQ(numbers.layers[0].layer, "execute");
  EXPECT_DOUBLE_EQ(numbers.rejections.at("rate_limit: RATE_LIMITED"), 3);
  EXPECT_DOUBLE_EQ(numbers.rejections.at("shed: queue_full"), 4);
}

TEST(DifferenceTest, ARestartedServiceCountsFromZero) {
  const ServerNumbers numbers =
      Difference(Of("process_cpu_seconds_total 100\n"), Of("process_cpu_seconds_total 3\n"), 5);
  EXPECT_DOUBLE_EQ(numbers.cpu_seconds, 3);
}

TEST(DifferenceTest, SeveralServicesAddUp) {
  Scrape before = Of("process_cpu_seconds_total 1\n");
  before.push_back(Of("process_cpu_seconds_total 5\n")[0]);
  Scrape after = Of("process_cpu_seconds_total 2\n");
  after.push_back(Of("process_cpu_seconds_total 8\n")[0]);
  EXPECT_DOUBLE_EQ(Difference(before, after, 5).cpu_seconds, 4);
  EXPECT_DOUBLE_EQ(GaugesOf(after, 1).cpu_seconds, 10);
}

TEST(GaugesTest, ReadsTheServicesState) {
  const ServerGauges gauges =
      GaugesOf(Of("process_resident_memory_bytes 1e6\ntoolgate_queue_length 3\ntoolgate_calls_in_flight 4\n"
                  "toolgate_waiting_calls 5\ntoolgate_audit_pending 6\n"),
               7);
  EXPECT_EQ(gauges.resident_bytes, 1e6);
  EXPECT_EQ(gauges.queue_length, 3);
  EXPECT_EQ(gauges.in_flight, 4);
  EXPECT_EQ(gauges.waiting, 5);
  EXPECT_EQ(gauges.audit_pending, 6);
  EXPECT_EQ(gauges.seconds, 7);
}

}  // namespace
}  // namespace toolgate::cli::load::server_metrics
