// Graphs for tests, from descriptions.
#ifndef TOOLGATE_EXECUTORS_CYPHER_INSPECTION_GRAPH_LOADER_H_
#define TOOLGATE_EXECUTORS_CYPHER_INSPECTION_GRAPH_LOADER_H_

#include <string_view>

#include "absl/status/status.h"
#include "common/json.h"
#include "executors/cypher/memory_graph.h"

namespace toolgate::executors::cypher::inspection {

// Adds {"nodes":[{"labels","properties"}],"relationships":[{"start","end","type","properties"}]} to a graph; "start"
// and "end" are indexes into "nodes". INVALID_ARGUMENT names the member that is wrong.
absl::Status LoadGraph(const Json& description, MemoryGraph& graph);

// Runs a query that may create nodes and relationships, "CREATE (:A)-[:R]->(:B)", and drops its result. Errors as
// PreparedQuery's.
absl::Status RunCreate(std::string_view query, MemoryGraph& graph);

}  // namespace toolgate::executors::cypher::inspection

#endif  // TOOLGATE_EXECUTORS_CYPHER_INSPECTION_GRAPH_LOADER_H_
