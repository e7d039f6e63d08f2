// Tells of names in a query that no code graph has.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_SCHEMA_HINTS_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_SCHEMA_HINTS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "executors/cypher/used_names.h"

namespace toolgate::executors::code_graph {

// For each unknown label, relationship type and property, a sentence with the nearest known one, or with all of them
// when none is near. At most kMaxHints.
std::vector<std::string> SchemaHints(absl::Span<const cypher::UsedName> names);

inline constexpr size_t kMaxHints = 10;

}  // namespace toolgate::executors::code_graph

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_SCHEMA_HINTS_H_
