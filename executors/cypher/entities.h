// Properties, labels and the other functions of nodes and relationships.
#ifndef TOOLGATE_EXECUTORS_CYPHER_ENTITIES_H_
#define TOOLGATE_EXECUTORS_CYPHER_ENTITIES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "executors/cypher/graph.h"
#include "executors/cypher/syntax/functions.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher {

// subject.key of a node, relationship, map or temporal value; null for null and for what is not there.
absl::StatusOr<values::Value> PropertyOf(const Graph& graph, const values::Value& subject, std::string_view key);

// subject[index] of a list, map, node or relationship.
absl::StatusOr<values::Value> SubscriptOf(const Graph& graph, const values::Value& subject, const values::Value& index);

// All properties of a node or relationship, or a map itself.
absl::StatusOr<values::Map> PropertiesOf(const Graph& graph, const values::Value& subject);

// subject:Label1:Label2; of a relationship, its type.
absl::StatusOr<values::Value> HasLabels(const Graph& graph, const values::Value& subject,
                                        const std::vector<std::string>& labels);

// Whether `function` is one that CallEntity answers.
bool IsEntityFunction(syntax::FunctionId function);

// endNode, id, keys, labels, properties, startNode and type of one argument.
absl::StatusOr<values::Value> CallEntity(const Graph& graph, syntax::FunctionId function,
                                         const values::Value& argument);

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_ENTITIES_H_
