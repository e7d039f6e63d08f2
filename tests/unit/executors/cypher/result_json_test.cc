#include "executors/cypher/result_json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "executors/cypher/memory_graph.h"
#include "executors/cypher/temporal/parse.h"

namespace toolgate::executors::cypher {
namespace {

using values::Value;

class ResultJsonTest : public ::testing::Test {
 protected:
  ResultJsonTest() {
    graph_.AddNode({"A"}, {{"k", Value(1)}});
    graph_.AddNode({}, {});
    graph_.AddRelationship(1, 0, "T", {{"w", Value(2.0)}});
  }

  std::string Text(const Value& value) const { return DumpJson(*ToJson(value, graph_)); }

  MemoryGraph graph_;
};

TEST_F(ResultJsonTest, WritesEntities) {
  const values::Relationship relationship{.id = 0, .start = 1, .end = 0};
  EXPECT_EQ(Text(Value(values::Node{0})), R"({"labels":["A"],"properties":{"k":1}})");
  EXPECT_EQ(Text(Value(relationship)), R"({"type":"T","properties":{"w":2.0},"start":1,"end":0})");
  EXPECT_EQ(Text(Value(values::Path{.nodes = {{1}, {0}}, .relationships = {relationship}})),
            R"({"nodes":[{"labels":[],"properties":{}},{"labels":["A"],"properties":{"k":1}}],)"
            R"("relationships":[{"type":"T","properties":{"w":2.0},"start":1,"end":0}]})");
}

TEST_F(ResultJsonTest, WritesWhatJsonDoesNotHaveAsText) {
  EXPECT_EQ(Text(Value(std::nan(""))), R"("NaN")");
  EXPECT_EQ(Text(Value(INFINITY)), R"("Infinity")");
  EXPECT_EQ(Text(Value(*temporal::Parse(temporal::Kind::kDate, "2024-02-29"))), R"("2024-02-29")");
}

TEST_F(ResultJsonTest, WritesNestedValues) {
  EXPECT_EQ(Text(Value(values::List{Value(), Value(true), Value(values::Map{{"n", Value(values::Node{1})}})})),
            R"([null,true,{"n":{"labels":[],"properties":{}}}])");
}

TEST_F(ResultJsonTest, AnUnknownEntityIsAnError) {
  EXPECT_EQ(ToJson(Value(values::Node{7}), graph_).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ResultJsonTest, AnErrorHasAPositionIfItIsKnown) {
  syntax::CypherError error{
      .phase = syntax::ErrorPhase::kRuntime, .kind = "TypeError", .detail = "InvalidArgumentType", .message = "m"};
  EXPECT_EQ(DumpJson(ErrorJson(error)),
            R"({"kind":"TypeError","detail":"InvalidArgumentType","message":"m","phase":"runtime"})");
  syntax::SetPosition(error, "RETURN 1", 7);
  EXPECT_EQ(DumpJson(ErrorJson(error)["position"]), R"({"line":1,"column":8,"offset":7})");
}

}  // namespace
}  // namespace toolgate::executors::cypher
