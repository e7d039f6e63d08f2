#include "executors/cypher/syntax/semantics.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/edit_distance.h"
#include "executors/cypher/syntax/checker.h"
#include "executors/cypher/syntax/functions.h"

namespace toolgate::executors::cypher::syntax {
namespace {

// Whether `expression` is what a grouping key looks like: a variable, or a property of one.
bool IsSimpleKey(const Expression& expression) {
  if (As<Variable>(expression) != nullptr) return true;
  const auto* property = As<Property>(expression);
  return property != nullptr && As<Variable>(*property->subject) != nullptr;
}

// Keys of an aggregating projection, for the test of the expressions around its aggregates.
class GroupingKeys {
 public:
  explicit GroupingKeys(const Projection& projection) {
    for (const ProjectionItem& item : projection.items) {
      if (!item.expression->has_aggregate && IsSimpleKey(*item.expression)) keys_.insert(Name(*item.expression));
    }
  }

  bool HasVariable(const std::string& name) const { return keys_.contains(name); }

  bool Has(const Expression& expression) const { return IsSimpleKey(expression) && keys_.contains(Name(expression)); }

 private:
  static std::string Name(const Expression& expression) {
    if (const auto* variable = As<Variable>(expression)) return variable->name;
    const auto* property = As<Property>(expression);
    return absl::StrCat(As<Variable>(*property->subject)->name, std::string(1, '\0'), property->key);
  }

  absl::flat_hash_set<std::string> keys_;
};

// Finds the first expression around the aggregates of an item that is neither constant nor grouped.
class UngroupedFinder {
 public:
  UngroupedFinder(const GroupingKeys& keys, const Scope& scope) : keys_(keys), scope_(scope) {}

  const Expression* Find(const Expression& expression) {
    if (IsAggregate(expression) || keys_.Has(expression)) return nullptr;
    if (const auto* variable = As<Variable>(expression)) return IsLocal(variable->name) ? nullptr : &expression;
    if (As<Exists>(expression) != nullptr || As<PatternPredicate>(expression) != nullptr) return &expression;
    const auto* pattern = As<PatternComprehension>(expression);
    if (pattern != nullptr && UsesUngrouped(*pattern->pattern)) return &expression;
    const size_t before = locals_.size();
    DefineLocals(expression);
    const Expression* found = nullptr;
    ForEachChild(expression, [&](const Expression& child) {
      if (found == nullptr) found = Find(child);
    });
    locals_.resize(before);
    return found;
  }

 private:
  // Whether the pattern begins or ends at, or goes through, something known that is no key.
  bool UsesUngrouped(const PathPattern& path) const {
    const auto ungrouped = [&](const std::optional<std::string>& name) {
      return name.has_value() && scope_.Find(*name) != nullptr && !IsLocal(*name) && !keys_.HasVariable(*name);
    };
    return std::any_of(path.nodes.begin(), path.nodes.end(),
                       [&](const auto& row) { return ungrouped(row.variable); }) ||
           std::any_of(path.relationships.begin(), path.relationships.end(),
                       [&](const auto& row) { return ungrouped(row.variable); });
  }

  bool IsLocal(const std::string& name) const {
    return std::find(locals_.begin(), locals_.end(), name) != locals_.end();
  }

  void DefineLocals(const Expression& expression) {
    if (const auto* list = As<ListComprehension>(expression)) locals_.push_back(list->variable);
    if (const auto* quantifier = As<Quantifier>(expression)) locals_.push_back(quantifier->variable);
    if (const auto* reduce = As<Reduce>(expression)) {
      locals_.push_back(reduce->accumulator);
      locals_.push_back(reduce->variable);
    }
    if (const auto* pattern = As<PatternComprehension>(expression)) {
      for (const NodePattern& node : pattern->pattern->nodes) {
        if (node.variable.has_value()) locals_.push_back(*node.variable);
      }
      for (const RelationshipPattern& step : pattern->pattern->relationships) {
        if (step.variable.has_value()) locals_.push_back(*step.variable);
      }
      if (pattern->pattern->variable.has_value()) locals_.push_back(*pattern->pattern->variable);
    }
  }

  const GroupingKeys& keys_;
  const Scope& scope_;
  std::vector<std::string> locals_;
};

// The first variable, pattern or subquery in the expression, which makes it depend on the row; null: it is constant.
const Expression* FindRowDependence(const Expression& expression) {
  if (As<Variable>(expression) != nullptr || As<PatternPredicate>(expression) != nullptr ||
      As<PatternComprehension>(expression) != nullptr || As<Exists>(expression) != nullptr) {
    return &expression;
  }
  const Expression* found = nullptr;
  ForEachChild(expression, [&](const Expression& child) {
    if (found == nullptr) found = FindRowDependence(child);
  });
  return found;
}

}  // namespace

// The columns of one projection, by their names and by their expressions. Borrows the projection.
class ColumnIndex {
 public:
  explicit ColumnIndex(const Projection& projection) {
    if (!projection.distinct && !projection.aggregates) return;
    for (const ProjectionItem& item : projection.items) {
      names_.insert(item.name);
      items_[HashExpression(*item.expression)].push_back(&item);
    }
  }

  bool HasName(std::string_view name) const { return names_.contains(name); }

  // The first column that is the same expression, or null.
  const ProjectionItem* Find(const Expression& expression) const {
    const auto found = items_.find(HashExpression(expression));
    if (found == items_.end()) return nullptr;
    for (const ProjectionItem* item : found->second) {
      if (SameExpression(*item->expression, expression)) return item;
    }
    return nullptr;
  }

 private:
  absl::flat_hash_set<std::string_view> names_;
  absl::flat_hash_map<size_t, std::vector<const ProjectionItem*>> items_;  // By hash.
};

std::string DidYouMean(std::string_view written, const std::vector<std::string_view>& known) {
  const std::string_view nearest = text::NearestName(written, known);
  return nearest.empty() ? "" : absl::StrCat("; did you mean `", ToAbsl(nearest), "`?");
}

bool IsAggregate(const Expression& expression) {
  if (As<CountStar>(expression) != nullptr) return true;
  const auto* call = As<FunctionCall>(expression);
  if (call == nullptr) return false;
  const Function* function = FindFunction(call->name);
  return function != nullptr && function->aggregate;
}

bool ContainsAggregate(const Expression& expression) {
  if (IsAggregate(expression)) return true;
  bool found = false;
  ForEachChild(expression, [&](const Expression& child) { found = found || ContainsAggregate(child); });
  return found;
}

absl::Status CheckSemantics(Query& query, std::string_view text, const CheckOptions& options) {
  return Checker(text, options).CheckStatement(query);
}

absl::StatusOr<Query> ParseAndCheck(std::string_view text, const Limits& limits, const CheckOptions& options) {
  ASSIGN_OR_RETURN(Query query, Parse(text, limits));
  RETURN_IF_ERROR(CheckSemantics(query, text, options));
  return query;
}

// --- Errors

absl::Status Checker::Error(std::string_view detail, std::string_view message, const SourceRange& range) const {
  return ToStatus(MakeSyntaxError(detail, message, text_, range.begin));
}

absl::Status Checker::TypeError(std::string_view detail, std::string_view message, const SourceRange& range) const {
  CypherError error = MakeSyntaxError(detail, message, text_, range.begin);
  error.kind = "TypeError";
  return ToStatus(error);
}

absl::Status Checker::Undefined(std::string_view name, const Scope& scope, const SourceRange& range) const {
  const auto visible = scope.Visible();
  std::vector<std::string_view> names;
  names.reserve(visible.size());
  for (const auto& [known, type] : visible) names.push_back(known);
  return Error("UndefinedVariable",
               absl::StrCat("The variable `", ToAbsl(name), "` is not defined here", DidYouMean(name, names)), range);
}

// --- Queries and clauses

absl::Status Checker::CheckStatement(Query& query) {
  RETURN_IF_ERROR(CheckQuery(query, nullptr));
  if (!first_write_.has_value() || options_.allow_create) return absl::OkStatus();
  CypherError error =
      MakeSyntaxError(kWriteNotAllowed, "Write clauses are not allowed: found CREATE", text_, first_write_->begin);
  error.kind = "SemanticError";
  return ToStatus(error);
}

absl::Status Checker::CheckQuery(Query& query, const Scope* outer) {
  std::optional<std::vector<std::string>> columns;
  for (size_t i = 0; i < query.parts.size(); ++i) {
    ASSIGN_OR_RETURN(std::optional<std::vector<std::string>> found, CheckSingleQuery(query.parts[i], outer));
    if (i > 0 && found != columns) {
      return Error("DifferentColumnsInUnion", "All parts of a UNION need the same columns in the same order",
                   query.parts[i].range);
    }
    columns = std::move(found);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::vector<std::string>>> Checker::CheckSingleQuery(SingleQuery& query,
                                                                                  const Scope* outer) {
  Scope scope(outer);
  for (Clause& clause : query.clauses) RETURN_IF_ERROR(CheckClause(clause, scope));
  RETURN_IF_ERROR(CheckEnd(query));
  const auto* result = std::get_if<Return>(&query.clauses.back().node);
  if (result == nullptr) return std::optional<std::vector<std::string>>();
  std::vector<std::string> columns;
  for (const ProjectionItem& item : result->projection.items) columns.push_back(item.name);
  return std::optional(std::move(columns));
}

absl::Status Checker::CheckEnd(const SingleQuery& query) const {
  const Clause& last = query.clauses.back();
  if (std::holds_alternative<Return>(last.node) || std::holds_alternative<Create>(last.node)) return absl::OkStatus();
  if (subqueries_ > 0 && !std::holds_alternative<With>(last.node)) return absl::OkStatus();
  return Error("InvalidClauseComposition", "The query must end with RETURN", last.range);
}

absl::Status Checker::CheckClause(Clause& clause, Scope& scope) {
  if (auto* match = std::get_if<Match>(&clause.node)) return CheckMatch(*match, scope);
  if (auto* unwind = std::get_if<Unwind>(&clause.node)) return CheckUnwind(*unwind, clause.range, scope);
  if (auto* with = std::get_if<With>(&clause.node)) return CheckWith(*with, clause.range, scope);
  if (auto* create = std::get_if<Create>(&clause.node)) return CheckCreate(*create, clause.range, scope);
  Scope columns;
  return CheckProjection(std::get<Return>(clause.node).projection, clause.range, scope, /*named=*/false, columns);
}

absl::Status Checker::CheckMatch(Match& match, Scope& scope) {
  RelationshipNames relationships;
  for (const PathPattern& path : match.pattern) RETURN_IF_ERROR(DefinePath(path, scope, relationships));
  for (PathPattern& path : match.pattern) RETURN_IF_ERROR(CheckProperties(path, scope));
  return match.where == nullptr ? absl::OkStatus() : CheckCondition(*match.where, scope);
}

absl::Status Checker::CheckUnwind(Unwind& unwind, const SourceRange& range, Scope& scope) {
  RETURN_IF_ERROR(Check(*unwind.list, scope, {}).status());
  if (scope.Find(unwind.variable) != nullptr) {
    return Error("VariableAlreadyBound", absl::StrCat("The variable `", unwind.variable, "` is already defined"),
                 range);
  }
  scope.Define(unwind.variable, StaticType{});
  return absl::OkStatus();
}

absl::Status Checker::CheckWith(With& with, const SourceRange& range, Scope& scope) {
  Scope columns;
  RETURN_IF_ERROR(CheckProjection(with.projection, range, scope, /*named=*/true, columns));
  if (with.where != nullptr) {
    const Scope visible = ScopeAfter(with.projection, scope, columns);
    ASSIGN_OR_RETURN(const StaticType type,
                     CheckAfterProjection(with.where, with.projection, ColumnIndex(with.projection), visible,
                                          /*predicate=*/true));
    RETURN_IF_ERROR(CheckBoolean(type, with.where->range));
  }
  scope = std::move(columns);
  return absl::OkStatus();
}

absl::Status Checker::CheckCreate(Create& create, const SourceRange& range, Scope& scope) {
  if (subqueries_ > 0) {
    return Error("InvalidClauseComposition", "CREATE may not stand in EXISTS", range);
  }
  for (PathPattern& path : create.pattern) RETURN_IF_ERROR(CheckCreatedPath(path, scope));
  if (!first_write_.has_value()) first_write_ = range;
  return absl::OkStatus();
}

absl::Status Checker::CheckBoolean(const StaticType& type, const SourceRange& range) const {
  if (type.CanBe(kBooleanType)) return absl::OkStatus();
  return Error("InvalidArgumentType", "A condition must be a boolean", range);
}

absl::Status Checker::CheckCondition(Expression& condition, const Scope& scope) {
  ASSIGN_OR_RETURN(const StaticType type, Check(condition, scope, {Aggregates::kForbidden, /*predicate=*/true}));
  return CheckBoolean(type, condition.range);
}

// --- Projections

absl::Status Checker::ExpandStar(Projection& projection, const SourceRange& range, const Scope& scope, bool named) {
  std::vector<ProjectionItem> items;
  for (const auto& [name, type] : scope.Visible()) {
    if (++expanded_ > options_.max_expanded_columns) {
      return Error(kQueryTooComplex, "`*` stands for too many columns in this query", range);
    }
    ProjectionItem item;
    item.range = range;
    item.name = name;
    item.aliased = true;
    item.expression = std::make_unique<Expression>();
    item.expression->range = range;
    item.expression->node = Variable{name};
    items.push_back(std::move(item));
  }
  if (items.empty() && !named) {
    return Error("NoVariablesInScope", "RETURN * needs a variable, and none is defined here", range);
  }
  std::move(projection.items.begin(), projection.items.end(), std::back_inserter(items));
  projection.items = std::move(items);
  return absl::OkStatus();
}

absl::Status Checker::CheckNames(const Projection& projection, bool named) const {
  absl::flat_hash_set<std::string_view> names;
  for (const ProjectionItem& item : projection.items) {
    if (named && !item.aliased && As<Variable>(*item.expression) == nullptr) {
      return Error("NoExpressionAlias", "An expression in WITH needs a name: add AS and the name", item.range);
    }
    if (!names.insert(item.name).second) {
      return Error("ColumnNameConflict", absl::StrCat("Two columns are called `", item.name, "`"), item.range);
    }
  }
  return absl::OkStatus();
}

absl::Status Checker::CheckProjection(Projection& projection, const SourceRange& range, const Scope& scope, bool named,
                                      Scope& columns) {
  if (projection.all) RETURN_IF_ERROR(ExpandStar(projection, range, scope, named));
  for (ProjectionItem& item : projection.items) {
    ASSIGN_OR_RETURN(const StaticType type,
                     Check(*item.expression, scope, {Aggregates::kAllowed, /*predicate=*/false}));
    projection.aggregates |= item.expression->has_aggregate;
    columns.Define(item.name, type);
  }
  if (projection.aggregates) RETURN_IF_ERROR(CheckGrouping(projection, scope));
  if (!projection.order_by.empty()) {
    const Scope visible = ScopeAfter(projection, scope, columns);
    const ColumnIndex index(projection);
    for (SortItem& item : projection.order_by) {
      RETURN_IF_ERROR(CheckAfterProjection(item.expression, projection, index, visible, /*predicate=*/false).status());
    }
  }
  RETURN_IF_ERROR(CheckNames(projection, named));
  RETURN_IF_ERROR(CheckRowCount(projection.skip, "SKIP"));
  return CheckRowCount(projection.limit, "LIMIT");
}

Scope Checker::ScopeAfter(const Projection& projection, const Scope& scope, const Scope& columns) {
  if (projection.distinct || projection.aggregates) return columns;
  Scope visible(&scope);
  for (const auto& [name, type] : columns.Visible()) visible.Define(name, type);
  return visible;
}

absl::StatusOr<StaticType> Checker::CheckAfterProjection(ExpressionPtr& expression, const Projection& projection,
                                                         const ColumnIndex& columns, const Scope& visible,
                                                         bool predicate) {
  if (projection.distinct || projection.aggregates) {
    RETURN_IF_ERROR(ReplaceColumns(expression, columns, ContainsAggregate(*expression)));
  }
  const Context context{projection.aggregates ? Aggregates::kAllowed : Aggregates::kForbidden, predicate};
  ASSIGN_OR_RETURN(const StaticType type, Check(*expression, visible, context));
  if (expression->has_aggregate) {
    return Error("InvalidAggregation", "An aggregate here must also be a column of the projection", expression->range);
  }
  return type;
}

absl::Status Checker::CheckRowCount(ExpressionPtr& count, std::string_view keyword) {
  if (count == nullptr) return absl::OkStatus();
  if (const Expression* variable = FindRowDependence(*count)) {
    return Error("NonConstantExpression",
                 absl::StrCat(ToAbsl(keyword), " must not depend on the row: use numbers and parameters"),
                 variable->range);
  }
  ASSIGN_OR_RETURN(const StaticType type, Check(*count, Scope(), {}));
  if (!type.CanBe(kIntegerType)) {
    return Error("InvalidArgumentType", absl::StrCat(ToAbsl(keyword), " must be an integer"), count->range);
  }
  const auto* literal = As<Literal>(*count);
  const auto* number = literal == nullptr ? nullptr : std::get_if<int64_t>(&literal->value);
  if (number != nullptr && *number < 0) {
    return Error("NegativeIntegerArgument", absl::StrCat(ToAbsl(keyword), " must be 0 or more"), count->range);
  }
  return absl::OkStatus();
}

// --- Aggregates

absl::Status Checker::CheckGrouping(const Projection& projection, const Scope& scope) const {
  const GroupingKeys keys(projection);
  for (const ProjectionItem& item : projection.items) {
    if (!item.expression->has_aggregate) continue;
    if (const Expression* ungrouped = UngroupedFinder(keys, scope).Find(*item.expression)) {
      return Error(
          "AmbiguousAggregationExpression",
          "Beside an aggregate, only constants and grouping keys may stand; project this as a column of its own",
          ungrouped->range);
    }
  }
  return absl::OkStatus();
}

// Puts the columns' names where their expressions stand. In an expression with aggregates (`aggregating`), a column
// that is more than a variable, a property or an aggregate must not be used as a part.
absl::Status Checker::ReplaceColumns(ExpressionPtr& expression, const ColumnIndex& columns, bool aggregating) const {
  const auto* variable = As<Variable>(*expression);
  if (variable != nullptr && columns.HasName(variable->name)) return absl::OkStatus();
  const ProjectionItem* item = columns.Find(*expression);
  if (item == nullptr) return ReplaceColumnsBelow(*expression, columns, aggregating);
  if (aggregating && !item->expression->has_aggregate && !IsSimpleKey(*expression) &&
      FindRowDependence(*expression) != nullptr) {
    return Error("AmbiguousAggregationExpression",
                 "Beside an aggregate, only constants, variables and properties may stand; sort by the column's name",
                 expression->range);
  }
  expression->node = Variable{item->name};
  expression->depth = 1;
  return absl::OkStatus();
}

// Does so in the children, but not where an expression's own variables may hide those that the columns were made of.
absl::Status Checker::ReplaceColumnsBelow(Expression& expression, const ColumnIndex& columns, bool aggregating) const {
  if (auto* list = std::get_if<ListComprehension>(&expression.node)) {
    return ReplaceColumns(list->list, columns, aggregating);
  }
  if (auto* quantifier = std::get_if<Quantifier>(&expression.node)) {
    return ReplaceColumns(quantifier->list, columns, aggregating);
  }
  if (auto* reduce = std::get_if<Reduce>(&expression.node)) {
    RETURN_IF_ERROR(ReplaceColumns(reduce->initial, columns, aggregating));
    return ReplaceColumns(reduce->list, columns, aggregating);
  }
  if (As<PatternComprehension>(expression) != nullptr) return absl::OkStatus();
  absl::Status status;
  ForEachChildPtr(expression, [&](ExpressionPtr& child) {
    if (status.ok()) status = ReplaceColumns(child, columns, aggregating);
  });
  return status;
}

}  // namespace toolgate::executors::cypher::syntax
