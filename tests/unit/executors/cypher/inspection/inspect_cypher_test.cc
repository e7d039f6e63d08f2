#include "executors/cypher/inspection/inspect_cypher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace toolgate::executors::cypher::inspection {
namespace {

using ::testing::HasSubstr;

TEST(InspectCypherTest, AnswersColumnsAndRows) {
  EXPECT_EQ(InspectCypher(R"json({"graph": {"nodes": [{"labels": ["A"], "properties": {"k": 1}}, {}],
                                            "relationships": [{"start": 0, "end": 1, "type": "T"}]},
                                  "query": "MATCH (a {k: $k})-[r]->(b) RETURN a, r, b.k AS k", "params": {"k": 1}})json"),
            R"json({"columns":["a","r","k"],"rows":[[{"labels":["A"],"properties":{"k":1}},)json"
            R"json({"type":"T","properties":{},"start":0,"end":1},null]]})json");
}

TEST(InspectCypherTest, CreatesAGraphFromQueries) {
  EXPECT_EQ(InspectCypher(R"json({"create": ["CREATE (a:A)-[:T {w: 1}]->(b:B), (b)<-[:U]-(a)",
                                             "UNWIND range(1, 3) AS i CREATE (:C {i: i})",
                                             "MATCH (a:A), (c:C) CREATE (a)-[:V]->(c)"],
                                  "query": "MATCH (:A)-[r]->(x) RETURN type(r) AS t, count(*) AS n ORDER BY t"})json"),
            R"json({"columns":["t","n"],"rows":[["T",1],["U",1],["V",3]]})json");
}

TEST(InspectCypherTest, WorksWithoutAGraph) {
  EXPECT_EQ(InspectCypher(R"({"query": "RETURN 1 AS one"})"), R"({"columns":["one"],"rows":[[1]]})");
}

TEST(InspectCypherTest, ErrorsHaveKindDetailPhaseAndPosition) {
  const std::string compile = InspectCypher(R"({"query": "RETURN x"})");
  EXPECT_THAT(compile, HasSubstr(R"({"error":{"kind":"SyntaxError","detail":"UndefinedVariable")"));
  EXPECT_THAT(compile, HasSubstr(R"("phase":"compile","position":{"line":1,"column":8,"offset":7})"));
  EXPECT_THAT(InspectCypher(R"({"query": "RETURN 1 / 0 AS x"})"), HasSubstr(R"("phase":"runtime")"));
}

TEST(InspectCypherTest, WritesAreRefusedInTheQueryAlone) {
  EXPECT_THAT(InspectCypher(R"json({"query": "CREATE (n)"})json"), HasSubstr(R"("detail":"WriteNotAllowed")"));
  EXPECT_THAT(InspectCypher(R"json({"create": ["MATCH (n) DELETE n"], "query": "RETURN 1"})json"),
              HasSubstr(R"({"error":)"));
}

TEST(InspectCypherTest, NamesWhatIsWrongWithTheInput) {
  EXPECT_THAT(InspectCypher("{broken"), HasSubstr(R"({"error":{"kind":"InvalidInput")"));
  EXPECT_THAT(InspectCypher("[]"), HasSubstr("query"));
  EXPECT_THAT(InspectCypher(R"({"query": 1})"), HasSubstr("query"));
  EXPECT_THAT(InspectCypher(R"({"query": "RETURN 1", "params": []})"), HasSubstr("params"));
  EXPECT_THAT(InspectCypher(R"({"query": "RETURN 1", "graph": []})"), HasSubstr("graph"));
  EXPECT_THAT(InspectCypher(R"({"query": "RETURN 1", "graph": {"nodes": [1]}})"), HasSubstr("graph.nodes[0]"));
  EXPECT_THAT(
      InspectCypher(R"({"query": "RETURN 1", "graph": {"relationships": [{"start": 0, "end": 0, "type": "T"}]}})"),
      HasSubstr("graph.relationships[0]"));
  EXPECT_THAT(InspectCypher(R"json({"query": "RETURN 1", "create": "CREATE (n)"})json"), HasSubstr("create"));
}

}  // namespace
}  // namespace toolgate::executors::cypher::inspection
