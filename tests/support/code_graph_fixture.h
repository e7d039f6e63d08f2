// A directory with source files, and the code graph of it.
#ifndef TOOLGATE_TESTS_SUPPORT_CODE_GRAPH_FIXTURE_H_
#define TOOLGATE_TESTS_SUPPORT_CODE_GRAPH_FIXTURE_H_

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "common/json.h"
#include "executors/code_graph/index/ctags_process.h"
#include "executors/code_graph/index/graph_database.h"
#include "executors/code_graph/index/refresh.h"
#include "executors/code_graph/index/stored_graph.h"
#include "executors/cypher/engine.h"
#include "executors/cypher/result_json.h"
#include "executors/directory/deny_list.h"
#include "executors/directory/directory.h"
#include "gtest/gtest.h"
#include "tests/support/directory_limits.h"
#include "tests/support/index_options.h"
#include "tests/support/query_bounds.h"
#include "tests/support/temp_dir.h"

namespace toolgate::testing {

// The rows of a query, each as its columns' JSON joined by " | ". A failure is one row.
inline std::vector<std::string> RowsOf(const executors::cypher::Graph& graph, std::string_view query,
                                       const executors::cypher::values::Map& parameters = {}) {
  using executors::cypher::PreparedQuery;
  const absl::StatusOr<PreparedQuery> prepared = PreparedQuery::Prepare(query);
  if (!prepared.ok()) return {prepared.status().ToString()};
  std::vector<std::string> rows;
  const absl::Status run =
      prepared->Run(graph, parameters, {.bounds = kQueryBounds},
                    [&](absl::Span<const executors::cypher::values::Value> values) -> absl::StatusOr<bool> {
                      std::vector<std::string> cells;
                      for (const auto& value : values) {
                        const absl::StatusOr<Json> json = executors::cypher::ToJson(value, graph);
                        if (!json.ok()) return json.status();
                        cells.push_back(json->is_string() ? json->get<std::string>() : DumpJson(*json));
                      }
                      rows.push_back(absl::StrJoin(cells, " | "));
                      return true;
                    });
  if (!run.ok()) rows.push_back(run.ToString());
  return rows;
}

class CodeGraphFixture : public ::testing::Test {
 protected:
  using RefreshReport = executors::code_graph::index::RefreshReport;

  void SetUp() override {
    std::filesystem::create_directories(root());
    auto ctags = executors::code_graph::index::FindCtags("");
    ASSERT_TRUE(ctags.ok()) << ctags.status();
    options_ = IndexOptionsFor(*ctags);
    auto directory =
        executors::directory::Directory::Open(root(), *executors::directory::DenyList::Create({}), kDirectoryLimits);
    ASSERT_TRUE(directory.ok()) << directory.status();
    directory_ = *std::move(directory);
    auto database = executors::code_graph::index::GraphDatabase::Open(temp_.path() + "/graph.db");
    ASSERT_TRUE(database.ok()) << database.status();
    database_ = *std::move(database);
  }

  std::string root() const { return temp_.path() + "/workspace"; }
  std::string PathOf(std::string_view path) const { return root() + "/" + std::string(path); }

  void Write(std::string_view path, std::string_view content) const {
    std::filesystem::create_directories(std::filesystem::path(PathOf(path)).parent_path());
    std::ofstream(PathOf(path), std::ios::binary | std::ios::trunc) << content;
  }
  void Remove(std::string_view path) const { std::filesystem::remove_all(PathOf(path)); }

  RefreshReport Refresh() {
    auto connection = database_->OpenToWrite();
    EXPECT_TRUE(connection.ok()) << connection.status();
    executors::code_graph::index::RefreshProgress progress;
    const auto report = executors::code_graph::index::Refresh(
        *directory_, **connection, options_, [] { return true; }, progress);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.value_or(RefreshReport());
  }

  std::unique_ptr<executors::code_graph::index::StoredGraph> Graph() const {
    auto graph = executors::code_graph::index::StoredGraph::Open(*database_);
    EXPECT_TRUE(graph.ok()) << graph.status();
    return graph.ok() ? *std::move(graph) : nullptr;
  }

  // Refreshes the graph and asks it.
  std::vector<std::string> Query(std::string_view query) {
    Refresh();
    return RowsOf(*Graph(), query);
  }

  TempDir temp_;
  executors::code_graph::index::IndexOptions options_;
  std::shared_ptr<executors::directory::Directory> directory_;
  std::unique_ptr<executors::code_graph::index::GraphDatabase> database_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_CODE_GRAPH_FIXTURE_H_
