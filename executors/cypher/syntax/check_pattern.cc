// The checker's rules for patterns.
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/cypher/syntax/checker.h"

namespace toolgate::executors::cypher::syntax {
namespace {

std::string AlreadyBound(std::string_view name) {
  return absl::StrCat("The variable `", ToAbsl(name), "` is already defined");
}

std::string WrongType(std::string_view name, std::string_view wanted) {
  return absl::StrCat("The variable `", ToAbsl(name), "` is not ", ToAbsl(wanted));
}

}  // namespace

absl::Status Checker::DefinePath(const PathPattern& path, Scope& scope, RelationshipNames& relationships) const {
  RETURN_IF_ERROR(CheckShortestPath(path));
  for (size_t i = 0; i < path.nodes.size(); ++i) {
    RETURN_IF_ERROR(DefineNode(path.nodes[i], scope));
    if (i < path.relationships.size()) {
      RETURN_IF_ERROR(DefineRelationship(path.relationships[i], scope, relationships));
    }
  }
  if (!path.variable.has_value()) return absl::OkStatus();
  if (scope.Find(*path.variable) != nullptr) {
    return Error("VariableAlreadyBound", AlreadyBound(*path.variable), path.range);
  }
  scope.Define(*path.variable, {kPathType, kAnyType});
  return absl::OkStatus();
}

absl::Status Checker::CheckShortestPath(const PathPattern& path) const {
  if (path.kind == PathKind::kAll || path.relationships.size() == 1) return absl::OkStatus();
  return Error("InvalidRelationshipPattern", "A shortest path has exactly one relationship pattern", path.range);
}

absl::Status Checker::DefineNode(const NodePattern& node, Scope& scope) const {
  if (!node.variable.has_value()) return absl::OkStatus();
  const StaticType* known = scope.Find(*node.variable);
  if (known != nullptr && !known->CanBe(kNodeType)) {
    return Error("VariableTypeConflict", WrongType(*node.variable, "a node"), node.range);
  }
  scope.Define(*node.variable, {kNodeType, kAnyType});
  return absl::OkStatus();
}

absl::Status Checker::DefineRelationship(const RelationshipPattern& relationship, Scope& scope,
                                         RelationshipNames& relationships) const {
  if (!relationship.variable.has_value()) return absl::OkStatus();
  const std::string& name = *relationship.variable;
  const bool list = relationship.length.has_value();
  const StaticType* known = scope.Find(name);
  if (known != nullptr && !list && !known->CanBe(kRelationshipType)) {
    return Error("VariableTypeConflict", WrongType(name, "a relationship"), relationship.range);
  }
  if (known != nullptr && list && !(known->CanBe(kListType) && (known->elements & kRelationshipType) != 0)) {
    return Error("VariableTypeConflict", WrongType(name, "a list of relationships"), relationship.range);
  }
  if (!relationships.insert(name).second) {
    return Error(
        "RelationshipUniquenessViolation",
        absl::StrCat("The relationship `", name, "` stands twice in one pattern, whose relationships are distinct"),
        relationship.range);
  }
  scope.Define(name, list ? ListOf(kRelationshipType) : StaticType{kRelationshipType, kAnyType});
  return absl::OkStatus();
}

absl::Status Checker::CheckProperties(PathPattern& path, const Scope& scope) {
  for (size_t i = 0; i < path.nodes.size(); ++i) {
    RETURN_IF_ERROR(CheckPropertyMap(path.nodes[i].properties, scope, /*parameter_allowed=*/false));
    if (i < path.relationships.size()) {
      RETURN_IF_ERROR(CheckPropertyMap(path.relationships[i].properties, scope, /*parameter_allowed=*/false));
    }
  }
  return absl::OkStatus();
}

absl::Status Checker::CheckPropertyMap(ExpressionPtr& properties, const Scope& scope, bool parameter_allowed) {
  if (properties == nullptr) return absl::OkStatus();
  if (As<Parameter>(*properties) != nullptr && !parameter_allowed) {
    return Error("InvalidParameterUse", "A parameter cannot be the property map of a pattern here; name the properties",
                 properties->range);
  }
  return Check(*properties, scope, {}).status();
}

absl::Status Checker::CheckDefined(const PathPattern& path, const Scope& scope) const {
  for (size_t i = 0; i < path.nodes.size(); ++i) {
    const NodePattern& node = path.nodes[i];
    if (node.variable.has_value() && scope.Find(*node.variable) == nullptr)
      return Undefined(*node.variable, scope, node.range);
    if (i == path.relationships.size()) break;
    const RelationshipPattern& relationship = path.relationships[i];
    if (relationship.variable.has_value() && scope.Find(*relationship.variable) == nullptr) {
      return Undefined(*relationship.variable, scope, relationship.range);
    }
  }
  return absl::OkStatus();
}

// --- CREATE

absl::Status Checker::CheckCreatedPath(PathPattern& path, Scope& scope) {
  if (path.kind != PathKind::kAll) return Error("UnexpectedSyntax", "CREATE cannot have a shortest path", path.range);
  for (size_t i = 0; i < path.nodes.size(); ++i) {
    RETURN_IF_ERROR(CheckPropertyMap(path.nodes[i].properties, scope, /*parameter_allowed=*/true));
    RETURN_IF_ERROR(CheckCreatedNode(path.nodes[i], path.nodes.size() == 1, scope));
    if (i == path.relationships.size()) break;
    RETURN_IF_ERROR(CheckPropertyMap(path.relationships[i].properties, scope, /*parameter_allowed=*/true));
    RETURN_IF_ERROR(CheckCreatedRelationship(path.relationships[i], scope));
  }
  if (!path.variable.has_value()) return absl::OkStatus();
  if (scope.Find(*path.variable) != nullptr) {
    return Error("VariableAlreadyBound", AlreadyBound(*path.variable), path.range);
  }
  scope.Define(*path.variable, {kPathType, kAnyType});
  return absl::OkStatus();
}

// A node that is known may stand in a created path, but nothing about it may be written there.
absl::Status Checker::CheckCreatedNode(const NodePattern& node, bool alone, Scope& scope) const {
  if (!node.variable.has_value()) return absl::OkStatus();
  const StaticType* known = scope.Find(*node.variable);
  if (known != nullptr && (alone || !node.labels.empty() || node.properties != nullptr)) {
    return Error("VariableAlreadyBound", AlreadyBound(*node.variable), node.range);
  }
  return DefineNode(node, scope);
}

absl::Status Checker::CheckCreatedRelationship(const RelationshipPattern& relationship, Scope& scope) const {
  if (relationship.length.has_value()) {
    return Error("CreatingVarLength", "CREATE cannot have a variable length", relationship.range);
  }
  if (relationship.types.size() != 1) {
    return Error("NoSingleRelationshipType", "A created relationship needs exactly one type", relationship.range);
  }
  if (relationship.direction == Direction::kBoth) {
    return Error("RequiresDirectedRelationship", "A created relationship needs one direction", relationship.range);
  }
  if (relationship.variable.has_value() && scope.Find(*relationship.variable) != nullptr) {
    return Error("VariableAlreadyBound", AlreadyBound(*relationship.variable), relationship.range);
  }
  RelationshipNames relationships;
  return DefineRelationship(relationship, scope, relationships);
}

}  // namespace toolgate::executors::cypher::syntax
