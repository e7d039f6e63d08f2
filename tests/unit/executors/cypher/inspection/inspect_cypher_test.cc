#include "executors/cypher/inspection/inspect_cypher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace toolgate::executors::cypher::inspection {
namespace {

using ::testing::HasSubstr;

TEST(InspectCypherTest, AnswersColumnsAndRows) {
  EXPECT_EQ(
      InspectCypher(
          R"({"graph": {"nodes": [{"labels": ["A"], "properties": {"k": 1}}, {}], "relationships": [{"start": 0, "end": 1, "type": "T"}]}, )"
          R"("query": "MATCH (a {k: $k})-[r]->(b) RETURN a, r, b.k AS k", "params": {"k": 1}})"),
      R"({"columns":["a","r","k"],"rows":[[{"labels":["A"],"properties":{"k":1}},)"
      R"({"type":"T","properties":{},"start":0,"end":1},null]]})");
}

TEST(InspectCypherTest, CreatesAGraphFromQueries) {
  EXPECT_EQ(InspectCypher(R"({"create": ["CREATE (a:A)-[:T {w: 1}]->(b:B), (b)<-[:U]-(a)", )"
                          R"("UNWIND range(1, 3) AS i CREATE (:C {i: i})", "MATCH (a:A), (c:C) CREATE (a)-[:V]->(c)"], )"
                          R"("query": "MATCH (:A)-[r]->(x) RETURN type(r) AS t, count(*) AS n ORDER BY t"})"),
            R"({"columns":["t","n"],"rows":[["T",1],["U",1],["V",3]]})");
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
  EXPECT_THAT(InspectCypher(R"({"query": "CREATE (n)"})"), HasSubstr(R"("detail":"WriteNotAllowed")"));
  EXPECT_THAT(InspectCypher(R"({"create": ["MATCH (n) DELETE n"], "query": "RETURN 1"})"), HasSubstr(R"({"error":)"));
}

TEST(InspectCypherTest, NamesWhatIsWrongWithTheInput) {
  const auto message = [](std::string_view line) { return InspectCypher(line); };
  EXPECT_THAT(message("{broken"), HasSubstr(R"({"error":{"kind":"InvalidInput")"));
  EXPECT_THAT(message("[]"), HasSubstr("query"));
  EXPECT_THAT(message(R"({"query": 1})"), HasSubstr("query"));
  EXPECT_THAT(message(R"({"query": "RETURN 1", "params": []})"), HasSubstr("params"));
  EXPECT_THAT(message(R"({"query": "RETURN 1", "graph": []})"), HasSubstr("graph"));
  EXPECT_THAT(message(R"({"query": "RETURN 1", "graph": {"nodes": [1]}})"), HasSubstr("graph.nodes[0]"));
  EXPECT_THAT(message(R"({"query": "RETURN 1", "graph": {"relationships": [{"start": 0, "end": 0, "type": "T"}]}})"),
              HasSubstr("graph.relationships[0]"));
  EXPECT_THAT(message(R"({"query": "RETURN 1", "create": "CREATE (n)"
})"), HasSubstr("create"));
}

}  // namespace
}  // namespace toolgate::executors::cypher::inspection
