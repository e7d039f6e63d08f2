// Abstract syntax tree of an openCypher query, as Parse (parser.h) makes it and CheckSemantics (semantics.h) completes
// it.
//
// Plain values that own their children; safe to read from several threads. `range` is where a node stands in the
// query's text, for errors. Trees are at most Limits::max_depth deep, so that recursion over them is safe.
//
// Names are not resolved to slots: a Variable holds its name, without backticks. CheckSemantics guarantees of a tree:
//  - Every Variable is defined where it stands. A clause's new variables come from its patterns, UNWIND and WITH; after
//    WITH, only the columns of WITH remain. Comprehensions, quantifiers and reduce define their variables for their own
//    inner expressions only, and hide outer variables of the same name.
//  - Properties in a pattern of MATCH may use every variable of that clause, also one that a later part defines.
//  - A variable has one type (node, relationship, list of relationships, path or other value) as far as that is known.
//  - `*` in WITH and RETURN is expanded into items, in the order of the names; Projection::all stays true.
//  - ORDER BY (and WHERE of WITH) sees the projection's columns, and also the variables before it unless the projection
//  is
//    DISTINCT or aggregates. A column hides a variable of the same name. In DISTINCT and aggregating projections,
//    each subexpression that equals an item is already replaced by a Variable that names the item's column; so neither
//    ORDER BY nor WHERE contains an aggregate. The name of such a Variable is ProjectionItem::name, "n.age" for
//    example.
//  - In an aggregating projection, items without an aggregate are the grouping keys. Whatever stands outside of an
//    aggregate's arguments in the other items is a constant, a parameter, or an expression equal to a key
//    (SameExpression), or made of such.
#ifndef TOOLGATE_EXECUTORS_CYPHER_SYNTAX_AST_H_
#define TOOLGATE_EXECUTORS_CYPHER_SYNTAX_AST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "executors/cypher/syntax/cypher_error.h"

namespace toolgate::executors::cypher::syntax {

struct Function;  // functions.h
struct Query;
struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

// ---------------------------------------------------------------------------------------------------------------------
// Patterns

enum class Direction { kOut, kIn, kBoth };

// (variable:Label1:Label2 {key: value}). All labels are required.
struct NodePattern {
  SourceRange range;
  std::optional<std::string> variable;
  std::vector<std::string> labels;
  ExpressionPtr properties;  // A MapLiteral, in CREATE also a Parameter; null when absent.
};

// Bounds of *min..max; an absent minimum is 1, an absent maximum is unbounded. "*3" has both.
struct VariableLength {
  std::optional<int64_t> min;
  std::optional<int64_t> max;
};

// -[variable:TYPE1|TYPE2*min..max {key: value}]->. Any of the types; no types: any type.
struct RelationshipPattern {
  SourceRange range;
  std::optional<std::string> variable;  // A list of relationships when `length` is there.
  std::vector<std::string> types;
  Direction direction = Direction::kBoth;  // kOut: from the node before it to the node after it.
  std::optional<VariableLength> length;
  ExpressionPtr properties;  // As NodePattern's.
};

enum class PathKind { kAll, kShortest, kAllShortest };

// variable = shortestPath((a)-[r]->(b)). One more node than relationships.
struct PathPattern {
  SourceRange range;
  std::optional<std::string> variable;
  PathKind kind = PathKind::kAll;
  std::vector<NodePattern> nodes;
  std::vector<RelationshipPattern> relationships;
};

// ---------------------------------------------------------------------------------------------------------------------
// Expressions

// null, true, 1, 1.5, 'text'. A minus sign before a number is part of the literal, so that the least integer can be
// written.
struct Literal {
  std::variant<std::monostate, bool, int64_t, double, std::string> value;
};

struct ListLiteral {
  std::vector<ExpressionPtr> elements;
};

// {key: value}. A repeated key stands twice; the last one wins.
struct MapLiteral {
  struct Entry {
    std::string key;
    ExpressionPtr value;
  };
  std::vector<Entry> entries;
};

// subject {.key, .*, key: value, variable}; the subject is a variable.
struct MapProjection {
  struct Item {
    bool all_properties = false;  // .*
    std::string key;
    ExpressionPtr
        value;  // For ".key" a Property of the subject, for "variable" the Variable; null with all_properties.
  };
  ExpressionPtr subject;
  std::vector<Item> items;
};

// $name or $0.
struct Parameter {
  std::string name;
};

struct Variable {
  std::string name;
};

// subject.key
struct Property {
  ExpressionPtr subject;
  std::string key;
};

// subject[index], on lists, maps, nodes and relationships.
struct Subscript {
  ExpressionPtr subject;
  ExpressionPtr index;
};

// subject[from..to]; null bounds are absent.
struct Slice {
  ExpressionPtr subject;
  ExpressionPtr from;
  ExpressionPtr to;
};

// subject:Label1:Label2, true when it has all; of a relationship, types.
struct LabelTest {
  ExpressionPtr subject;
  std::vector<std::string> labels;
};

enum class UnaryOperator { kNot, kPlus, kMinus, kIsNull, kIsNotNull };

struct Unary {
  UnaryOperator op;
  ExpressionPtr operand;
};

enum class LogicalOperator { kAnd, kOr, kXor };

// a AND b AND c. Two operands or more.
struct Logical {
  LogicalOperator op;
  std::vector<ExpressionPtr> operands;
};

enum class BinaryOperator {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kPower,
  kIn,
  kStartsWith,
  kEndsWith,
  kContains,
  kMatches,  // =~
};

struct Binary {
  BinaryOperator op;
  ExpressionPtr left;
  ExpressionPtr right;
};

enum class ComparisonOperator { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

// first < second <= third, which means first < second AND second <= third. One step or more.
struct Comparison {
  struct Step {
    ComparisonOperator op;
    ExpressionPtr operand;
  };
  ExpressionPtr first;
  std::vector<Step> steps;
};

// name(DISTINCT arguments). `function` is an entry of the table in functions.h; Parse leaves it null, and
// CheckSemantics sets it or refuses the query. exists(pattern) becomes a PatternPredicate; exists(n.p) stays a call.
struct FunctionCall {
  std::string name;  // As written, "date.truncate" with its namespace.
  const Function* function = nullptr;
  bool distinct = false;
  std::vector<ExpressionPtr> arguments;
};

// count(*)
struct CountStar {};

// [variable IN list WHERE where | result]; null: absent.
struct ListComprehension {
  std::string variable;
  ExpressionPtr list;
  ExpressionPtr where;
  ExpressionPtr result;
};

// [path = (a)-->(b) WHERE where | result]. Its pattern may use outer variables and define new ones for `where` and
// `result`.
struct PatternComprehension {
  std::unique_ptr<PathPattern> pattern;
  ExpressionPtr where;  // Null: absent.
  ExpressionPtr result;
};

enum class QuantifierKind { kAll, kAny, kNone, kSingle };

// all(variable IN list WHERE where)
struct Quantifier {
  QuantifierKind kind;
  std::string variable;
  ExpressionPtr list;
  ExpressionPtr where;  // Null: absent, the elements themselves are the conditions.
};

// reduce(accumulator = initial, variable IN list | step)
struct Reduce {
  std::string accumulator;
  ExpressionPtr initial;
  std::string variable;
  ExpressionPtr list;
  ExpressionPtr step;
};

// CASE operand WHEN when THEN then … ELSE otherwise END. Without an operand, `when` is a condition.
struct Case {
  struct Alternative {
    ExpressionPtr when;
    ExpressionPtr then;
  };
  ExpressionPtr operand;  // Null: absent.
  std::vector<Alternative> alternatives;
  ExpressionPtr otherwise;  // Null: absent, which means null.
};

// EXISTS { subquery }. For the short form EXISTS { pattern WHERE … }, the query is one Match without RETURN. It may use
// outer variables; they stay visible in it after a WITH of its own only if that WITH carries them on.
struct Exists {
  std::unique_ptr<Query> query;
};

// (a)-->(b) as a condition, or exists((a)-->(b)). Defines no variables. At least one relationship.
struct PatternPredicate {
  std::unique_ptr<PathPattern> pattern;
  bool in_exists = false;  // Written in exists(…), and so allowed as a value too.
};

struct Expression {
  SourceRange range;
  int depth = 1;               // Of the tree below and including this node.
  bool has_aggregate = false;  // This node or one below it is an aggregate; set by CheckSemantics.
  std::variant<Literal, ListLiteral, MapLiteral, MapProjection, Parameter, Variable, Property, Subscript, Slice,
               LabelTest, Unary, Logical, Binary, Comparison, FunctionCall, CountStar, ListComprehension,
               PatternComprehension, Quantifier, Reduce, Case, Exists, PatternPredicate>
      node;
};

// ---------------------------------------------------------------------------------------------------------------------
// Clauses

// [OPTIONAL] MATCH pattern WHERE where. The relationships of one clause are distinct from each other in a match.
struct Match {
  bool optional = false;
  std::vector<PathPattern> pattern;
  ExpressionPtr where;  // Null: absent.
};

// UNWIND list AS variable
struct Unwind {
  ExpressionPtr list;
  std::string variable;
};

struct ProjectionItem {
  SourceRange range;
  ExpressionPtr expression;
  std::string name;      // The alias, or the expression's text exactly as written.
  bool aliased = false;  // Has AS, or comes from `*`.
};

struct SortItem {
  ExpressionPtr expression;
  bool descending = false;
};

// The common part of WITH and RETURN.
struct Projection {
  bool distinct = false;
  bool all = false;         // Had `*`; its items come before the others.
  bool aggregates = false;  // An item has an aggregate; set by CheckSemantics.
  std::vector<ProjectionItem> items;
  std::vector<SortItem> order_by;
  ExpressionPtr skip;   // Null: absent. Uses no variables.
  ExpressionPtr limit;  // The same.
};

struct With {
  Projection projection;
  ExpressionPtr where;  // Null: absent. Applies after ORDER BY, SKIP and LIMIT.
};

struct Return {
  Projection projection;
};

// CREATE pattern; refused unless CheckOptions::allow_create.
struct Create {
  std::vector<PathPattern> pattern;
};

struct Clause {
  SourceRange range;
  std::variant<Match, Unwind, With, Return, Create> node;
};

// Clauses from the first to RETURN; without RETURN only in EXISTS and when the last clause is CREATE.
struct SingleQuery {
  SourceRange range;
  std::vector<Clause> clauses;
};

// One single query, or several joined by UNION. All have the same columns in the same order.
struct Query {
  std::vector<SingleQuery> parts;
  bool union_all = false;  // UNION ALL keeps duplicates; the two are not mixed.
};

// ---------------------------------------------------------------------------------------------------------------------
// Walking trees

// Calls `visit` for each direct child expression, in the order of the text: also for properties in a pattern, not for
// what is inside of EXISTS { }.
void ForEachChild(const Expression& expression, absl::FunctionRef<void(const Expression&)> visit);

// Lets `visit` see and replace each direct child.
void ForEachChildPtr(Expression& expression, absl::FunctionRef<void(ExpressionPtr&)> visit);

// Whether both are the same expression, apart from white space, comments, and how a literal or function name is
// written.
bool SameExpression(const Expression& left, const Expression& right);

// Hash that is equal for what SameExpression holds to be the same.
size_t HashExpression(const Expression& expression);

// The names of the result's columns: the items of the first part's RETURN, empty without RETURN.
std::vector<std::string> ColumnNames(const Query& query);

template <typename T>
const T* As(const Expression& expression) {
  return std::get_if<T>(&expression.node);
}

}  // namespace toolgate::executors::cypher::syntax

#endif  // TOOLGATE_EXECUTORS_CYPHER_SYNTAX_AST_H_
