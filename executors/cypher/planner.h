// Plans whole queries.
#ifndef TOOLGATE_EXECUTORS_CYPHER_PLANNER_H_
#define TOOLGATE_EXECUTORS_CYPHER_PLANNER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "executors/cypher/expression_compiler.h"
#include "executors/cypher/graph.h"
#include "executors/cypher/match_planner.h"
#include "executors/cypher/plan.h"
#include "executors/cypher/row_operators.h"
#include "executors/cypher/scope.h"
#include "executors/cypher/syntax/ast.h"

namespace toolgate::executors::cypher {

// Turns a query that CheckSemantics has accepted into operators, by the statistics and indexes of one graph. Borrows
// what it is made from; the operators borrow nothing but each other.
class Planner : public SubqueryPlanner {
 public:
  // The rows of a query and the slots of its columns; no slots without RETURN.
  struct Rows {
    const Operator* rows = nullptr;
    std::vector<int> columns;
  };

  Planner(Plan& plan, const Graph& graph, const values::Map& parameters)
      : plan_(plan), compiler_(plan, *this, parameters), match_planner_(plan, compiler_, graph) {}

  // `outer` are the variables that a subquery sees. ParameterMissing if the query uses a parameter that is not there.
  absl::StatusOr<Rows> PlanQuery(const syntax::Query& query, const Scope& outer);

  absl::StatusOr<const Operator*> PlanPattern(const syntax::PathPattern& pattern, const syntax::Expression* where,
                                              Scope& scope) override;
  absl::StatusOr<const Operator*> PlanSubquery(const syntax::Query& query, const Scope& scope) override;

 private:
  absl::StatusOr<Rows> PlanPart(const syntax::SingleQuery& query, const Scope& outer);

  // Each adds one clause to `rows` and changes the scope to what follows.
  absl::Status PlanClause(const syntax::Match& match, Rows& rows, Scope& scope);
  absl::Status PlanClause(const syntax::Unwind& unwind, Rows& rows, Scope& scope);
  absl::Status PlanClause(const syntax::With& with, Rows& rows, Scope& scope);
  absl::Status PlanClause(const syntax::Return& clause, Rows& rows, Scope& scope);
  absl::Status PlanClause(const syntax::Create& create, Rows& rows, Scope& scope);

  // `where` may be null.
  absl::Status PlanProjection(const syntax::Projection& projection, const syntax::Expression* where, Rows& rows,
                              Scope& scope);
  // Computes the columns and answers the scope of their names.
  absl::StatusOr<Scope> PlanColumns(const syntax::Projection& projection, const Scope& scope, Rows& rows);
  absl::StatusOr<Scope> PlanGroups(const syntax::Projection& projection, const Scope& scope, Rows& rows);
  absl::StatusOr<int> PlanColumn(const syntax::Expression& expression, const Scope& scope,
                                 std::vector<Assignment>& assignments);
  absl::Status PlanOrder(const syntax::Projection& projection, const Scope& visible, std::vector<int> kept, Rows& rows);

  Plan& plan_;
  ExpressionCompiler compiler_;
  MatchPlanner match_planner_;
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_PLANNER_H_
