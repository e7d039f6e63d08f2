#include "observability/metrics.h"

#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "prometheus/metric_family.h"

namespace toolgate::observability {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

MetricsOptions Options() {
  MetricsOptions options;
  options.tools = {"get_block", "create_block"};
  options.layers = {"safe_errors", "authorization"};
  options.rpc_methods = {{"unary", "toolgate.v1.ToolService", "Execute"}};
  options.http_routes = {"POST /v1/undo", "other"};
  options.version = "1.2.3";
  options.commit = "abc1234";
  options.finding_families = {"role_spoofing"};
  return options;
}

class MetricsTest : public ::testing::Test {
 protected:
  void Observe(std::string_view tool, const CallEnded& end) {
    CallStarted call{.trace = trace_};
    call.tool_id = tool;
    metrics_.OnCallStarted(call);
    metrics_.OnCallEnded(call, end);
  }

  TraceContext trace_;
  Metrics metrics_{Options()};
};

TEST_F(MetricsTest, CountsCallsByToolAndOutcome) {
  CallEnded end;
  end.outcome = CallOutcome::kSucceeded;
  end.ended_ns = 3'000'000;
  Observe("create_block", end);
  Observe("create_block", end);
  end.outcome = CallOutcome::kFailed;
  end.error = ErrorCode::kNotFound;
  Observe("get_block", end);
  const std::string text = metrics_.Text();
  EXPECT_THAT(text, HasSubstr("toolgate_calls_total{tool=\"create_block\",outcome=\"OK\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("toolgate_calls_total{tool=\"get_block\",outcome=\"NOT_FOUND\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("toolgate_call_duration_seconds_count{tool=\"create_block\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("toolgate_call_duration_seconds_bucket{tool=\"create_block\",le=\"0.005\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("toolgate_call_duration_seconds_bucket{tool=\"create_block\",le=\"+Inf\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("toolgate_rejections_total{")));
}

TEST_F(MetricsTest, UnknownToolsAreOneRowWhateverTheirNames) {
  CallEnded end;
  end.outcome = CallOutcome::kRefused;
  end.error = ErrorCode::kUnknownTool;
  end.refused_by = "resolve";
  for (int i = 0; i < 100; ++i) Observe("made up " + std::to_string(i), end);
  const std::string text = metrics_.Text();
  EXPECT_THAT(text, HasSubstr("toolgate_calls_total{tool=\"unknown\",outcome=\"UNKNOWN_TOOL\"} 100\n"));
  EXPECT_THAT(text, HasSubstr("toolgate_rejections_total{layer=\"other\",reason=\"UNKNOWN_TOOL\"} 100\n"));
  EXPECT_THAT(text, Not(HasSubstr("made up")));
}

TEST_F(MetricsTest, UsualSeriesAreExportedFromTheStart) {
  MetricsOptions options = Options();
  options.usual_rejections = {{"authorization", ErrorCode::kForbidden}, {"no such layer", ErrorCode::kForbidden}};
  const std::string text = Metrics(options).Text();
  for (const std::string_view line : {
           "toolgate_calls_total{tool=\"get_block\",outcome=\"OK\"} 0\n",
           "toolgate_calls_total{tool=\"get_block\",outcome=\"EXECUTION_ERROR\"} 0\n",
           "toolgate_calls_total{tool=\"create_block\",outcome=\"TIMEOUT\"} 0\n",
           "toolgate_calls_total{tool=\"unknown\",outcome=\"UNKNOWN_TOOL\"} 0\n",
           "toolgate_rejections_total{layer=\"authorization\",reason=\"FORBIDDEN\"} 0\n",
           "toolgate_call_duration_seconds_count{tool=\"get_block\"} 0\n",
           "toolgate_call_duration_seconds_count{tool=\"unknown\"} 0\n",
           "toolgate_http_request_duration_seconds_count{route=\"POST /v1/undo\"} 0\n",
           "toolgate_layer_duration_seconds_count{layer=\"authorization\"} 0\n",
           "toolgate_store_operation_seconds_count{operation=\"blob_write\"} 0\n",
           "toolgate_store_operation_seconds_count{operation=\"commit\"} 0\n",
           "toolgate_provider_calls_total{provider=\"other\",outcome=\"failed\"} 0\n",
           "toolgate_limit_use_ratio_count{check=\"tool_limit\"} 0\n",
       }) {
    EXPECT_THAT(text, HasSubstr(std::string(line)));
  }
  EXPECT_THAT(text, HasSubstr("grpc_code=\"Aborted\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("outcome=\"NOT_FOUND\"")));
  EXPECT_THAT(text, Not(HasSubstr("no such layer")));
}

TEST_F(MetricsTest, CountsFindingsByToolAndFamily) {
  const CallFinding findings[] = {{"role_spoofing", FindingAction::kRecord, FindingSource::kOutside}};
  CallEnded end;
  end.outcome = CallOutcome::kSucceeded;
  end.findings = std::size(findings);
  end.finding_list = findings;
  Observe("get_block", end);
  EXPECT_THAT(metrics_.Text(), HasSubstr("toolgate_injection_findings_total{action=\"record\",source=\"outside\","
                                         "tool=\"get_block\",family=\"role_spoofing\"} 1\n"));
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("toolgate_calls_with_findings_total{action=\"record\",source=\"outside\"} 1\n"));
}

TEST_F(MetricsTest, CountsRejectionsAndTimesLayers) {
  const LayerTiming layers[] = {{0, "safe_errors", 0, 9'000, 2'000, false},
                                {1, "authorization", 0, 7'000, 7'000, true}};
  CallEnded end;
  end.outcome = CallOutcome::kRefused;
  end.error = ErrorCode::kForbidden;
  end.refused_by = "authorization";
  end.layers = layers;
  Observe("get_block", end);
  const std::string text = metrics_.Text();
  EXPECT_THAT(text, HasSubstr("toolgate_rejections_total{layer=\"authorization\",reason=\"FORBIDDEN\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("toolgate_layer_duration_seconds_sum{layer=\"safe_errors\"} 2e-06\n"));
  EXPECT_THAT(text, HasSubstr("toolgate_layer_duration_seconds_sum{layer=\"authorization\"} 7e-06\n"));
}

TEST_F(MetricsTest, ALayerItDoesNotKnowHasNoRow) {
  const LayerTiming layers[] = {{7, "surprise", 0, 1'000, 1'000, false}};
  CallEnded end;
  end.outcome = CallOutcome::kSucceeded;
  end.layers = layers;
  Observe("get_block", end);
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("layer=\"other\"")));
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("surprise")));
  EXPECT_THAT(metrics_.Text(), HasSubstr("toolgate_layer_duration_seconds_count{layer=\"authorization\"} 0\n"));
}

TEST_F(MetricsTest, CallsInFlightGoUpAndDown) {
  CallStarted call{.trace = trace_};
  metrics_.OnCallStarted(call);
  metrics_.OnCallStarted(call);
  metrics_.OnCallEnded(call, CallEnded());
  EXPECT_THAT(metrics_.Text(), HasSubstr("toolgate_calls_in_flight 1\n"));
}

TEST_F(MetricsTest, RpcsCarryTheNamesOfGrpcDashboards) {
  metrics_.RpcStarted(0);
  metrics_.RpcHandled(0, 0, absl::Milliseconds(2));
  metrics_.RpcHandled(0, 7, absl::Milliseconds(2));
  metrics_.RpcHandled(0, 99, absl::Milliseconds(2));
  metrics_.RpcHandled(0, -1, absl::Milliseconds(2));
  const std::string text = metrics_.Text();
  const std::string labels = "{grpc_type=\"unary\",grpc_service=\"toolgate.v1.ToolService\",grpc_method=\"Execute\"";
  EXPECT_THAT(text, HasSubstr("grpc_server_started_total" + labels + "} 1\n"));
  EXPECT_THAT(text, HasSubstr("grpc_server_handled_total" + labels + ",grpc_code=\"OK\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("grpc_server_handled_total" + labels + ",grpc_code=\"PermissionDenied\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("grpc_server_handled_total" + labels + ",grpc_code=\"Unknown\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("grpc_server_handling_seconds_count" + labels + "} 4\n"));
}

TEST_F(MetricsTest, EveryEventHasItsSeries) {
  metrics_.CountLimitDecision(LimitCheck::kToolLimit, LimitDecision::kFailedClosed);
  metrics_.ObserveLimitUse(LimitCheck::kUserLimit, 0.5);
  metrics_.ObserveLimitUse(LimitCheck::kUserLimit, 1.001);
  metrics_.CountLimiterFault(LimiterFault::kFull);
  metrics_.ObserveProviderCall("made up", ProviderOutcome::kTimeout, absl::Seconds(2));
  metrics_.confirmations_waiting().Set(3);
  metrics_.CountUndo(UndoOutcome::kFailed);
  metrics_.CountConfirmation(ConfirmationEvent::kRejectedToken);
  metrics_.ObserveStoreOperation(StoreOperation::kBackup, absl::Milliseconds(1));
  metrics_.ObserveStoreOperation(StoreOperation::kBlobRead, absl::Milliseconds(1));
  metrics_.ObserveAuditFlush(absl::Milliseconds(1));
  metrics_.queue_length().Add(4);
  metrics_.waiting_calls().Add(5);
  metrics_.effects_under_way().Add(6);
  metrics_.audit_pending().Set(12);
  metrics_.unresolved_claims().Set(2);
  metrics_.CountLimitDecision(LimitCheck::kUserLimit, LimitDecision::kFailedOpen);
  metrics_.ready().Set(1);
  metrics_.CountBreakerChange(BreakerState::kOpen);
  metrics_.SetBreakers({{"tool:gone", BreakerState::kOpen}});
  metrics_.SetBreakers({{"tool:generate_image", BreakerState::kHalfOpen}});
  const std::string text = metrics_.Text();
  for (const std::string_view line : {
           "toolgate_limit_decisions_total{check=\"tool_limit\",decision=\"failed_closed\"} 1\n",
           "toolgate_limit_decisions_total{check=\"circuit_breaker\",decision=\"refused\"} 0\n",
           "toolgate_breaker_changes_total{to=\"open\"} 1\n",
           "toolgate_limit_use_ratio_bucket{check=\"user_limit\",le=\"0.5\"} 1\n",
           "toolgate_limit_use_ratio_bucket{check=\"user_limit\",le=\"1\"} 1\n",
           "toolgate_limit_use_ratio_bucket{check=\"user_limit\",le=\"+Inf\"} 2\n",
           "toolgate_limiter_faults_total{reason=\"full\"} 1\n",
           "toolgate_provider_calls_total{provider=\"other\",outcome=\"timeout\"} 1\n",
           "toolgate_provider_call_duration_seconds_bucket{provider=\"other\",le=\"1\"} 0\n",
           "toolgate_provider_call_duration_seconds_count{provider=\"other\"} 1\n",
           "toolgate_confirmations_waiting 3\n",
           "toolgate_ready 1\n",
           "toolgate_undo_total{outcome=\"failed\"} 1\n",
           "toolgate_confirmations_total{event=\"rejected_token\"} 1\n",
           "toolgate_store_operation_seconds_count{operation=\"backup\"} 1\n",
           "toolgate_store_operation_seconds_count{operation=\"blob_read\"} 1\n",
           "toolgate_store_operation_seconds_count{operation=\"blob_write\"} 0\n",
           "toolgate_audit_flush_seconds_count 1\n",
           "toolgate_queue_length 4\n",
           "toolgate_waiting_calls 5\n",
           "toolgate_effects_under_way 6\n",
           "toolgate_audit_pending 12\n",
           "toolgate_unresolved_claims 2\n",
           "toolgate_limit_decisions_total{check=\"user_limit\",decision=\"failed_open\"} 1\n",
           "toolgate_breaker_state{name=\"tool:generate_image\"} 1\n",
           "toolgate_build_info{version=\"1.2.3\",commit=\"abc1234\"} 1\n",
       }) {
    EXPECT_THAT(text, HasSubstr(std::string(line)));
  }
}

TEST_F(MetricsTest, BreakersThatAreNoMoreAreNotShown) {
  metrics_.SetBreakers({{"tool:a", BreakerState::kOpen}, {"tool:b", BreakerState::kClosed}});
  metrics_.SetBreakers({{"tool:b", BreakerState::kClosed}});
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("tool:a")));
  EXPECT_THAT(metrics_.Text(), HasSubstr("toolgate_breaker_state{name=\"tool:b\"} 0\n"));
}

TEST_F(MetricsTest, WhatCannotHappenHasNoRow) {
  metrics_.CountLimitDecision(LimitCheck::kCircuitBreaker, LimitDecision::kAllowed);
  metrics_.CountLimitDecision(LimitCheck::kProviderThrottle, LimitDecision::kRefused);
  metrics_.ObserveLimitUse(LimitCheck::kProviderThrottle, 1);
  metrics_.ObserveLimitUse(LimitCheck::kCircuitBreaker, 1);
  const std::string text = metrics_.Text();
  EXPECT_THAT(text, Not(HasSubstr("check=\"circuit_breaker\",decision=\"allowed\"")));
  EXPECT_THAT(text, Not(HasSubstr("provider_throttle"))) << "no tool calls a provider";
  MetricsOptions options = Options();
  options.providers = {"tavily"};
  Metrics with_providers(options);
  with_providers.ObserveLimitUse(LimitCheck::kProviderThrottle, 0.2);
  with_providers.ObserveProviderCall("tavily", ProviderOutcome::kOk, absl::Seconds(2));
  EXPECT_THAT(with_providers.Text(), HasSubstr("toolgate_limit_use_ratio_count{check=\"provider_throttle\"} 1\n"));
  EXPECT_THAT(with_providers.Text(),
              HasSubstr("toolgate_provider_calls_total{provider=\"tavily\",outcome=\"ok\"} 1\n"));
  with_providers.CountLimitDecision(LimitCheck::kProviderThrottle, LimitDecision::kRefused);
  EXPECT_THAT(with_providers.Text(), HasSubstr("check=\"provider_throttle\",decision=\"refused\"} 1\n"));
  EXPECT_THAT(with_providers.Text(), HasSubstr("check=\"tool_limit\",decision=\"failed_closed\"} 0\n"));
}

TEST_F(MetricsTest, TellsOfTheProcess) {
  const std::string text = metrics_.Text();
  for (const std::string_view name : {"process_private_memory_bytes", "process_resident_memory_bytes",
                                      "process_virtual_memory_bytes", "process_cpu_seconds_total", "process_open_fds",
                                      "process_max_fds", "process_threads", "process_start_time_seconds"}) {
    EXPECT_THAT(text, HasSubstr("\n" + std::string(name) + " ")) << name;
  }
}

// The rules of `promtool check metrics`, for every family, used or not.
TEST_F(MetricsTest, CountsHttpRequestsByRouteAndStatus) {
  metrics_.HttpHandled(0, 200, absl::Milliseconds(3));
  metrics_.HttpHandled(0, 429, absl::Milliseconds(3));
  metrics_.HttpHandled(1, 404, absl::ZeroDuration());
  metrics_.HttpHandled(1, 418, absl::ZeroDuration());
  const std::string text = metrics_.Text();
  EXPECT_THAT(text, HasSubstr("toolgate_http_requests_total{route=\"POST /v1/undo\",code=\"200\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("toolgate_http_requests_total{route=\"POST /v1/undo\",code=\"429\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("toolgate_http_requests_total{route=\"other\",code=\"404\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("toolgate_http_requests_total{route=\"other\",code=\"other\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("toolgate_http_request_duration_seconds_count{route=\"POST /v1/undo\"} 2\n"));
}

TEST_F(MetricsTest, ExportsNothingOfHttpThatIsNotServed) {
  MetricsOptions options = Options();
  options.http_routes.clear();
  EXPECT_THAT(Metrics(options).Text(), Not(HasSubstr("toolgate_http_")));
}

TEST_F(MetricsTest, NamesFollowTheConventions) {
  CallEnded end;
  end.outcome = CallOutcome::kRefused;
  const LayerTiming layers[] = {{0, "safe_errors", 0, 1, 1, true}};
  const CallFinding findings[] = {{"role_spoofing", FindingAction::kRefuse, FindingSource::kArguments}};
  end.layers = layers;
  end.findings = std::size(findings);
  end.finding_list = findings;
  Observe("get_block", end);
  metrics_.RpcHandled(0, 0, absl::ZeroDuration());
  metrics_.ObserveStoreOperation(StoreOperation::kRead, absl::ZeroDuration());
  metrics_.ObserveAuditFlush(absl::ZeroDuration());
  metrics_.ObserveQueueWait(absl::ZeroDuration());
  metrics_.HttpHandled(0, 200, absl::ZeroDuration());
  metrics_.SetBreakers({{"tool:a", BreakerState::kClosed}});
  std::set<std::string> names;
  for (const prometheus::MetricFamily& family : metrics_.collectable()->Collect()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name << " is exported twice";
    EXPECT_FALSE(family.help.empty()) << family.name;
    const bool counter = family.type == prometheus::MetricType::Counter;
    EXPECT_EQ(counter, family.name.ends_with("_total")) << family.name;
    const bool histogram = family.type == prometheus::MetricType::Histogram;
    EXPECT_TRUE(!histogram || family.name.ends_with("_seconds") || family.name.ends_with("_ratio")) << family.name;
    for (const char c : family.name) EXPECT_TRUE((c >= 'a' && c <= 'z') || c == '_') << family.name;
  }
  EXPECT_EQ(names.size(), 47u);
}

}  // namespace
}  // namespace toolgate::observability
