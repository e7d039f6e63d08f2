#include "executors/cypher/engine.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/cypher/execution.h"
#include "executors/cypher/functions/failure.h"
#include "executors/cypher/plan.h"
#include "executors/cypher/planner.h"
#include "executors/cypher/syntax/cypher_error.h"

namespace toolgate::executors::cypher {
namespace {

// Adds line and column to an error of the planner, which knows the offset alone.
absl::Status Placed(const absl::Status& status, std::string_view text) {
  std::optional<syntax::CypherError> error = syntax::GetCypherError(status);
  if (!error.has_value() || error->line != 0) return status;
  syntax::SetPosition(*error, text, error->offset);
  return syntax::ToStatus(*error);
}

// An id that the graph does not have (any more) is the query's error.
absl::Status InCypherTerms(absl::Status status) {
  if (!absl::IsNotFound(status)) return status;
  return functions::Failure("EntityNotFound", "DeletedEntityAccess", "A node or relationship is not in the graph.");
}

absl::Status TooManyRows(int64_t limit) {
  return functions::Failure("ResourceError", "RowLimitExceeded",
                            absl::StrCat("The result has more rows than its limit of ", limit, "."));
}

}  // namespace

PreparedQuery::PreparedQuery(std::string text, syntax::Query query)
    : text_(std::move(text)),
      query_(std::make_shared<const syntax::Query>(std::move(query))),
      columns_(syntax::ColumnNames(*query_)) {}

absl::StatusOr<PreparedQuery> PreparedQuery::Prepare(std::string_view text, const syntax::Limits& limits,
                                                     const syntax::CheckOptions& checks) {
  ASSIGN_OR_RETURN(syntax::Query query, syntax::ParseAndCheck(text, limits, checks));
  return PreparedQuery(std::string(text), std::move(query));
}

absl::Status PreparedQuery::Run(const Graph& graph, const values::Map& parameters, const RunOptions& options,
                                RowVisitor visit) const {
  Plan plan;
  Planner planner(plan, graph, parameters);
  const absl::StatusOr<Planner::Rows> planned = planner.PlanQuery(*query_, Scope());
  if (!planned.ok()) return Placed(planned.status(), text_);
  Execution execution({.graph = graph,
                       .parameters = parameters,
                       .text = text_,
                       .bounds = options.bounds,
                       .clock = *options.clock,
                       .random_seed = options.random_seed,
                       .should_stop = [&] { return options.should_stop && options.should_stop(); },
                       .writer = options.writer,
                       .memory = options.memory},
                      plan.slots());
  int64_t rows = 0;
  std::vector<values::Value> row;
  return InCypherTerms(planned->rows
                           ->Run(execution,
                                 [&]() -> absl::StatusOr<bool> {
                                   if (columns_.empty()) return true;
                                   if (++rows > options.bounds.max_rows) return TooManyRows(options.bounds.max_rows);
                                   row.clear();
                                   for (const int slot : planned->columns) row.push_back(execution.slot(slot));
                                   return visit(row);
                                 })
                           .status());
}

}  // namespace toolgate::executors::cypher
