#include "executors/cypher/entities.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/cypher/functions/arithmetic.h"
#include "executors/cypher/functions/failure.h"
#include "executors/cypher/functions/temporal.h"

namespace toolgate::executors::cypher {
namespace {

using functions::TypeFailure;
using syntax::FunctionId;
using values::List;
using values::Map;
using values::Type;
using values::Value;

absl::Status Unsuitable(std::string_view function, const Value& argument) {
  return TypeFailure("InvalidArgumentValue", absl::StrCat(ToAbsl(function), "() is not defined for a value of type ",
                                                          ToAbsl(values::TypeName(argument)), "."));
}

absl::StatusOr<Value> Keys(const Graph& graph, const Value& argument) {
  if (!argument.is_map() && !argument.is_node() && !argument.is_relationship()) return Unsuitable("keys", argument);
  ASSIGN_OR_RETURN(const Map properties, PropertiesOf(graph, argument));
  List keys;
  for (const auto& [key, value] : properties) keys.emplace_back(key);
  return Value(std::move(keys));
}

absl::StatusOr<Value> Labels(const Graph& graph, const Value& argument) {
  if (!argument.is_node()) return Unsuitable("labels", argument);
  ASSIGN_OR_RETURN(const std::vector<std::string> labels, graph.Labels(argument.node().id));
  List list;
  for (const std::string& label : labels) list.emplace_back(label);
  return Value(std::move(list));
}

absl::StatusOr<Value> TypeOf(const Graph& graph, const Value& argument) {
  if (!argument.is_relationship()) return Unsuitable("type", argument);
  ASSIGN_OR_RETURN(const Graph::Relationship found, graph.GetRelationship(argument.relationship().id));
  return Value(found.type);
}

absl::StatusOr<Value> End(FunctionId function, const Value& argument) {
  const bool start = function == FunctionId::kStartNode;
  if (!argument.is_relationship()) return Unsuitable(start ? "startNode" : "endNode", argument);
  return Value(values::Node{start ? argument.relationship().start : argument.relationship().end});
}

absl::StatusOr<Value> Id(const Value& argument) {
  if (argument.is_node()) return Value(argument.node().id);
  if (argument.is_relationship()) return Value(argument.relationship().id);
  return Unsuitable("id", argument);
}

}  // namespace

absl::StatusOr<Value> PropertyOf(const Graph& graph, const Value& subject, std::string_view key) {
  switch (subject.type()) {
    case Type::kNull:
      return Value();
    case Type::kNode:
      return graph.NodeProperty(subject.node().id, key);
    case Type::kRelationship:
      return graph.RelationshipProperty(subject.relationship().id, key);
    case Type::kMap: {
      const auto found = subject.map().find(key);
      return found == subject.map().end() ? Value() : found->second;
    }
    case Type::kTemporal:
      return functions::TemporalField(subject.temporal(), key);
    default:
      return functions::WrongType("Access to a property", "a Node, a Relationship or a Map", subject);
  }
}

absl::StatusOr<Value> SubscriptOf(const Graph& graph, const Value& subject, const Value& index) {
  if (!subject.is_node() && !subject.is_relationship()) return functions::Subscript(subject, index);
  if (index.is_null()) return Value();
  if (!index.is_string()) {
    return TypeFailure("MapElementAccessByNonString", "A property is accessed by a String.");
  }
  return PropertyOf(graph, subject, index.string());
}

absl::StatusOr<Map> PropertiesOf(const Graph& graph, const Value& subject) {
  if (subject.is_node()) return graph.NodeProperties(subject.node().id);
  if (subject.is_relationship()) return graph.RelationshipProperties(subject.relationship().id);
  if (subject.is_map()) return subject.map();
  return Unsuitable("properties", subject);
}

absl::StatusOr<Value> HasLabels(const Graph& graph, const Value& subject, const std::vector<std::string>& labels) {
  if (subject.is_null()) return Value();
  if (subject.is_relationship()) {
    ASSIGN_OR_RETURN(const Graph::Relationship found, graph.GetRelationship(subject.relationship().id));
    for (const std::string& label : labels) {
      if (found.type != label) return Value(false);
    }
    return Value(true);
  }
  if (!subject.is_node()) return functions::WrongType("A test of labels", "a Node", subject);
  for (const std::string& label : labels) {
    ASSIGN_OR_RETURN(const bool has, graph.HasLabel(subject.node().id, label));
    if (!has) return Value(false);
  }
  return Value(true);
}

bool IsEntityFunction(FunctionId function) {
  switch (function) {
    case FunctionId::kEndNode:
    case FunctionId::kId:
    case FunctionId::kKeys:
    case FunctionId::kLabels:
    case FunctionId::kProperties:
    case FunctionId::kStartNode:
    case FunctionId::kType:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<Value> CallEntity(const Graph& graph, FunctionId function, const Value& argument) {
  if (argument.is_null()) return Value();
  switch (function) {
    case FunctionId::kId:
      return Id(argument);
    case FunctionId::kKeys:
      return Keys(graph, argument);
    case FunctionId::kLabels:
      return Labels(graph, argument);
    case FunctionId::kProperties: {
      ASSIGN_OR_RETURN(Map properties, PropertiesOf(graph, argument));
      return Value(std::move(properties));
    }
    case FunctionId::kType:
      return TypeOf(graph, argument);
    default:
      return End(function, argument);
  }
}

}  // namespace toolgate::executors::cypher
