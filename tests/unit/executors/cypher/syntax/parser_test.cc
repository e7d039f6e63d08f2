#include "executors/cypher/syntax/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "executors/cypher/syntax/cypher_error.h"

namespace toolgate::executors::cypher::syntax {
namespace {

// --- Trees as text: (operator operands…)

std::string Show(const ExpressionPtr& expression);

std::string Show(const PathPattern& path) {
  std::string out = path.variable.has_value() ? *path.variable + "=" : "";
  if (path.kind != PathKind::kAll) out += path.kind == PathKind::kShortest ? "shortest:" : "allShortest:";
  for (size_t i = 0; i < path.nodes.size(); ++i) {
    const NodePattern& node = path.nodes[i];
    absl::StrAppend(&out, "<", node.variable.value_or(""));
    for (const std::string& label : node.labels) absl::StrAppend(&out, ":", label);
    if (node.properties != nullptr) absl::StrAppend(&out, " ", Show(node.properties));
    out += ">";
    if (i == path.relationships.size()) break;
    const RelationshipPattern& step = path.relationships[i];
    absl::StrAppend(&out,
                    step.direction == Direction::kOut  ? "out"
                    : step.direction == Direction::kIn ? "in"
                                                       : "both",
                    "[", step.variable.value_or(""), step.types.empty() ? "" : ":", absl::StrJoin(step.types, "|"));
    if (step.length.has_value()) {
      absl::StrAppend(&out, "*", step.length->min.has_value() ? absl::StrCat(*step.length->min) : "", "..",
                      step.length->max.has_value() ? absl::StrCat(*step.length->max) : "");
    }
    if (step.properties != nullptr) absl::StrAppend(&out, " ", Show(step.properties));
    out += "]";
  }
  return out;
}

struct Shower {
  std::string operator()(const Literal& literal) const {
    if (const auto* value = std::get_if<bool>(&literal.value)) return *value ? "true" : "false";
    if (const auto* value = std::get_if<int64_t>(&literal.value)) return absl::StrCat(*value);
    if (const auto* value = std::get_if<double>(&literal.value)) return absl::StrCat(*value, "f");
    if (const auto* value = std::get_if<std::string>(&literal.value)) return absl::StrCat("'", *value, "'");
    return "null";
  }
  std::string operator()(const ListLiteral& list) const {
    std::vector<std::string> parts;
    for (const ExpressionPtr& element : list.elements) parts.push_back(Show(element));
    return absl::StrCat("[", absl::StrJoin(parts, " "), "]");
  }
  std::string operator()(const MapLiteral& map) const {
    std::vector<std::string> parts;
    for (const auto& entry : map.entries) parts.push_back(absl::StrCat(entry.key, ":", Show(entry.value)));
    return absl::StrCat("{", absl::StrJoin(parts, " "), "}");
  }
  std::string operator()(const MapProjection& projection) const {
    std::vector<std::string> parts;
    for (const auto& item : projection.items) {
      parts.push_back(item.all_properties ? ".*" : absl::StrCat(item.key, ":", Show(item.value)));
    }
    return absl::StrCat(Show(projection.subject), "{", absl::StrJoin(parts, " "), "}");
  }
  std::string operator()(const Parameter& parameter) const { return "$" + parameter.name; }
  std::string operator()(const Variable& variable) const { return variable.name; }
  std::string operator()(const Property& property) const {
    return absl::StrCat(Show(property.subject), ".", property.key);
  }
  std::string operator()(const Subscript& subscript) const {
    return absl::StrCat("(at ", Show(subscript.subject), " ", Show(subscript.index), ")");
  }
  std::string operator()(const Slice& slice) const {
    return absl::StrCat("(slice ", Show(slice.subject), " ", Show(slice.from), " ", Show(slice.to), ")");
  }
  std::string operator()(const LabelTest& test) const {
    return absl::StrCat("(label ", Show(test.subject), " ", absl::StrJoin(test.labels, ":"), ")");
  }
  std::string operator()(const Unary& unary) const {
    static constexpr const char* kNames[] = {"not", "plus", "minus", "isnull", "isnotnull"};
    return absl::StrCat("(", kNames[static_cast<int>(unary.op)], " ", Show(unary.operand), ")");
  }
  std::string operator()(const Logical& logical) const {
    static constexpr const char* kNames[] = {"and", "or", "xor"};
    std::vector<std::string> parts = {kNames[static_cast<int>(logical.op)]};
    for (const ExpressionPtr& operand : logical.operands) parts.push_back(Show(operand));
    return absl::StrCat("(", absl::StrJoin(parts, " "), ")");
  }
  std::string operator()(const Binary& binary) const {
    static constexpr const char* kNames[] = {"+", "-", "*", "/", "%", "^", "in", "starts", "ends", "contains", "=~"};
    return absl::StrCat("(", kNames[static_cast<int>(binary.op)], " ", Show(binary.left), " ", Show(binary.right), ")");
  }
  std::string operator()(const Comparison& comparison) const {
    static constexpr const char* kNames[] = {"=", "<>", "<", "<=", ">", ">="};
    std::string out = absl::StrCat("(", Show(comparison.first));
    for (const auto& step : comparison.steps) {
      absl::StrAppend(&out, " ", kNames[static_cast<int>(step.op)], " ", Show(step.operand));
    }
    return out + ")";
  }
  std::string operator()(const FunctionCall& call) const {
    std::vector<std::string> parts = {call.distinct ? call.name + "!" : call.name};
    for (const ExpressionPtr& argument : call.arguments) parts.push_back(Show(argument));
    return absl::StrCat("(", absl::StrJoin(parts, " "), ")");
  }
  std::string operator()(const CountStar&) const { return "(count *)"; }
  std::string operator()(const ListComprehension& list) const {
    return absl::StrCat("(each ", list.variable, " ", Show(list.list), " ", Show(list.where), " ", Show(list.result),
                        ")");
  }
  std::string operator()(const PatternComprehension& pattern) const {
    return absl::StrCat("(paths ", Show(*pattern.pattern), " ", Show(pattern.where), " ", Show(pattern.result), ")");
  }
  std::string operator()(const Quantifier& quantifier) const {
    static constexpr const char* kNames[] = {"all", "any", "none", "single"};
    return absl::StrCat("(", kNames[static_cast<int>(quantifier.kind)], " ", quantifier.variable, " ",
                        Show(quantifier.list), " ", Show(quantifier.where), ")");
  }
  std::string operator()(const Reduce& reduce) const {
    return absl::StrCat("(reduce ", reduce.accumulator, " ", Show(reduce.initial), " ", reduce.variable, " ",
                        Show(reduce.list), " ", Show(reduce.step), ")");
  }
  std::string operator()(const Case& expression) const {
    std::string out = absl::StrCat("(case ", Show(expression.operand));
    for (const auto& row : expression.alternatives) {
      absl::StrAppend(&out, " (", Show(row.when), " ", Show(row.then), ")");
    }
    return absl::StrCat(out, " ", Show(expression.otherwise), ")");
  }
  std::string operator()(const Exists& exists) const {
    return absl::StrCat("(exists ", exists.query->parts[0].clauses.size(), ")");
  }
  std::string operator()(const PatternPredicate& predicate) const {
    return absl::StrCat("(pattern ", Show(*predicate.pattern), ")");
  }
};

std::string Show(const ExpressionPtr& expression) {
  return expression == nullptr ? "_" : std::visit(Shower{}, expression->node);
}

std::string ShowExpression(std::string_view text) {
  const absl::StatusOr<Query> query = Parse(absl::StrCat("RETURN ", ToAbsl(text)));
  if (!query.ok()) return query.status().ToString();
  return Show(std::get<Return>(query->parts[0].clauses[0].node).projection.items[0].expression);
}

std::string ShowPattern(std::string_view text) {
  const absl::StatusOr<Query> query = Parse(absl::StrCat("MATCH ", ToAbsl(text), " RETURN 1"));
  if (!query.ok()) return query.status().ToString();
  std::vector<std::string> paths;
  for (const PathPattern& path : std::get<Match>(query->parts[0].clauses[0].node).pattern) paths.push_back(Show(path));
  return absl::StrJoin(paths, ", ");
}

CypherError ErrorOf(std::string_view text, const Limits& limits = {}) {
  const absl::StatusOr<Query> query = Parse(text, limits);
  if (query.ok()) return {};
  return GetCypherError(query.status()).value_or(CypherError{});
}

struct Row {
  std::string_view text;
  std::string_view tree;
};

TEST(ParserTest, OperatorsBindByTheirPrecedence) {
  const Row rows[] = {
      {"a OR b XOR c AND NOT d = e", "(or a (xor b (and c (not (d = e)))))"},
      {"a AND b OR c AND d", "(or (and a b) (and c d))"},
      {"a AND b AND c", "(and a b c)"},
      {"(a AND b) AND c", "(and (and a b) c)"},
      {"a XOR b XOR c OR d", "(or (xor a b c) d)"},
      {"NOT NOT a", "(not (not a))"},
      {"NOT a AND b", "(and (not a) b)"},
      {"NOT a = b", "(not (a = b))"},
      {"a < b <= c <> d", "(a < b <= c <> d)"},
      {"a = b = c", "(a = b = c)"},
      {"(a = b) = c", "((a = b) = c)"},
      {"a IS NULL = b IS NOT NULL", "((isnull a) = (isnotnull b))"},
      {"a = b IN c", "(a = (in b c))"},
      {"a + b IN c + d", "(in (+ a b) (+ c d))"},
      {"a IN b IN c", "(in (in a b) c)"},
      {"a STARTS WITH b + c", "(starts a (+ b c))"},
      {"a ENDS WITH b OR a CONTAINS c", "(or (ends a b) (contains a c))"},
      {"a =~ b AND c", "(and (=~ a b) c)"},
      {"a + b IS NULL", "(isnull (+ a b))"},
      {"a - b - c", "(- (- a b) c)"},
      {"a - -b", "(- a (minus b))"},
      {"a - -1", "(- a -1)"},
      {"a-1", "(- a 1)"},
      {"a * b + c / d % e", "(+ (* a b) (% (/ c d) e))"},
      {"a + b * c ^ d", "(+ a (* b (^ c d)))"},
      {"a ^ b ^ c", "(^ (^ a b) c)"},
      {"-3 ^ 2", "(^ -3 2)"},
      {"-a ^ b", "(^ (minus a) b)"},
      {"-(3 ^ 2)", "(minus (^ 3 2))"},
      {"+a", "(plus a)"},
      {"-a.b[0].c", "(minus (at a.b 0).c)"},
      {"a.b.c[d][e..f][..g][h..][..]", "(slice (slice (slice (slice (at a.b.c d) e f) _ g) h _) _ _)"},
      {"a:B:C AND b", "(and (label a B:C) b)"},
      {"NOT a:B", "(not (label a B))"},
      {"a.b:C", "(label a.b C)"},
      {"a <> -b", "(a <> (minus b))"},
      {"a<-b", "(a < (minus b))"},
      {"[1]+2", "(+ [1] 2)"},
      {"a OR b AND c IS NULL", "(or a (and b (isnull c)))"},
  };
  for (const Row& row : rows) EXPECT_EQ(ShowExpression(row.text), row.tree) << row.text;
}

TEST(ParserTest, ReadsLiterals) {
  const Row rows[] = {
      {"null", "null"},
      {"True", "true"},
      {"FALSE", "false"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-0x8000000000000000", "-9223372036854775808"},
      {"-01000000000000000000000", "-9223372036854775808"},
      {"9223372036854775807", "9223372036854775807"},
      {"0x7FFFFFFFFFFFFFFF", "9223372036854775807"},
      {"-0", "0"},
      {"- 5", "-5"},
      {"-.5", "-0.5f"},
      {"'a'", "'a'"},
      {"[]", "[]"},
      {"[1, 'a', [null]]", "[1 'a' [null]]"},
      {"{}", "{}"},
      {"{a: 1, `b c`: 2, null: 3, Match: {x: []}}", "{a:1 b c:2 null:3 Match:{x:[]}}"},
      {"$a + $0 + $`b c`", "(+ (+ $a $0) $b c)"},
  };
  for (const Row& row : rows) EXPECT_EQ(ShowExpression(row.text), row.tree) << row.text;
}

TEST(ParserTest, ReadsForms) {
  const Row rows[] = {
      {"count(*)", "(count *)"},
      {"cOuNt( * )", "(count *)"},
      {"count(DISTINCT a)", "(count! a)"},
      {"f()", "(f)"},
      {"date.truncate('day', a)", "(date.truncate 'day' a)"},
      {"a.b(c)", "(a.b c)"},
      {"[x IN a]", "(each x a _ _)"},
      {"[x IN a WHERE x > 1]", "(each x a (x > 1) _)"},
      {"[x IN a | x.y]", "(each x a _ x.y)"},
      {"[x IN a WHERE x:B | [y IN x]]", "(each x a (label x B) (each y x _ _))"},
      {"[x, y]", "[x y]"},
      {"[1 IN a]", "[(in 1 a)]"},
      {"[(a)-->(b) | b.x]", "(paths <a>out[]<b> _ b.x)"},
      {"[p = (a)-[r:T]->(b:B {x: 1}) WHERE b.y | p]", "(paths p=<a>out[r:T]<b:B {x:1}> b.y p)"},
      {"[(a)-->(b), 1]", "[(pattern <a>out[]<b>) 1]"},
      {"[(a) | 1]", "SYNTAX"},
      {"[a = (b), c]", "[(a = b) c]"},
      {"all(x IN a WHERE x)", "(all x a x)"},
      {"ANY(x IN a WHERE x) AND none(x IN a WHERE x)", "(and (any x a x) (none x a x))"},
      {"single(x IN a)", "(single x a _)"},
      {"reduce(s = 0, x IN a | s + x)", "(reduce s 0 x a (+ s x))"},
      {"CASE WHEN a THEN b END", "(case _ (a b) _)"},
      {"CASE a WHEN 1 THEN 2 WHEN 3 THEN 4 ELSE 5 END", "(case a (1 2) (3 4) 5)"},
      {"CASE WHEN a THEN CASE b WHEN c THEN d END END", "(case _ (a (case b (c d) _)) _)"},
      {"exists(a.b)", "(exists a.b)"},
      {"exists((a)-->())", "(pattern <a>out[]<>)"},
      {"EXISTS { (a)-->(b) WHERE b.x }", "(exists 1)"},
      {"exists { MATCH (a) WITH a RETURN true }", "(exists 3)"},
      {"EXISTS { p = (a)-->(b) }", "(exists 1)"},
      {"a {.x, .*, y: 1, z}", "a{x:a.x .* y:1 z:z}"},
      {"a {}", "a{}"},
      {"(a)-[:T*0..2]->()<-[r]-(:B {x: 1})", "(pattern <a>out[:T*0..2]<>in[r]<:B {x:1}>)"},
      {"(a)--(b) AND (a)<--(b)", "(and (pattern <a>both[]<b>) (pattern <a>in[]<b>))"},
      {"NOT (a)-->(b)", "(not (pattern <a>out[]<b>))"},
      {"(a)-(b)", "(- a b)"},
      {"(a)-[1][0]", "(- a (at [1] 0))"},
      {"(a) < -(b)", "(a < (minus b))"},
      {"(a)--1", "(- a -1)"},
      {"(a)-->(b) = true", "((pattern <a>out[]<b>) = true)"},
      {"(((a)))", "a"},
      {"(a).b", "a.b"},
  };
  for (const Row& row : rows) {
    if (row.tree == "SYNTAX") {
      EXPECT_EQ(ErrorOf(absl::StrCat("RETURN ", ToAbsl(row.text))).detail, "UnexpectedSyntax") << row.text;
    } else {
      EXPECT_EQ(ShowExpression(row.text), row.tree) << row.text;
    }
  }
}

TEST(ParserTest, ReadsPatterns) {
  const Row rows[] = {
      {"()", "<>"},
      {"(a:A:B {x: 1, y: $p})", "<a:A:B {x:1 y:$p}>"},
      {"(:A)", "<:A>"},
      {"({x: 1})", "< {x:1}>"},
      {"(a $p)", "<a $p>"},
      {"(a)--(b)-->(c)<--(d)<-->(e)", "<a>both[]<b>out[]<c>in[]<d>both[]<e>"},
      {"(a)-[]-()-[r]->()<-[:T]-()", "<a>both[]<>out[r]<>in[:T]<>"},
      {"()-[r:A|B|:C {x: 1}]-()", "<>both[r:A|B|C {x:1}]<>"},
      {"()-[*]-()", "<>both[*..]<>"},
      {"()-[*2]-()", "<>both[*2..2]<>"},
      {"()-[*2..]-()", "<>both[*2..]<>"},
      {"()-[*..3]-()", "<>both[*..3]<>"},
      {"()-[*..]-()", "<>both[*..]<>"},
      {"()-[r:T*0..5 {x: 1}]->()", "<>out[r:T*0..5 {x:1}]<>"},
      {"p = (a), (b)", "p=<a>, <b>"},
      {"p = ((a)-->(b))", "p=<a>out[]<b>"},
      {"p = shortestPath((a)-[*]-(b))", "p=shortest:<a>both[*..]<b>"},
      {"allShortestPaths((a)-[:T*..4]->(b))", "allShortest:<a>out[:T*..4]<b>"},
      {"(end)-->(order), (count)-->(all)", "<end>out[]<order>, <count>out[]<all>"},
      {"(`a b`:`C D`)-[`r s`:`T U`]-()", "<a b:C D>both[r s:T U]<>"},
      {"(n:Match {return: 1})", "<n:Match {return:1}>"},
  };
  for (const Row& row : rows) EXPECT_EQ(ShowPattern(row.text), row.tree) << row.text;
}

TEST(ParserTest, ReadsClauses) {
  const absl::StatusOr<Query> query = Parse(
      "MATCH (a) WHERE a.x OPTIONAL MATCH (b) UNWIND [1] AS c WITH DISTINCT *, a AS d ORDER BY a.x DESC, b ASC, c "
      "SKIP 1 LIMIT $n WHERE d.x RETURN *");
  ASSERT_TRUE(query.ok()) << query.status();
  const std::vector<Clause>& clauses = query->parts[0].clauses;
  ASSERT_EQ(clauses.size(), 5u);
  EXPECT_EQ(Show(std::get<Match>(clauses[0].node).where), "a.x");
  EXPECT_FALSE(std::get<Match>(clauses[0].node).optional);
  EXPECT_TRUE(std::get<Match>(clauses[1].node).optional);
  EXPECT_EQ(std::get<Unwind>(clauses[2].node).variable, "c");
  const With& with = std::get<With>(clauses[3].node);
  EXPECT_TRUE(with.projection.distinct);
  EXPECT_TRUE(with.projection.all);
  ASSERT_EQ(with.projection.items.size(), 1u);
  EXPECT_EQ(with.projection.items[0].name, "d");
  ASSERT_EQ(with.projection.order_by.size(), 3u);
  EXPECT_TRUE(with.projection.order_by[0].descending);
  EXPECT_FALSE(with.projection.order_by[1].descending);
  EXPECT_EQ(Show(with.projection.skip), "1");
  EXPECT_EQ(Show(with.projection.limit), "$n");
  EXPECT_EQ(Show(with.where), "d.x");
  EXPECT_EQ(clauses[1].range.begin, 20u);
}

TEST(ParserTest, ReadsUnions) {
  const absl::StatusOr<Query> query = Parse("RETURN 1 AS a UNION ALL RETURN 2 AS a UNION ALL RETURN 3 AS a;");
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(query->parts.size(), 3u);
  EXPECT_TRUE(query->union_all);
  EXPECT_FALSE(Parse("RETURN 1 AS a UNION RETURN 2 AS a")->union_all);
}

TEST(ParserTest, AColumnIsCalledAsItIsWritten) {
  const absl::StatusOr<Query> query = Parse("RETURN  a .  b  , cOuNt( * ),`x y`, 'é' + /* c */ 1 AS `an alias`");
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(ColumnNames(*query), (std::vector<std::string>{"a .  b", "cOuNt( * )", "x y", "an alias"}));
}

struct ErrorRow {
  std::string_view text;
  std::string_view detail;
  size_t offset;
};

TEST(ParserTest, RefusesWithDetailAndPosition) {
  const ErrorRow rows[] = {
      {"", "UnexpectedSyntax", 0},
      {"  ", "UnexpectedSyntax", 0},
      {"RETURN", "UnexpectedSyntax", 6},
      {"RETRUN 1", "UnexpectedSyntax", 0},
      {"RETURN 1 2", "UnexpectedSyntax", 9},
      {"RETURN 1,", "UnexpectedSyntax", 9},
      {"RETURN 1 RETURN 2", "UnexpectedSyntax", 9},
      {"RETURN 1; RETURN 2", "UnexpectedSyntax", 10},
      {"RETURN (1", "UnexpectedSyntax", 9},
      {"RETURN 1)", "UnexpectedSyntax", 8},
      {"RETURN [, ]", "UnexpectedSyntax", 8},
      {"RETURN [[[]]", "UnexpectedSyntax", 12},
      {"RETURN [[','[]',']]", "UnexpectedSyntax", 13},
      {"RETURN {1B2c3e67:1}", "UnexpectedSyntax", 8},
      {"RETURN {k1#k: 1}", "UnexpectedSyntax", 10},
      {"RETURN {k1.k: 1}", "UnexpectedSyntax", 10},
      {"RETURN {, }", "UnexpectedSyntax", 8},
      {"RETURN {1}", "UnexpectedSyntax", 8},
      {"RETURN {[]}", "UnexpectedSyntax", 8},
      {"RETURN {{}}", "UnexpectedSyntax", 8},
      {"RETURN {k: {k: {}}", "UnexpectedSyntax", 18},
      {"RETURN 9223372036854775808", "IntegerOverflow", 7},
      {"RETURN -9223372036854775809", "IntegerOverflow", 7},
      {"RETURN 0x8000000000000000", "IntegerOverflow", 7},
      {"RETURN -0x8000000000000001", "IntegerOverflow", 7},
      {"RETURN 01000000000000000000000", "IntegerOverflow", 7},
      {"RETURN 1.34E999", "FloatingPointOverflow", 7},
      {"RETURN 9223372h54775808", "InvalidNumberLiteral", 7},
      {"RETURN 9223372#54775808", "UnexpectedSyntax", 14},
      {"RETURN 0x", "InvalidNumberLiteral", 7},
      {"RETURN '\\uH'", "InvalidUnicodeLiteral", 8},
      {"RETURN 42 — 41", "InvalidUnicodeCharacter", 10},
      {"MATCH (a)-[:LIKES..]->(c) RETURN c", "InvalidRelationshipPattern", 17},
      {"MATCH (a)-[:LIKES*-2]->(c) RETURN c", "InvalidRelationshipPattern", 18},
      {"MATCH (a)-[*1.5]->(c) RETURN c", "InvalidRelationshipPattern", 12},
      {"MATCH (a)-[*99999999999999999999]->(c) RETURN c", "IntegerOverflow", 12},
      {"MATCH (a)-(b) RETURN a", "UnexpectedSyntax", 10},
      {"MATCH (a)->(b) RETURN a", "UnexpectedSyntax", 10},
      {"MATCH (a RETURN a", "UnexpectedSyntax", 9},
      {"MATCH (a)-[r-(b) RETURN a", "UnexpectedSyntax", 12},
      {"MATCH a RETURN a", "UnexpectedSyntax", 6},
      {"MATCH (a:) RETURN a", "UnexpectedSyntax", 9},
      {"MATCH (return) RETURN 1", "UnexpectedSyntax", 7},
      {"OPTIONAL (a) RETURN a", "UnexpectedSyntax", 9},
      {"UNWIND [1] RETURN 1", "UnexpectedSyntax", 11},
      {"UNWIND [1] AS RETURN 1", "UnexpectedSyntax", 14},
      {"MATCH (n) RETURN n ORDER n", "UnexpectedSyntax", 25},
      {"MATCH (n) RETURN n LIMIT", "UnexpectedSyntax", 24},
      {"MATCH (n) RETURN n LIMIT 1 SKIP 1", "UnexpectedSyntax", 27},
      {"RETURN CASE END", "UnexpectedSyntax", 12},
      {"RETURN CASE a END", "UnexpectedSyntax", 14},
      {"RETURN CASE WHEN a THEN b", "UnexpectedSyntax", 25},
      {"RETURN a IS 1", "UnexpectedSyntax", 12},
      {"RETURN a STARTS b", "UnexpectedSyntax", 9},
      {"RETURN a == b", "UnexpectedSyntax", 10},
      {"RETURN a != b", "UnexpectedSyntax", 9},
      {"RETURN reduce(a = 1, b IN c)", "UnexpectedSyntax", 27},
      {"RETURN all(a)", "UnexpectedSyntax", 12},
      {"RETURN f(a b)", "UnexpectedSyntax", 11},
      {"RETURN max(*)", "UnexpectedSyntax", 11},
      {"RETURN 'open", "UnexpectedSyntax", 7},
      {"RETURN 1 /* open", "UnexpectedSyntax", 9},
      {"RETURN 1 UNION", "UnexpectedSyntax", 14},
      {"RETURN 1 AS a UNION RETURN 2 AS a UNION ALL RETURN 3 AS a", "InvalidClauseComposition", 34},
      {"RETURN 1 AS a UNION ALL RETURN 2 AS a UNION RETURN 3 AS a", "InvalidClauseComposition", 38},
      {"MATCH (n) WHERE exists { MATCH (n) SET n.x = 1 } RETURN n", "InvalidClauseComposition", 35},
      {"RETURN shortestPath((a)-[*]-(b)) ]", "UnexpectedSyntax", 33},
  };
  for (const ErrorRow& row : rows) {
    const CypherError error = ErrorOf(row.text);
    EXPECT_EQ(error.kind, "SyntaxError") << row.text;
    EXPECT_EQ(error.detail, row.detail) << row.text << ": " << error.message;
    EXPECT_EQ(error.offset, row.offset) << row.text << ": " << error.message;
    EXPECT_FALSE(error.message.empty()) << row.text;
  }
}

TEST(ParserTest, RefusesWriteClausesAndCalls) {
  const ErrorRow rows[] = {
      {"MERGE (n)", "WriteNotAllowed", 0},
      {"MATCH (n) SET n.x = 1", "WriteNotAllowed", 10},
      {"MATCH (n) DELETE n", "WriteNotAllowed", 10},
      {"MATCH (n) DETACH DELETE n", "WriteNotAllowed", 10},
      {"MATCH (n) remove n.x", "WriteNotAllowed", 10},
      {"MATCH (n) FOREACH (x IN [1] | SET n.x = x)", "WriteNotAllowed", 10},
      {"CREATE (n) SET n.x = 1", "WriteNotAllowed", 11},
      {"DROP INDEX i", "WriteNotAllowed", 0},
      {"CALL db.labels()", "ClauseNotAllowed", 0},
      {"MATCH (n) CALL { WITH n RETURN 1 } RETURN n", "ClauseNotAllowed", 10},
      {"LOAD CSV FROM 'x' AS row RETURN row", "ClauseNotAllowed", 0},
  };
  for (const ErrorRow& row : rows) {
    const CypherError error = ErrorOf(row.text);
    EXPECT_EQ(error.kind, "SemanticError") << row.text;
    EXPECT_EQ(error.detail, row.detail) << row.text;
    EXPECT_EQ(error.offset, row.offset) << row.text;
  }
  EXPECT_EQ(ErrorOf("MATCH (n) DETACH DELETE n").message, "Write clauses are not allowed: found DETACH");
}

TEST(ParserTest, SaysWhatItFoundAndExpected) {
  const CypherError error = ErrorOf("MATCH (n)\nRETURN n.a n.b");
  EXPECT_EQ(error.message, "Expected a clause or the end of the query but found \"n\"");
  EXPECT_EQ(error.line, 2u);
  EXPECT_EQ(error.column, 12u);
  EXPECT_EQ(ErrorOf("RETURN (1").message, "Expected an operator or \")\" but found the end of the query");
  const std::string name(200, 'x');
  EXPECT_LT(ErrorOf(absl::StrCat("RETURN 1 ", name)).message.size(), 120u);
}

// --- Bounds

std::string Repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(ParserTest, BoundsTheDepthOfEveryKindOfNesting) {
  const std::string deep[] = {
      absl::StrCat("RETURN ", Repeated("(", 100'000)),
      absl::StrCat("RETURN ", Repeated("(", 100'000), "1", Repeated(")", 100'000)),
      absl::StrCat("RETURN ", Repeated("[", 100'000), Repeated("]", 100'000)),
      absl::StrCat("RETURN ", Repeated("{a:", 100'000), "1", Repeated("}", 100'000)),
      absl::StrCat("RETURN ", Repeated("NOT ", 100'000), "true"),
      absl::StrCat("RETURN ", Repeated("- ", 100'000), "a"),
      absl::StrCat("RETURN 1", Repeated("+1", 5000)),
      absl::StrCat("RETURN a", Repeated(".b", 5000)),
      absl::StrCat("RETURN a", Repeated("[0]", 5000)),
      absl::StrCat("RETURN a", Repeated(" IS NULL", 5000)),
      absl::StrCat("RETURN 1", Repeated("^2", 5000)),
      absl::StrCat("RETURN ", Repeated("CASE WHEN ", 5000)),
      absl::StrCat("RETURN ", Repeated("f(", 5000)),
      absl::StrCat("RETURN ", Repeated("[x IN ", 5000)),
      absl::StrCat("RETURN ", Repeated("[(a {b: ", 5000), "1", Repeated("})-->() | 1]", 5000)),
      absl::StrCat("MATCH ", Repeated("(a {b: (x)-->", 5000)),
      absl::StrCat("RETURN ", Repeated("EXISTS { (a {b: ", 5000)),
      absl::StrCat("RETURN ", Repeated("EXISTS { MATCH (a) WHERE ", 5000)),
      absl::StrCat("RETURN ", Repeated("EXISTS { MATCH (a) WHERE ", 5000), "1", Repeated("}", 5000)),
      absl::StrCat("RETURN ", Repeated("reduce(a = ", 5000)),
  };
  for (const std::string& text : deep) {
    const CypherError error = ErrorOf(text);
    EXPECT_EQ(error.kind, "SyntaxError") << text.substr(0, 60);
    EXPECT_TRUE(error.detail == kQueryTooComplex || error.detail == "UnexpectedSyntax")
        << text.substr(0, 60) << ": " << error.detail;
  }
  EXPECT_EQ(ErrorOf(deep[1]).detail, kQueryTooComplex);
}

TEST(ParserTest, AllowsOrdinaryDepthAndLongChains) {
  EXPECT_TRUE(Parse(absl::StrCat("RETURN ", Repeated("[", 80), Repeated("]", 80))).ok());
  EXPECT_TRUE(Parse(absl::StrCat("RETURN a", Repeated(" OR a", 5000))).ok());
  EXPECT_TRUE(Parse(absl::StrCat("RETURN a", Repeated(" < a", 5000))).ok());
  EXPECT_TRUE(Parse(absl::StrCat("RETURN ''", Repeated(" + 'a'", 90))).ok());
  EXPECT_TRUE(Parse(absl::StrCat("MATCH (a)", Repeated("-->()", 5000), " RETURN a")).ok());
}

TEST(ParserTest, BoundsTheTextAndTheNumberOfParts) {
  const Limits limits{.max_bytes = 20, .max_nodes = 5, .max_depth = 10};
  EXPECT_EQ(ErrorOf("RETURN 1, 2, 3, 4, 5, 6", limits).detail, kQueryTooComplex);
  EXPECT_EQ(ErrorOf("RETURN 1,2,3,4,5,6", limits).detail, kQueryTooComplex);
  EXPECT_EQ(ErrorOf("MATCH (n:A:B:C:D:E)", limits).detail, kQueryTooComplex);
  EXPECT_EQ(ErrorOf("MATCH ()-[:A|B|C]-", limits).detail, kQueryTooComplex);
  EXPECT_EQ(ErrorOf("RETURN 1,2,3,4", limits).detail, "");
  EXPECT_EQ(ErrorOf(absl::StrCat("RETURN [1", Repeated(",1", 100'000), "]")).detail, kQueryTooComplex);
}

}  // namespace
}  // namespace toolgate::executors::cypher::syntax
