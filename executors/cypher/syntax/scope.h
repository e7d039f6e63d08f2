// Variables that are visible in a place of a query, with what is known of their types.
#ifndef TOOLGATE_EXECUTORS_CYPHER_SYNTAX_SCOPE_H_
#define TOOLGATE_EXECUTORS_CYPHER_SYNTAX_SCOPE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "common/absl_bridge.h"
#include "executors/cypher/syntax/functions.h"

namespace toolgate::executors::cypher::syntax {

// Static type of an expression: a superset of the kinds that its value can have, and, of a list, of its elements.
struct StaticType {
  TypeSet kinds = kAnyType;
  TypeSet elements = kAnyType;

  bool CanBe(TypeSet wanted) const { return (kinds & wanted) != 0; }
  bool MustBe(TypeSet wanted) const { return (kinds & ~wanted) == 0; }
};

inline StaticType ListOf(TypeSet elements) { return {kListType, elements}; }

inline StaticType Union(const StaticType& left, const StaticType& right) {
  return {left.kinds | right.kinds, left.elements | right.elements};
}

// A scope, and the scopes around it: an inner variable hides an outer one of the same name. Borrows the outer scope.
class Scope {
 public:
  Scope() = default;
  explicit Scope(const Scope* outer) : outer_(outer) {}

  // The variable's type, or null when it is not visible.
  const StaticType* Find(std::string_view name) const {
    const auto found = own_.find(name);
    if (found != own_.end()) return &found->second;
    return outer_ == nullptr ? nullptr : outer_->Find(name);
  }

  // Defines or redefines it in this scope.
  void Define(std::string_view name, const StaticType& type) { own_.insert_or_assign(std::string(name), type); }

  // All visible variables in the order of their names.
  std::vector<std::pair<std::string, StaticType>> Visible() const {
    absl::btree_map<std::string, StaticType, std::less<>> all;
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
      all.insert(scope->own_.begin(), scope->own_.end());
    }
    return {all.begin(), all.end()};
  }

 private:
  const Scope* outer_ = nullptr;
  absl::btree_map<std::string, StaticType, std::less<>> own_;
};

}  // namespace toolgate::executors::cypher::syntax

#endif  // TOOLGATE_EXECUTORS_CYPHER_SYNTAX_SCOPE_H_
