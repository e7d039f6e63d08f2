// Costs of the handlers in addition to the store: rendering a block, checking and writing one.
#include <benchmark/benchmark.h>

#include <string>

#include "common/dates.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_json.h"
#include "executors/blocks/block_types.h"
#include "executors/json_template.h"
#include "executors/workspace/search_intent.h"

namespace toolgate::executors {
namespace {

storage::Block Todo() {
  storage::Block block;
  block.id = "01jxk4z5w8n2q7r3t6v9y0b1c2";
  block.type = "todo";
  block.parent_id = "01jxk4z5w8n2q7r3t6v9y0b1c3";
  block.data = R"({"content":"Review PR","completed":false,"status":"todo","priority":"high","dueDate":"2026-03-05"})";
  block.version = 1;
  block.created_by = block.updated_by = "ann";
  block.created_at = block.updated_at = absl::FromUnixSeconds(1772442000);
  return block;
}

void BM_RenderBlock(benchmark::State& state) {
  const storage::Block block = Todo();
  for (auto _ : state) {
    std::string out;
    blocks::AppendBlock(block, out);
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(BM_RenderBlock);

void BM_ParseData(benchmark::State& state) {
  const storage::Block block = Todo();
  for (auto _ : state) benchmark::DoNotOptimize(blocks::ParseData(block));
}
BENCHMARK(BM_ParseData);

void BM_ParseRelativeDate(benchmark::State& state) {
  const absl::Time now = absl::FromUnixSeconds(1772442000);
  for (auto _ : state) benchmark::DoNotOptimize(ParseDate("next monday at 9am", now, absl::UTCTimeZone()));
}
BENCHMARK(BM_ParseRelativeDate);

void BM_ParseSearchIntent(benchmark::State& state) {
  const workspace::SearchPerspective perspective{absl::FromUnixSeconds(1772442000), absl::UTCTimeZone(), "ann"};
  for (auto _ : state) {
    benchmark::DoNotOptimize(workspace::ParseSearchIntent("overdue high priority tasks about the launch", perspective));
  }
}
BENCHMARK(BM_ParseSearchIntent);

}  // namespace
}  // namespace toolgate::executors

BENCHMARK_MAIN();
