#include "executors/cypher/syntax/ast.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/cypher/syntax/parser.h"

namespace toolgate::executors::cypher::syntax {
namespace {

// The query `RETURN expression`, which owns the expression.
Query ReturnOf(std::string_view expression) {
  absl::StatusOr<Query> query = Parse(absl::StrCat("RETURN ", ToAbsl(expression)));
  EXPECT_TRUE(query.ok()) << query.status();
  return query.ok() ? *std::move(query) : Query{};
}

Expression& ExpressionIn(Query& query) {
  return *std::get<Return>(query.parts[0].clauses[0].node).projection.items[0].expression;
}

bool Same(std::string_view left, std::string_view right) {
  Query left_query = ReturnOf(left);
  Query right_query = ReturnOf(right);
  const bool same = SameExpression(ExpressionIn(left_query), ExpressionIn(right_query));
  EXPECT_TRUE(!same || HashExpression(ExpressionIn(left_query)) == HashExpression(ExpressionIn(right_query)));
  return same;
}

TEST(AstTest, SameExpressionIgnoresHowItIsWritten) {
  EXPECT_TRUE(Same("a.b + 1", "a . b/* */+0x1"));
  EXPECT_TRUE(Same("toUpper('x')", "TOUPPER(\"x\")"));
  EXPECT_TRUE(Same("`a`", "a"));
  EXPECT_TRUE(Same("(a)", "a"));
  EXPECT_TRUE(Same("[(a)-[r:T*1..2]->(b {x: 1}) WHERE r | b]", "[(a)-[r:T*1..2]->(b{x:1}) WHERE r|b]"));
  EXPECT_TRUE(Same("CASE a WHEN 1 THEN 2 ELSE 3 END", "case a when 1 then 2 else 3 end"));
}

TEST(AstTest, SameExpressionTellsWhatDiffers) {
  const std::vector<std::string> expressions = {"a",
                                                "b",
                                                "A",
                                                "$a",
                                                "a.x",
                                                "a.y",
                                                "a[0]",
                                                "a[0..]",
                                                "a[..0]",
                                                "a[0..0]",
                                                "a:X",
                                                "a:Y",
                                                "a:X:Y",
                                                "1",
                                                "1.0",
                                                "'1'",
                                                "null",
                                                "true",
                                                "[]",
                                                "[1]",
                                                "{}",
                                                "{x: 1}",
                                                "{y: 1}",
                                                "a {.x}",
                                                "a {.*}",
                                                "a {x: 1}",
                                                "NOT a",
                                                "-a",
                                                "+a",
                                                "a IS NULL",
                                                "a IS NOT NULL",
                                                "a AND b",
                                                "a OR b",
                                                "a XOR b",
                                                "a AND b AND c",
                                                "a + b",
                                                "a - b",
                                                "b + a",
                                                "a IN b",
                                                "a STARTS WITH b",
                                                "a ENDS WITH b",
                                                "a CONTAINS b",
                                                "a =~ b",
                                                "a < b",
                                                "a <= b",
                                                "a < b < c",
                                                "count(*)",
                                                "count(a)",
                                                "count(DISTINCT a)",
                                                "max(a)",
                                                "[x IN a]",
                                                "[y IN a]",
                                                "[x IN a WHERE x]",
                                                "[x IN a | x]",
                                                "any(x IN a)",
                                                "all(x IN a)",
                                                "all(x IN a WHERE x)",
                                                "reduce(s = 0, x IN a | s)",
                                                "reduce(t = 0, x IN a | t)",
                                                "CASE WHEN a THEN b END",
                                                "CASE a WHEN a THEN b END",
                                                "CASE WHEN a THEN b ELSE c END",
                                                "[(a)-->(b) | 1]",
                                                "[(a)<--(b) | 1]",
                                                "[(a)--(b) | 1]",
                                                "[p = (a)-->(b) | 1]",
                                                "[(a)-[r]->(b) | 1]",
                                                "[(a)-[:T]->(b) | 1]",
                                                "[(a)-[*]->(b) | 1]",
                                                "[(a)-[*2]->(b) | 1]",
                                                "[(a)-->(b:X) | 1]",
                                                "[(a)-->(b {x: 1}) | 1]",
                                                "(a)-->(b)"};
  for (size_t i = 0; i < expressions.size(); ++i) {
    for (size_t j = 0; j < expressions.size(); ++j) {
      EXPECT_EQ(Same(expressions[i], expressions[j]), i == j) << expressions[i] << " and " << expressions[j];
    }
  }
}

TEST(AstTest, VisitsAndReplacesEveryChild) {
  Query query = ReturnOf(
      "[a, {k: b}, c {.x, y: d}, e.f, g[h], i[j..k], l:M, NOT n, o AND p, q + r, s < t, abs(u), [v IN w WHERE x | y], "
      "all(z IN aa WHERE ab), reduce(ac = ad, ae IN af | ag), CASE ah WHEN ai THEN aj ELSE ak END, "
      "[(al {x: am})-[{y: an}]-(ao {z: ap}) WHERE aq | ar]]");
  int variables = 0;
  const auto count = [&](const auto& self, const Expression& expression) -> void {
    if (As<Variable>(expression) != nullptr) ++variables;
    ForEachChild(expression, [&](const Expression& child) { self(self, child); });
  };
  count(count, ExpressionIn(query));
  EXPECT_EQ(variables, 37);  // c stands twice: as the subject, and in c.x.
  const auto blank = [&](const auto& self, Expression& expression) -> void {
    ForEachChildPtr(expression, [&](ExpressionPtr& child) {
      if (As<Variable>(*child) != nullptr) child->node = Literal{};
      self(self, *child);
    });
  };
  blank(blank, ExpressionIn(query));
  variables = 0;
  count(count, ExpressionIn(query));
  EXPECT_EQ(variables, 0);
}

TEST(AstTest, NamesTheColumns) {
  EXPECT_EQ(ColumnNames(*Parse("RETURN 1 AS a,  a . b ,count( * ) UNION RETURN 2 AS x, 3 AS y, 4 AS z")),
            (std::vector<std::string>{"a", "a . b", "count( * )"}));
  EXPECT_TRUE(ColumnNames(*Parse("MATCH (n)")).empty());
  EXPECT_TRUE(ColumnNames(Query{}).empty());
}

}  // namespace
}  // namespace toolgate::executors::cypher::syntax
