// The property graph that a query reads.
#ifndef TOOLGATE_EXECUTORS_CYPHER_GRAPH_H_
#define TOOLGATE_EXECUTORS_CYPHER_GRAPH_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/status_macros.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher {

using values::NodeId;
using values::RelationshipId;

// Directions in which relationships are followed from a node.
enum class Direction { kOut, kIn, kBoth };

// A property graph. Read-only; a snapshot for the length of a query; used by one thread at a time. Ids are the graph's
// own and never reused within a query.
//
// A visitor may call the graph again, the same method included, and answers false to end the visits early, which is not
// an error. Arguments of a visitor are valid only during its call. An id that the graph does not have is NOT_FOUND. Any
// other error is a failure of the graph itself and ends the query.
class Graph {
 public:
  // Type is the graph's own text, valid as long as the graph.
  struct Relationship {
    RelationshipId id = 0;
    NodeId start = 0;
    NodeId end = 0;
    std::string_view type;
  };

  using NodeVisitor = absl::FunctionRef<bool(NodeId)>;
  using RelationshipVisitor = absl::FunctionRef<bool(const Relationship&)>;

  virtual ~Graph() = default;

  // Visits each node that has `label`, or every node if `label` is empty.
  virtual absl::Status ScanNodes(std::string_view label, NodeVisitor visit) const = 0;

  // Whether FindNodes for the label and key is answered by an index; for an empty label, among all nodes.
  virtual bool HasIndex(std::string_view label, std::string_view key) const = 0;

  // Visits each node that has `label`, or any if it is empty, and whose property `key` equals `value` by Cypher's "="
  // (1 = 1.0). Called only where HasIndex. May visit nodes that do not match: the engine filters again. Must visit all
  // that do.
  virtual absl::Status FindNodes(std::string_view label, std::string_view key, const values::Value& value,
                                 NodeVisitor visit) const = 0;

  // Approximate count of nodes with `label`, or of all nodes if it is empty.
  virtual int64_t EstimateNodes(std::string_view label) const = 0;

  virtual absl::StatusOr<std::vector<std::string>> Labels(NodeId node) const = 0;

  virtual absl::StatusOr<bool> HasLabel(NodeId node, std::string_view label) const {
    ASSIGN_OR_RETURN(const std::vector<std::string> labels, Labels(node));
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  }

  // Null if the node has no such property.
  virtual absl::StatusOr<values::Value> NodeProperty(NodeId node, std::string_view key) const = 0;

  virtual absl::StatusOr<values::Map> NodeProperties(NodeId node) const = 0;

  // Visits the relationships of a node that have one of `types`, or any type if there are none. With kBoth, a
  // relationship from a node to itself is visited once.
  virtual absl::Status Expand(NodeId node, Direction direction, absl::Span<const std::string> types,
                              RelationshipVisitor visit) const = 0;

  // Visits each relationship that has one of `types`, or every relationship if there are none.
  virtual absl::Status ScanRelationships(absl::Span<const std::string> types, RelationshipVisitor visit) const = 0;

  virtual absl::StatusOr<Relationship> GetRelationship(RelationshipId relationship) const = 0;

  // Null if the relationship has no such property.
  virtual absl::StatusOr<values::Value> RelationshipProperty(RelationshipId relationship,
                                                             std::string_view key) const = 0;

  virtual absl::StatusOr<values::Map> RelationshipProperties(RelationshipId relationship) const = 0;
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_GRAPH_H_
