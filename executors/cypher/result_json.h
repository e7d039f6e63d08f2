// Results of queries as JSON.
#ifndef TOOLGATE_EXECUTORS_CYPHER_RESULT_JSON_H_
#define TOOLGATE_EXECUTORS_CYPHER_RESULT_JSON_H_

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/cypher/graph.h"
#include "executors/cypher/syntax/cypher_error.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher {

// A value as JSON: a node is {"labels","properties"}, a relationship {"type","properties","start","end"} with the ids
// of its ends, a path {"nodes","relationships"}; temporal values and floats that JSON does not have are texts.
// NOT_FOUND if an entity is not in the graph, or the graph's failure.
absl::StatusOr<Json> ToJson(const values::Value& value, const Graph& graph);

// {"kind","detail","message","phase","position":{"line","column","offset"}}; the position only if it is known.
Json ErrorJson(const syntax::CypherError& error);

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_RESULT_JSON_H_
