#include "executors/code_graph/index/stored_graph.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executors/cypher/memory_graph.h"
#include "gtest/gtest.h"
#include "tests/support/code_graph_fixture.h"

namespace toolgate::executors::code_graph::index {
namespace {

using cypher::Direction;
using cypher::Graph;
using cypher::NodeId;
using cypher::values::Value;
using Rows = std::vector<std::string>;

class StoredGraphTest : public testing::CodeGraphFixture {
 protected:
  void SetUp() override {
    CodeGraphFixture::SetUp();
    Write("src/shape.h",
          "#ifndef SHAPE_H\n#define SHAPE_H\nnamespace geo {\nclass Shape {\n public:\n  virtual double Area() "
          "const;\n};\n"
          "enum class Colour { kRed, kBlue };\n}\n#endif\n");
    Write("src/circle.cc",
          "#include \"shape.h\"\n#include <cmath>\nnamespace geo {\nclass Circle : public Shape {\n public:\n"
          "  double Area() const { return Square(radius_) * 3; }\n  double radius_;\n};\n"
          "double Square(double x) {\n  return x * x;\n}\nint Depth(int n) {\n  return n == 0 ? 0 : Depth(n - "
          "1);\n}\n}\n");
    Write("tools/run.py", "import os\ndef main():\n    helper()\ndef helper():\n    return os.getcwd()\nmain()\n");
    Write("README.md", "# Title\n## Part\n");
    Refresh();
    graph_ = Graph();
  }

  std::unique_ptr<StoredGraph> graph_;
};

// The same graph in memory.
cypher::MemoryGraph CopyOf(const StoredGraph& graph) {
  cypher::MemoryGraph copy;
  std::map<NodeId, NodeId> ids;
  EXPECT_EQ(graph.ScanNodes("",
                            [&](NodeId node) {
                              ids[node] = copy.AddNode(*graph.Labels(node), *graph.NodeProperties(node)).id;
                              return true;
                            }),
            absl::OkStatus());
  EXPECT_EQ(graph.ScanRelationships({},
                                    [&](const Graph::Relationship& r) {
                                      copy.AddRelationship(ids.at(r.start), ids.at(r.end), std::string(r.type),
                                                           *graph.RelationshipProperties(r.id));
                                      return true;
                                    }),
            absl::OkStatus());
  return copy;
}

TEST_F(StoredGraphTest, AnswersQueriesAsTheSameGraphInMemoryDoes) {
  const cypher::MemoryGraph copy = CopyOf(*graph_);
  const char* const queries[] = {
      "MATCH (n:Symbol) RETURN n.name, n.kind, n.line, labels(n)",
      "MATCH (n:File) RETURN properties(n)",
      "MATCH (n:Folder) RETURN properties(n)",
      "MATCH (n:Module) RETURN properties(n)",
      "MATCH (s:Schema) RETURN s.element, s.name, s.count, s.from, s.to",
      "MATCH (f:Function {name: 'Square'}) RETURN f.path, f.signature",
      "MATCH (s:Symbol {path: 'tools/run.py'}) RETURN s.name",
      "MATCH (f:File {path: 'src/circle.cc'}) RETURN f.lines, f.size",
      "MATCH (f:File {name: 'shape.h'})<-[r:INCLUDES]-(g) RETURN g.path, r.name, r.line",
      "MATCH (f:Folder {path: ''})-[:CONTAINS*]->(x) RETURN x.path, x.name",
      "MATCH (a)-[r]->(b) RETURN type(r), a.name, b.name, properties(r)",
      "MATCH (a)-[r]-(b) RETURN type(r), a.name, b.name",
      "MATCH (a)<-[r:CALLS|EXTENDS]-(b) RETURN type(r), a.name, b.name",
      "MATCH (a:Function)-[:CALLS*1..3]->(b) RETURN a.name, b.name",
      "MATCH (a {name: 'Depth'})-[r]-(a) RETURN a.name, r.count",
      "MATCH (c:Class) OPTIONAL MATCH (c)-[:EXTENDS]->(b:Class) RETURN c.name, b.name",
      "MATCH (f:File) WHERE NOT (f)-[:DEFINES]->() RETURN f.path",
      "MATCH p = shortestPath((a:File {name: 'circle.cc'})-[*..6]->(b:Symbol {name: 'Shape'})) RETURN length(p)",
      "MATCH (n) RETURN labels(n), count(*)",
      "MATCH ()-[r]->() RETURN type(r), count(*)",
      "MATCH (n {name: 'Shape'}) RETURN labels(n), n.path",
      "MATCH (n) WHERE n.name IN ['src', 'CALLS', 'circle.cc', 'vector'] RETURN labels(n), n.name",
      "MATCH (n {path: 'src/circle.cc'}) RETURN labels(n), n.name",
      "MATCH (n:Folder {name: 'src'}) RETURN n.path",
      "MATCH (a)-[r:CALLS]->(b {name: 'Square'}) RETURN a.name",
      "MATCH (n:Nothing) RETURN n.name",
      "MATCH (n:Function {name: 7}) RETURN n.name",
      "MATCH (n)-[:NOTHING]->() RETURN n.name",
  };
  for (const char* const query : queries) {
    Rows stored = testing::RowsOf(*graph_, query);
    Rows in_memory = testing::RowsOf(copy, query);
    std::sort(stored.begin(), stored.end());
    std::sort(in_memory.begin(), in_memory.end());
    EXPECT_EQ(stored, in_memory) << query;
  }
}

TEST_F(StoredGraphTest, HasWhatItsSchemaSaysAndNothingElse) {
  for (const SchemaElement& element : SchemaElements()) {
    const std::string name(element.name);
    const bool is_node = element.element == "node";
    const std::string query =
        is_node ? absl::StrCat("MATCH (x:", name, ") UNWIND keys(x) AS key RETURN DISTINCT key")
                : absl::StrCat("MATCH ()-[x:", name, "]->() UNWIND keys(x) AS key RETURN DISTINCT key");
    for (const std::string& key : testing::RowsOf(*graph_, query)) {
      const auto& known = element.properties;
      EXPECT_NE(std::find(known.begin(), known.end(), key), known.end()) << name << "." << key;
    }
    if (is_node) continue;
    const auto check = [&](const char* pattern, const std::vector<std::string_view>& labels) {
      for (const std::string& label :
           testing::RowsOf(*graph_, absl::StrCat("MATCH ", pattern, " RETURN DISTINCT labels(x)[0]"))) {
        EXPECT_NE(std::find(labels.begin(), labels.end(), label), labels.end())
            << name << " " << pattern << " " << label;
      }
    };
    check(absl::StrCat("(x)-[:", name, "]->()").c_str(), element.from);
    check(absl::StrCat("()-[:", name, "]->(x)").c_str(), element.to);
  }
  EXPECT_EQ(testing::RowsOf(*graph_, "MATCH (s:Schema {name: 'CALLS'}) RETURN s.properties, s.count"),
            Rows{"[\"line\",\"count\"] | 4"});
}

TEST_F(StoredGraphTest, EstimatesWhatItScans) {
  for (const std::string_view label :
       {"", "File", "Folder", "Module", "Symbol", "Function", "Class", "Schema", "None"}) {
    int64_t count = 0;
    ASSERT_EQ(graph_->ScanNodes(label, [&](NodeId) { return ++count > 0; }), absl::OkStatus());
    EXPECT_EQ(graph_->EstimateNodes(label), count) << label;
  }
}

// Tells of a query's work: how many nodes it was shown.
class CountingGraph final : public cypher::Graph {
 public:
  explicit CountingGraph(const cypher::Graph& graph) : graph_(graph) {}
  int64_t visited() const { return visited_; }

  absl::Status ScanNodes(std::string_view label, NodeVisitor visit) const override {
    return graph_.ScanNodes(label, [&](NodeId id) { return ++visited_ > 0 && visit(id); });
  }
  bool HasIndex(std::string_view label, std::string_view key) const override { return graph_.HasIndex(label, key); }
  absl::Status FindNodes(std::string_view label, std::string_view key, const cypher::values::Value& value,
                         NodeVisitor visit) const override {
    return graph_.FindNodes(label, key, value, [&](NodeId id) { return ++visited_ > 0 && visit(id); });
  }
  int64_t EstimateNodes(std::string_view label) const override { return graph_.EstimateNodes(label); }
  absl::StatusOr<std::vector<std::string>> Labels(NodeId node) const override { return graph_.Labels(node); }
  absl::StatusOr<cypher::values::Value> NodeProperty(NodeId node, std::string_view key) const override {
    return graph_.NodeProperty(node, key);
  }
  absl::StatusOr<cypher::values::Map> NodeProperties(NodeId node) const override { return graph_.NodeProperties(node); }
  absl::Status Expand(NodeId node, cypher::Direction direction, absl::Span<const std::string> types,
                      RelationshipVisitor visit) const override {
    return graph_.Expand(node, direction, types, visit);
  }
  absl::Status ScanRelationships(absl::Span<const std::string> types, RelationshipVisitor visit) const override {
    return graph_.ScanRelationships(types, visit);
  }
  absl::StatusOr<Relationship> GetRelationship(cypher::RelationshipId id) const override {
    return graph_.GetRelationship(id);
  }
  absl::StatusOr<cypher::values::Value> RelationshipProperty(cypher::RelationshipId id,
                                                             std::string_view key) const override {
    return graph_.RelationshipProperty(id, key);
  }
  absl::StatusOr<cypher::values::Map> RelationshipProperties(cypher::RelationshipId id) const override {
    return graph_.RelationshipProperties(id);
  }

 private:
  const cypher::Graph& graph_;
  mutable int64_t visited_ = 0;
};

TEST_F(StoredGraphTest, SeeksNamesAndPathsWithAndWithoutALabel) {
  for (const char* const query :
       {"MATCH (n {name: 'Square'}) RETURN n.line", "MATCH (n:Function {name: 'Square'}) RETURN n.line",
        "MATCH (n) WHERE n.name = 'Square' RETURN n.line", "MATCH (f {path: 'src/circle.cc'}) WHERE f:File RETURN f",
        "MATCH (a)-[:CALLS]->({name: 'Square'}) RETURN DISTINCT 1"}) {
    const CountingGraph counting(*graph_);
    EXPECT_EQ(testing::RowsOf(counting, query).size(), 1u) << query;
    EXPECT_LE(counting.visited(), 10) << query;
  }
}

TEST_F(StoredGraphTest, VisitorsMayAskAgainAndStop) {
  int nodes = 0;
  int relationships = 0;
  ASSERT_EQ(graph_->ScanNodes("",
                              [&](NodeId node) {
                                ++nodes;
                                EXPECT_EQ(graph_->Expand(node, Direction::kBoth, {},
                                                         [&](const Graph::Relationship& r) {
                                                           ++relationships;
                                                           EXPECT_TRUE(graph_->NodeProperties(r.start).ok());
                                                           EXPECT_TRUE(graph_->GetRelationship(r.id).ok());
                                                           return true;
                                                         }),
                                          absl::OkStatus());
                                return nodes < 20;
                              }),
            absl::OkStatus());
  EXPECT_EQ(nodes, 20);
  EXPECT_GT(relationships, 20);
}

TEST_F(StoredGraphTest, DoesNotHaveOtherIds) {
  for (const int64_t table : {0, 1, 2, 3, 4, 5, 6, 7}) {
    EXPECT_TRUE(absl::IsNotFound(graph_->NodeProperties(GraphId::Of(table, 1'000'000)).status())) << table;
    EXPECT_TRUE(absl::IsNotFound(graph_->GetRelationship(GraphId::Of(table, 1'000'000)).status())) << table;
  }
  EXPECT_TRUE(absl::IsNotFound(graph_->Labels(-1).status()));
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
