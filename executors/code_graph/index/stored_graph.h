// A workspace's code graph, as queries read it.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_STORED_GRAPH_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_STORED_GRAPH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "executors/code_graph/index/graph_database.h"
#include "executors/code_graph/index/graph_schema.h"
#include "executors/cypher/graph.h"
#include "executors/cypher/values/value.h"
#include "storage/sqlite/connection.h"

namespace toolgate::executors::code_graph::index {

// A snapshot of the database in one read transaction: refreshes meanwhile are not seen. graph_schema.h lists labels,
// types and properties; nodes with the label "Schema" tell of them. Keeps the rows that were read last, at most
// kMaxKept. Used by one thread at a time.
class StoredGraph final : public cypher::Graph {
 public:
  static constexpr size_t kMaxKept = 20'000;

  // FAILED_PRECONDITION when the graph is not complete: it is still made.
  static absl::StatusOr<std::unique_ptr<StoredGraph>> Open(const GraphDatabase& database);
  ~StoredGraph() override;

  absl::Status ScanNodes(std::string_view label, NodeVisitor visit) const override;
  bool HasIndex(std::string_view label, std::string_view key) const override;
  absl::Status FindNodes(std::string_view label, std::string_view key, const cypher::values::Value& value,
                         NodeVisitor visit) const override;
  int64_t EstimateNodes(std::string_view label) const override;
  absl::StatusOr<std::vector<std::string>> Labels(cypher::NodeId node) const override;
  absl::StatusOr<bool> HasLabel(cypher::NodeId node, std::string_view label) const override;
  absl::StatusOr<cypher::values::Value> NodeProperty(cypher::NodeId node, std::string_view key) const override;
  absl::StatusOr<cypher::values::Map> NodeProperties(cypher::NodeId node) const override;
  absl::Status Expand(cypher::NodeId node, cypher::Direction direction, absl::Span<const std::string> types,
                      RelationshipVisitor visit) const override;
  absl::Status ScanRelationships(absl::Span<const std::string> types, RelationshipVisitor visit) const override;
  absl::StatusOr<Relationship> GetRelationship(cypher::RelationshipId relationship) const override;
  absl::StatusOr<cypher::values::Value> RelationshipProperty(cypher::RelationshipId relationship,
                                                             std::string_view key) const override;
  absl::StatusOr<cypher::values::Map> RelationshipProperties(cypher::RelationshipId relationship) const override;

 private:
  // A node's row. Properties are in the order in which they are shown; those that are missing are left out.
  struct Node {
    SymbolLabel label = SymbolLabel::kNone;  // Of symbols.
    std::vector<std::pair<std::string_view, cypher::values::Value>> properties;
  };
  struct Edge {
    Relationship relationship;
    std::vector<std::pair<std::string_view, cypher::values::Value>> properties;
  };
  using Ids = std::vector<int64_t>;
  using Relationships = std::vector<Relationship>;
  class TypeSet;

  explicit StoredGraph(std::unique_ptr<storage::sqlite::Connection> connection) : connection_(std::move(connection)) {}

  storage::sqlite::Connection& db() const { return *connection_; }
  absl::StatusOr<const Node*> NodeOf(cypher::NodeId node) const;
  absl::StatusOr<Node> ReadNode(cypher::NodeId node) const;
  absl::StatusOr<Node> ReadSchemaNode(int64_t row) const;
  absl::StatusOr<int64_t> CountOf(const SchemaElement& element) const;
  absl::StatusOr<Edge> ReadEdge(cypher::RelationshipId relationship) const;

  // Visits a table's rows in steps of some hundred, so that no statement runs while a visitor does. `sql` selects ids
  // beyond ?1, the first ones in their order. False: a visitor wants no more.
  absl::StatusOr<bool> ScanTable(const char* sql, int64_t table, NodeVisitor visit) const;
  // Visits the rows that `sql` selects by `value`, with their labels; those with the label `wanted`, unless it is
  // kNone.
  absl::StatusOr<bool> FindRows(const char* sql, int64_t table, SymbolLabel wanted, std::string_view value,
                                NodeVisitor visit) const;
  absl::StatusOr<bool> ScanSymbols(SymbolLabel label, NodeVisitor visit) const;
  template <typename ToRelationship>
  absl::StatusOr<bool> ScanRows(const char* sql, const ToRelationship& convert, RelationshipVisitor visit) const;
  absl::Status AddOut(cypher::NodeId node, const TypeSet& types, Relationships& found) const;
  absl::Status AddIn(cypher::NodeId node, const TypeSet& types, Relationships& found) const;
  absl::Status AddImports(const char* sql, int64_t row, const TypeSet& types, Relationships& found) const;
  absl::Status AddEdges(const char* sql, int64_t key, const TypeSet& types, Relationships& found) const;

  const std::unique_ptr<storage::sqlite::Connection> connection_;
  mutable absl::flat_hash_map<int64_t, std::unique_ptr<const Node>> kept_;
};

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_STORED_GRAPH_H_
