#include "executors/cypher/memory_graph.h"

#include <algorithm>

namespace toolgate::executors::cypher {
namespace {

values::Value Member(const values::Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? values::Value() : found->second;
}

void DropNulls(values::Map& map) {
  std::erase_if(map, [](const auto& member) { return member.second.is_null(); });
}

bool HasType(std::string_view type, absl::Span<const std::string> types) {
  return types.empty() || std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace

values::Node MemoryGraph::AddNode(std::vector<std::string> labels, values::Map properties) {
  const NodeId id = node_count();
  DropNulls(properties);
  std::vector<std::string> distinct;
  for (std::string& label : labels) {
    if (std::find(distinct.begin(), distinct.end(), label) == distinct.end()) distinct.push_back(std::move(label));
  }
  nodes_.push_back({.labels = std::move(distinct), .properties = std::move(properties), .out = {}, .in = {}});
  for (const std::string& label : nodes_.back().labels) labelled_[label].push_back(id);
  for (auto& [name, index] : indexes_) {
    if (std::find(nodes_.back().labels.begin(), nodes_.back().labels.end(), name.first) != nodes_.back().labels.end()) {
      AddToIndex(id, index, name.second);
    }
  }
  return {.id = id};
}

values::Relationship MemoryGraph::AddRelationship(NodeId start, NodeId end, std::string type, values::Map properties) {
  const RelationshipId id = relationship_count();
  DropNulls(properties);
  relationships_.push_back({start, end, std::move(type), std::move(properties)});
  nodes_[static_cast<size_t>(start)].out.push_back(id);
  nodes_[static_cast<size_t>(end)].in.push_back(id);
  return {.id = id, .start = start, .end = end};
}

void MemoryGraph::AddIndex(std::string label, std::string key) {
  const auto [entry, added] = indexes_.try_emplace({std::move(label), std::move(key)});
  if (!added) return;
  const auto nodes = labelled_.find(entry->first.first);
  if (nodes == labelled_.end()) return;
  for (const NodeId id : nodes->second) AddToIndex(id, entry->second, entry->first.second);
}

void MemoryGraph::AddToIndex(NodeId id, Index& index, std::string_view key) {
  const values::Value value = Member(nodes_[static_cast<size_t>(id)].properties, key);
  if (!value.is_null()) index[value].push_back(id);
}

absl::Status MemoryGraph::ScanNodes(std::string_view label, NodeVisitor visit) const {
  if (label.empty()) {
    const NodeId end = node_count();
    for (NodeId id = 0; id < end && visit(id);) ++id;
    return absl::OkStatus();
  }
  const auto found = labelled_.find(label);
  if (found == labelled_.end()) return absl::OkStatus();
  const size_t end = found->second.size();
  for (size_t i = 0; i < end && visit(found->second[i]);) ++i;
  return absl::OkStatus();
}

bool MemoryGraph::HasIndex(std::string_view label, std::string_view key) const {
  return indexes_.contains({std::string(label), std::string(key)});
}

absl::Status MemoryGraph::FindNodes(std::string_view label, std::string_view key, const values::Value& value,
                                    NodeVisitor visit) const {
  const auto index = indexes_.find({std::string(label), std::string(key)});
  if (index == indexes_.end()) return absl::FailedPreconditionError("no index for this label and key");
  const auto found = index->second.find(value);
  if (found == index->second.end()) return absl::OkStatus();
  const std::vector<NodeId> nodes = found->second;
  for (size_t i = 0; i < nodes.size() && visit(nodes[i]);) ++i;
  return absl::OkStatus();
}

int64_t MemoryGraph::EstimateNodes(std::string_view label) const {
  if (label.empty()) return node_count();
  const auto found = labelled_.find(label);
  return found == labelled_.end() ? 0 : static_cast<int64_t>(found->second.size());
}

absl::StatusOr<std::vector<std::string>> MemoryGraph::Labels(NodeId node) const {
  ASSIGN_OR_RETURN(const StoredNode* stored, Find(node));
  return stored->labels;
}

absl::StatusOr<bool> MemoryGraph::HasLabel(NodeId node, std::string_view label) const {
  ASSIGN_OR_RETURN(const StoredNode* stored, Find(node));
  return std::find(stored->labels.begin(), stored->labels.end(), label) != stored->labels.end();
}

absl::StatusOr<values::Value> MemoryGraph::NodeProperty(NodeId node, std::string_view key) const {
  ASSIGN_OR_RETURN(const StoredNode* stored, Find(node));
  return Member(stored->properties, key);
}

absl::StatusOr<values::Map> MemoryGraph::NodeProperties(NodeId node) const {
  ASSIGN_OR_RETURN(const StoredNode* stored, Find(node));
  return stored->properties;
}

absl::Status MemoryGraph::Expand(NodeId node, Direction direction, absl::Span<const std::string> types,
                                 RelationshipVisitor visit) const {
  ASSIGN_OR_RETURN(const StoredNode* stored, Find(node));
  const size_t out = direction == Direction::kIn ? 0 : stored->out.size();
  const size_t in = direction == Direction::kOut ? 0 : stored->in.size();
  for (size_t i = 0; i < out; ++i) {
    const Relationship relationship = View(stored->out[i]);
    if (HasType(relationship.type, types) && !visit(relationship)) return absl::OkStatus();
  }
  for (size_t i = 0; i < in; ++i) {
    const Relationship relationship = View(stored->in[i]);
    const bool seen = direction == Direction::kBoth && relationship.start == relationship.end;
    if (!seen && HasType(relationship.type, types) && !visit(relationship)) return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status MemoryGraph::ScanRelationships(absl::Span<const std::string> types, RelationshipVisitor visit) const {
  const RelationshipId end = relationship_count();
  for (RelationshipId id = 0; id < end; ++id) {
    const Relationship relationship = View(id);
    if (HasType(relationship.type, types) && !visit(relationship)) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<Graph::Relationship> MemoryGraph::GetRelationship(RelationshipId relationship) const {
  RETURN_IF_ERROR(FindRelationship(relationship).status());
  return View(relationship);
}

absl::StatusOr<values::Value> MemoryGraph::RelationshipProperty(RelationshipId relationship,
                                                                std::string_view key) const {
  ASSIGN_OR_RETURN(const StoredRelationship* stored, FindRelationship(relationship));
  return Member(stored->properties, key);
}

absl::StatusOr<values::Map> MemoryGraph::RelationshipProperties(RelationshipId relationship) const {
  ASSIGN_OR_RETURN(const StoredRelationship* stored, FindRelationship(relationship));
  return stored->properties;
}

absl::StatusOr<const MemoryGraph::StoredNode*> MemoryGraph::Find(NodeId node) const {
  if (node < 0 || node >= node_count()) return absl::NotFoundError("the graph has no such node");
  return &nodes_[static_cast<size_t>(node)];
}

absl::StatusOr<const MemoryGraph::StoredRelationship*> MemoryGraph::FindRelationship(
    RelationshipId relationship) const {
  if (relationship < 0 || relationship >= relationship_count()) {
    return absl::NotFoundError("the graph has no such relationship");
  }
  return &relationships_[static_cast<size_t>(relationship)];
}

Graph::Relationship MemoryGraph::View(RelationshipId id) const {
  const StoredRelationship& stored = relationships_[static_cast<size_t>(id)];
  return {.id = id, .start = stored.start, .end = stored.end, .type = stored.type};
}

}  // namespace toolgate::executors::cypher
