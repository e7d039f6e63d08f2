// Turns expressions of the syntax tree into functions of the frame.
#ifndef TOOLGATE_EXECUTORS_CYPHER_EXPRESSION_COMPILER_H_
#define TOOLGATE_EXECUTORS_CYPHER_EXPRESSION_COMPILER_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "executors/cypher/execution.h"
#include "executors/cypher/plan.h"
#include "executors/cypher/scope.h"
#include "executors/cypher/syntax/ast.h"

namespace toolgate::executors::cypher {

// Plans what expressions have inside: patterns and subqueries, which run on the same frame.
class SubqueryPlanner {
 public:
  virtual ~SubqueryPlanner() = default;

  // One row for each match of the pattern; its variables are added to `scope`. `where` may be null.
  virtual absl::StatusOr<const Operator*> PlanPattern(const syntax::PathPattern& pattern,
                                                      const syntax::Expression* where, Scope& scope) = 0;
  virtual absl::StatusOr<const Operator*> PlanSubquery(const syntax::Query& query, const Scope& scope) = 0;
};

// Compiles expressions that CheckSemantics has accepted. The result borrows nothing from the tree. Borrows the
// plan, whose slots it uses for the variables of comprehensions, the planner and the parameters.
class ExpressionCompiler {
 public:
  ExpressionCompiler(Plan& plan, SubqueryPlanner& planner, const values::Map& parameters)
      : plan_(plan), planner_(planner), parameters_(parameters) {}

  // ParameterMissing, of phase kCompile, if the expression uses a parameter that is not there.
  absl::StatusOr<Evaluation> Compile(const syntax::Expression& expression, const Scope& scope);

 private:
  absl::StatusOr<std::vector<Evaluation>> CompileAll(const std::vector<syntax::ExpressionPtr>& expressions,
                                                     const Scope& scope);
  // An empty function for null.
  absl::StatusOr<Evaluation> CompileOptional(const syntax::ExpressionPtr& expression, const Scope& scope);

  absl::StatusOr<Evaluation> Node(const syntax::Literal& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::ListLiteral& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::MapLiteral& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::MapProjection& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Parameter& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Variable& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Property& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Subscript& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Slice& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::LabelTest& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Unary& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Logical& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Binary& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Comparison& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::FunctionCall& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::CountStar& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::ListComprehension& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::PatternComprehension& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Quantifier& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Reduce& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Case& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::Exists& node, size_t offset, const Scope& scope);
  absl::StatusOr<Evaluation> Node(const syntax::PatternPredicate& node, size_t offset, const Scope& scope);

  Plan& plan_;
  SubqueryPlanner& planner_;
  const values::Map& parameters_;
};

// The truth of a condition: false for null. TypeError if the value is neither a boolean nor null.
absl::StatusOr<bool> IsTrue(const Evaluation& condition, Execution& execution);

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_EXPRESSION_COMPILER_H_
