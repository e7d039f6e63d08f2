#include "executors/cypher/syntax/ast.h"

#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace toolgate::executors::cypher::syntax {
namespace {

// Calls `visit` for each child that is there; a node's children are pointers in the order of the text. Const or not as
// the expression is.
template <typename Visit>
class ChildWalker {
 public:
  explicit ChildWalker(Visit visit) : visit_(visit) {}

  template <typename Node>
  void operator()(Node& node) {
    Walk(node);
  }

 private:
  template <typename Pointer>
  void One(Pointer& child) {
    if (child != nullptr) visit_(child);
  }

  template <typename Path>
  void Pattern(Path& path) {
    for (size_t i = 0; i < path.nodes.size(); ++i) {
      One(path.nodes[i].properties);
      if (i < path.relationships.size()) One(path.relationships[i].properties);
    }
  }

  template <typename Node>
  void Walk(Node& node) {
    using T = std::remove_const_t<Node>;
    if constexpr (std::is_same_v<T, ListLiteral>) {
      for (auto& element : node.elements) One(element);
    } else if constexpr (std::is_same_v<T, MapLiteral>) {
      for (auto& entry : node.entries) One(entry.value);
    } else if constexpr (std::is_same_v<T, MapProjection>) {
      One(node.subject);
      for (auto& item : node.items) One(item.value);
    } else if constexpr (std::is_same_v<T, Property> || std::is_same_v<T, LabelTest>) {
      One(node.subject);
    } else if constexpr (std::is_same_v<T, Subscript>) {
      One(node.subject);
      One(node.index);
    } else if constexpr (std::is_same_v<T, Slice>) {
      One(node.subject);
      One(node.from);
      One(node.to);
    } else if constexpr (std::is_same_v<T, Unary>) {
      One(node.operand);
    } else if constexpr (std::is_same_v<T, Logical>) {
      for (auto& operand : node.operands) One(operand);
    } else if constexpr (std::is_same_v<T, Binary>) {
      One(node.left);
      One(node.right);
    } else if constexpr (std::is_same_v<T, Comparison>) {
      One(node.first);
      for (auto& step : node.steps) One(step.operand);
    } else if constexpr (std::is_same_v<T, FunctionCall>) {
      for (auto& argument : node.arguments) One(argument);
    } else if constexpr (std::is_same_v<T, ListComprehension>) {
      One(node.list);
      One(node.where);
      One(node.result);
    } else if constexpr (std::is_same_v<T, PatternComprehension>) {
      Pattern(*node.pattern);
      One(node.where);
      One(node.result);
    } else if constexpr (std::is_same_v<T, Quantifier>) {
      One(node.list);
      One(node.where);
    } else if constexpr (std::is_same_v<T, Reduce>) {
      One(node.initial);
      One(node.list);
      One(node.step);
    } else if constexpr (std::is_same_v<T, Case>) {
      One(node.operand);
      for (auto& alternative : node.alternatives) {
        One(alternative.when);
        One(alternative.then);
      }
      One(node.otherwise);
    } else if constexpr (std::is_same_v<T, PatternPredicate>) {
      Pattern(*node.pattern);
    }
  }

  Visit visit_;
};

// --- Texts that are equal for nodes that differ in their children at most

std::string Quoted(std::string_view text) { return absl::StrCat(text.size(), ":", std::string(text)); }

std::string OwnText(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) absl::StrAppend(&out, Quoted(name));
  return out;
}

std::string OwnText(const std::optional<std::string>& name) { return name.has_value() ? Quoted(*name) : "-"; }

std::string OwnText(const ExpressionPtr& child) { return child == nullptr ? "0" : "1"; }

std::string OwnText(const NodePattern& node) {
  return absl::StrCat("(", OwnText(node.variable), OwnText(node.labels), OwnText(node.properties), ")");
}

std::string OwnText(const RelationshipPattern& relationship) {
  std::string out = absl::StrCat("[", OwnText(relationship.variable), OwnText(relationship.types),
                                 static_cast<int>(relationship.direction), OwnText(relationship.properties));
  if (relationship.length.has_value()) {
    absl::StrAppend(&out, "*", relationship.length->min.value_or(-1), "..", relationship.length->max.value_or(-1));
  }
  return absl::StrCat(out, "]");
}

std::string OwnText(const PathPattern& path) {
  std::string out = absl::StrCat(static_cast<int>(path.kind), OwnText(path.variable));
  for (size_t i = 0; i < path.nodes.size(); ++i) {
    absl::StrAppend(&out, OwnText(path.nodes[i]));
    if (i < path.relationships.size()) absl::StrAppend(&out, OwnText(path.relationships[i]));
  }
  return out;
}

std::string OwnText(const MapProjection& projection) {
  std::string out;
  for (const MapProjection::Item& item : projection.items) {
    absl::StrAppend(&out, Quoted(item.key), item.all_properties ? "*" : "");
  }
  return out;
}

struct OwnTextOf {
  std::string operator()(const Literal&) const { return ""; }
  std::string operator()(const ListLiteral&) const { return ""; }
  std::string operator()(const MapLiteral& map) const {
    std::string out;
    for (const MapLiteral::Entry& entry : map.entries) absl::StrAppend(&out, Quoted(entry.key));
    return out;
  }
  std::string operator()(const MapProjection& projection) const { return OwnText(projection); }
  std::string operator()(const Parameter& parameter) const { return parameter.name; }
  std::string operator()(const Variable& variable) const { return variable.name; }
  std::string operator()(const Property& property) const { return property.key; }
  std::string operator()(const Subscript&) const { return ""; }
  std::string operator()(const Slice& slice) const { return absl::StrCat(OwnText(slice.from), OwnText(slice.to)); }
  std::string operator()(const LabelTest& test) const { return OwnText(test.labels); }
  std::string operator()(const Unary& unary) const { return absl::StrCat(static_cast<int>(unary.op)); }
  std::string operator()(const Logical& logical) const { return absl::StrCat(static_cast<int>(logical.op)); }
  std::string operator()(const Binary& binary) const { return absl::StrCat(static_cast<int>(binary.op)); }
  std::string operator()(const Comparison& comparison) const {
    std::string out;
    for (const Comparison::Step& step : comparison.steps) absl::StrAppend(&out, static_cast<int>(step.op), ",");
    return out;
  }
  std::string operator()(const FunctionCall& call) const {
    return absl::StrCat(absl::AsciiStrToLower(call.name), call.distinct ? "!" : "");
  }
  std::string operator()(const CountStar&) const { return ""; }
  std::string operator()(const ListComprehension& comprehension) const {
    return absl::StrCat(OwnText(comprehension.where), OwnText(comprehension.result), comprehension.variable);
  }
  std::string operator()(const PatternComprehension& comprehension) const {
    return absl::StrCat(OwnText(comprehension.where), OwnText(*comprehension.pattern));
  }
  std::string operator()(const Quantifier& quantifier) const {
    return absl::StrCat(static_cast<int>(quantifier.kind), OwnText(quantifier.where), quantifier.variable);
  }
  std::string operator()(const Reduce& reduce) const {
    return absl::StrCat(Quoted(reduce.accumulator), reduce.variable);
  }
  std::string operator()(const Case& expression) const {
    return absl::StrCat(OwnText(expression.operand), OwnText(expression.otherwise));
  }
  std::string operator()(const Exists&) const { return ""; }
  std::string operator()(const PatternPredicate& predicate) const { return OwnText(*predicate.pattern); }
};

std::vector<const Expression*> ChildrenOf(const Expression& expression) {
  std::vector<const Expression*> children;
  ForEachChild(expression, [&](const Expression& child) { children.push_back(&child); });
  return children;
}

}  // namespace

void ForEachChild(const Expression& expression, absl::FunctionRef<void(const Expression&)> visit) {
  std::visit(ChildWalker([&](const ExpressionPtr& child) { visit(*child); }), expression.node);
}

void ForEachChildPtr(Expression& expression, absl::FunctionRef<void(ExpressionPtr&)> visit) {
  std::visit(ChildWalker([&](ExpressionPtr& child) { visit(child); }), expression.node);
}

bool SameExpression(const Expression& left, const Expression& right) {
  if (left.node.index() != right.node.index() || left.depth != right.depth) return false;
  if (As<Exists>(left) != nullptr) return &left == &right;
  if (const auto* literal = As<Literal>(left)) return literal->value == As<Literal>(right)->value;
  if (std::visit(OwnTextOf{}, left.node) != std::visit(OwnTextOf{}, right.node)) return false;
  const std::vector<const Expression*> left_children = ChildrenOf(left);
  const std::vector<const Expression*> right_children = ChildrenOf(right);
  if (left_children.size() != right_children.size()) return false;
  for (size_t i = 0; i < left_children.size(); ++i) {
    if (!SameExpression(*left_children[i], *right_children[i])) return false;
  }
  return true;
}

size_t HashExpression(const Expression& expression) {
  size_t hash = absl::HashOf(expression.node.index(), expression.depth);
  if (As<Exists>(expression) != nullptr) return hash;
  if (const auto* literal = As<Literal>(expression)) return absl::HashOf(hash, literal->value);
  hash = absl::HashOf(hash, std::visit(OwnTextOf{}, expression.node));
  ForEachChild(expression, [&](const Expression& child) { hash = absl::HashOf(hash, HashExpression(child)); });
  return hash;
}

std::vector<std::string> ColumnNames(const Query& query) {
  std::vector<std::string> names;
  if (query.parts.empty() || query.parts[0].clauses.empty()) return names;
  const auto* result = std::get_if<Return>(&query.parts[0].clauses.back().node);
  if (result == nullptr) return names;
  for (const ProjectionItem& item : result->projection.items) names.push_back(item.name);
  return names;
}

}  // namespace toolgate::executors::cypher::syntax
