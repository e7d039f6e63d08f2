// Names that an expression can use.
#ifndef TOOLGATE_EXECUTORS_CYPHER_SCOPE_H_
#define TOOLGATE_EXECUTORS_CYPHER_SCOPE_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "executors/cypher/syntax/ast.h"

namespace toolgate::executors::cypher {

// Slots of the variables that are visible at one place of a query, and of expressions that are already computed there
// (grouping keys and aggregates, of which the tree is borrowed). A value; scopes are copied where they branch.
class Scope {
 public:
  void Define(std::string name, int slot);
  // The slots of `other` beside these; its names win.
  void Overlay(const Scope& other);

  std::optional<int> Find(std::string_view name) const;
  const std::map<std::string, int, std::less<>>& slots() const { return slots_; }

  void DefineComputed(const syntax::Expression& expression, int slot) {
    computed_[syntax::HashExpression(expression)].emplace_back(&expression, slot);
  }
  // The slot of an expression that is the same as a computed one.
  std::optional<int> FindComputed(const syntax::Expression& expression) const;

 private:
  std::map<std::string, int, std::less<>> slots_;
  absl::flat_hash_map<size_t, std::vector<std::pair<const syntax::Expression*, int>>> computed_;  // By hash.
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_SCOPE_H_
