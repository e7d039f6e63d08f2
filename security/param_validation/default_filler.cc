#include "security/param_validation/default_filler.h"

#include <string>
#include <utility>
#include <vector>

namespace toolgate::security::param_validation {
namespace {

// The underlying type of an ordered object.
using Members = std::vector<std::pair<const std::string, Json>>;

constexpr int kMaxFillDepth = 400;
// Without this, a schema that refers to itself could fill without end.
constexpr int kMaxInserted = 4;

constexpr size_t kAbsent = static_cast<size_t>(-1);

size_t IndexOf(const Members& members, const std::string& name) {
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i].first == name) return i;
  }
  return kAbsent;
}

}  // namespace

void DefaultFiller::Fill(Json& value) const {
  if (!program_.default_rules.empty()) FillNode(0, value, 0, 0);
}

void DefaultFiller::FillNode(uint32_t node, Json& value, int depth, int inserted) const {
  if (depth > kMaxFillDepth || !value.is_structured()) return;
  const DefaultRule& rule = program_.default_rules[node];
  if (value.is_object()) {
    FillObject(rule, value, depth, inserted);
  } else {
    FillArray(rule, value, depth, inserted);
  }
  for (const uint32_t target : rule.in_place) FillNode(target, value, depth + 1, inserted);
}

void DefaultFiller::FillObject(const DefaultRule& rule, Json& value, int depth, int inserted) const {
  auto& members = value.get_ref<Json::object_t&>();
  const size_t first_new = members.size();
  if (inserted < kMaxInserted) {
    for (const PropertyDefault& missing : rule.defaults) {
      if (IndexOf(members, missing.name) != kAbsent) continue;
      // Growing copies every key, because keys are const: once is enough.
      if (members.size() == members.capacity()) members.reserve(members.size() + rule.defaults.size());
      // The map's own operator[] would search a second time.
      static_cast<Members&>(members).emplace_back(missing.name, missing.value);
    }
  }
  for (const auto& [name, node] : rule.properties) {
    const size_t index = IndexOf(members, name);
    if (index == kAbsent) continue;
    FillNode(node, static_cast<Members&>(members)[index].second, depth + 1,
             index < first_new ? inserted : inserted + 1);
  }
}

void DefaultFiller::FillArray(const DefaultRule& rule, Json& value, int depth, int inserted) const {
  for (size_t i = 0; i < value.size(); ++i) {
    uint32_t node = kNone;
    if (i < rule.prefix.size()) node = rule.prefix[i];
    if (i >= rule.prefix_size) node = rule.items;
    if (node != kNone) FillNode(node, value[i], depth + 1, inserted);
  }
}

}  // namespace toolgate::security::param_validation
