// Cost of one statement of db_query apart from the store: opening a private database, compiling, running, and finding
// the changes.
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "tests/support/sql_sandbox.h"

namespace toolgate::executors::sql {
namespace {

using testing::SqlSandbox;

// A database with `rows` rows.
SqlSandbox& Filled(int64_t rows) {
  auto* const sandbox = new SqlSandbox;
  const auto run = [&](const std::string& sql) {
    if (!sandbox->Run(sql).ok()) std::abort();
  };
  run("CREATE TABLE ai_t(id INTEGER PRIMARY KEY, name TEXT, n INT)");
  run("CREATE INDEX ai_by_name ON ai_t(name)");
  run(absl::StrCat("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ", rows,
                   ") INSERT INTO ai_t SELECT x, 'name ' || x, x % 100 FROM c"));
  return *sandbox;
}

void Run(benchmark::State& state, const std::string& sql) {
  static SqlSandbox& small = Filled(100);
  static SqlSandbox& large = Filled(50'000);
  SqlSandbox& sandbox = state.range(0) == 100 ? small : large;
  for (auto _ : state) {
    const auto outcome = sandbox.Try(sql);
    if (!outcome.ok()) state.SkipWithError(outcome.status().ToString().c_str());
    benchmark::DoNotOptimize(outcome);
  }
}

void BM_Constant(benchmark::State& state) { Run(state, "SELECT 1 AS a"); }
void BM_PointRead(benchmark::State& state) { Run(state, "SELECT * FROM ai_t WHERE id = 77"); }
void BM_Aggregate(benchmark::State& state) { Run(state, "SELECT n, count(*) FROM ai_t GROUP BY n LIMIT 5"); }
void BM_InsertOneRow(benchmark::State& state) { Run(state, "INSERT INTO ai_t(name, n) VALUES ('new', 1)"); }
void BM_UpdateHundredRows(benchmark::State& state) { Run(state, "UPDATE ai_t SET n = n + 1 WHERE id <= 100"); }
void BM_AddColumn(benchmark::State& state) { Run(state, "ALTER TABLE ai_t ADD COLUMN c"); }

BENCHMARK(BM_Constant)->Arg(100);
BENCHMARK(BM_PointRead)->Arg(100)->Arg(50'000);
BENCHMARK(BM_Aggregate)->Arg(100)->Arg(50'000);
BENCHMARK(BM_InsertOneRow)->Arg(100)->Arg(50'000);
BENCHMARK(BM_UpdateHundredRows)->Arg(100)->Arg(50'000);
BENCHMARK(BM_AddColumn)->Arg(100)->Arg(50'000);

}  // namespace
}  // namespace toolgate::executors::sql

BENCHMARK_MAIN();
