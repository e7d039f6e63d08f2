// Total cost of the five layers for a call, on the shipped tools and configuration: the layers in their order around a
// step that does nothing, with arguments of 1 KiB. Includes parsing the arguments.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "common/clock.h"
#include "common/ids.h"
#include "coordination/limits/local_limiter_store.h"
#include "executors/registration/registration.h"
#include "security/execution_tracking/execution_tracking.h"
#include "security/injection_defence/injection_defence.h"
#include "security/param_validation/argument_parser.h"
#include "security/param_validation/param_validation.h"
#include "security/rate_limit/rate_limit.h"
#include "security/safe_errors/safe_errors.h"
#include "services/config/config.h"

namespace toolgate::security {
namespace {

class NoLog final : public safe_errors::ErrorLog {
 public:
  void Report(std::string_view, const ToolCall&, const absl::Status&) override {}
};

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (!value.ok()) {
    std::fprintf(stderr, "%s\n", std::string(value.status().message()).c_str());
    std::abort();
  }
  return *std::move(value);
}

config::v1::Config Configuration() {
  config::v1::Config config = OrDie(services::config::Load({}));
  // Enough calls for the benchmark.
  auto& window = *(*config.mutable_rate_limiting()->mutable_tools())["create_block"].add_windows();
  window.set_audience("any");
  window.set_max_calls(1'000'000);
  window.mutable_window()->set_nanos(1'000'000);
  return config;
}

// The layers that act on every call, outermost first; identity, authorisation and confirmation are not among the five.
class FiveLayers {
 public:
  FiveLayers() : config_(Configuration()), parser_(config_.param_validation()) {
    const auto& tools = catalog_->tools();
    layers_.push_back(std::make_unique<safe_errors::SafeErrors>(masker_, IdSource::Real(), Clock::Real(), log_));
    layers_.push_back(OrDie(injection_defence::InjectionDefence::Create(tools, config_.injection_defence())));
    layers_.push_back(OrDie(param_validation::ParamValidation::Create(tools)));
    layers_.push_back(
        OrDie(rate_limit::RateLimit::Create(tools, config_.rate_limiting(), Clock::Real(), *limits_, breakers_)));
    layers_.push_back(OrDie(execution_tracking::ExecutionTracking::Create(tools, config_.execution_tracking(),
                                                                          Clock::Real(), *execution_)));
  }

  absl::StatusOr<ToolResult> Run(const std::string& tool_id, const std::string& arguments) {
    ToolCall call;
    call.tool = catalog_->Find(tool_id);
    call.caller.workspace_id = "workspace";
    call.caller.user_id = "alice";
    absl::StatusOr<Json> parsed = parser_.Parse(arguments);
    if (!parsed.ok()) return parsed.status();
    call.SetArguments(*std::move(parsed));
    return RunFrom(0, call);
  }

 private:
  absl::StatusOr<ToolResult> RunFrom(size_t step, ToolCall& call) {
    if (step < layers_.size()) {
      return layers_[step]->Run(call, [&](ToolCall& next) { return RunFrom(step + 1, next); });
    }
    ToolResult result;
    result.success = true;
    result.data_json = "{}";
    return result;
  }

  const config::v1::Config config_;
  const std::shared_ptr<const executors::Catalog> catalog_ = OrDie(executors::registration::BuiltInCatalog());
  const param_validation::ArgumentParser parser_;
  safe_errors::Masker masker_;
  NoLog log_;
  coordination::breakers::BreakerRegistry breakers_{Clock::Real()};
  const std::unique_ptr<coordination::limits::LocalLimiterStore> limits_ =
      OrDie(coordination::limits::LocalLimiterStore::Create(100'000, Clock::Real()));
  const std::unique_ptr<execution_tracking::ExecutionState> execution_ =
      OrDie(execution_tracking::ExecutionState::Create(catalog_->tools(), config_.execution_tracking(), Clock::Real()));
  std::vector<std::unique_ptr<Layer>> layers_;
};

std::string Repeated(std::string_view text, size_t bytes) {
  std::string all;
  while (all.size() < bytes) absl::StrAppend(&all, std::string(text));
  return all;
}

void RunCall(benchmark::State& state, const std::string& tool, const std::string& arguments) {
  static auto* const layers = new FiveLayers;
  for (auto _ : state) {
    absl::StatusOr<ToolResult> result = layers->Run(tool, arguments);
    benchmark::DoNotOptimize(result);
    if (!result.ok()) state.SkipWithError(std::string(result.status().message()).c_str());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(arguments.size()));
}

void BM_FiveLayersPointRead(benchmark::State& state) {
  RunCall(state, "get_block", R"({"blockId":"01jb2c3d4e5f6g7h8j9k0m1n2p","includeChildren":false})");
}
BENCHMARK(BM_FiveLayersPointRead);

void BM_FiveLayersProse1KiB(benchmark::State& state) {
  const std::string prose =
      Repeated("The quarterly report is due on Friday, and Ann still waits for the numbers. ", 960);
  RunCall(state, "create_block", absl::StrCat(R"({"type":"paragraph","data":{"content":")", prose, R"("}})"));
}
BENCHMARK(BM_FiveLayersProse1KiB);

void BM_FiveLayersJson1KiB(benchmark::State& state) {
  std::string rows;
  for (int i = 0; rows.size() < 940; ++i) {
    absl::StrAppend(&rows, i == 0 ? "" : ",", R"({"name":"Column )", i, R"(","type":"text"})");
  }
  RunCall(state, "create_block",
          absl::StrCat(R"({"type":"database","data":{"title":"Stock","properties":[)", rows, "]}}"));
}
BENCHMARK(BM_FiveLayersJson1KiB);

void BM_FiveLayersOtherScript1KiB(benchmark::State& state) {
  const std::string prose = Repeated("Отчёт за квартал нужен к пятнице, а Анна всё ещё ждёт цифр. ", 960);
  RunCall(state, "create_block", absl::StrCat(R"({"type":"paragraph","data":{"content":")", prose, R"("}})"));
}
BENCHMARK(BM_FiveLayersOtherScript1KiB);

}  // namespace
}  // namespace toolgate::security

BENCHMARK_MAIN();
