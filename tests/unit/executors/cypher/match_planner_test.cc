#include "executors/cypher/match_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/json.h"
#include "executors/cypher/engine.h"
#include "executors/cypher/memory_graph.h"
#include "executors/cypher/result_json.h"
#include "tests/support/query_bounds.h"

namespace toolgate::executors::cypher {
namespace {

using values::Value;

// A graph whose statistics are made up, so that the planner starts elsewhere; it counts full scans.
class MisleadingGraph : public MemoryGraph {
 public:
  explicit MisleadingGraph(uint32_t seed) : seed_(seed) {}

  int64_t EstimateNodes(std::string_view label) const override {
    return static_cast<int64_t>(std::hash<std::string>()(absl::StrCat(std::string(label), "/", seed_)) % 100);
  }

 private:
  const uint32_t seed_;
};

// The same random graph each time for one seed.
void Fill(uint32_t seed, MemoryGraph& graph) {
  std::mt19937 random(seed);
  const auto pick = [&](int bound) { return static_cast<int64_t>(random() % static_cast<uint32_t>(bound)); };
  constexpr int kNodes = 9;
  for (int i = 0; i < kNodes; ++i) {
    std::vector<std::string> labels;
    for (const char* label : {"A", "B"}) {
      if (pick(2) == 0) labels.emplace_back(label);
    }
    graph.AddNode(labels, {{"k", Value(pick(3))}, {"i", Value(i)}});
  }
  for (int i = 0; i < 14; ++i) {
    graph.AddRelationship(pick(kNodes), pick(kNodes), pick(2) == 0 ? "S" : "T",
                          {{"w", Value(pick(2))}, {"i", Value(i)}});
  }
}

// A random MATCH of one or two chains, with conditions.
std::string RandomQuery(uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int bound) { return static_cast<int>(random() % static_cast<uint32_t>(bound)); };
  std::vector<std::string> conditions;
  const auto node = [&](bool named) {
    const int variable = pick(4);
    const std::string name = named ? absl::StrCat("n", variable) : "";
    if (named && pick(4) == 0) conditions.push_back(absl::StrCat(name, ".k = ", pick(3)));
    if (named && pick(6) == 0) conditions.push_back(absl::StrCat(pick(3), " = ", name, ".k"));
    if (named && pick(6) == 0) conditions.push_back(absl::StrCat(name, ".k IN [", pick(3), ", 2.0, 2, null]"));
    if (named && pick(6) == 0) conditions.push_back(absl::StrCat(name, ":A"));
    if (named && pick(6) == 0) conditions.push_back(absl::StrCat("(", name, ")-->()"));
    const std::string labels = pick(2) == 0 ? "" : pick(2) == 0 ? ":A" : ":B";
    return absl::StrCat("(", name, labels, pick(4) == 0 ? absl::StrCat(" {k: ", pick(3), "}") : "", ")");
  };
  const auto relationship = [&] {
    const std::string type = pick(2) == 0 ? "" : ":T";
    const char* lengths[] = {"", "", "", "*1..2", "*0..2", "*2"};
    const std::string inner =
        absl::StrCat("[", type, lengths[pick(6)], pick(5) == 0 ? absl::StrCat(" {w: ", pick(2), "}") : "", "]");
    switch (pick(3)) {
      case 0:
        return absl::StrCat("-", inner, "->");
      case 1:
        return absl::StrCat("<-", inner, "-");
      default:
        return absl::StrCat("-", inner, "-");
    }
  };
  std::vector<std::string> chains;
  for (int chain = pick(2); chain >= 0; --chain) {
    std::string text = absl::StrCat("p", chain, " = ", node(true));
    for (int hop = pick(3); hop > 0; --hop) absl::StrAppend(&text, relationship(), node(pick(3) != 0));
    chains.push_back(std::move(text));
  }
  return absl::StrCat("MATCH ", absl::StrJoin(chains, ", "),
                      conditions.empty() ? "" : absl::StrCat(" WHERE ", absl::StrJoin(conditions, " AND ")),
                      " RETURN *");
}

std::vector<std::string> Rows(const Graph& graph, const std::string& text) {
  const absl::StatusOr<PreparedQuery> query = PreparedQuery::Prepare(text);
  EXPECT_TRUE(query.ok()) << query.status() << ": " << text;
  if (!query.ok()) return {};
  std::vector<std::string> rows;
  const absl::Status status = query->Run(graph, {}, {.bounds = testing::kQueryBounds},
                                         [&](absl::Span<const Value> row) -> absl::StatusOr<bool> {
                                           std::string line;
                                           for (const Value& value : row)
                                             absl::StrAppend(&line, DumpJson(*ToJson(value, graph)), " ");
                                           rows.push_back(std::move(line));
                                           return true;
                                         });
  EXPECT_TRUE(status.ok()) << status << ": " << text;
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(MatchPlannerTest, EveryPlanFindsTheSameMatches) {
  size_t found = 0;
  for (uint32_t seed = 0; seed < 250; ++seed) {
    const std::string query = RandomQuery(seed);
    SCOPED_TRACE(absl::StrCat(seed, ": ", query));
    MemoryGraph plain;
    Fill(seed, plain);
    const std::vector<std::string> expected = Rows(plain, query);
    found += expected.size();
    MemoryGraph indexed;
    Fill(seed, indexed);
    indexed.AddIndex("A", "k");
    indexed.AddIndex("B", "k");
    EXPECT_EQ(Rows(indexed, query), expected);
    for (uint32_t lie = 0; lie < 3; ++lie) {
      MisleadingGraph misleading(lie);
      Fill(seed, misleading);
      EXPECT_EQ(Rows(misleading, query), expected);
    }
  }
  EXPECT_GT(found, 1000u);  // Otherwise the queries tell nothing.
}

// Counts what the planner asks of a graph.
class CountingGraph : public MemoryGraph {
 public:
  absl::Status ScanNodes(std::string_view label, NodeVisitor visit) const override {
    scans.emplace_back(label);
    return MemoryGraph::ScanNodes(label, visit);
  }
  absl::Status FindNodes(std::string_view label, std::string_view key, const Value& value,
                         NodeVisitor visit) const override {
    seeks.push_back(absl::StrCat(std::string(label), ".", std::string(key)));
    return MemoryGraph::FindNodes(label, key, value, visit);
  }

  mutable std::vector<std::string> scans;
  mutable std::vector<std::string> seeks;
};

class StartTest : public ::testing::Test {
 protected:
  StartTest() {
    for (int i = 0; i < 20; ++i) graph_.AddNode({"Many"}, {{"k", Value(i)}});
    for (int i = 0; i < 3; ++i) graph_.AddNode({"Few"}, {{"k", Value(i)}});
    for (int i = 0; i < 20; ++i) graph_.AddRelationship(i, 20, "T", {});
    graph_.AddIndex("Many", "k");
  }

  CountingGraph graph_;
};

TEST_F(StartTest, AnIndexIsUsedForAPropertyInThePattern) {
  EXPECT_EQ(Rows(graph_, "MATCH (n:Many {k: 3}) RETURN n").size(), 1u);
  EXPECT_EQ(graph_.seeks, std::vector<std::string>{"Many.k"});
  EXPECT_TRUE(graph_.scans.empty());
}

TEST_F(StartTest, AnIndexIsUsedForAnEqualityInWhere) {
  EXPECT_EQ(Rows(graph_, "MATCH (n:Many) WHERE 3 = n.k RETURN n").size(), 1u);
  EXPECT_EQ(Rows(graph_, "MATCH (n) WHERE n:Many AND n.k = 3 RETURN n").size(), 1u);
  EXPECT_EQ(graph_.seeks.size(), 2u);
  EXPECT_TRUE(graph_.scans.empty());
}

TEST_F(StartTest, AnIndexIsUsedForEachElementOfAList) {
  EXPECT_EQ(Rows(graph_, "MATCH (n:Many) WHERE n.k IN [3, 3.0, 5, null] RETURN n").size(), 2u);
  EXPECT_TRUE(graph_.scans.empty());
}

TEST_F(StartTest, AnIndexIsUsedForAValueOfAnEarlierClause) {
  EXPECT_EQ(Rows(graph_, "UNWIND [1, 2] AS x MATCH (n:Many {k: x}) RETURN n").size(), 2u);
  EXPECT_EQ(graph_.seeks.size(), 2u);
}

TEST_F(StartTest, TheSmallestLabelComesFirst) {
  EXPECT_EQ(Rows(graph_, "MATCH (n:Many)-->(m:Few) RETURN n").size(), 20u);
  EXPECT_EQ(graph_.scans, std::vector<std::string>{"Few"});
}

TEST_F(StartTest, AFarEndWithAnIndexIsTheStart) {
  EXPECT_EQ(Rows(graph_, "MATCH (m:Few)<--(n:Many {k: 5}) RETURN m").size(), 1u);
  EXPECT_TRUE(graph_.scans.empty());
}

}  // namespace
}  // namespace toolgate::executors::cypher
