// Cost of observing a call: limit 0.6 µs with eight layers; sampled, 3 µs to record and 1.5 µs to encode its spans.
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "common/clock.h"
#include "common/ids.h"
#include "observability/call_recorder.h"
#include "observability/log_observer.h"
#include "observability/logger.h"
#include "observability/metrics.h"
#include "observability/otlp/request_encoder.h"
#include "observability/trace_ids.h"
#include "observability/tracing/call_spans.h"
#include "observability/tracing/tracer.h"

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

// Takes the place of the export.
class LastTrace final : public tracing::RecordingSink {
 public:
  void Take(std::unique_ptr<tracing::TraceRecording> recording) override { last = std::move(recording); }

  std::unique_ptr<tracing::TraceRecording> last;
};

constexpr std::string_view kMethod = "toolgate.v1.ToolService/Execute";

// One RPC with one call, traced as the server does it.
void RunRpc(tracing::Tracer& tracer, tracing::CallSpans& spans) {
  const int64_t start_ns = Clock::Real().MonotonicNanos();
  tracing::RpcTrace rpc = tracer.Begin(std::nullopt);
  const TraceContext trace = tracer.ids().NewChild(rpc.server_span());
  {
    CallStarted started{.trace = trace};
    started.call_id = "01arz3ndektsv4rrffq69g5fav";
    started.tool_id = "tool_number_7";
    started.parent_span_id = rpc.server_span().span_id;
    started.recording = rpc.recording();
    CallRecorder recorder(spans, Clock::Real(), started);
    RunLayers(recorder, 0);
    recorder.end().outcome = CallOutcome::kSucceeded;
  }
  tracer.End(rpc, kMethod, 0, start_ns);
}

void TraceCalls(benchmark::State& state, std::string_view sampler) {
  TraceIds ids(IdSource::Real());
  LastTrace sink;
  tracing::Tracer tracer(ids, Clock::Real(),
                         tracing::Tracer::Options{*tracing::Sampler::Create(sampler, 1), sink, "127.0.0.1", 50051});
  tracing::CallSpans spans(Options().tools, [](std::string_view text) { return std::string(text); });
  for (auto _ : state) RunRpc(tracer, spans);
}
BENCHMARK_CAPTURE(TraceCalls, unsampled, "always_off");
BENCHMARK_CAPTURE(TraceCalls, sampled, "always_on");

// The spans of one call, on the thread that exports.
void BM_EncodeCall(benchmark::State& state) {
  TraceIds ids(IdSource::Real());
  LastTrace sink;
  tracing::Tracer tracer(ids, Clock::Real(),
                         tracing::Tracer::Options{*tracing::Sampler::Create("always_on", 1), sink, "127.0.0.1", 50051});
  tracing::CallSpans spans(Options().tools, [](std::string_view text) { return std::string(text); });
  RunRpc(tracer, spans);
  std::vector<tracing::SpanRef> batch;
  for (size_t i = 0; i < sink.last->spans().size(); ++i) batch.push_back({sink.last.get(), i});
  otlp::RequestEncoder encoder({{"service.name", std::string("toolgate")}}, "benchmark");
  for (auto _ : state) benchmark::DoNotOptimize(encoder.Encode(batch));
}
BENCHMARK(BM_EncodeCall);

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
