// Times to index a folder of sources and to keep its graph up to date. TOOLGATE_BENCH_SOURCES names the folder; without
// it, the benchmark makes some 200,000 lines of C.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "executors/code_graph/index/ctags_process.h"
#include "executors/code_graph/index/graph_database.h"
#include "executors/code_graph/index/refresh.h"
#include "executors/code_graph/index/stored_graph.h"
#include "executors/cypher/engine.h"
#include "executors/directory/directory.h"
#include "tests/support/directory_limits.h"
#include "tests/support/index_options.h"
#include "tests/support/query_bounds.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::code_graph::index {
namespace {

// A workspace with its graph, shared by all benchmarks.
class Workspace {
 public:
  static Workspace& Get() {
    static auto* const workspace = new Workspace;
    return *workspace;
  }

  RefreshReport Refresh() {
    const auto connection = database_->OpenToWrite();
    RefreshProgress progress;
    const auto report = index::Refresh(
        *directory_, **connection, options_, [] { return true; }, progress);
    if (!report.ok()) abort();
    return *report;
  }
  void Reset() {
    if (!database_->Reset().ok()) abort();
    database_ = *GraphDatabase::Open(temp_.path() + "/graph.db");
  }
  std::unique_ptr<StoredGraph> Graph() const { return *StoredGraph::Open(*database_); }
  const std::string& sources() const { return sources_; }

 private:
  Workspace() {
    const char* const given = std::getenv("TOOLGATE_BENCH_SOURCES");
    sources_ = given == nullptr ? temp_.path() + "/sources" : given;
    if (given == nullptr) MakeSources();
    directory_ = *directory::Directory::Open(sources_, *directory::DenyList::Create({}), testing::kDirectoryLimits);
    database_ = *GraphDatabase::Open(temp_.path() + "/graph.db");
    options_ = testing::IndexOptionsFor(*FindCtags(""));
  }

  void MakeSources() const {
    std::filesystem::create_directories(sources_);
    for (int file = 0; file < 400; ++file) {
      std::ofstream out(absl::StrCat(sources_, "/f", file, ".c"));
      for (int i = 0; i < 100; ++i) {
        out << "int f" << file << "_" << i << "(int a) {\n  int b = a * 2;\n  if (b > " << i << ") {\n    return f"
            << (file * 7 + i) % 400 << "_" << i << "(b);\n  }\n";
        out << "  return b;\n}\n\n";
      }
    }
  }

  testing::TempDir temp_;
  std::string sources_;
  std::shared_ptr<directory::Directory> directory_;
  std::unique_ptr<GraphDatabase> database_;
  IndexOptions options_;
};

void BM_FirstIndex(benchmark::State& state) {
  Workspace& workspace = Workspace::Get();
  RefreshReport report;
  for (auto _ : state) {
    workspace.Reset();
    report = workspace.Refresh();
  }
  int64_t lines = 0;
  const auto graph = workspace.Graph();
  const auto query = cypher::PreparedQuery::Prepare("MATCH (f:File) RETURN sum(f.lines)");
  const auto run = query->Run(*graph, {}, {.bounds = testing::kQueryBounds},
                              [&](absl::Span<const cypher::values::Value> row) -> absl::StatusOr<bool> {
                                lines = row[0].integer();
                                return true;
                              });
  if (!run.ok()) state.SkipWithError("the query failed");
  state.counters["files"] = static_cast<double>(report.files);
  state.counters["lines"] = static_cast<double>(lines);
  state.counters["symbols"] = static_cast<double>(graph->EstimateNodes("Symbol"));
}
BENCHMARK(BM_FirstIndex)->Iterations(1)->Unit(benchmark::kMillisecond);

void BM_NothingChanged(benchmark::State& state) {
  Workspace::Get().Refresh();
  for (auto _ : state) Workspace::Get().Refresh();
}
BENCHMARK(BM_NothingChanged)->Unit(benchmark::kMillisecond);

// Another definition in a file of its own each time, which other files might mean.
void BM_OneFileChanged(benchmark::State& state) {
  const std::string path = Workspace::Get().sources() + "/toolgate_bench.c";
  int round = 0;
  for (auto _ : state) {
    std::ofstream(path) << "int toolgate_bench_" << ++round << "(void) {\n  return " << round << ";\n}\n";
    Workspace::Get().Refresh();
  }
  std::filesystem::remove(path);
  Workspace::Get().Refresh();
}
BENCHMARK(BM_OneFileChanged)->Unit(benchmark::kMillisecond);

void RunQuery(benchmark::State& state, const char* text) {
  const auto query = cypher::PreparedQuery::Prepare(text);
  int64_t rows = 0;
  for (auto _ : state) {
    const auto graph = Workspace::Get().Graph();
    const auto run = query->Run(*graph, {}, {.bounds = testing::kQueryBounds},
                                [&](absl::Span<const cypher::values::Value>) -> absl::StatusOr<bool> {
                                  ++rows;
                                  return true;
                                });
    if (!run.ok()) state.SkipWithError(std::string(run.message()).c_str());
  }
  state.counters["rows"] = static_cast<double>(rows) / static_cast<double>(state.iterations());
}
BENCHMARK_CAPTURE(RunQuery, callers,
                  "MATCH (a)-[:CALLS]->(f:Function) WITH f, count(*) AS n RETURN f.name, n ORDER BY n DESC LIMIT 10")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RunQuery, by_name, "MATCH (a)-[:CALLS]->(:Function {name: 'palloc'}) RETURN a.name")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RunQuery, reach, "MATCH (:Function {name: 'heap_insert'})-[:CALLS*1..3]->(f) RETURN DISTINCT f.name")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace toolgate::executors::code_graph::index

BENCHMARK_MAIN();
