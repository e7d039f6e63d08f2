#include "executors/cypher/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/fairness/memory_budget.h"
#include "common/tool_error.h"
#include "executors/cypher/inspection/graph_loader.h"
#include "executors/cypher/memory_graph.h"
#include "executors/cypher/syntax/cypher_error.h"
#include "tests/support/fake_clock.h"
#include "tests/support/query_bounds.h"

namespace toolgate::executors::cypher {
namespace {

using values::Value;

// Rows seen before a run ended, and how it ended.
struct Outcome {
  absl::Status status;
  std::vector<std::vector<Value>> rows;

  std::string detail() const {
    const std::optional<syntax::CypherError> error = syntax::GetCypherError(status);
    return error.has_value() ? error->detail : "";
  }
};

Outcome RunQuery(const Graph& graph, std::string_view query,
                 const RunOptions& options = {.bounds = testing::kQueryBounds}, const values::Map& parameters = {},
                 size_t wanted = SIZE_MAX) {
  const absl::StatusOr<PreparedQuery> prepared = PreparedQuery::Prepare(query);
  if (!prepared.ok()) return {prepared.status(), {}};
  Outcome outcome;
  outcome.status = prepared->Run(graph, parameters, options, [&](absl::Span<const Value> row) {
    outcome.rows.emplace_back(row.begin(), row.end());
    return outcome.rows.size() < wanted;
  });
  return outcome;
}

MemoryGraph GraphOf(std::string_view create) {
  MemoryGraph graph;
  EXPECT_TRUE(inspection::RunCreate(create, graph).ok());
  return graph;
}

TEST(EngineTest, PreparedQueryRunsOnSeveralGraphs) {
  const PreparedQuery query = *PreparedQuery::Prepare("MATCH (n:A) RETURN count(n) AS c");
  EXPECT_THAT(query.columns(), ::testing::ElementsAre("c"));
  for (const int64_t nodes : {0, 3}) {
    MemoryGraph graph;
    for (int64_t i = 0; i < nodes; ++i) graph.AddNode({"A"}, {});
    int64_t counted = -1;
    ASSERT_TRUE(query
                    .Run(graph, {}, {.bounds = testing::kQueryBounds},
                         [&](absl::Span<const Value> row) {
                           counted = row[0].integer();
                           return true;
                         })
                    .ok());
    EXPECT_EQ(counted, nodes);
  }
}

TEST(EngineTest, VisitorEndsTheRun) {
  const Outcome outcome =
      RunQuery(MemoryGraph(), "UNWIND range(1, 1000000) AS x RETURN x", {.bounds = testing::kQueryBounds}, {}, 2);
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_EQ(outcome.rows.size(), 2u);
}

TEST(EngineTest, RowsComeBeforeALaterError) {
  const Outcome outcome = RunQuery(MemoryGraph(), "UNWIND [2, 1, 0] AS x RETURN 2 / x");
  EXPECT_EQ(outcome.detail(), "DivisionByZero");
  EXPECT_EQ(outcome.rows.size(), 2u);
}

TEST(EngineTest, RuntimeErrorsHaveAPlace) {
  const Outcome outcome = RunQuery(MemoryGraph(), "UNWIND [0] AS x\nRETURN 1 / x");
  const std::optional<syntax::CypherError> error = syntax::GetCypherError(outcome.status);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->phase, syntax::ErrorPhase::kRuntime);
  EXPECT_EQ(error->line, 2u);
}

TEST(EngineTest, MissingParameterIsFoundBeforeTheFirstRow) {
  const Outcome outcome = RunQuery(MemoryGraph(), "UNWIND [1] AS x RETURN x + $missing");
  const std::optional<syntax::CypherError> error = syntax::GetCypherError(outcome.status);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind, "ParameterMissing");
  EXPECT_EQ(error->phase, syntax::ErrorPhase::kCompile);
  EXPECT_EQ(error->column, 28u);
}

TEST(EngineTest, RowLimitIsNamed) {
  RunOptions options{.bounds = testing::kQueryBounds};
  options.bounds.max_rows = 10;
  const Outcome outcome = RunQuery(MemoryGraph(), "UNWIND range(1, 11) AS x RETURN x", options);
  EXPECT_EQ(outcome.detail(), "RowLimitExceeded");
  EXPECT_EQ(outcome.rows.size(), 10u);
  EXPECT_TRUE(RunQuery(MemoryGraph(), "UNWIND range(1, 10) AS x RETURN x", options).status.ok());
}

TEST(EngineTest, MemoryLimitHoldsForEveryOperatorThatKeepsRows) {
  RunOptions options{.bounds = testing::kQueryBounds};
  options.bounds.max_memory_bytes = 200'000;
  const std::string rows = "UNWIND range(1, 300) AS a UNWIND range(1, 300) AS b ";
  for (const std::string& query :
       {rows + "RETURN a ORDER BY b", rows + "RETURN DISTINCT a * 1000 + b", rows + "RETURN collect(a)",
        rows + "RETURN a * 1000 + b, count(*)", rows + "RETURN count(DISTINCT a * 1000 + b)",
        rows + "RETURN percentileCont(a, 0.5)", rows + "RETURN a UNION " + rows + "RETURN a * 1000 + b AS a",
        std::string("RETURN [x IN range(1, 5000) | [y IN range(1, 5000) | y]] AS l"),
        std::string("RETURN reduce(t = 'x', i IN range(1, 60) | t + t) AS t"),
        std::string("RETURN split(reduce(t = 'x', i IN range(1, 16) | t + t), '') AS t"),
        std::string("RETURN replace(reduce(t = 'x', i IN range(1, 16) | t + t), 'x', 'yyyyyyyy') AS t")}) {
    EXPECT_EQ(RunQuery(MemoryGraph(), query, options).detail(), "MemoryLimitExceeded") << query;
  }
}

// Values that no operator keeps count as well, for as long as they are alive.
TEST(EngineTest, MemoryLimitHoldsForValuesInVariables) {
  RunOptions options{.bounds = testing::kQueryBounds};
  options.bounds.max_memory_bytes = 4 << 20;
  const std::string big = "WITH reduce(t = 'x', i IN range(1, 20) | t + t) AS t ";  // 1 MiB.
  const Outcome many = RunQuery(MemoryGraph(),
                                big +
                                    "WITH t + 'a' AS a, t + 'b' AS b, t + 'c' AS c, t + 'd' AS d, t + 'e' AS e "
                                    "RETURN size(a) + size(b) + size(c) + size(d) + size(e)",
                                options);
  EXPECT_EQ(many.detail(), "MemoryLimitExceeded");
  const Outcome by_functions = RunQuery(MemoryGraph(),
                                        big +
                                            "RETURN toUpper(t) AS a, reverse(t) AS b, toUpper(t) AS c, "
                                            "reverse(t) AS d, substring(t, 1) AS e",
                                        options);
  EXPECT_EQ(by_functions.detail(), "MemoryLimitExceeded");
  const Outcome one_by_one =
      RunQuery(MemoryGraph(), big + "UNWIND range(1, 20) AS i WITH size(t + toString(i)) AS s RETURN sum(s)", options);
  EXPECT_TRUE(one_by_one.status.ok()) << one_by_one.status;
  const Outcome shared = RunQuery(
      MemoryGraph(), big + "WITH t AS a, t AS b, t AS c, coalesce(t) AS d, t AS e RETURN size(a) + size(e)", options);
  EXPECT_TRUE(shared.status.ok()) << shared.status;
}

TEST(EngineTest, QueriesShareABudgetOfMemory) {
  fairness::MemoryBudget budget({.total_bytes = 8 << 20, .shares = {.of_user = 0.75, .of_workspace = 1}});
  const std::string rows = "UNWIND range(1, 300) AS a UNWIND range(1, 300) AS b ";
  const std::string queries[] = {rows + "RETURN collect(a)", rows + "RETURN collect([a, b])",
                                 "RETURN reduce(t = 'x', i IN range(1, 24) | t + t) AS t"};
  for (const std::string& query : queries) {
    RunOptions options{.bounds = testing::kQueryBounds};
    fairness::MemoryBudget::Reservation memory(budget, {"w", "a"});
    options.memory = &memory;
    const absl::Status status = RunQuery(MemoryGraph(), query, options).status;
    if (query == queries[0]) {
      EXPECT_TRUE(status.ok()) << status;
      EXPECT_GT(budget.reserved_bytes(), 0);
    } else {
      EXPECT_EQ(GetToolError(status).value_or(ToolError()).code, ErrorCode::kOverloaded) << query << status;
      EXPECT_LE(budget.reserved_bytes(), 6 << 20);
    }
  }
  EXPECT_EQ(budget.reserved_bytes(), 0);
}

TEST(EngineTest, LimitedSortKeepsFewRows) {
  RunOptions options{.bounds = testing::kQueryBounds};
  options.bounds.max_memory_bytes = 20'000;
  const Outcome outcome = RunQuery(
      MemoryGraph(),
      "UNWIND range(1, 99) AS a UNWIND range(1, 99) AS b RETURN a * 100 + b AS x ORDER BY x DESC LIMIT 3", options);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  ASSERT_EQ(outcome.rows.size(), 3u);
  EXPECT_EQ(outcome.rows[0][0].integer(), 9999);
}

TEST(EngineTest, MemoryIsFreedWhenAnOperatorEnds) {
  RunOptions options{.bounds = testing::kQueryBounds};
  options.bounds.max_memory_bytes = 100'000;
  const Outcome outcome = RunQuery(
      MemoryGraph(), "UNWIND range(1, 500) AS i WITH [x IN range(1, 100) | x] AS list, i RETURN size(list)", options);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
}

TEST(EngineTest, TimeLimitEndsAnEndlessSearch) {
  MemoryGraph graph = GraphOf("UNWIND range(1, 12) AS i CREATE (:N)");
  EXPECT_TRUE(inspection::RunCreate("MATCH (a:N), (b:N) CREATE (a)-[:T]->(b)", graph).ok());
  testing::FakeClock clock;
  RunOptions options{.bounds = testing::kQueryBounds};
  options.clock = &clock;
  options.should_stop = [&] {
    clock.Advance(absl::Seconds(1));
    return false;
  };
  EXPECT_EQ(RunQuery(graph, "MATCH p = (a)-[*]->(b) RETURN count(p)", options).detail(), "TimeLimitExceeded");
}

TEST(EngineTest, CancellationEndsARun) {
  RunOptions options{.bounds = testing::kQueryBounds};
  options.should_stop = [] { return true; };
  for (const char* query :
       {"UNWIND range(1, 100000) AS x RETURN x", "RETURN reduce(s = 0, x IN range(1, 100000) | s + x)",
        "RETURN all(x IN range(1, 100000) WHERE x > 0)", "RETURN size([x IN range(1, 100000) WHERE x > 0])"}) {
    EXPECT_EQ(RunQuery(MemoryGraph(), query, options).status.code(), absl::StatusCode::kCancelled) << query;
  }
}

TEST(EngineTest, WorkOnLargeValuesIsInterruptedInTime) {
  int asked = 0;
  testing::FakeClock clock;
  RunOptions options{.bounds = testing::kQueryBounds};
  options.clock = &clock;
  // The values themselves fit.
  options.bounds.max_memory_bytes = size_t{1} << 30;
  options.should_stop = [&] { return ++asked > 500; };
  for (const char* query : {"RETURN [x IN range(1, 300) WHERE x IN range(1, 100000)]",
                            "UNWIND range(1, 300) AS x RETURN size(range(1, 100000) + x)",
                            "UNWIND range(1, 300) AS x RETURN reverse(range(1, 100000))"}) {
    asked = 0;
    EXPECT_EQ(RunQuery(MemoryGraph(), query, options).status.code(), absl::StatusCode::kCancelled) << query;
  }
}

std::string Repeated(std::string_view text, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) repeated.append(text);
  return repeated;
}

TEST(EngineTest, LongQueriesDoNotOverflowTheStack) {
  const MemoryGraph graph = GraphOf("CREATE (a)-[:T]->(a)");
  for (const int length : {10, 100, 300, 600, 990}) {
    for (const std::string& query : {"MATCH (a)" + Repeated("-->()", length) + " RETURN 1 LIMIT 1",
                                     "MATCH (a)" + Repeated("-[*0..1]-()", length) + " RETURN 1 LIMIT 1",
                                     "WITH 1 AS x " + Repeated("WITH x + 1 AS x ", length * 4) + "RETURN x",
                                     "WITH 1 AS x " + Repeated("OPTIONAL MATCH (n) WITH x ", length) + "RETURN x",
                                     "WITH 1 AS x " + Repeated("WITH x ORDER BY x ", length) + "RETURN x",
                                     "RETURN 1 AS x" + Repeated(" UNION RETURN 1 AS x", length)}) {
      const Outcome outcome = RunQuery(graph, query);
      EXPECT_TRUE(outcome.status.ok() || outcome.detail() == "StackLimitExceeded") << outcome.status;
      if (length == 10) {
        EXPECT_TRUE(outcome.status.ok()) << query << outcome.status;
      }
    }
  }
}

TEST(EngineTest, AMatchOfTooManyRelationshipsIsRefused) {
  const Outcome outcome = RunQuery(MemoryGraph(), "MATCH (a)" + Repeated("-->()", 1001) + " RETURN 1");
  EXPECT_EQ(outcome.detail(), "QueryTooComplex");
}

TEST(EngineTest, AMatchOfTooManyNodesIsRefused) {
  const Outcome outcome = RunQuery(MemoryGraph(), "MATCH ()" + Repeated(", ()", 2000) + " RETURN 1");
  EXPECT_EQ(outcome.detail(), "QueryTooComplex");
}

// Each of these took minutes to plan when the time grew with the square of the query's length or worse.
TEST(EngineTest, LongQueriesArePlannedSoon) {
  testing::FakeClock clock;
  RunOptions options{.bounds = testing::kQueryBounds};
  options.clock = &clock;
  std::string nodes = "MATCH (n0)";
  std::string columns;
  for (int i = 1; i < 700; ++i) absl::StrAppend(&nodes, ", (n", i, ":A {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6})");
  for (int i = 0; i < 4000; ++i) absl::StrAppend(&columns, "x + ", i, " AS c", i, ", ");
  for (const std::string& query :
       {nodes + " RETURN 1 AS one",
        "MATCH (n0)" + Repeated(", ()", 700) + " WHERE (n0)--()" + Repeated(" AND (n0)--()", 4000) + " RETURN 1 AS one",
        absl::StrCat("WITH 1 AS x RETURN ", columns, "count(*) AS n")}) {
    const Outcome outcome = RunQuery(MemoryGraph(), query, options);
    EXPECT_TRUE(outcome.status.ok() || outcome.detail() == "StackLimitExceeded") << outcome.status;
  }
}

TEST(EngineTest, SearchesInLargeTextsEnd) {
  testing::FakeClock clock;
  RunOptions options{.bounds = testing::kQueryBounds};
  options.clock = &clock;
  const std::string text = "WITH reduce(t = 'a', i IN range(1, 21) | t + t) AS t ";
  const Outcome contains = RunQuery(MemoryGraph(), text + "RETURN t CONTAINS left(t, 500000) + 'b' AS c", options);
  ASSERT_TRUE(contains.status.ok()) << contains.status;
  EXPECT_FALSE(contains.rows[0][0].boolean());
  EXPECT_EQ(RunQuery(MemoryGraph(), text + "RETURN t =~ '(a|b)*a(a|b){900}' AS m", options).detail(),
            "TimeLimitExceeded");
  const Outcome matches = RunQuery(MemoryGraph(), text + "RETURN t =~ '(a|b)*' AS m", options);
  ASSERT_TRUE(matches.status.ok()) << matches.status;
  EXPECT_TRUE(matches.rows[0][0].boolean());
}

TEST(EngineTest, DeepExpressionsRun) {
  std::string expression = "1";
  for (int i = 0; i < 150; ++i) expression = absl::StrCat("(", expression, " + 1)");
  const Outcome outcome = RunQuery(MemoryGraph(), absl::StrCat("RETURN ", expression, " AS x"));
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.rows[0][0].integer(), 151);
}

TEST(EngineTest, WritesAreRefused) {
  for (const char* query : {"CREATE (n)", "MATCH (n) SET n.x = 1", "MATCH (n) DELETE n", "MERGE (n)",
                            "MATCH (n) REMOVE n.x", "CALL db.labels()"}) {
    EXPECT_FALSE(PreparedQuery::Prepare(query).ok()) << query;
  }
}

TEST(EngineTest, CreateSeesOnlyWhatWasThere) {
  MemoryGraph graph = GraphOf("CREATE (:N), (:N)");
  ASSERT_TRUE(inspection::RunCreate("MATCH (n:N) CREATE (:N)", graph).ok());
  EXPECT_EQ(graph.node_count(), 4);
}

TEST(EngineTest, RandFollowsTheSeed) {
  RunOptions options{.bounds = testing::kQueryBounds};
  options.random_seed = 5;
  const std::string query = "RETURN rand() AS r, rand() AS s";
  const Outcome first = RunQuery(MemoryGraph(), query, options);
  const Outcome second = RunQuery(MemoryGraph(), query, options);
  EXPECT_EQ(first.rows[0][0].floating(), second.rows[0][0].floating());
  EXPECT_NE(first.rows[0][0].floating(), first.rows[0][1].floating());
}

}  // namespace
}  // namespace toolgate::executors::cypher
