// Costs of authorisation and layers 3 and 4 for a call: each layer's Run around a step that does nothing.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "common/clock.h"
#include "coordination/limits/local_limiter_store.h"
#include "security/authorization/authorization.h"
#include "security/execution_tracking/execution_tracking.h"
#include "security/rate_limit/rate_limit.h"
#include "tests/support/test_tools.h"

namespace toolgate::security {
namespace {

using testing::MakeCall;
using testing::MakeTool;
using testing::ProtoSeconds;

constexpr size_t kTools = 45;

// Tool 0 has no limits, tool 1 an hour's and a day's; the others fill the tables.
std::vector<executors::Tool> Tools() {
  std::vector<executors::Tool> tools;
  for (size_t i = 0; i < kTools; ++i) tools.push_back(MakeTool(absl::StrCat("tool", i), i));
  tools[1].definition.limits = {{executors::Audience::kAny, 1'000'000, absl::Milliseconds(1)},
                                {executors::Audience::kAny, 1'000'000, absl::Milliseconds(2)}};
  return tools;
}

config::v1::RateLimiting RateLimitConfig() {
  config::v1::RateLimiting config;
  config.set_enforcement(config::v1::ENFORCEMENT_ENFORCE);
  config.set_max_tracked_users(100'000);
  config.set_on_store_failure(config::v1::ON_STORE_FAILURE_FAIL_CLOSED);
  auto& breaker = *config.mutable_circuit_breaker();
  *breaker.mutable_window() = ProtoSeconds(30);
  breaker.set_min_calls(20);
  breaker.set_failure_ratio(0.5);
  breaker.set_consecutive_failures(5);
  *breaker.mutable_open_duration() = ProtoSeconds(15);
  breaker.set_half_open_probes(3);
  return config;
}

config::v1::ExecutionTracking TrackingConfig() {
  config::v1::ExecutionTracking config;
  config.set_max_calls_per_request(1'000'000'000);
  *config.mutable_tool_timeout() = ProtoSeconds(60);
  *config.mutable_max_execution_time_per_request() = ProtoSeconds(3600);
  *config.mutable_request_memory() = ProtoSeconds(600);
  config.set_max_tracked_requests(100'000);
  config.set_max_in_flight(256);
  config.set_max_queued(1024);
  config.set_max_effects(4096);
  config.set_max_effects_per_provider(1024);
  config.set_max_share_per_user(1);
  config.set_max_share_per_workspace(1);
  config.set_max_query_memory_bytes(int64_t{128} << 20);
  *config.mutable_max_queue_time() = ProtoSeconds(1);
  config.set_max_result_bytes(1 << 20);
  return config;
}

std::unique_ptr<ToolCall> CallOf(const executors::Tool& tool, int thread) {
  auto call = MakeCall(tool);
  call->caller.user_id = absl::StrCat("01jb2c3d4e5f6g7h8j9k0m1n2", thread);
  call->caller.workspace_id = "01jb2c3d4e5f6g7h8j9k0m1n2p";
  call->caller.roles = {"developer"};
  return call;
}

void RunLayer(benchmark::State& state, Layer* layer, ToolCall& call) {
  for (auto _ : state) {
    call.cancellation.Reset(Clock::Real(), absl::InfiniteDuration());
    absl::StatusOr<ToolResult> result =
        layer == nullptr ? testing::Success("{}") : layer->Run(call, [](ToolCall&) { return testing::Success("{}"); });
    benchmark::DoNotOptimize(result);
    if (!result.ok()) state.SkipWithError("refused");
  }
}

const std::vector<executors::Tool>& SharedTools() {
  static const auto* const tools = new std::vector<executors::Tool>(Tools());
  return *tools;
}

// The loop itself and the creation of the result, to be subtracted from the others.
void BM_NoLayer(benchmark::State& state) { RunLayer(state, nullptr, *CallOf(SharedTools()[0], state.thread_index())); }
BENCHMARK(BM_NoLayer);

rate_limit::RateLimit& SharedRateLimit() {
  static auto* const store = coordination::limits::LocalLimiterStore::Create(100'000, Clock::Real())->release();
  static auto* const breakers = new coordination::breakers::BreakerRegistry(Clock::Real());
  static auto* const layer =
      rate_limit::RateLimit::Create(SharedTools(), RateLimitConfig(), Clock::Real(), *store, *breakers)->release();
  return *layer;
}

void BM_RateLimitWithoutLimits(benchmark::State& state) {
  RunLayer(state, &SharedRateLimit(), *CallOf(SharedTools()[0], state.thread_index()));
}
BENCHMARK(BM_RateLimitWithoutLimits)->Threads(1)->Threads(2);

void BM_RateLimitTwoWindows(benchmark::State& state) {
  RunLayer(state, &SharedRateLimit(), *CallOf(SharedTools()[1], state.thread_index()));
}
BENCHMARK(BM_RateLimitTwoWindows)->Threads(1)->Threads(2);

execution_tracking::ExecutionTracking& SharedTracking() {
  static auto* const state =
      execution_tracking::ExecutionState::Create(SharedTools(), TrackingConfig(), Clock::Real())->release();
  static auto* const layer =
      execution_tracking::ExecutionTracking::Create(SharedTools(), TrackingConfig(), Clock::Real(), *state)->release();
  return *layer;
}

void BM_TrackingOwnRequest(benchmark::State& state) {
  RunLayer(state, &SharedTracking(), *CallOf(SharedTools()[0], state.thread_index()));
}
BENCHMARK(BM_TrackingOwnRequest)->Threads(1)->Threads(2);

void BM_TrackingWithRequestId(benchmark::State& state) {
  const auto call = CallOf(SharedTools()[0], state.thread_index());
  call->request_id = "01jb2c3d4e5f6g7h8j9k0m1n2q";
  RunLayer(state, &SharedTracking(), *call);
}
BENCHMARK(BM_TrackingWithRequestId)->Threads(1)->Threads(2);

void BM_Authorization(benchmark::State& state) {
  config::v1::Identity identity;
  (*identity.mutable_roles())["developer"].add_permissions("*");
  (*identity.mutable_roles())["guest"].add_permissions("block:read");
  const auto layer =
      *authorization::Authorization::Create(SharedTools(), *authorization::PermissionTable::Create({}), identity);
  RunLayer(state, layer.get(), *CallOf(SharedTools()[0], 0));
}
BENCHMARK(BM_Authorization);

}  // namespace
}  // namespace toolgate::security

BENCHMARK_MAIN();
