#include "executors/cypher/inspection/graph_loader.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/cypher/engine.h"
#include "executors/cypher/values/json.h"

namespace toolgate::executors::cypher::inspection {
namespace {

absl::Status Wrong(std::string_view where, size_t index, std::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("graph.", ToAbsl(where), "[", index, "]: ", ToAbsl(problem)));
}

absl::StatusOr<values::Map> PropertiesOf(const Json& entity, std::string_view where, size_t index) {
  const auto found = entity.find("properties");
  if (found == entity.end()) return values::Map();
  if (!found->is_object()) return Wrong(where, index, "\"properties\" must be an object");
  return values::FromJson(*found).map();
}

absl::StatusOr<std::vector<std::string>> LabelsOf(const Json& node, size_t index) {
  std::vector<std::string> labels;
  const auto found = node.find("labels");
  if (found == node.end()) return labels;
  if (!found->is_array()) return Wrong("nodes", index, "\"labels\" must be an array");
  for (const Json& label : *found) {
    if (!label.is_string()) return Wrong("nodes", index, "a label must be a string");
    labels.push_back(label.get<std::string>());
  }
  return labels;
}

absl::StatusOr<int64_t> EndOf(const Json& relationship, const char* member, size_t index, int64_t nodes) {
  const auto found = relationship.find(member);
  const bool valid = found != relationship.end() && found->is_number_integer() && found->get<int64_t>() >= 0 &&
                     found->get<int64_t>() < nodes;
  if (!valid) return Wrong("relationships", index, absl::StrCat("\"", member, "\" must be the index of a node"));
  return found->get<int64_t>();
}

const Json& MemberOr(const Json& object, const char* name, const Json& otherwise) {
  const auto found = object.find(name);
  return found == object.end() ? otherwise : *found;
}

}  // namespace

absl::Status LoadGraph(const Json& description, MemoryGraph& graph) {
  static const Json kNone = Json::array();
  if (!description.is_object()) return absl::InvalidArgumentError("\"graph\" must be an object");
  const Json& nodes = MemberOr(description, "nodes", kNone);
  const Json& relationships = MemberOr(description, "relationships", kNone);
  if (!nodes.is_array() || !relationships.is_array()) {
    return absl::InvalidArgumentError("\"nodes\" and \"relationships\" must be arrays");
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_object()) return Wrong("nodes", i, "must be an object");
    ASSIGN_OR_RETURN(std::vector<std::string> labels, LabelsOf(nodes[i], i));
    ASSIGN_OR_RETURN(values::Map properties, PropertiesOf(nodes[i], "nodes", i));
    graph.AddNode(std::move(labels), std::move(properties));
  }
  for (size_t i = 0; i < relationships.size(); ++i) {
    const Json& relationship = relationships[i];
    if (!relationship.is_object()) return Wrong("relationships", i, "must be an object");
    ASSIGN_OR_RETURN(const int64_t start, EndOf(relationship, "start", i, graph.node_count()));
    ASSIGN_OR_RETURN(const int64_t end, EndOf(relationship, "end", i, graph.node_count()));
    const auto type = relationship.find("type");
    if (type == relationship.end() || !type->is_string()) {
      return Wrong("relationships", i, "\"type\" must be a string");
    }
    ASSIGN_OR_RETURN(values::Map properties, PropertiesOf(relationship, "relationships", i));
    graph.AddRelationship(start, end, type->get<std::string>(), std::move(properties));
  }
  return absl::OkStatus();
}

absl::Status RunCreate(std::string_view query, MemoryGraph& graph) {
  ASSIGN_OR_RETURN(const PreparedQuery prepared, PreparedQuery::Prepare(query, {}, {.allow_create = true}));
  RunOptions options;
  options.bounds = kInspectionBounds;
  options.writer = &graph;
  return prepared.Run(graph, {}, options, [](absl::Span<const values::Value>) { return true; });
}

}  // namespace toolgate::executors::cypher::inspection
