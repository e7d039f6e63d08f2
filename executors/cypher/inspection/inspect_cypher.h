// `toolgate inspect cypher`.
#ifndef TOOLGATE_EXECUTORS_CYPHER_INSPECTION_INSPECT_CYPHER_H_
#define TOOLGATE_EXECUTORS_CYPHER_INSPECTION_INSPECT_CYPHER_H_

#include <string>
#include <string_view>

namespace toolgate::executors::cypher::inspection {

// Runs a query on a graph in memory. In: {"graph": {"nodes":[…],"relationships":[…]}, "query", "params"}, or "create"
// with a list of queries that build the graph instead of "graph"; without either the graph is empty. Out: {"columns",
// "rows"} with one array for each row, or {"error": {"kind","detail","message","phase","position"}} (docs/cypher.md).
std::string InspectCypher(std::string_view line);

}  // namespace toolgate::executors::cypher::inspection

#endif  // TOOLGATE_EXECUTORS_CYPHER_INSPECTION_INSPECT_CYPHER_H_
