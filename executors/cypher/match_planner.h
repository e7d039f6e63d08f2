// Plans the patterns of MATCH.
#ifndef TOOLGATE_EXECUTORS_CYPHER_MATCH_PLANNER_H_
#define TOOLGATE_EXECUTORS_CYPHER_MATCH_PLANNER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "executors/cypher/expression_compiler.h"
#include "executors/cypher/graph.h"
#include "executors/cypher/plan.h"
#include "executors/cypher/scope.h"
#include "executors/cypher/syntax/ast.h"

namespace toolgate::executors::cypher {

// Orders the steps of a match: starts where the fewest nodes are to be expected (an index before the smallest label
// before all nodes), follows relationships from what is matched, and tests each condition as soon as its variables are.
// Borrows everything it is made from.
class MatchPlanner {
 public:
  MatchPlanner(Plan& plan, ExpressionCompiler& compiler, const Graph& graph)
      : plan_(plan), compiler_(compiler), graph_(graph) {}

  // The rows of `input` with each match of all `patterns` that meets `where` (null: none). Adds the variables to
  // `scope`, and to `new_slots` every slot that a match fills.
  absl::StatusOr<const Operator*> PlanMatch(const Operator* input,
                                            const std::vector<const syntax::PathPattern*>& patterns,
                                            const syntax::Expression* where, Scope& scope, std::vector<int>& new_slots);

 private:
  Plan& plan_;
  ExpressionCompiler& compiler_;
  const Graph& graph_;
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_MATCH_PLANNER_H_
