// Graphs for tests, from descriptions.
#ifndef TOOLGATE_EXECUTORS_CYPHER_INSPECTION_GRAPH_LOADER_H_
#define TOOLGATE_EXECUTORS_CYPHER_INSPECTION_GRAPH_LOADER_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/json.h"
#include "executors/cypher/bounds.h"
#include "executors/cypher/memory_graph.h"

namespace toolgate::executors::cypher::inspection {

// Bounds of queries that make graphs or are inspected.
inline constexpr Bounds kInspectionBounds{
    .max_memory_bytes = size_t{64} << 20, .max_rows = 1'000'000, .max_time = absl::Seconds(30)};

// Adds {"nodes":[{"labels","properties"}],"relationships":[{"start","end","type","properties"}]} to a graph; "start"
// and "end" are indexes into "nodes". INVALID_ARGUMENT names the member that is wrong.
absl::Status LoadGraph(const Json& description, MemoryGraph& graph);

// Runs a query that may create nodes and relationships, "CREATE (:A)-[:R]->(:B)", and drops its result. Errors as
// PreparedQuery's.
absl::Status RunCreate(std::string_view query, MemoryGraph& graph);

}  // namespace toolgate::executors::cypher::inspection

#endif  // TOOLGATE_EXECUTORS_CYPHER_INSPECTION_GRAPH_LOADER_H_
