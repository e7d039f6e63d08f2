#include "executors/cypher/match_planner.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/cypher/entities.h"
#include "executors/cypher/pattern_operators.h"
#include "executors/cypher/row_operators.h"
#include "executors/cypher/values/comparison.h"

namespace toolgate::executors::cypher {
namespace {

using values::Value;

constexpr int64_t kCostOfSeek = 1;
constexpr int64_t kCostOfListSeek = 10;
constexpr int64_t kCostOfAnyLabel = 1;  // Beside that of the seek.

// Of one MATCH: each is compared with each other one.
constexpr size_t kMaxRelationships = 1000;
constexpr size_t kMaxNodes = 2 * kMaxRelationships;

// node.key = value, or node.key IN value: may be answered by an index.
struct Equality {
  std::string key;
  Evaluation value;
  std::set<int> needs;
  bool is_list = false;
};

// How to find a first node.
struct Start {
  int64_t cost = std::numeric_limits<int64_t>::max();
  size_t node = 0;
  std::string label;
  const Equality* equality = nullptr;  // With an index.
};

struct PatternNode {
  int slot = 0;
  bool bound = false;
  std::vector<std::string> labels;
  std::vector<std::string> hints;  // Labels that WHERE demands.
  std::vector<Equality> equalities;
  std::vector<Start> starts;  // The cheapest scan, then the seeks; filled when all of the above is known.
};

struct PatternRelationship {
  const syntax::RelationshipPattern* pattern = nullptr;
  syntax::PathKind kind = syntax::PathKind::kAll;
  size_t left = 0;  // Indexes of nodes.
  size_t right = 0;
  int slot = 0;
  bool bound = false;    // An earlier clause has found it.
  bool matched = false;  // Already part of the plan.

  bool is_trail() const { return pattern->length.has_value() || kind != syntax::PathKind::kAll; }
};

// A path pattern by the indexes of its nodes and relationships.
struct DeclaredPath {
  const syntax::PathPattern* pattern = nullptr;
  std::optional<int> slot;
  std::vector<size_t> nodes;
  std::vector<size_t> relationships;
};

// A test and the slots of this match that it needs; nullopt: all of them.
struct Condition {
  Evaluation test;
  std::optional<std::set<int>> needs;
  bool tested = false;
};

cypher::Direction DirectionOf(syntax::Direction direction, bool from_left) {
  if (direction == syntax::Direction::kBoth) return Direction::kBoth;
  return (direction == syntax::Direction::kOut) == from_left ? Direction::kOut : Direction::kIn;
}

// Conditions joined by AND, apart.
void SplitConjunction(const syntax::Expression& expression, std::vector<const syntax::Expression*>& conjuncts) {
  const auto* logical = syntax::As<syntax::Logical>(expression);
  if (logical == nullptr || logical->op != syntax::LogicalOperator::kAnd) {
    conjuncts.push_back(&expression);
    return;
  }
  for (const syntax::ExpressionPtr& operand : logical->operands) SplitConjunction(*operand, conjuncts);
}

bool HasSubquery(const syntax::Expression& expression) {
  return syntax::As<syntax::Exists>(expression) != nullptr ||
         syntax::As<syntax::PatternPredicate>(expression) != nullptr ||
         syntax::As<syntax::PatternComprehension>(expression) != nullptr;
}

// The names of the variables in an expression; false if it has patterns or subqueries inside.
bool CollectVariables(const syntax::Expression& expression, std::set<std::string>& names) {
  if (HasSubquery(expression)) return false;
  if (const auto* variable = syntax::As<syntax::Variable>(expression)) names.insert(variable->name);
  bool complete = true;
  syntax::ForEachChild(expression,
                       [&](const syntax::Expression& child) { complete &= CollectVariables(child, names); });
  return complete;
}

absl::Status TooManyParts(const syntax::PathPattern& pattern) {
  return syntax::ToStatus(
      {.phase = syntax::ErrorPhase::kCompile,
       .kind = "SyntaxError",
       .detail = std::string(syntax::kQueryTooComplex),
       .message = absl::StrCat("A MATCH has more than ", kMaxRelationships, " relationships or ", kMaxNodes, " nodes."),
       .offset = pattern.range.begin});
}

// The plan of one MATCH in the making.
class PatternPlan {
 public:
  PatternPlan(Plan& plan, ExpressionCompiler& compiler, const Graph& graph, const Operator* input, Scope& scope,
              std::vector<int>& new_slots)
      : plan_(plan), compiler_(compiler), graph_(graph), current_(input), scope_(scope), new_slots_(new_slots) {}

  absl::StatusOr<const Operator*> Build(const std::vector<const syntax::PathPattern*>& patterns,
                                        const syntax::Expression* where) {
    for (const syntax::PathPattern* pattern : patterns) Declare(*pattern);
    if (relationships_.size() > kMaxRelationships || nodes_.size() > kMaxNodes) return TooManyParts(*patterns.front());
    for (const DeclaredPath& path : paths_) RETURN_IF_ERROR(AddPropertyConditions(path));
    if (where != nullptr) RETURN_IF_ERROR(AddWhere(*where));
    CheckBoundNodes();
    for (size_t i = 0; i < nodes_.size(); ++i) CollectStarts(i);
    do {
      TestConditions();
      ASSIGN_OR_RETURN(const bool matched, MatchRelationship());
      if (!matched && !StartNode()) break;
    } while (true);
    BuildPaths();
    TestConditions();
    return current_;
  }

 private:
  // --- Declarations.

  int NewSlot() {
    const int slot = plan_.NewSlot();
    new_slots_.push_back(slot);
    fresh_.insert(slot);
    return slot;
  }

  // The slot of a pattern's variable, and whether it is there already.
  std::pair<int, bool> SlotOf(const std::optional<std::string>& variable) {
    if (!variable.has_value()) return {NewSlot(), false};
    if (const std::optional<int> slot = scope_.Find(*variable)) return {*slot, true};
    const int slot = NewSlot();
    scope_.Define(*variable, slot);
    return {slot, false};
  }

  size_t DeclareNode(const syntax::NodePattern& pattern) {
    size_t index = nodes_.size();
    if (pattern.variable.has_value()) index = node_indexes_.try_emplace(*pattern.variable, index).first->second;
    if (index == nodes_.size()) {
      const auto [slot, bound] = SlotOf(pattern.variable);
      nodes_.push_back({.slot = slot, .bound = bound, .labels = {}, .hints = {}, .equalities = {}, .starts = {}});
    }
    std::vector<std::string>& labels = nodes_[index].labels;
    labels.insert(labels.end(), pattern.labels.begin(), pattern.labels.end());
    return index;
  }

  void Declare(const syntax::PathPattern& pattern) {
    DeclaredPath path{.pattern = &pattern, .slot = std::nullopt, .nodes = {}, .relationships = {}};
    for (const syntax::NodePattern& node : pattern.nodes) path.nodes.push_back(DeclareNode(node));
    for (size_t i = 0; i < pattern.relationships.size(); ++i) {
      const auto [slot, bound] = SlotOf(pattern.relationships[i].variable);
      path.relationships.push_back(relationships_.size());
      relationships_.push_back({.pattern = &pattern.relationships[i],
                                .kind = pattern.kind,
                                .left = path.nodes[i],
                                .right = path.nodes[i + 1],
                                .slot = slot,
                                .bound = bound});
    }
    if (pattern.variable.has_value()) path.slot = SlotOf(pattern.variable).first;
    paths_.push_back(std::move(path));
  }

  // --- Conditions.

  // The slots of this match that an expression needs; nullopt, all of them, if it has patterns of its own inside.
  std::optional<std::set<int>> NeedsOf(const syntax::Expression& expression) const {
    std::set<std::string> names;
    if (!CollectVariables(expression, names)) return std::nullopt;
    std::set<int> needs;
    for (const std::string& name : names) {
      const std::optional<int> slot = scope_.Find(name);
      if (slot.has_value() && fresh_.contains(*slot)) needs.insert(*slot);
    }
    return needs;
  }

  // slot.key = value, for a node or, with a null `node`, a single relationship.
  absl::Status AddPropertyCondition(int slot, PatternNode* node, const syntax::MapLiteral::Entry& entry) {
    ASSIGN_OR_RETURN(Evaluation value, compiler_.Compile(*entry.value, scope_));
    std::optional<std::set<int>> needs = NeedsOf(*entry.value);
    if (node != nullptr && needs.has_value()) node->equalities.push_back({entry.key, value, *needs});
    if (needs.has_value() && fresh_.contains(slot)) needs->insert(slot);
    Evaluation test = [slot, key = entry.key, value](Execution& execution) -> absl::StatusOr<Value> {
      ASSIGN_OR_RETURN(const Value actual, PropertyOf(execution.graph(), execution.slot(slot), key));
      ASSIGN_OR_RETURN(const Value expected, value(execution));
      return Value(values::Equal(actual, expected) == true);
    };
    conditions_.push_back({.test = std::move(test), .needs = std::move(needs)});
    return absl::OkStatus();
  }

  absl::Status AddPropertyConditions(const DeclaredPath& path) {
    for (size_t i = 0; i < path.nodes.size(); ++i) {
      for (const auto* entry : EntriesOf(path.pattern->nodes[i].properties)) {
        PatternNode& node = nodes_[path.nodes[i]];
        RETURN_IF_ERROR(AddPropertyCondition(node.slot, &node, *entry));
      }
    }
    for (const size_t index : path.relationships) {
      const PatternRelationship& relationship = relationships_[index];
      if (relationship.is_trail()) continue;  // Tested at each step of the trail.
      for (const auto* entry : EntriesOf(relationship.pattern->properties)) {
        RETURN_IF_ERROR(AddPropertyCondition(relationship.slot, nullptr, *entry));
      }
    }
    return absl::OkStatus();
  }

  static std::vector<const syntax::MapLiteral::Entry*> EntriesOf(const syntax::ExpressionPtr& properties) {
    std::vector<const syntax::MapLiteral::Entry*> entries;
    const auto* map = properties == nullptr ? nullptr : syntax::As<syntax::MapLiteral>(*properties);
    if (map == nullptr) return entries;
    for (const syntax::MapLiteral::Entry& entry : map->entries) entries.push_back(&entry);
    return entries;
  }

  absl::Status AddWhere(const syntax::Expression& where) {
    std::vector<const syntax::Expression*> conjuncts;
    SplitConjunction(where, conjuncts);
    for (const syntax::Expression* conjunct : conjuncts) {
      AddHint(*conjunct);
      RETURN_IF_ERROR(AddEquality(*conjunct));
      ASSIGN_OR_RETURN(Evaluation test, compiler_.Compile(*conjunct, scope_));
      conditions_.push_back({.test = std::move(test), .needs = NeedsOf(*conjunct)});
    }
    return absl::OkStatus();
  }

  void AddHint(const syntax::Expression& conjunct) {
    const auto* test = syntax::As<syntax::LabelTest>(conjunct);
    const auto* variable = test == nullptr ? nullptr : syntax::As<syntax::Variable>(*test->subject);
    if (variable == nullptr) return;
    const auto node = node_indexes_.find(variable->name);
    if (node == node_indexes_.end()) return;
    std::vector<std::string>& hints = nodes_[node->second].hints;
    hints.insert(hints.end(), test->labels.begin(), test->labels.end());
  }

  absl::Status AddEquality(const syntax::Expression& conjunct) {
    const auto* binary = syntax::As<syntax::Binary>(conjunct);
    if (binary != nullptr && binary->op == syntax::BinaryOperator::kIn) {
      return AddEquality(*binary->left, *binary->right, /*is_list=*/true);
    }
    const auto* comparison = syntax::As<syntax::Comparison>(conjunct);
    if (comparison == nullptr || comparison->steps.size() != 1 ||
        comparison->steps[0].op != syntax::ComparisonOperator::kEqual) {
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(AddEquality(*comparison->first, *comparison->steps[0].operand, /*is_list=*/false));
    return AddEquality(*comparison->steps[0].operand, *comparison->first, /*is_list=*/false);
  }

  // If `side` is a property of a node, remembers that it equals `value`, or an element of it.
  absl::Status AddEquality(const syntax::Expression& side, const syntax::Expression& value, bool is_list) {
    const auto* property = syntax::As<syntax::Property>(side);
    const auto* variable = property == nullptr ? nullptr : syntax::As<syntax::Variable>(*property->subject);
    if (variable == nullptr || !node_indexes_.contains(variable->name)) return absl::OkStatus();
    std::optional<std::set<int>> needs = NeedsOf(value);
    if (!needs.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(Evaluation evaluation, compiler_.Compile(value, scope_));
    nodes_[node_indexes_.at(variable->name)].equalities.push_back(
        {property->key, std::move(evaluation), *std::move(needs), is_list});
    return absl::OkStatus();
  }

  bool IsBound(const std::set<int>& slots) const {
    return std::all_of(slots.begin(), slots.end(), [&](int slot) { return bound_.contains(slot); });
  }

  void TestConditions() {
    const bool all = IsBound(fresh_);
    for (Condition& condition : conditions_) {
      if (condition.tested || !(condition.needs.has_value() ? IsBound(*condition.needs) : all)) continue;
      current_ = plan_.Add<Filter>(current_, condition.test);
      condition.tested = true;
    }
  }

  // --- Steps.

  void CheckBoundNodes() {
    for (const PatternNode& node : nodes_) {
      if (node.bound) current_ = plan_.Add<CheckNode>(current_, node.slot, node.labels);
    }
  }

  // Marks a node as matched and tests its labels except the one that it was found by.
  void Bind(size_t index, std::string_view known_label = {}) {
    PatternNode& node = nodes_[index];
    if (node.bound) return;
    node.bound = true;
    bound_.insert(node.slot);
    std::vector<std::string> labels = node.labels;
    std::erase(labels, known_label);
    if (!labels.empty()) current_ = plan_.Add<CheckNode>(current_, node.slot, std::move(labels));
  }

  // The cheapest relationship to match next has the least rank; nothing if it cannot be matched yet.
  std::optional<int> RankOf(const PatternRelationship& relationship) const {
    const bool left = nodes_[relationship.left].bound;
    const bool right = nodes_[relationship.right].bound;
    if (relationship.kind != syntax::PathKind::kAll) return left && right ? std::optional<int>(4) : std::nullopt;
    if (relationship.bound && !relationship.is_trail()) return 0;
    if (!left && !right) return std::nullopt;
    if (relationship.is_trail()) return 3;
    return left && right ? 1 : 2;
  }

  // Matches one more relationship. False if none can be matched.
  absl::StatusOr<bool> MatchRelationship() {
    PatternRelationship* best = nullptr;
    std::optional<int> best_rank;
    for (PatternRelationship& relationship : relationships_) {
      if (relationship.matched) continue;
      const std::optional<int> rank = RankOf(relationship);
      if (!rank.has_value() || (best != nullptr && *rank >= *best_rank)) continue;
      best = &relationship;
      best_rank = rank;
    }
    if (best == nullptr) return false;
    RETURN_IF_ERROR(Match(*best));
    return true;
  }

  // Whether one relationship may be matched by both.
  static bool MayCoincide(const PatternRelationship& a, const PatternRelationship& b) {
    if (a.kind != syntax::PathKind::kAll || b.kind != syntax::PathKind::kAll) return false;
    const std::vector<std::string>& types = a.pattern->types;
    const std::vector<std::string>& others = b.pattern->types;
    if (types.empty() || others.empty()) return true;
    return std::any_of(types.begin(), types.end(), [&](const std::string& type) {
      return std::find(others.begin(), others.end(), type) != others.end();
    });
  }

  Hop HopOf(const PatternRelationship& relationship, bool from_left) const {
    const PatternNode& from = nodes_[from_left ? relationship.left : relationship.right];
    const PatternNode& to = nodes_[from_left ? relationship.right : relationship.left];
    Hop hop{.from = from.slot,
            .to = to.slot,
            .relationship = relationship.slot,
            .to_is_bound = to.bound || from.slot == to.slot,
            .direction = DirectionOf(relationship.pattern->direction, from_left),
            .types = relationship.pattern->types,
            .others = {}};
    for (const PatternRelationship& other : relationships_) {
      if (other.matched && MayCoincide(relationship, other)) hop.others.push_back(other.slot);
    }
    return hop;
  }

  absl::StatusOr<VariableHop> VariableHopOf(const PatternRelationship& relationship, bool from_left) {
    const syntax::VariableLength length = relationship.pattern->length.value_or(syntax::VariableLength{1, 1});
    VariableHop hop{.hop = HopOf(relationship, from_left),
                    .min = length.min.value_or(1),
                    .max = length.max.value_or(std::numeric_limits<int64_t>::max()),
                    .reversed = !from_left,
                    .properties = {}};
    for (const auto* entry : EntriesOf(relationship.pattern->properties)) {
      ASSIGN_OR_RETURN(Evaluation value, compiler_.Compile(*entry->value, scope_));
      hop.properties.emplace_back(entry->key, std::move(value));
    }
    return hop;
  }

  absl::Status Match(PatternRelationship& relationship) {
    const bool from_left = nodes_[relationship.left].bound || !nodes_[relationship.right].bound;
    if (!relationship.is_trail() && relationship.bound) {
      const bool from_is_bound = nodes_[from_left ? relationship.left : relationship.right].bound;
      current_ = plan_.Add<MatchEnds>(current_, HopOf(relationship, from_left), from_is_bound);
    } else if (!relationship.is_trail()) {
      current_ = plan_.Add<Expand>(current_, HopOf(relationship, from_left));
    } else {
      ASSIGN_OR_RETURN(VariableHop hop, VariableHopOf(relationship, from_left));
      if (relationship.kind != syntax::PathKind::kAll) {
        const bool all = relationship.kind == syntax::PathKind::kAllShortest;
        current_ = plan_.Add<ExpandShortest>(current_, std::move(hop), all);
      } else if (relationship.bound) {
        current_ = plan_.Add<FollowTrail>(current_, std::move(hop));
      } else {
        current_ = plan_.Add<ExpandTrails>(current_, std::move(hop));
      }
    }
    relationship.matched = true;
    bound_.insert(relationship.slot);
    Bind(relationship.left);
    Bind(relationship.right);
    return absl::OkStatus();
  }

  // Asks the graph once how a node can be found.
  void CollectStarts(size_t index) {
    PatternNode& node = nodes_[index];
    if (node.bound) return;
    node.starts.push_back({.cost = graph_.EstimateNodes(""), .node = index, .label = "", .equality = nullptr});
    // Without a label, if the graph finds nodes of any label by the property.
    for (const Equality& equality : node.equalities) {
      if (!graph_.HasIndex("", equality.key)) continue;
      const int64_t cost = (equality.is_list ? kCostOfListSeek : kCostOfSeek) + kCostOfAnyLabel;
      node.starts.push_back({.cost = cost, .node = index, .label = "", .equality = &equality});
    }
    for (const std::vector<std::string>* labels : {&node.labels, &node.hints}) {
      for (const std::string& label : *labels) {
        if (const int64_t count = graph_.EstimateNodes(label); count < node.starts.front().cost) {
          node.starts.front() = {.cost = count, .node = index, .label = label, .equality = nullptr};
        }
        for (const Equality& equality : node.equalities) {
          if (!graph_.HasIndex(label, equality.key)) continue;
          const int64_t cost = equality.is_list ? kCostOfListSeek : kCostOfSeek;
          node.starts.push_back({.cost = cost, .node = index, .label = label, .equality = &equality});
        }
      }
    }
  }

  // Begins with the node that is cheapest to find. False if all nodes are matched.
  bool StartNode() {
    const Start* best = nullptr;
    for (const PatternNode& node : nodes_) {
      if (node.bound) continue;
      for (const Start& start : node.starts) {
        if (start.equality != nullptr && !IsBound(start.equality->needs)) continue;
        if (best == nullptr || start.cost < best->cost) best = &start;
      }
    }
    if (best == nullptr) return false;
    const int slot = nodes_[best->node].slot;
    if (const Equality* equality = best->equality; equality != nullptr) {
      current_ = plan_.Add<SeekNodes>(current_, best->label, equality->key, equality->value, equality->is_list, slot);
      Bind(best->node);
    } else {
      current_ = plan_.Add<ScanNodes>(current_, best->label, slot);
      Bind(best->node, best->label);
    }
    return true;
  }

  void BuildPaths() {
    for (const DeclaredPath& path : paths_) {
      if (!path.slot.has_value()) continue;
      std::vector<int> slots;
      for (const size_t index : path.relationships) slots.push_back(relationships_[index].slot);
      current_ = plan_.Add<BuildPath>(current_, *path.slot, nodes_[path.nodes.front()].slot, std::move(slots));
      bound_.insert(*path.slot);
    }
  }

  Plan& plan_;
  ExpressionCompiler& compiler_;
  const Graph& graph_;
  const Operator* current_;
  Scope& scope_;
  std::vector<int>& new_slots_;

  std::map<std::string, size_t> node_indexes_;  // By variable.
  std::vector<PatternNode> nodes_;
  std::vector<PatternRelationship> relationships_;
  std::vector<DeclaredPath> paths_;
  std::vector<Condition> conditions_;
  std::set<int> fresh_;  // Slots that this match fills,
  std::set<int> bound_;  // and those of them that the plan has filled so far.
};

}  // namespace

absl::StatusOr<const Operator*> MatchPlanner::PlanMatch(const Operator* input,
                                                        const std::vector<const syntax::PathPattern*>& patterns,
                                                        const syntax::Expression* where, Scope& scope,
                                                        std::vector<int>& new_slots) {
  return PatternPlan(plan_, compiler_, graph_, input, scope, new_slots).Build(patterns, where);
}

}  // namespace toolgate::executors::cypher
