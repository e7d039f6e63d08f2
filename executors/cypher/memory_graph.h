// A property graph in memory.
#ifndef TOOLGATE_EXECUTORS_CYPHER_MEMORY_GRAPH_H_
#define TOOLGATE_EXECUTORS_CYPHER_MEMORY_GRAPH_H_

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "executors/cypher/graph.h"
#include "executors/cypher/graph_writer.h"
#include "executors/cypher/values/comparison.h"

namespace toolgate::executors::cypher {

// A graph that is built once and then read. Ids are positions, in the order of addition, from 0. Not thread-safe while
// something is added; visits do not see what is added during them.
class MemoryGraph : public Graph, public GraphWriter {
 public:
  values::Node AddNode(std::vector<std::string> labels, values::Map properties) override;
  values::Relationship AddRelationship(NodeId start, NodeId end, std::string type, values::Map properties) override;

  // Answers FindNodes for `label` and `key` from an index, of nodes added before and after.
  void AddIndex(std::string label, std::string key);

  int64_t node_count() const { return static_cast<int64_t>(nodes_.size()); }
  int64_t relationship_count() const { return static_cast<int64_t>(relationships_.size()); }

  absl::Status ScanNodes(std::string_view label, NodeVisitor visit) const override;
  bool HasIndex(std::string_view label, std::string_view key) const override;
  absl::Status FindNodes(std::string_view label, std::string_view key, const values::Value& value,
                         NodeVisitor visit) const override;
  int64_t EstimateNodes(std::string_view label) const override;
  absl::StatusOr<std::vector<std::string>> Labels(NodeId node) const override;
  absl::StatusOr<bool> HasLabel(NodeId node, std::string_view label) const override;
  absl::StatusOr<values::Value> NodeProperty(NodeId node, std::string_view key) const override;
  absl::StatusOr<values::Map> NodeProperties(NodeId node) const override;
  absl::Status Expand(NodeId node, Direction direction, absl::Span<const std::string> types,
                      RelationshipVisitor visit) const override;
  absl::Status ScanRelationships(absl::Span<const std::string> types, RelationshipVisitor visit) const override;
  absl::StatusOr<Relationship> GetRelationship(RelationshipId relationship) const override;
  absl::StatusOr<values::Value> RelationshipProperty(RelationshipId relationship, std::string_view key) const override;
  absl::StatusOr<values::Map> RelationshipProperties(RelationshipId relationship) const override;

 private:
  struct StoredNode {
    std::vector<std::string> labels;
    values::Map properties;
    std::vector<RelationshipId> out;
    std::vector<RelationshipId> in;
  };
  struct StoredRelationship {
    NodeId start = 0;
    NodeId end = 0;
    std::string type;
    values::Map properties;
  };
  struct HashValue {
    size_t operator()(const values::Value& value) const { return values::Hash(value); }
  };
  struct SameValue {
    bool operator()(const values::Value& a, const values::Value& b) const { return values::Equivalent(a, b); }
  };
  using Index = absl::flat_hash_map<values::Value, std::vector<NodeId>, HashValue, SameValue>;

  void AddToIndex(NodeId id, Index& index, std::string_view key);
  absl::StatusOr<const StoredNode*> Find(NodeId node) const;
  absl::StatusOr<const StoredRelationship*> FindRelationship(RelationshipId relationship) const;
  Relationship View(RelationshipId id) const;

  // Deques, so that references survive additions.
  std::deque<StoredNode> nodes_;
  std::deque<StoredRelationship> relationships_;
  std::map<std::string, std::vector<NodeId>, std::less<>> labelled_;
  std::map<std::pair<std::string, std::string>, Index> indexes_;  // By label and key.
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_MEMORY_GRAPH_H_
