#include "security/param_validation/null_remover.h"

#include <algorithm>
#include <string>
#include <utility>

#include "security/param_validation/schema_evaluator.h"

namespace toolgate::security::param_validation {
namespace {

constexpr int kMaxRemovalDepth = 400;
constexpr int kMaxTypeLookThrough = 16;

// Nearly every value has none, and is left alone after this.
bool HasNullMember(const Json& value, int depth) {
  if (depth > kMaxRemovalDepth || !value.is_structured()) return false;
  return std::any_of(value.begin(), value.end(), [&](const Json& member) {
    return (member.is_null() && value.is_object()) || HasNullMember(member, depth + 1);
  });
}

}  // namespace

void NullRemover::Remove(Json& value) const {
  if (!HasNullMember(value, 0)) return;
  Nodes nodes;
  Add(0, value, nodes);
  RemoveIn(nodes, value, 0);
}

void NullRemover::Add(uint32_t node, const Json& value, Nodes& nodes) const {
  if (node == kNone || std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return;
  nodes.push_back(node);
  for (uint32_t at = program_.nodes[node].begin; at != program_.nodes[node].end; ++at) {
    AddInPlace(program_.code[at], value, nodes);
  }
}

void NullRemover::AddInPlace(const Instruction& instruction, const Json& value, Nodes& nodes) const {
  if (instruction.op == Op::kApply) return Add(instruction.a, value, nodes);
  if (instruction.op != Op::kAnyOf && instruction.op != Op::kOneOf) return;
  uint32_t only = kNone;
  for (const uint32_t branch : program_.branches[instruction.a]) {
    if (ExcludesByType(branch, value, 0)) continue;
    if (only != kNone) return;
    only = branch;
  }
  Add(only, value, nodes);
}

bool NullRemover::ExcludesByType(uint32_t node, const Json& value, int depth) const {
  if (depth > kMaxTypeLookThrough) return false;
  for (uint32_t at = program_.nodes[node].begin; at != program_.nodes[node].end; ++at) {
    const Instruction& instruction = program_.code[at];
    if (instruction.op == Op::kType && !HasType(value, instruction.a)) return true;
    if (instruction.op == Op::kApply && ExcludesByType(instruction.a, value, depth + 1)) return true;
  }
  return false;
}

bool NullRemover::Requires(const Nodes& nodes, const std::string& name) const {
  for (const uint32_t node : nodes) {
    for (uint32_t at = program_.nodes[node].begin; at != program_.nodes[node].end; ++at) {
      if (program_.code[at].op != Op::kObject) continue;
      const ObjectRule& rule = program_.object_rules[program_.code[at].a];
      size_t hint = 0;
      const PropertyTable::Entry* const entry = rule.table.Find(name, hint);
      if (entry != nullptr && entry->required_bit >= 0) return true;
      const auto& more = rule.more_required;
      if (std::find(more.begin(), more.end(), name) != more.end()) return true;
    }
  }
  return false;
}

NullRemover::Nodes NullRemover::NodesOfMember(const Nodes& nodes, const std::string& name, const Json& member,
                                              bool& named) const {
  Nodes below;
  for (const uint32_t node : nodes) {
    for (uint32_t at = program_.nodes[node].begin; at != program_.nodes[node].end; ++at) {
      if (program_.code[at].op != Op::kObject) continue;
      const ObjectRule& rule = program_.object_rules[program_.code[at].a];
      size_t hint = 0;
      const PropertyTable::Entry* const entry = rule.table.Find(name, hint);
      const bool is_property = entry != nullptr && entry->node != PropertyTable::kNoNode;
      if (is_property) {
        named = true;
        Add(entry->node, member, below);
      } else if (rule.patterns.empty()) {
        Add(rule.additional, member, below);
      }
    }
  }
  return below;
}

NullRemover::Nodes NullRemover::NodesOfItem(const Nodes& nodes, size_t position, const Json& item) const {
  Nodes below;
  for (const uint32_t node : nodes) {
    for (uint32_t at = program_.nodes[node].begin; at != program_.nodes[node].end; ++at) {
      if (program_.code[at].op != Op::kItems) continue;
      const ItemRule& rule = program_.item_rules[program_.code[at].a];
      Add(position < rule.prefix.size() ? rule.prefix[position] : rule.rest, item, below);
    }
  }
  return below;
}

bool NullRemover::AcceptNull(const Nodes& nodes) const {
  const Json null;
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](uint32_t node) { return SchemaEvaluator(program_).Accepts(node, null); });
}

void NullRemover::RemoveIn(const Nodes& nodes, Json& value, int depth) const {
  if (depth > kMaxRemovalDepth || nodes.empty()) return;
  if (value.is_object()) return RemoveInObject(nodes, value, depth);
  if (!value.is_array()) return;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i].is_structured()) RemoveIn(NodesOfItem(nodes, i, value[i]), value[i], depth + 1);
  }
}

void NullRemover::RemoveInObject(const Nodes& nodes, Json& value, int depth) const {
  std::vector<std::string> left_out;
  for (auto member = value.begin(); member != value.end(); ++member) {
    if (!member->is_null() && !member->is_structured()) continue;
    bool named = false;
    const Nodes below = NodesOfMember(nodes, member.key(), *member, named);
    if (member->is_structured()) {
      RemoveIn(below, *member, depth + 1);
    } else if (named && !Requires(nodes, member.key()) && !AcceptNull(below)) {
      left_out.push_back(member.key());
    }
  }
  for (const std::string& name : left_out) value.erase(name);
}

}  // namespace toolgate::security::param_validation
