// The tool GraphQuery.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_GRAPH_QUERY_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_GRAPH_QUERY_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fairness/fair_line.h"
#include "common/fairness/memory_budget.h"
#include "executors/code_graph/index/graph_indexes.h"
#include "executors/directory/directories.h"
#include "executors/effect_session.h"
#include "executors/tool.h"

namespace toolgate::executors::code_graph {

struct QueryLimits {
  absl::Duration max_wait;  // For the graph to be up to date, and for a place.
  absl::Duration max_time;  // Of the query itself. Both are real time, whatever clock the service is shown.
  int64_t max_memory_bytes = 0;
  int64_t max_rows = 0;
  int64_t max_answer_bytes = 0;
  std::shared_ptr<fairness::MemoryBudget> memory = nullptr;  // Of all queries together; null: there is no such bound.
  std::shared_ptr<fairness::FairLine> places = nullptr;      // For queries that run; null: likewise.
};

// Runs one openCypher query that only reads, on the graph of the caller's workspace as it is after every change made
// before the call. Waits for the refresh through the session. ToolErrors: INVALID_PARAMS with the query's error (kind,
// detail, line and column), also when the query exceeds a bound; TIMEOUT, retryable, while the graph is being made;
// OVERLOADED, retryable, when the queries of all, or of the caller, leave no memory or no place for it; those of
// Directories::Of.
absl::StatusOr<Acted> GraphQuery(directory::Directories& directories, index::GraphIndexes& indexes,
                                 const QueryLimits& limits, ToolContext& context, EffectSession& session);

}  // namespace toolgate::executors::code_graph

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_GRAPH_QUERY_H_
