#include "executors/cypher/scope.h"

#include <algorithm>

namespace toolgate::executors::cypher {

void Scope::Define(std::string name, int slot) {
  std::erase_if(computed_, [&](const auto& computed) {
    const auto* variable = syntax::As<syntax::Variable>(*computed.first);
    return variable != nullptr && variable->name == name;
  });
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
  const auto found = std::find_if(computed_.begin(), computed_.end(), [&](const auto& computed) {
    return computed.first == &expression || syntax::SameExpression(*computed.first, expression);
  });
  return found == computed_.end() ? std::nullopt : std::optional<int>(found->second);
}

}  // namespace toolgate::executors::cypher
