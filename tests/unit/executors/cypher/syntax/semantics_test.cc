#include "executors/cypher/syntax/semantics.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "executors/cypher/syntax/cypher_error.h"
#include "executors/cypher/syntax/functions.h"

namespace toolgate::executors::cypher::syntax {
namespace {

// The error's detail; "" when the query is accepted.
std::string DetailOf(std::string_view text, const CheckOptions& options = {}) {
  const absl::StatusOr<Query> query = ParseAndCheck(text, {}, options);
  if (query.ok()) return "";
  const std::optional<CypherError> error = GetCypherError(query.status());
  return error.has_value() ? error->detail : query.status().ToString();
}

CypherError SemanticErrorOf(std::string_view text) {
  const absl::StatusOr<Query> query = ParseAndCheck(text);
  return query.ok() ? CypherError{} : GetCypherError(query.status()).value_or(CypherError{});
}

void ExpectAccepted(const std::vector<std::string_view>& queries) {
  for (const std::string_view text : queries) {
    const absl::StatusOr<Query> query = ParseAndCheck(text);
    EXPECT_TRUE(query.ok()) << text << "\n" << query.status();
  }
}

void ExpectRefused(std::string_view detail, const std::vector<std::string_view>& queries) {
  for (const std::string_view text : queries) EXPECT_EQ(DetailOf(text), detail) << text;
}

TEST(SemanticsTest, AcceptsMatches) {
  ExpectAccepted({
      "MATCH (n) RETURN n",
      "MATCH (n:A:B {x: 1, y: $p}) RETURN n.x",
      "MATCH (a)-->(b) MATCH (b)-->(c), (a)-->(c) RETURN a, b, c",
      "MATCH (a)-[r]->(b) WITH r, a MATCH (a)-[r]->(c) RETURN c",
      "MATCH (a)-[r]->()-[q]->(a) RETURN r, q",
      "MATCH (a)-->(a) RETURN a",
      "MATCH p = (a)-[rs*]->(b) RETURN length(p), size(rs), nodes(p), relationships(p)",
      "MATCH ()-[r1]->()-[r2]->() WITH [r1, r2] AS rs LIMIT 1 MATCH (a)-[rs*]->(b) RETURN a, b",
      "MATCH p = shortestPath((a)-[:T*]->(b)) RETURN p",
      "MATCH (a) OPTIONAL MATCH (a)-[r]->(b) RETURN a, r, b",
      "OPTIONAL MATCH (a) WITH a MATCH (a)-->(b) RETURN b",
      "WITH null AS a OPTIONAL MATCH (a)-->(b) RETURN b",
      "MATCH (a {x: 1}), (b {y: a.x}) RETURN b",
      "MATCH (b {y: a.x}), (a {x: 1}) RETURN b",
      "MATCH (a), (b) WHERE a.x = b.x AND (a)-->(b) RETURN a",
      "MATCH (a) WHERE NOT (a)-->() OR exists((a)--(:X)) XOR (a)<--() RETURN a",
      "MATCH (a)-[r]->() WHERE (a)-[r]->() RETURN a",
      "MATCH (n) WHERE n:A OR n.x RETURN n",
      "MATCH ()-[r]->() WHERE r:T RETURN r",
      "MATCH (n) WITH head(collect(n)) AS m MATCH (m)-->(k) RETURN k",
      "MATCH (n) WITH collect(n) AS ns UNWIND ns AS m MATCH (m)-->(k) RETURN k",
      "MATCH (n) WHERE null RETURN n",
      "MATCH (n) WHERE $p RETURN n",
      "MATCH (n) WHERE any(x IN n.list WHERE (n)-->({v: x})) RETURN n",
  });
}

TEST(SemanticsTest, AcceptsProjections) {
  ExpectAccepted({
      "RETURN 1",
      "RETURN 1 AS a, 1 AS b",
      "RETURN 1, 2",
      "RETURN $a, $0",
      "MATCH (n) RETURN *",
      "MATCH (n) RETURN *, n.x AS x",
      "MATCH (n) WITH * RETURN n",
      "MATCH (n) WITH *, n.x AS x RETURN n, x",
      "WITH 1 AS a WITH a AS b, a AS c RETURN b + c",
      "MATCH (n) WITH n.name AS n RETURN n",
      "MATCH (n) WITH n.name AS name WHERE n.age > 3 AND name = 'x' RETURN name",
      "MATCH (n) WITH n AS m, n.x AS x ORDER BY n.y, m.y, x RETURN m",
      "MATCH (n) RETURN n.x AS x ORDER BY n.y, x",
      "MATCH (n) RETURN DISTINCT n.x ORDER BY n.x",
      "MATCH (n) RETURN DISTINCT n.x AS x ORDER BY n.x + 1, x",
      "MATCH (n) RETURN DISTINCT n ORDER BY n.id",
      "MATCH (n) RETURN n SKIP 1 + 1 LIMIT $p",
      "MATCH (n) RETURN n LIMIT toInteger(ceil(1.7))",
      "MATCH (n) RETURN n SKIP toInteger(rand() * 9)",
      "MATCH (n) RETURN n LIMIT null",
      "RETURN 1 AS a UNION RETURN 2 AS a",
      "RETURN 1 AS a, 2 AS b UNION ALL RETURN 3 AS a, 4 AS b",
      "MATCH (a) RETURN a UNION MATCH (a) RETURN a",
      "UNWIND [1, 2] AS x UNWIND [x, x] AS y RETURN y",
      "UNWIND null AS x RETURN x",
      "UNWIND $p AS x RETURN x.y",
      "MATCH (n) WITH DISTINCT n.x AS x WHERE x > 1 RETURN x",
  });
}

TEST(SemanticsTest, AcceptsAggregates) {
  ExpectAccepted({
      "MATCH (n) RETURN count(*), count(n), count(DISTINCT n.x), collect(n)",
      "MATCH (n) RETURN n.x, count(*)",
      "MATCH (n) RETURN count(n) / 60 / 60 AS c",
      "MATCH (n) RETURN n, count(n) + 3",
      "MATCH (p) RETURN $age + avg(p.age) - 1000",
      "MATCH (a)--(b) WITH a.age AS age, b RETURN age, age + count(b.age)",
      "MATCH (a)--(b) RETURN a.age, a.age + count(b.age)",
      "MATCH (a)--(b) RETURN a, a.age + count(b.age)",
      "MATCH (a) RETURN a.name, {foo: a.name = 'x', kids: collect(a.y)}",
      "MATCH (a), (b) RETURN coalesce(a.x, b.x) AS foo, b.x AS bar, {name: count(b)} AS baz",
      "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN size([x IN collect(r) WHERE x <> null])",
      "MATCH p = (n)-->() RETURN [x IN collect(p) | head(nodes(x))] AS p",
      "MATCH (n) RETURN count([p = (n)-->() | p])",
      "MATCH (n)-->(b) WITH [p = (n)-->() | p] AS ps, count(b) AS c RETURN ps, c",
      "MATCH (n) RETURN n, count(*) + size([(n)-[r]->(m) | r.x + m.x])",
      "MATCH (n) RETURN [x IN collect(n) | [(x)-->(m) | m]]",
      "MATCH (n) RETURN reduce(s = 0, x IN collect(n.x) | s + x)",
      "MATCH (n) RETURN n.x, count(*) ORDER BY n.x, count(*)",
      "MATCH (n) RETURN n.x AS x, count(*) AS c ORDER BY n.x + 1, c * 2",
      "MATCH (a)--(b) RETURN a.age AS age, count(b.age) AS cnt ORDER BY age, age + count(b.age)",
      "MATCH (a)--(b) RETURN a.age AS age, count(b.age) AS cnt ORDER BY a.age + count(b.age)",
      "MATCH (p) RETURN avg(p.age) AS a ORDER BY $age + avg(p.age) - 1000",
      "MATCH (a)--(b) RETURN a.age + b.age, count(*) AS c ORDER BY a.age + b.age",
      "MATCH (n) WITH n.x AS x, sum(n.y) AS s ORDER BY sum(n.y) WHERE s > 1 AND x < 2 RETURN x, s",
      "MATCH (n) WITH n.x AS x, count(*) AS c WHERE c > 1 RETURN x",
      "MATCH (n) RETURN percentileDisc(n.x, 0.5), percentileCont(n.x, $p), stDev(n.x), stDevP(n.x)",
      "MATCH (n) RETURN count(n) > 0 AND max(n.x) = 1",
      "RETURN ALL(ok IN collect(1 = 1) WHERE ok) AS okay",
      "MATCH (n) RETURN CASE WHEN count(*) > 1 THEN 'a' ELSE 'b' END",
  });
}

TEST(SemanticsTest, AcceptsExpressions) {
  ExpectAccepted({
      "RETURN [x IN [1, 2] WHERE x > 1 | x + 1]",
      "WITH 1 AS x RETURN [x IN [x] | x] AS y, x",
      "RETURN any(x IN [1, 'a', true] WHERE x % 2 = 0)",
      "MATCH (n) RETURN [x IN [n, 1] | labels(x)]",
      "MATCH ()-[r]->() RETURN [x IN [r, 1] | type(x)]",
      "MATCH (n) WITH [n, 1] AS list RETURN labels(list[0]), (list[1]).x",
      "RETURN null AND true, NOT null, null IN null, null[0], null.x",
      "RETURN 1 < 'a' < true, 'a' = 1, [] < {}",
      "RETURN 1 STARTS WITH 'a', null CONTAINS 2, 'a' ENDS WITH true",
      "RETURN 'a' + 1, [1] + 2, 1 + [2], 1.5 + 2",
      "RETURN duration({days: 1}) * 2, date() - duration('P1D'), -duration('P1D')",
      "RETURN date('2020-01-01').year, duration({days: 1}).days",
      "WITH {a: 1} AS m RETURN m.a, m['a'], m {.a, .*, b: 2}, keys(m), properties(m)",
      "MATCH (n) RETURN n {.*, x: [(n)-->(m) | m {.name}]}",
      "MATCH (n) RETURN CASE WHEN (n)-->() THEN 1 END, exists((n)-->()), exists(n.x)",
      "MATCH (n) RETURN CASE n.x WHEN 1 THEN 'a' ELSE n END",
      "MATCH (n) WHERE exists { (n)-->(m) WHERE m.x = n.x } RETURN n",
      "MATCH (n) WHERE exists { MATCH (n)-->(m) RETURN true } RETURN n",
      "MATCH (n) WHERE exists { MATCH (n)-->(m) WITH n, count(*) AS c WHERE c = 3 RETURN true } RETURN n",
      "MATCH (n) WHERE exists { MATCH (m) WHERE exists { (n)-->(m) WHERE n.x = m.x } } RETURN n",
      "MATCH (n) RETURN size([(n)--() | 1]) > 0 AS b",
      "MATCH (n) RETURN [(n)-[r:T]->(m) WHERE r.x = m.x | [n, r, m]]",
      "MATCH (a), (b) RETURN [p = (a)-[*]->(b) | p]",
      "MATCH (a) RETURN [x IN [a] | size([(x)-->() | 1])]",
      "RETURN range(true, 1.5), toInteger([]), toString({}), head([]), substring('a', 1)",
      "RETURN reverse('a'), reverse([1]), size('a'), size([1]), size(null)",
      "RETURN TOUPPER('a'), Date.Truncate('day', date()), timestamp(), pi(), e(), rand()",
      "WITH [1, 2] AS a RETURN a[0], a[0..1], a[..1][0], a['x']",
      "RETURN -1, +1, - - 1, -$p",
      "MATCH (n) RETURN n:A, (n):B",
      "MATCH (n) RETURN n['x'], n[$k]",
  });
}

TEST(SemanticsTest, RefusesUndefinedVariables) {
  ExpectRefused(
      "UndefinedVariable",
      {
          "RETURN foo",
          "MATCH (n) RETURN m",
          "MATCH (n) WHERE m.x RETURN n",
          "MATCH (n {x: m.x}) RETURN n",
          "MATCH (n) WITH n.x AS x RETURN n",
          "MATCH (n) WITH n.x AS x MATCH (m {y: n.x}) RETURN m",
          "RETURN {k1: k2}",
          "RETURN [x IN y | x]",
          "RETURN [x IN [1] | x] + x",
          "RETURN all(x IN [1] WHERE y)",
          "RETURN reduce(s = s, x IN [1] | s)",
          "UNWIND x AS x RETURN x",
          "MATCH (n) RETURN count(m)",
          "MATCH (n) RETURN [(n)-->(m) | m] AS l, m",
          "MATCH (n) WHERE (n)-->(m) RETURN n",
          "MATCH (n) WHERE (n)-[r]->() RETURN n",
          "MATCH (n) WHERE (n)-[r:REL*0..2]->(a {num: 5}) RETURN n",
          "MATCH (n) WHERE (a) RETURN n",
          "MATCH (n) WHERE exists { (n)-->(m) } RETURN m",
          "MATCH (n) WHERE exists { MATCH (n) WITH n AS k RETURN n } RETURN n",
          "MATCH (n) RETURN n ORDER BY m",
          "MATCH (a) RETURN DISTINCT a.name ORDER BY a.age",
          "MATCH (a) RETURN a.name, count(*) ORDER BY a.age",
          "WITH 1 AS a, 'b' AS b, 3 AS c WITH a, b WITH a ORDER BY a, c RETURN a",
          "MATCH (a) WITH a, a.x + a.y AS sum WITH a.y % 3 AS mod, min(sum) AS min ORDER BY sum(sum) RETURN mod",
          "MATCH (a) WITH a.y AS mod, min(a.x + a.y) AS min ORDER BY sum(a.x + a.y) RETURN mod",
          "MATCH (me)--(you) RETURN count(you.age) AS agg ORDER BY me.age + count(you.age)",
          "MATCH (a) WITH DISTINCT a.x AS x WHERE a.y RETURN x",
          "MATCH (a) WITH a.x AS x, count(*) AS c WHERE a.y RETURN x",
          "MATCH (n) RETURN n {.x, y}",
          "RETURN m {.x}",
      });
}

TEST(SemanticsTest, RefusesConflictsOfVariables) {
  ExpectRefused("VariableTypeConflict", {
                                            "MATCH ()-[r]->() MATCH (r) RETURN r",
                                            "MATCH r = ()-->() MATCH (r) RETURN r",
                                            "MATCH ()-[r]-(r) RETURN r",
                                            "MATCH (r)-[r]-() RETURN r",
                                            "MATCH ()-[r*]-()-[]-(r) RETURN r",
                                            "MATCH r = ()-[]-(), (r) RETURN r",
                                            "MATCH (r) MATCH ()-[r]->() RETURN r",
                                            "MATCH (r) MATCH ()-[r*]->() RETURN r",
                                            "MATCH ()-[r]->() MATCH ()-[r*]->() RETURN r",
                                            "MATCH ()-[r*]->() MATCH ()-[r]->() RETURN r",
                                            "WITH true AS n MATCH (n) RETURN n",
                                            "WITH 123 AS n MATCH (n) RETURN n",
                                            "WITH 'foo' AS n MATCH (n) RETURN n",
                                            "WITH [] AS n MATCH (n) RETURN n",
                                            "WITH {x: 1} AS n MATCH (n) RETURN n",
                                            "WITH 1.5 AS r MATCH ()-[r]->() RETURN r",
                                            "WITH [1] AS r MATCH ()-[r*]->() RETURN r",
                                            "MATCH (n) WITH [n] AS users MATCH (users)-->(m) RETURN m",
                                            "MATCH (n) WHERE (n)-[n]->() RETURN n",
                                            "MATCH (n) RETURN [(n)-[n]->() | 1]",
                                        });
  ExpectRefused("VariableAlreadyBound", {
                                            "MATCH (p) MATCH p = ()-->() RETURN p",
                                            "MATCH ()-[p]->() MATCH p = ()-->() RETURN p",
                                            "MATCH p = (p)-->() RETURN p",
                                            "MATCH p = ()-[p*]->() RETURN p",
                                            "MATCH (p), p = ()-->() RETURN p",
                                            "MATCH p = ()-->(), p = ()-->() RETURN p",
                                            "WITH 1 AS p MATCH p = ()-->() RETURN p",
                                            "WITH 1 AS x UNWIND [1] AS x RETURN x",
                                            "MATCH (n), (p) RETURN [p = (n)-->() | p]",
                                        });
  ExpectRefused("RelationshipUniquenessViolation", {
                                                       "MATCH (a)-[r]->()-[r]->(a) RETURN r",
                                                       "MATCH (a)-[r]->(), (b)-[r]->() RETURN r",
                                                       "MATCH (a) RETURN [(a)-[r]->()-[r]->() | 1]",
                                                   });
}

TEST(SemanticsTest, RefusesMisplacedAggregates) {
  ExpectRefused("InvalidAggregation", {
                                          "MATCH (a) WHERE count(a) > 10 RETURN a",
                                          "MATCH (n {x: count(*)}) RETURN n",
                                          "MATCH (n) RETURN [x IN [1, 2] | count(*)]",
                                          "MATCH (n) RETURN [x IN [1] WHERE count(*) > 1]",
                                          "MATCH (n) RETURN all(x IN [1] WHERE count(*) > x)",
                                          "MATCH (n) RETURN [(n)-->() | count(*)]",
                                          "MATCH (n) RETURN reduce(s = 0, x IN [1] | s + count(*))",
                                          "MATCH (n) RETURN n.x ORDER BY max(n.y)",
                                          "MATCH (n) WITH n.x AS foo ORDER BY n.name, max(n.y) RETURN foo",
                                          "MATCH (n) WITH n.x AS x WHERE count(*) > 1 RETURN x",
                                          "MATCH (n) RETURN n.x AS x, count(*) AS c ORDER BY max(x)",
                                          "UNWIND collect(1) AS x RETURN x",
                                          "MATCH (n) RETURN n LIMIT count(*)",
                                      });
  ExpectRefused("NestedAggregation", {"RETURN count(count(*))", "MATCH (n) RETURN sum(1 + max(n.x))"});
  ExpectRefused("NonConstantExpression",
                {"RETURN count(rand())", "MATCH (n) RETURN n LIMIT n.count", "MATCH (n) RETURN n SKIP n.count",
                 "MATCH (n) WITH n LIMIT m RETURN n", "MATCH (n) RETURN n LIMIT size([(n)-->() | 1])"});
  ExpectRefused(
      "AmbiguousAggregationExpression",
      {
          "MATCH (me)--(you) RETURN me.age + count(you.age)",
          "MATCH (me)--(you) RETURN me.age + you.age, me.age + you.age + count(*)",
          "MATCH (me)--(you) WITH me.age + you.age AS g, me.age + you.age + count(*) AS agg RETURN *",
          "MATCH (me)--(you) RETURN me.age + you.age, count(*) AS c ORDER BY me.age + you.age + count(*)",
          "MATCH (me)--(you) WITH me.age + you.age, count(*) AS c ORDER BY me.age + you.age + count(*) RETURN *",
          "MATCH (n) RETURN [x IN [1] | n] + collect(1)",
      });
}

TEST(SemanticsTest, RefusesColumns) {
  ExpectRefused("NoExpressionAlias", {"MATCH (a) WITH a, count(*) RETURN a", "MATCH (a) WITH a.x RETURN 1"});
  ExpectRefused("ColumnNameConflict", {"WITH 1 AS a, 2 AS a RETURN a", "RETURN 1 AS a, 2 AS a",
                                       "MATCH (a) RETURN *, 1 AS a", "MATCH (a) RETURN a.x, a.x"});
  ExpectRefused("NoVariablesInScope", {"MATCH () RETURN *", "RETURN *"});
  ExpectRefused("DifferentColumnsInUnion",
                {"RETURN 1 AS a UNION RETURN 2 AS b", "RETURN 1 AS a, 2 AS b UNION RETURN 2 AS b, 1 AS a",
                 "RETURN 1 AS a UNION ALL RETURN 1 AS a, 2 AS b"});
  ExpectRefused("InvalidClauseComposition",
                {"MATCH (n)", "UNWIND [1] AS x", "WITH 1 AS a", "MATCH (n) WITH n", "RETURN 1 AS a UNION MATCH (n)",
                 "MATCH (n) WHERE exists { MATCH (n) WITH n } RETURN n",
                 "MATCH (n) WHERE exists { CREATE (m) RETURN m } RETURN n"});
  ExpectRefused("NegativeIntegerArgument",
                {"MATCH (n) RETURN n LIMIT -1", "MATCH (n) RETURN n SKIP -1", "MATCH (n) WITH n LIMIT -5 RETURN n"});
}

TEST(SemanticsTest, RefusesTypesThatCannotFit) {
  ExpectRefused("InvalidArgumentType", {
                                           "RETURN 1 AND true",
                                           "RETURN null OR 'foo'",
                                           "RETURN [true] XOR [true]",
                                           "RETURN true AND {x: []}",
                                           "RETURN NOT 0",
                                           "RETURN NOT 'a'",
                                           "RETURN NOT {``: true, b: 1}",
                                           "MATCH (n) RETURN n AND true",
                                           "MATCH (n) WHERE (n) RETURN n",
                                           "MATCH (n) WHERE 'a' RETURN n",
                                           "RETURN 1 IN true",
                                           "RETURN 1 IN 'foo'",
                                           "RETURN 1 IN {x: []}",
                                           "RETURN none(x IN ['Clara'] WHERE x % 2 = 0)",
                                           "RETURN all(x IN [false, true] WHERE x % 2 = 0)",
                                           "RETURN 'a' - 1",
                                           "RETURN true * 2",
                                           "RETURN -'a'",
                                           "RETURN [x IN 1 | x]",
                                           "MATCH (n) RETURN length(n)",
                                           "MATCH ()-[r]->() RETURN length(r)",
                                           "MATCH p = ()-->() RETURN size(p)",
                                           "MATCH (n) RETURN type(n)",
                                           "MATCH p = (n) RETURN labels(p)",
                                           "RETURN properties(1)",
                                           "RETURN properties('Cypher')",
                                           "RETURN properties([true])",
                                           "MATCH (n) RETURN nodes(n)",
                                           "MATCH p = (n)-->() WHERE p.name = 'x' RETURN p",
                                           "MATCH ()-[r*]->() WHERE r.name = 'x' RETURN r",
                                           "WITH 123 AS x RETURN x.y",
                                           "WITH [1, true] AS x RETURN x.y",
                                           "RETURN 'a'.b",
                                           "WITH true AS list RETURN list[0]",
                                           "WITH 1 AS x RETURN x:A",
                                           "WITH 1 AS x RETURN x {.a}",
                                           "MATCH (n) RETURN n LIMIT 1.7",
                                           "MATCH (n) RETURN n SKIP 'a'",
                                       });
}

TEST(SemanticsTest, TellsTypeErrorsFromSyntaxErrors) {
  EXPECT_EQ(SemanticErrorOf("WITH 123 AS nonMap RETURN nonMap.num").kind, "TypeError");
  EXPECT_EQ(SemanticErrorOf("WITH true AS list RETURN list[0]").kind, "TypeError");
  EXPECT_EQ(SemanticErrorOf("MATCH p = (n)-[*]->() WHERE p.name = 'x' RETURN p").kind, "SyntaxError");
  EXPECT_EQ(SemanticErrorOf("RETURN 1 AND true").kind, "SyntaxError");
}

TEST(SemanticsTest, RefusesFunctions) {
  ExpectRefused("UnknownFunction", {"MATCH (a) RETURN foo(a)", "RETURN a.b.c(1)", "RETURN date.nothing()"});
  ExpectRefused("InvalidNumberOfArguments",
                {"RETURN size()", "RETURN size(1, 2)", "RETURN coalesce()", "RETURN range(1)",
                 "RETURN range(1, 2, 3, 4)", "RETURN pi(1)", "RETURN count()", "RETURN substring('a')"});
  EXPECT_EQ(SemanticErrorOf("RETURN range(1)").message, "range() takes 2 to 3 arguments, but has 1");
  EXPECT_EQ(SemanticErrorOf("RETURN size()").message, "size() takes 1 argument, but has 0");
}

TEST(SemanticsTest, RefusesMisplacedPatterns) {
  ExpectRefused("UnexpectedSyntax", {
                                        "MATCH (n) RETURN (n)-[]->()",
                                        "MATCH (n) WITH (n)-[]->() RETURN n",
                                        "MATCH (a) RETURN size((a)-->())",
                                        "MATCH (n) WHERE size((n)-->()) > 0 RETURN n",
                                        "MATCH (n) RETURN [(n)-->()]",
                                        "MATCH (n) RETURN toUpper(DISTINCT n.x)",
                                    });
  ExpectRefused("InvalidParameterUse", {
                                           "MATCH (n $param) RETURN n",
                                           "MATCH ()-[r:T $param]->() RETURN r",
                                           "MATCH (n) WHERE (n)-->({x: 1})-->($p) RETURN n",
                                       });
  ExpectRefused("InvalidRelationshipPattern",
                {"MATCH p = shortestPath((a)) RETURN p", "MATCH p = shortestPath((a)-->()-->(b)) RETURN p"});
}

TEST(SemanticsTest, RefusesWritesButSyntaxErrorsFirst) {
  ExpectRefused("WriteNotAllowed", {"CREATE (n)", "CREATE (n) RETURN n", "MATCH (n) CREATE (n)-[:T]->(m) RETURN m",
                                    "CREATE (n) WITH n MERGE (m)"});
  EXPECT_EQ(SemanticErrorOf("MATCH (n) CREATE (m) RETURN m").offset, 10u);
  EXPECT_EQ(SemanticErrorOf("CREATE (n)").kind, "SemanticError");
  ExpectRefused("UndefinedVariable", {"CREATE (n) RETURN m"});
  ExpectRefused("NoSingleRelationshipType", {"CREATE ()-->()"});
}

TEST(SemanticsTest, AllowsCreateWhereAsked) {
  const CheckOptions create{.allow_create = true};
  for (const std::string_view text : {
           "CREATE (n)",
           "CREATE (a:A {x: 1, y: [1, 'b', null], z: date('2020-01-01')}), (b), (a)-[r:T {w: 1.5}]->(b) CREATE "
           "(b)<-[:S]-(a)",
           "CREATE (a) CREATE (b) CREATE (a)-[:T]->(b)",
           "UNWIND range(0, 10) AS i CREATE ({n: i})",
           "CREATE p = (a)-[:T]->(b) RETURN p",
           "CREATE (n $props)",
           "CREATE (a)-[:T]->(a)",
       }) {
    EXPECT_EQ(DetailOf(text, create), "") << text;
  }
  EXPECT_EQ(DetailOf("CREATE (a), (a)", create), "VariableAlreadyBound");
  EXPECT_EQ(DetailOf("CREATE (a) CREATE (a:B)-[:T]->(b)", create), "VariableAlreadyBound");
  EXPECT_EQ(DetailOf("CREATE ()-[r:T]->(), ()-[r:T]->()", create), "VariableAlreadyBound");
  EXPECT_EQ(DetailOf("CREATE ()-[:A|B]->()", create), "NoSingleRelationshipType");
  EXPECT_EQ(DetailOf("CREATE ()-[:A]-()", create), "RequiresDirectedRelationship");
  EXPECT_EQ(DetailOf("CREATE ()<-[:A]->()", create), "RequiresDirectedRelationship");
  EXPECT_EQ(DetailOf("CREATE ()-[:A*2]->()", create), "CreatingVarLength");
  EXPECT_EQ(DetailOf("CREATE (b {name: missing})", create), "UndefinedVariable");
}

// --- What a check completes

const Projection& LastProjection(const Query& query) {
  const Clause& last = query.parts.back().clauses.back();
  return std::get<Return>(last.node).projection;
}

TEST(SemanticsTest, ExpandsStarInOrderOfNames) {
  const absl::StatusOr<Query> query = ParseAndCheck("MATCH p = (b)-[a]->(c) RETURN *, 1 AS aa");
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(ColumnNames(*query), (std::vector<std::string>{"a", "b", "c", "p", "aa"}));
  EXPECT_NE(As<Variable>(*LastProjection(*query).items[3].expression), nullptr);
}

TEST(SemanticsTest, BoundsWhatStarsStandFor) {
  std::string text = "MATCH (n0)";
  for (int i = 1; i < 500; ++i) absl::StrAppend(&text, ", (n", i, ")");
  for (int i = 0; i < 100; ++i) text += " WITH *";
  EXPECT_EQ(DetailOf(text + " RETURN 1"), kQueryTooComplex);
}

TEST(SemanticsTest, ChecksDeepQueries) {
  std::string lists = "[1]";
  std::string subqueries = "true";
  for (int i = 0; i < 45; ++i) lists = absl::StrCat("[x IN ", lists, " WHERE x IS NULL | [x]]");
  for (int i = 0; i < 20; ++i) subqueries = absl::StrCat("EXISTS { MATCH (n) WHERE ", subqueries, " }");
  EXPECT_EQ(DetailOf("RETURN " + lists), "");
  EXPECT_EQ(DetailOf("RETURN " + subqueries), "");
}

TEST(SemanticsTest, MarksAggregatesAndSetsFunctions) {
  const absl::StatusOr<Query> query = ParseAndCheck("MATCH (n) RETURN TOUPPER(n.x), 1 + count(*), max(n.y)");
  ASSERT_TRUE(query.ok()) << query.status();
  const Projection& projection = LastProjection(*query);
  EXPECT_TRUE(projection.aggregates);
  EXPECT_FALSE(projection.items[0].expression->has_aggregate);
  EXPECT_TRUE(projection.items[1].expression->has_aggregate);
  EXPECT_TRUE(projection.items[2].expression->has_aggregate);
  EXPECT_EQ(As<FunctionCall>(*projection.items[0].expression)->function, FindFunction("toUpper"));
  EXPECT_FALSE(LastProjection(*ParseAndCheck("RETURN 1")).aggregates);
}

TEST(SemanticsTest, SortsAggregatingProjectionsByColumns) {
  const absl::StatusOr<Query> query =
      ParseAndCheck("MATCH (n) RETURN n.x, count(*) AS c ORDER BY n.x, count(*), n.x + count( * )");
  ASSERT_TRUE(query.ok()) << query.status();
  const std::vector<SortItem>& order = LastProjection(*query).order_by;
  ASSERT_NE(As<Variable>(*order[0].expression), nullptr);
  EXPECT_EQ(As<Variable>(*order[0].expression)->name, "n.x");
  ASSERT_NE(As<Variable>(*order[1].expression), nullptr);
  EXPECT_EQ(As<Variable>(*order[1].expression)->name, "c");
  const auto* sum = As<Binary>(*order[2].expression);
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(As<Variable>(*sum->left)->name, "n.x");
  EXPECT_EQ(As<Variable>(*sum->right)->name, "c");
}

TEST(SemanticsTest, LeavesTheOwnVariablesOfAnExpressionAlone) {
  const absl::StatusOr<Query> query =
      ParseAndCheck("MATCH (n) RETURN DISTINCT n.x, n.list AS list ORDER BY [n IN n.list | n.x]");
  ASSERT_TRUE(query.ok()) << query.status();
  const auto* list = As<ListComprehension>(*LastProjection(*query).order_by[0].expression);
  ASSERT_NE(list, nullptr);
  EXPECT_NE(As<Variable>(*list->list), nullptr);
  EXPECT_NE(As<Property>(*list->result), nullptr);
}

TEST(SemanticsTest, PointsAtTheMistake) {
  const CypherError error = SemanticErrorOf("MATCH (n)\nWHERE n.x = missing.y\nRETURN n");
  EXPECT_EQ(error.detail, "UndefinedVariable");
  EXPECT_EQ(error.message, "The variable `missing` is not defined here");
  EXPECT_EQ(SemanticErrorOf("MATCH (person) RETURN preson.name").message,
            "The variable `preson` is not defined here; did you mean `person`?");
  EXPECT_EQ(SemanticErrorOf("RETURN toLowr('A')").message, "There is no function toLowr(); did you mean `toLower`?");
  EXPECT_EQ(error.offset, 22u);
  EXPECT_EQ(error.line, 2u);
  EXPECT_EQ(error.column, 13u);
}

}  // namespace
}  // namespace toolgate::executors::cypher::syntax
