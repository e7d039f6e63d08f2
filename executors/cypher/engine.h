// The query engine: openCypher on a property graph.
#ifndef TOOLGATE_EXECUTORS_CYPHER_ENGINE_H_
#define TOOLGATE_EXECUTORS_CYPHER_ENGINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/clock.h"
#include "common/fairness/memory_budget.h"
#include "executors/cypher/bounds.h"
#include "executors/cypher/graph.h"
#include "executors/cypher/graph_writer.h"
#include "executors/cypher/syntax/ast.h"
#include "executors/cypher/syntax/parser.h"
#include "executors/cypher/syntax/semantics.h"
#include "executors/cypher/used_names.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher {

// Bounds and services of one run. Borrows the clock and the writer.
struct RunOptions {
  Bounds bounds = {};
  const Clock* clock = &Clock::Real();
  uint64_t random_seed = 0;                     // Of rand().
  std::function<bool()> should_stop = nullptr;  // Asked every few hundred steps; true ends the run with CANCELLED.
  GraphWriter* writer = nullptr;                // Of the graph itself; needed if the query may have CREATE.
  // Told of the bytes in use. When it has no room for more, the run ends with its status. Null: no one is.
  fairness::MemoryBudget::Reservation* memory = nullptr;
};

// A query that has been parsed and checked. Immutable; may run many times, on several threads and graphs at once.
class PreparedQuery {
 public:
  // A row of the result, valid during the call. False: no more rows are wanted.
  using RowVisitor = absl::FunctionRef<absl::StatusOr<bool>(absl::Span<const values::Value>)>;

  // Refuses what is no correct query, with a CypherError (syntax/cypher_error.h) of phase kCompile. Every clause that
  // writes is refused too, but for CREATE if `checks` allow it.
  static absl::StatusOr<PreparedQuery> Prepare(std::string_view text, const syntax::Limits& limits = {},
                                               const syntax::CheckOptions& checks = {});

  // Names of the result's columns; none if the query ends in CREATE.
  const std::vector<std::string>& columns() const { return columns_; }

  // Labels, types and properties that the query names.
  std::vector<UsedName> UsedNames() const { return NamesUsedIn(*query_); }

  // Plans the query for the graph and visits each row of the result as soon as it is known. Values in it refer to the
  // graph by ids. Errors: a CypherError (a missing parameter of phase kCompile, all others kRuntime), CANCELLED, or a
  // failure of the graph; rows visited before stay visited.
  absl::Status Run(const Graph& graph, const values::Map& parameters, const RunOptions& options,
                   RowVisitor visit) const;

 private:
  PreparedQuery(std::string text, syntax::Query query);

  std::string text_;
  std::shared_ptr<const syntax::Query> query_;
  std::vector<std::string> columns_;
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_ENGINE_H_
