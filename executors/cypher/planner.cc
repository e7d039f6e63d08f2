#include "executors/cypher/planner.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "common/status_macros.h"
#include "executors/cypher/syntax/functions.h"

namespace toolgate::executors::cypher {
namespace {

// The aggregates in an expression, outermost first.
void CollectAggregates(const syntax::Expression& expression, std::vector<const syntax::Expression*>& aggregates) {
  const auto* call = syntax::As<syntax::FunctionCall>(expression);
  if (syntax::As<syntax::CountStar>(expression) != nullptr || (call != nullptr && call->function->aggregate)) {
    aggregates.push_back(&expression);
    return;
  }
  syntax::ForEachChild(expression, [&](const syntax::Expression& child) { CollectAggregates(child, aggregates); });
}

// Whether an expression for SKIP or LIMIT has the same value each time.
bool IsStable(const syntax::ExpressionPtr& expression) {
  return expression == nullptr || syntax::As<syntax::Literal>(*expression) != nullptr ||
         syntax::As<syntax::Parameter>(*expression) != nullptr;
}

std::vector<int> SlotsOf(const Scope& scope) {
  std::set<int> slots;
  for (const auto& [name, slot] : scope.slots()) slots.insert(slot);
  return {slots.begin(), slots.end()};
}

}  // namespace

absl::StatusOr<Planner::Rows> Planner::PlanQuery(const syntax::Query& query, const Scope& outer) {
  std::vector<Union::Part> parts;
  for (const syntax::SingleQuery& part : query.parts) {
    ASSIGN_OR_RETURN(Rows rows, PlanPart(part, outer));
    if (query.parts.size() == 1) return rows;
    parts.push_back({rows.rows, std::move(rows.columns)});
  }
  Rows all{.rows = nullptr, .columns = parts.front().columns};
  all.rows = plan_.Add<Union>(std::move(parts));
  if (!query.union_all) all.rows = plan_.Add<Distinct>(all.rows, all.columns);
  return all;
}

absl::StatusOr<const Operator*> Planner::PlanPattern(const syntax::PathPattern& pattern,
                                                     const syntax::Expression* where, Scope& scope) {
  std::vector<int> new_slots;
  return match_planner_.PlanMatch(plan_.Add<Unit>(), {&pattern}, where, scope, new_slots);
}

absl::StatusOr<const Operator*> Planner::PlanSubquery(const syntax::Query& query, const Scope& scope) {
  ASSIGN_OR_RETURN(const Rows rows, PlanQuery(query, scope));
  return rows.rows;
}

absl::StatusOr<Planner::Rows> Planner::PlanPart(const syntax::SingleQuery& query, const Scope& outer) {
  Rows rows{.rows = plan_.Add<Unit>(), .columns = {}};
  Scope scope = outer;
  for (const syntax::Clause& clause : query.clauses) {
    RETURN_IF_ERROR(std::visit([&](const auto& node) { return PlanClause(node, rows, scope); }, clause.node));
  }
  return rows;
}

absl::Status Planner::PlanClause(const syntax::Match& match, Rows& rows, Scope& scope) {
  std::vector<const syntax::PathPattern*> patterns;
  for (const syntax::PathPattern& pattern : match.pattern) patterns.push_back(&pattern);
  std::vector<int> new_slots;
  const Operator* input = match.optional ? plan_.Add<Unit>() : rows.rows;
  ASSIGN_OR_RETURN(const Operator* matches,
                   match_planner_.PlanMatch(input, patterns, match.where.get(), scope, new_slots));
  rows.rows = match.optional ? plan_.Add<Optional>(rows.rows, matches, std::move(new_slots)) : matches;
  return absl::OkStatus();
}

absl::Status Planner::PlanClause(const syntax::Unwind& unwind, Rows& rows, Scope& scope) {
  ASSIGN_OR_RETURN(Evaluation list, compiler_.Compile(*unwind.list, scope));
  const int slot = plan_.NewSlot();
  scope.Define(unwind.variable, slot);
  rows.rows = plan_.Add<Unwind>(rows.rows, std::move(list), slot);
  return absl::OkStatus();
}

absl::Status Planner::PlanClause(const syntax::With& with, Rows& rows, Scope& scope) {
  return PlanProjection(with.projection, with.where.get(), rows, scope);
}

absl::Status Planner::PlanClause(const syntax::Return& clause, Rows& rows, Scope& scope) {
  return PlanProjection(clause.projection, nullptr, rows, scope);
}

absl::StatusOr<int> Planner::PlanColumn(const syntax::Expression& expression, const Scope& scope,
                                        std::vector<Assignment>& assignments) {
  const auto* variable = syntax::As<syntax::Variable>(expression);
  if (const std::optional<int> computed = scope.FindComputed(expression)) return *computed;
  if (variable != nullptr) {
    if (const std::optional<int> slot = scope.Find(variable->name)) return *slot;
  }
  ASSIGN_OR_RETURN(Evaluation value, compiler_.Compile(expression, scope));
  assignments.push_back({plan_.NewSlot(), std::move(value)});
  return assignments.back().slot;
}

absl::StatusOr<Scope> Planner::PlanColumns(const syntax::Projection& projection, const Scope& scope, Rows& rows) {
  Scope columns;
  std::vector<Assignment> assignments;
  rows.columns.clear();
  for (const syntax::ProjectionItem& item : projection.items) {
    ASSIGN_OR_RETURN(const int slot, PlanColumn(*item.expression, scope, assignments));
    columns.Define(item.name, slot);
    rows.columns.push_back(slot);
  }
  if (!assignments.empty()) rows.rows = plan_.Add<Extend>(rows.rows, std::move(assignments));
  return columns;
}

absl::StatusOr<Scope> Planner::PlanGroups(const syntax::Projection& projection, const Scope& scope, Rows& rows) {
  Scope grouped = scope;
  std::vector<Assignment> keys;
  std::vector<Group::Aggregation> aggregations;
  for (const syntax::ProjectionItem& item : projection.items) {
    std::vector<const syntax::Expression*> aggregates;
    CollectAggregates(*item.expression, aggregates);
    if (aggregates.empty()) {
      ASSIGN_OR_RETURN(Evaluation value, compiler_.Compile(*item.expression, scope));
      keys.push_back({plan_.NewSlot(), std::move(value)});
      grouped.DefineComputed(*item.expression, keys.back().slot);
    }
    for (const syntax::Expression* aggregate : aggregates) {
      Group::Aggregation aggregation{.slot = plan_.NewSlot(), .function = nullptr, .distinct = false, .arguments = {}};
      if (const auto* call = syntax::As<syntax::FunctionCall>(*aggregate)) {
        aggregation.function = call->function;
        aggregation.distinct = call->distinct;
        for (const syntax::ExpressionPtr& argument : call->arguments) {
          ASSIGN_OR_RETURN(Evaluation value, compiler_.Compile(*argument, scope));
          aggregation.arguments.push_back(std::move(value));
        }
      }
      grouped.DefineComputed(*aggregate, aggregation.slot);
      aggregations.push_back(std::move(aggregation));
    }
  }
  rows.rows = plan_.Add<Group>(rows.rows, std::move(keys), std::move(aggregations));
  return PlanColumns(projection, grouped, rows);
}

absl::Status Planner::PlanOrder(const syntax::Projection& projection, const Scope& visible, std::vector<int> kept,
                                Rows& rows) {
  Evaluation skip;
  Evaluation limit;
  if (projection.skip != nullptr) {
    ASSIGN_OR_RETURN(skip, compiler_.Compile(*projection.skip, Scope()));
  }
  if (projection.limit != nullptr) {
    ASSIGN_OR_RETURN(limit, compiler_.Compile(*projection.limit, Scope()));
  }
  if (!projection.order_by.empty()) {
    std::vector<Sort::Key> keys;
    for (const syntax::SortItem& item : projection.order_by) {
      ASSIGN_OR_RETURN(Evaluation value, compiler_.Compile(*item.expression, visible));
      keys.push_back({std::move(value), item.descending});
    }
    const bool bounded = IsStable(projection.skip) && IsStable(projection.limit);
    rows.rows = plan_.Add<Sort>(rows.rows, std::move(keys), std::move(kept), bounded ? skip : Evaluation(),
                                bounded ? limit : Evaluation());
  }
  if (skip || limit) rows.rows = plan_.Add<Slice>(rows.rows, std::move(skip), std::move(limit));
  return absl::OkStatus();
}

absl::Status Planner::PlanProjection(const syntax::Projection& projection, const syntax::Expression* where, Rows& rows,
                                     Scope& scope) {
  ASSIGN_OR_RETURN(const Scope columns,
                   projection.aggregates ? PlanGroups(projection, scope, rows) : PlanColumns(projection, scope, rows));
  Scope visible = projection.distinct || projection.aggregates ? Scope() : scope;
  visible.Overlay(columns);
  if (projection.distinct) rows.rows = plan_.Add<Distinct>(rows.rows, rows.columns);
  RETURN_IF_ERROR(PlanOrder(projection, visible, SlotsOf(where == nullptr ? columns : visible), rows));
  if (where != nullptr) {
    ASSIGN_OR_RETURN(Evaluation condition, compiler_.Compile(*where, visible));
    rows.rows = plan_.Add<Filter>(rows.rows, std::move(condition));
  }
  scope = columns;
  return absl::OkStatus();
}

absl::Status Planner::PlanClause(const syntax::Create& create, Rows& rows, Scope& scope) {
  const std::vector<int> kept = SlotsOf(scope);
  std::vector<CreateEntities::NewNode> nodes;
  std::vector<CreateEntities::NewRelationship> relationships;
  const auto properties_of = [&](const syntax::ExpressionPtr& expression) -> absl::StatusOr<Evaluation> {
    if (expression == nullptr) return Evaluation();
    return compiler_.Compile(*expression, scope);
  };
  for (const syntax::PathPattern& path : create.pattern) {
    std::vector<int> ends;
    for (const syntax::NodePattern& node : path.nodes) {
      const std::optional<int> known = node.variable.has_value() ? scope.Find(*node.variable) : std::nullopt;
      ends.push_back(known.has_value() ? *known : plan_.NewSlot());
      if (known.has_value()) continue;
      ASSIGN_OR_RETURN(Evaluation properties, properties_of(node.properties));
      nodes.push_back({ends.back(), node.labels, std::move(properties)});
      if (node.variable.has_value()) scope.Define(*node.variable, ends.back());
    }
    for (size_t i = 0; i < path.relationships.size(); ++i) {
      const syntax::RelationshipPattern& pattern = path.relationships[i];
      ASSIGN_OR_RETURN(Evaluation properties, properties_of(pattern.properties));
      const bool backwards = pattern.direction == syntax::Direction::kIn;
      relationships.push_back({.slot = plan_.NewSlot(),
                               .start = ends[backwards ? i + 1 : i],
                               .end = ends[backwards ? i : i + 1],
                               .type = pattern.types.empty() ? "" : pattern.types.front(),
                               .properties = std::move(properties)});
      if (pattern.variable.has_value()) scope.Define(*pattern.variable, relationships.back().slot);
    }
  }
  rows.rows = plan_.Add<CreateEntities>(rows.rows, kept, std::move(nodes), std::move(relationships));
  return absl::OkStatus();
}

}  // namespace toolgate::executors::cypher
