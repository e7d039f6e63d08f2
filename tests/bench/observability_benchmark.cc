// Cost of observing a call: limit 0.6 µs with eight layers.
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "benchmark/benchmark.h"
#include "common/clock.h"
#include "common/ids.h"
#include "observability/call_recorder.h"
#include "observability/log_observer.h"
#include "observability/logger.h"
#include "observability/metrics.h"
#include "observability/trace_ids.h"

namespace toolgate::observability {
namespace {

constexpr std::string_view kLayers[] = {"safe_errors", "injection_defence", "param_validation",   "authorization",
                                        "rate_limit",  "confirmation",      "execution_tracking", "execute"};

MetricsOptions Options() {
  MetricsOptions options;
  for (int i = 0; i < 45; ++i) options.tools.push_back("tool_number_" + std::to_string(i));
  for (const std::string_view layer : kLayers) options.layers.emplace_back(layer);
  options.rpc_methods = {{"unary", "toolgate.v1.ToolService", "Execute"}};
  options.version = "benchmark";
  return options;
}

class NullSink final : public LogSink {
 public:
  void Write(std::string_view line) override { benchmark::DoNotOptimize(line.data()); }
};

void RunLayers(CallRecorder& recorder, size_t depth) {
  if (depth == std::size(kLayers)) return;
  const auto scope = recorder.EnterLayer(depth, kLayers[depth]);
  RunLayers(recorder, depth + 1);
}

Metrics& SharedMetrics() {
  static Metrics* const metrics = new Metrics(Options());
  return *metrics;
}

// Metrics and the log (successful calls are below its level), as in the server.
void BM_ObserveCall(benchmark::State& state) {
  Metrics& metrics = SharedMetrics();
  NullSink sink;
  Logger logger(sink, Clock::Real(), LogLevel::kInfo, LogFormat::kJson);
  const LogMask keep = [](std::string_view text) { return std::string(text); };
  LogObserver log(logger, keep, keep);
  CallObserverList observers({&metrics, &log});
  TraceIds ids(IdSource::Real());
  const int64_t arrived_ns = Clock::Real().MonotonicNanos();  // The service reads it for the call's deadline.
  for (auto _ : state) {
    const TraceContext trace = ids.NewTrace();
    CallStarted started{.trace = trace};
    started.call_id = "01arz3ndektsv4rrffq69g5fav";
    started.tool_id = "tool_number_7";
    started.arrived_ns = arrived_ns;
    CallRecorder recorder(observers, Clock::Real(), started);
    RunLayers(recorder, 0);
    recorder.end().outcome = CallOutcome::kSucceeded;
  }
}
BENCHMARK(BM_ObserveCall)->Threads(1)->Threads(2)->UseRealTime();

void BM_ObserveCallWithoutObservers(benchmark::State& state) {
  CallObserverList observers({});
  const TraceContext trace{1, 2, 3, 0, {}};
  for (auto _ : state) {
    CallRecorder recorder(observers, Clock::Real(), CallStarted{.trace = trace});
    RunLayers(recorder, 0);
  }
}
BENCHMARK(BM_ObserveCallWithoutObservers);

void BM_ReadClock(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Clock::Real().MonotonicNanos());
}
BENCHMARK(BM_ReadClock);

void BM_ReadSteadyClock(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(std::chrono::steady_clock::now());
}
BENCHMARK(BM_ReadSteadyClock);

void BM_Count(benchmark::State& state) {
  static ShardedCounter* const counter = new ShardedCounter({"count_total", "Help.", {}, {{}}});
  for (auto _ : state) counter->Add(0);
}
BENCHMARK(BM_Count)->Threads(1)->Threads(4);

void BM_ObserveDuration(benchmark::State& state) {
  static ShardedHistogram* const histogram = new ShardedHistogram({"a_seconds", "Help.", {}, {{}}}, FineBounds());
  int64_t nanos = 0;
  for (auto _ : state) histogram->Observe(0, nanos = (nanos * 5 + 12345) & 0xfffffff);
}
BENCHMARK(BM_ObserveDuration)->Threads(1)->Threads(4);

void BM_NewTrace(benchmark::State& state) {
  TraceIds ids(IdSource::Real());
  for (auto _ : state) benchmark::DoNotOptimize(ids.NewTrace());
}
BENCHMARK(BM_NewTrace);

void BM_LogLine(benchmark::State& state) {
  NullSink sink;
  Logger logger(sink, Clock::Real(), LogLevel::kInfo, LogFormat::kJson);
  for (auto _ : state) {
    logger.Info("call refused", {{"call_id", "01arz3ndektsv4rrffq69g5fav"}, {"tool", "create_block"}, {"bytes", 1024}});
  }
}
BENCHMARK(BM_LogLine);

void BM_Scrape(benchmark::State& state) {
  Metrics metrics(Options());
  for (auto _ : state) benchmark::DoNotOptimize(metrics.Text());
}
BENCHMARK(BM_Scrape)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace toolgate::observability

BENCHMARK_MAIN();
