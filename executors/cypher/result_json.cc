#include "executors/cypher/result_json.h"

#include <string>
#include <utility>
#include <vector>

#include "common/status_macros.h"
#include "executors/cypher/temporal/temporal.h"
#include "executors/cypher/values/json.h"

namespace toolgate::executors::cypher {
namespace {

using values::Type;
using values::Value;

// Takes time in proportion to the map: its keys are distinct, so that none is searched for.
absl::StatusOr<Json> MapJson(const values::Map& map, const Graph& graph) {
  Json json = Json::object();
  auto& members = json.get_ref<Json::object_t&>();
  members.reserve(map.size());
  for (const auto& [key, value] : map) {
    ASSIGN_OR_RETURN(Json member, ToJson(value, graph));
    members.emplace_back(key, std::move(member));
  }
  return json;
}

absl::StatusOr<Json> NodeJson(values::Node node, const Graph& graph) {
  ASSIGN_OR_RETURN(const std::vector<std::string> labels, graph.Labels(node.id));
  ASSIGN_OR_RETURN(const values::Map properties, graph.NodeProperties(node.id));
  ASSIGN_OR_RETURN(Json members, MapJson(properties, graph));
  return Json{{"labels", labels}, {"properties", std::move(members)}};
}

absl::StatusOr<Json> RelationshipJson(const values::Relationship& relationship, const Graph& graph) {
  ASSIGN_OR_RETURN(const Graph::Relationship stored, graph.GetRelationship(relationship.id));
  const std::string type(stored.type);
  ASSIGN_OR_RETURN(const values::Map properties, graph.RelationshipProperties(relationship.id));
  ASSIGN_OR_RETURN(Json members, MapJson(properties, graph));
  return Json{
      {"type", type}, {"properties", std::move(members)}, {"start", relationship.start}, {"end", relationship.end}};
}

absl::StatusOr<Json> PathJson(const values::Path& path, const Graph& graph) {
  Json nodes = Json::array();
  for (const values::Node node : path.nodes) {
    ASSIGN_OR_RETURN(Json json, NodeJson(node, graph));
    nodes.push_back(std::move(json));
  }
  Json relationships = Json::array();
  for (const values::Relationship& relationship : path.relationships) {
    ASSIGN_OR_RETURN(Json json, RelationshipJson(relationship, graph));
    relationships.push_back(std::move(json));
  }
  return Json{{"nodes", std::move(nodes)}, {"relationships", std::move(relationships)}};
}

absl::StatusOr<Json> ListJson(const values::List& list, const Graph& graph) {
  Json json = Json::array();
  for (const Value& element : list) {
    ASSIGN_OR_RETURN(Json member, ToJson(element, graph));
    json.push_back(std::move(member));
  }
  return json;
}

}  // namespace

absl::StatusOr<Json> ToJson(const Value& value, const Graph& graph) {
  switch (value.type()) {
    case Type::kNull:
      return Json();
    case Type::kBoolean:
      return Json(value.boolean());
    case Type::kInteger:
      return Json(value.integer());
    case Type::kFloat:
      return values::FloatJson(value.floating());
    case Type::kString:
      return Json(value.string());
    case Type::kList:
      return ListJson(value.list(), graph);
    case Type::kMap:
      return MapJson(value.map(), graph);
    case Type::kNode:
      return NodeJson(value.node(), graph);
    case Type::kRelationship:
      return RelationshipJson(value.relationship(), graph);
    case Type::kPath:
      return PathJson(value.path(), graph);
    case Type::kTemporal:
      return Json(temporal::ToString(value.temporal()));
  }
  return Json();
}

Json ErrorJson(const syntax::CypherError& error) {
  Json json = {{"kind", error.kind},
               {"detail", error.detail},
               {"message", error.message},
               {"phase", error.phase == syntax::ErrorPhase::kCompile ? "compile" : "runtime"}};
  if (error.line != 0) {
    json["position"] = {{"line", error.line}, {"column", error.column}, {"offset", error.offset}};
  }
  return json;
}

}  // namespace toolgate::executors::cypher
