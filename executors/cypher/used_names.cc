#include "executors/cypher/used_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

namespace toolgate::executors::cypher {
namespace {

using Kind = UsedName::Kind;

class NameCollector {
 public:
  std::vector<UsedName> Run(const syntax::Query& query) {
    TakeQuery(query);
    for (const auto& [variable, key] : properties_) AddProperty(variable, key);
    return std::move(names_);
  }

 private:
  struct Owner {
    bool is_node = true;
    std::vector<std::string> of;
  };

  void TakeQuery(const syntax::Query& query) {
    for (const syntax::SingleQuery& part : query.parts) {
      for (const syntax::Clause& clause : part.clauses)
        std::visit([this](const auto& node) { Take(node); }, clause.node);
    }
  }

  void Take(const syntax::Match& match) {
    for (const syntax::PathPattern& pattern : match.pattern) TakePattern(pattern);
    TakeAny(match.where);
  }
  void Take(const syntax::Create& create) {
    for (const syntax::PathPattern& pattern : create.pattern) TakePattern(pattern);
  }
  void Take(const syntax::Unwind& unwind) {
    others_.insert(unwind.variable);
    TakeAny(unwind.list);
  }
  void Take(const syntax::With& with) {
    TakeProjection(with.projection);
    TakeAny(with.where);
  }
  void Take(const syntax::Return& result) { TakeProjection(result.projection); }

  void TakeProjection(const syntax::Projection& projection) {
    for (const syntax::ProjectionItem& item : projection.items) {
      const auto* same = syntax::As<syntax::Variable>(*item.expression);
      if (same == nullptr || same->name != item.name) others_.insert(item.name);
      TakeExpression(*item.expression);
    }
    for (const syntax::SortItem& item : projection.order_by) TakeAny(item.expression);
  }

  void TakeAny(const syntax::ExpressionPtr& expression) {
    if (expression != nullptr) TakeExpression(*expression);
  }

  void TakePattern(const syntax::PathPattern& pattern) {
    for (const syntax::NodePattern& node : pattern.nodes) {
      for (const std::string& label : node.labels) Add({Kind::kLabel, label});
      TakeOwner(node.variable, true, node.labels, node.properties);
    }
    for (const syntax::RelationshipPattern& relationship : pattern.relationships) {
      for (const std::string& type : relationship.types) Add({Kind::kType, type});
      TakeOwner(relationship.variable, false, relationship.types, relationship.properties);
      if (relationship.length.has_value() && relationship.variable.has_value()) others_.insert(*relationship.variable);
    }
    if (pattern.variable.has_value()) others_.insert(*pattern.variable);
  }

  void TakeOwner(const std::optional<std::string>& variable, bool is_node, const std::vector<std::string>& of,
                 const syntax::ExpressionPtr& properties) {
    if (variable.has_value()) {
      Owner& owner = owners_.try_emplace(*variable, Owner{is_node, {}}).first->second;
      owner.of.insert(owner.of.end(), of.begin(), of.end());
    }
    const auto* map = properties == nullptr ? nullptr : syntax::As<syntax::MapLiteral>(*properties);
    if (map == nullptr) return;
    for (const syntax::MapLiteral::Entry& entry : map->entries) {
      if (variable.has_value()) {
        properties_.emplace_back(*variable, entry.key);
      } else {
        Add({is_node ? Kind::kNodeProperty : Kind::kRelationshipProperty, entry.key, of});
      }
      TakeExpression(*entry.value);
    }
  }

  void TakeExpression(const syntax::Expression& expression) {
    if (const auto* property = syntax::As<syntax::Property>(expression)) {
      const auto* variable = syntax::As<syntax::Variable>(*property->subject);
      if (variable != nullptr) properties_.emplace_back(variable->name, property->key);
    } else if (const auto* test = syntax::As<syntax::LabelTest>(expression)) {
      TakeLabelTest(*test);
    } else if (const auto* exists = syntax::As<syntax::Exists>(expression)) {
      TakeQuery(*exists->query);
    } else if (const auto* predicate = syntax::As<syntax::PatternPredicate>(expression)) {
      TakePattern(*predicate->pattern);
    } else if (const auto* pattern = syntax::As<syntax::PatternComprehension>(expression)) {
      TakePattern(*pattern->pattern);
    } else {
      NoteVariables(expression);
    }
    syntax::ForEachChild(expression, [this](const syntax::Expression& child) { TakeExpression(child); });
  }

  void TakeLabelTest(const syntax::LabelTest& test) {
    const auto* variable = syntax::As<syntax::Variable>(*test.subject);
    const auto owner = variable == nullptr ? owners_.end() : owners_.find(variable->name);
    const Kind kind = owner != owners_.end() && !owner->second.is_node ? Kind::kType : Kind::kLabel;
    for (const std::string& label : test.labels) Add({kind, label});
  }

  void NoteVariables(const syntax::Expression& expression) {
    if (const auto* list = syntax::As<syntax::ListComprehension>(expression)) others_.insert(list->variable);
    if (const auto* quantifier = syntax::As<syntax::Quantifier>(expression)) others_.insert(quantifier->variable);
    if (const auto* reduce = syntax::As<syntax::Reduce>(expression)) {
      others_.insert(reduce->variable);
      others_.insert(reduce->accumulator);
    }
  }

  void AddProperty(const std::string& variable, const std::string& key) {
    const auto owner = owners_.find(variable);
    if (owner == owners_.end() || others_.contains(variable)) return;
    Add({owner->second.is_node ? Kind::kNodeProperty : Kind::kRelationshipProperty, key, owner->second.of});
  }

  void Add(UsedName name) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(std::move(name));
  }

  std::vector<UsedName> names_;
  std::map<std::string, Owner> owners_;                          // By variable.
  std::set<std::string> others_;                                 // Variables that may hold something else.
  std::vector<std::pair<std::string, std::string>> properties_;  // Variable and key.
};

}  // namespace

std::vector<UsedName> NamesUsedIn(const syntax::Query& query) { return NameCollector().Run(query); }

}  // namespace toolgate::executors::cypher
