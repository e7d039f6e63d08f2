// Implementation of CheckSemantics; used by semantics.cc, check_pattern.cc and check_expression.cc only.
#ifndef TOOLGATE_EXECUTORS_CYPHER_SYNTAX_CHECKER_H_
#define TOOLGATE_EXECUTORS_CYPHER_SYNTAX_CHECKER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/cypher/syntax/ast.h"
#include "executors/cypher/syntax/scope.h"
#include "executors/cypher/syntax/semantics.h"

namespace toolgate::executors::cypher::syntax {

class ColumnIndex;  // In semantics.cc.

// One check of one query. Visits every node once, in the order of the text where it matters for which error comes
// first.
class Checker {
 public:
  // `text` must outlive the checker.
  Checker(std::string_view text, const CheckOptions& options) : text_(text), options_(options) {}

  absl::Status CheckStatement(Query& query);

 private:
  // Permitted content of an expression, by its place.
  enum class Aggregates { kAllowed, kForbidden, kInsideAggregate };
  struct Context {
    Aggregates aggregates = Aggregates::kForbidden;
    bool predicate = false;  // A pattern may stand here as a condition.
  };

  // --- Errors
  absl::Status Error(std::string_view detail, std::string_view message, const SourceRange& range) const;
  absl::Status TypeError(std::string_view detail, std::string_view message, const SourceRange& range) const;
  absl::Status Undefined(std::string_view name, const Scope& scope, const SourceRange& range) const;

  // --- Queries and clauses (semantics.cc)
  absl::Status CheckQuery(Query& query, const Scope* outer);
  // Answers the names of the columns; nothing without RETURN.
  absl::StatusOr<std::optional<std::vector<std::string>>> CheckSingleQuery(SingleQuery& query, const Scope* outer);
  absl::Status CheckEnd(const SingleQuery& query) const;
  absl::Status CheckClause(Clause& clause, Scope& scope);
  absl::Status CheckMatch(Match& match, Scope& scope);
  absl::Status CheckUnwind(Unwind& unwind, const SourceRange& range, Scope& scope);
  absl::Status CheckWith(With& with, const SourceRange& range, Scope& scope);
  absl::Status CheckCreate(Create& create, const SourceRange& range, Scope& scope);
  // `columns` receives the projection's columns; WITH needs names for all (`named`).
  absl::Status CheckProjection(Projection& projection, const SourceRange& range, const Scope& scope, bool named,
                               Scope& columns);
  absl::Status ExpandStar(Projection& projection, const SourceRange& range, const Scope& scope, bool named);
  absl::Status CheckNames(const Projection& projection, bool named) const;
  // Variables that ORDER BY, and WHERE of WITH, see. Borrows `scope`.
  static Scope ScopeAfter(const Projection& projection, const Scope& scope, const Scope& columns);
  // An expression in ORDER BY, or in WHERE of WITH.
  absl::StatusOr<StaticType> CheckAfterProjection(ExpressionPtr& expression, const Projection& projection,
                                                  const ColumnIndex& columns, const Scope& visible, bool predicate);
  absl::Status CheckRowCount(ExpressionPtr& count, std::string_view keyword);
  absl::Status CheckCondition(Expression& condition, const Scope& scope);
  absl::Status CheckBoolean(const StaticType& type, const SourceRange& range) const;

  // --- Aggregates (semantics.cc)
  absl::Status CheckGrouping(const Projection& projection, const Scope& scope) const;
  absl::Status ReplaceColumns(ExpressionPtr& expression, const ColumnIndex& columns, bool aggregating) const;
  absl::Status ReplaceColumnsBelow(Expression& expression, const ColumnIndex& columns, bool aggregating) const;

  // --- Patterns (check_pattern.cc)
  // Relationship variables of one clause, none of which may stand in it twice.
  using RelationshipNames = absl::flat_hash_set<std::string>;
  absl::Status DefinePath(const PathPattern& path, Scope& scope, RelationshipNames& relationships) const;
  absl::Status DefineNode(const NodePattern& node, Scope& scope) const;
  absl::Status DefineRelationship(const RelationshipPattern& relationship, Scope& scope,
                                  RelationshipNames& relationships) const;
  absl::Status CheckShortestPath(const PathPattern& path) const;
  absl::Status CheckProperties(PathPattern& path, const Scope& scope);
  absl::Status CheckPropertyMap(ExpressionPtr& properties, const Scope& scope, bool parameter_allowed);
  // That a pattern which defines nothing uses only visible variables.
  absl::Status CheckDefined(const PathPattern& path, const Scope& scope) const;
  absl::Status CheckCreatedPath(PathPattern& path, Scope& scope);
  absl::Status CheckCreatedNode(const NodePattern& node, bool alone, Scope& scope) const;
  absl::Status CheckCreatedRelationship(const RelationshipPattern& relationship, Scope& scope) const;

  // --- Expressions (check_expression.cc)
  absl::StatusOr<StaticType> Check(Expression& expression, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(ListLiteral& list, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(MapLiteral& map, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(MapProjection& projection, Expression& self, const Scope& scope,
                                       const Context& context);
  absl::StatusOr<StaticType> CheckNode(Literal& literal, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(Parameter& parameter, Expression& self, const Scope& scope,
                                       const Context& context);
  absl::StatusOr<StaticType> CheckNode(Variable& variable, Expression& self, const Scope& scope,
                                       const Context& context);
  absl::StatusOr<StaticType> CheckNode(Property& property, Expression& self, const Scope& scope,
                                       const Context& context);
  absl::StatusOr<StaticType> CheckNode(Subscript& subscript, Expression& self, const Scope& scope,
                                       const Context& context);
  absl::StatusOr<StaticType> CheckNode(Slice& slice, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(LabelTest& test, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(Unary& unary, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(Logical& logical, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(Binary& binary, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(Comparison& comparison, Expression& self, const Scope& scope,
                                       const Context& context);
  absl::StatusOr<StaticType> CheckNode(FunctionCall& call, Expression& self, const Scope& scope,
                                       const Context& context);
  absl::StatusOr<StaticType> CheckNode(CountStar& count, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(ListComprehension& comprehension, Expression& self, const Scope& scope,
                                       const Context& context);
  absl::StatusOr<StaticType> CheckNode(PatternComprehension& comprehension, Expression& self, const Scope& scope,
                                       const Context& context);
  absl::StatusOr<StaticType> CheckNode(Quantifier& quantifier, Expression& self, const Scope& scope,
                                       const Context& context);
  absl::StatusOr<StaticType> CheckNode(Reduce& reduce, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(Case& expression, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(Exists& exists, Expression& self, const Scope& scope, const Context& context);
  absl::StatusOr<StaticType> CheckNode(PatternPredicate& predicate, Expression& self, const Scope& scope,
                                       const Context& context);
  // Checks `operand`, whose value must be of a `wanted` kind, for people a `kind`.
  absl::StatusOr<StaticType> CheckOperand(Expression& operand, const Scope& scope, const Context& context,
                                          TypeSet wanted, std::string_view kind);
  absl::Status CheckAggregate(const SourceRange& range, std::string_view name, const Context& context) const;
  absl::StatusOr<std::vector<StaticType>> CheckArguments(FunctionCall& call, const Function& function,
                                                         const Scope& scope, const Context& context);

  const std::string_view text_;
  const CheckOptions options_;
  size_t expanded_ = 0;                     // Columns that `*` stood for.
  int subqueries_ = 0;                      // EXISTS around what is being checked.
  std::optional<SourceRange> first_write_;  // The first CREATE.
};

// Whether the expression or one below it calls an aggregate function. Needs no earlier check.
bool ContainsAggregate(const Expression& expression);

// "; did you mean `name`?" with the known name nearest to `written`; empty when none is near.
std::string DidYouMean(std::string_view written, const std::vector<std::string_view>& known);

// Whether this node itself is an aggregate.
bool IsAggregate(const Expression& expression);

}  // namespace toolgate::executors::cypher::syntax

#endif  // TOOLGATE_EXECUTORS_CYPHER_SYNTAX_CHECKER_H_
