#include "executors/cypher/scope.h"

#include <vector>

namespace toolgate::executors::cypher {

void Scope::Define(std::string name, int slot) {
  for (auto& [hash, computed] : computed_) {
    std::erase_if(computed, [&](const auto& row) {
      const auto* variable = syntax::As<syntax::Variable>(*row.first);
      return variable != nullptr && variable->name == name;
    });
  }
  slots_.insert_or_assign(std::move(name), slot);
}

void Scope::Overlay(const Scope& other) {
  for (const auto& [name, slot] : other.slots_) Define(name, slot);
}

std::optional<int> Scope::Find(std::string_view name) const {
  const auto found = slots_.find(name);
  return found == slots_.end() ? std::nullopt : std::optional<int>(found->second);
}

std::optional<int> Scope::FindComputed(const syntax::Expression& expression) const {
  if (computed_.empty()) return std::nullopt;
  const auto candidates = computed_.find(syntax::HashExpression(expression));
  if (candidates == computed_.end()) return std::nullopt;
  for (const auto& [computed, slot] : candidates->second) {
    if (computed == &expression || syntax::SameExpression(*computed, expression)) return slot;
  }
  return std::nullopt;
}

}  // namespace toolgate::executors::cypher
