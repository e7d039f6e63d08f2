#include "executors/cypher/pattern_operators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executors/cypher/engine.h"
#include "executors/cypher/memory_graph.h"
#include "tests/support/query_bounds.h"

namespace toolgate::executors::cypher {
namespace {

using values::Value;

constexpr int kNodes = 7;

void FillAtRandom(uint32_t seed, MemoryGraph& graph) {
  std::mt19937 random(seed);
  for (int i = 0; i < kNodes; ++i) graph.AddNode({}, {{"i", Value(i)}});
  for (int i = 0; i < 9; ++i) {
    graph.AddRelationship(static_cast<NodeId>(random() % kNodes), static_cast<NodeId>(random() % kNodes),
                          random() % 3 == 0 ? "S" : "T", {{"i", Value(i)}});
  }
}

using Trail = std::vector<RelationshipId>;

// The relationships of each path in the first column, sorted.
std::vector<Trail> Trails(const MemoryGraph& graph, const std::string& text) {
  std::vector<Trail> trails;
  const absl::Status status = PreparedQuery::Prepare(text)->Run(
      graph, {}, {.bounds = testing::kQueryBounds}, [&](absl::Span<const Value> row) -> absl::StatusOr<bool> {
        Trail trail;
        for (const values::Relationship& relationship : row[0].path().relationships) trail.push_back(relationship.id);
        trails.push_back(std::move(trail));
        return true;
      });
  EXPECT_TRUE(status.ok()) << status;
  std::sort(trails.begin(), trails.end());
  return trails;
}

std::vector<Trail> Shortest(const std::vector<Trail>& trails) {
  std::vector<Trail> shortest;
  for (const Trail& trail : trails) {
    if (!shortest.empty() && trail.size() > shortest.front().size()) continue;
    if (!shortest.empty() && trail.size() < shortest.front().size()) shortest.clear();
    shortest.push_back(trail);
  }
  return shortest;
}

TEST(PatternOperatorsTest, ShortestPathsAreTheShortestTrails) {
  size_t found = 0;
  for (uint32_t seed = 0; seed < 12; ++seed) {
    MemoryGraph graph;
    FillAtRandom(seed, graph);
    for (int from = 0; from < kNodes; ++from) {
      for (int to = 0; to < kNodes; ++to) {
        if (from == to) continue;
        for (const char* hop : {"-[*]->", "<-[:T*]-", "-[:S|T*]-"}) {
          const std::string ends = absl::StrCat("((a {i: ", from, "})", hop, "(b {i: ", to, "}))");
          SCOPED_TRACE(absl::StrCat(seed, ": ", ends));
          const std::string trail = absl::StrCat("MATCH p = ", ends.substr(1, ends.size() - 2), " RETURN p");
          const std::vector<Trail> expected = Shortest(Trails(graph, trail));
          found += expected.size();
          EXPECT_EQ(Trails(graph, absl::StrCat("MATCH p = allShortestPaths", ends, " RETURN p")), expected);
          const std::vector<Trail> one = Trails(graph, absl::StrCat("MATCH p = shortestPath", ends, " RETURN p"));
          ASSERT_EQ(one.size(), expected.empty() ? 0u : 1u);
          if (!one.empty()) {
            EXPECT_TRUE(std::binary_search(expected.begin(), expected.end(), one[0]));
          }
        }
      }
    }
  }
  EXPECT_GT(found, 500u);
}

// Every trail by plain recursion.
void Walk(const MemoryGraph& graph, NodeId node, NodeId to, size_t min, size_t max, Trail& trail,
          std::vector<Trail>& found) {
  if (node == to && trail.size() >= min) found.push_back(trail);
  if (trail.size() == max) return;
  std::vector<std::pair<RelationshipId, NodeId>> steps;
  EXPECT_TRUE(graph
                  .Expand(node, Direction::kBoth, {},
                          [&](const Graph::Relationship& relationship) {
                            steps.emplace_back(relationship.id,
                                               relationship.start == node ? relationship.end : relationship.start);
                            return true;
                          })
                  .ok());
  for (const auto& [id, next] : steps) {
    if (std::find(trail.begin(), trail.end(), id) != trail.end()) continue;
    trail.push_back(id);
    Walk(graph, next, to, min, max, trail, found);
    trail.pop_back();
  }
}

TEST(PatternOperatorsTest, TrailsRepeatNoRelationship) {
  for (uint32_t seed = 20; seed < 30; ++seed) {
    MemoryGraph graph;
    FillAtRandom(seed, graph);
    for (const auto& [min, max] : std::vector<std::pair<size_t, size_t>>{{0, 2}, {1, 3}, {2, 4}, {3, 9}}) {
      std::vector<Trail> expected;
      Trail trail;
      Walk(graph, 1, 2, min, max, trail, expected);
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(Trails(graph, absl::StrCat("MATCH p = ({i: 1})-[*", min, "..", max, "]-({i: 2}) RETURN p")), expected)
          << seed << ", " << min << ".." << max;
    }
  }
}

}  // namespace
}  // namespace toolgate::executors::cypher
