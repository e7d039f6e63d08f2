#include "security/injection_defence/field_policy.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace toolgate::security::injection_defence {
namespace {

// Deeper nesting in a schema, or in arguments that reach this layer, is treated like its parent.
constexpr int kMaxSchemaDepth = 64;

// Schemas that apply to the same value, and the policy that it inherits.
struct Applied {
  std::set<const Json*> schemas;
  FieldRule inherited;
};

bool operator<(const Applied& a, const Applied& b) {
  const auto key = [](const Applied& x) {
    return std::tuple(static_cast<int>(x.inherited.action), static_cast<int>(x.inherited.mode));
  };
  return a.schemas != b.schemas ? a.schemas < b.schemas : key(a) < key(b);
}

// Most names differ in length, which is cheap to compare.
bool ShorterFirst(std::string_view a, std::string_view b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }

bool HoldsText(const Json& value) { return value.is_string() || value.is_structured(); }

std::optional<InjectionAction> ActionFrom(std::string_view name) {
  if (name == "block") return InjectionAction::kBlock;
  if (name == "flag") return InjectionAction::kFlag;
  if (name == "off") return InjectionAction::kOff;
  return std::nullopt;
}

std::optional<SanitiseMode> ModeFrom(std::string_view name) {
  if (name == "line") return SanitiseMode::kLine;
  if (name == "text") return SanitiseMode::kText;
  if (name == "verbatim") return SanitiseMode::kVerbatim;
  return std::nullopt;
}

}  // namespace

class FieldPolicyCompiler {
 public:
  explicit FieldPolicyCompiler(const Json& root) : root_(root) {}

  absl::StatusOr<FieldPolicy> Run() {
    Applied top;
    Expand(&root_, top.schemas);
    ASSIGN_OR_RETURN(const size_t first, Compile(top, 0));
    (void)first;  // The root is compiled first, hence node 0.
    return std::move(policy_);
  }

 private:
  // Collects `schema` and all schemas that apply to the same value.
  void Expand(const Json* schema, std::set<const Json*>& out) {
    if (!schema->is_object() || !out.insert(schema).second) return;
    if (const auto ref = schema->find("$ref"); ref != schema->end() && ref->is_string()) {
      const std::string target = ref->get<std::string>();
      if (!target.empty() && target[0] == '#') ExpandPointer(target.substr(1), out);
    }
    for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
      const auto branches = schema->find(keyword);
      if (branches == schema->end() || !branches->is_array()) continue;
      for (const Json& branch : *branches) Expand(&branch, out);
    }
    for (const char* keyword : {"if", "then", "else"}) {
      if (const auto branch = schema->find(keyword); branch != schema->end()) Expand(&*branch, out);
    }
  }

  void ExpandPointer(const std::string& pointer, std::set<const Json*>& out) {
    try {
      const Json::json_pointer path(pointer);
      if (root_.contains(path)) Expand(&root_.at(path), out);
    } catch (const Json::exception&) {
      // Layer 2 refuses schemas with unresolvable references.
    }
  }

  absl::StatusOr<size_t> Compile(const Applied& applied, int depth) {
    if (const auto known = numbers_.find(applied); known != numbers_.end()) return known->second;
    const size_t number = policy_.nodes_.size();
    numbers_.emplace(applied, number);
    policy_.nodes_.emplace_back();
    ASSIGN_OR_RETURN(const FieldRule rule, RuleOf(applied));
    FieldPolicy::Node node;
    node.rule = rule;
    node.other = node.items = number;
    if (depth < kMaxSchemaDepth) RETURN_IF_ERROR(CompileChildren(applied, rule, depth, node));
    policy_.nodes_[number] = std::move(node);
    return number;
  }

  absl::Status CompileChildren(const Applied& applied, const FieldRule& rule, int depth, FieldPolicy::Node& node) {
    std::map<std::string, Applied> properties;
    FieldRule inherited = rule;
    inherited.max_characters = kDefaultMaxCharacters;
    Applied other{{}, inherited};
    Applied items{{}, inherited};
    for (const Json* schema : applied.schemas) {
      if (const auto found = schema->find("properties"); found != schema->end() && found->is_object()) {
        for (const auto& [name, child] : found->items()) {
          Applied& property = properties.try_emplace(name, Applied{{}, inherited}).first->second;
          Expand(&child, property.schemas);
        }
      }
      if (const auto found = schema->find("patternProperties"); found != schema->end() && found->is_object()) {
        for (const auto& [pattern, child] : found->items()) Expand(&child, other.schemas);
      }
      for (const char* keyword : {"additionalProperties", "unevaluatedProperties"}) {
        if (const auto found = schema->find(keyword); found != schema->end()) Expand(&*found, other.schemas);
      }
      for (const char* keyword : {"items", "unevaluatedItems", "contains"}) {
        if (const auto found = schema->find(keyword); found != schema->end()) Expand(&*found, items.schemas);
      }
      if (const auto found = schema->find("prefixItems"); found != schema->end() && found->is_array()) {
        for (const Json& child : *found) Expand(&child, items.schemas);
      }
    }
    for (const auto& [name, child] : properties) {
      ASSIGN_OR_RETURN(const size_t number, Compile(child, depth + 1));
      node.properties.emplace_back(name, number);
    }
    std::sort(node.properties.begin(), node.properties.end(),
              [](const auto& a, const auto& b) { return ShorterFirst(a.first, b.first); });
    ASSIGN_OR_RETURN(node.other, Compile(other, depth + 1));
    ASSIGN_OR_RETURN(node.items, Compile(items, depth + 1));
    return absl::OkStatus();
  }

  absl::StatusOr<FieldRule> RuleOf(const Applied& applied) {
    std::optional<InjectionAction> action;
    std::optional<SanitiseMode> mode;
    FieldRule rule = applied.inherited;
    for (const Json* schema : applied.schemas) {
      if (const auto found = schema->find("x-toolgate-injection"); found != schema->end()) {
        const auto value = found->is_string() ? ActionFrom(found->get<std::string>()) : std::nullopt;
        if (!value.has_value()) return absl::InvalidArgumentError("x-toolgate-injection is block, flag or off");
        action = std::max(action.value_or(*value), *value);
      }
      if (const auto found = schema->find("x-toolgate-sanitize"); found != schema->end()) {
        const auto value = found->is_string() ? ModeFrom(found->get<std::string>()) : std::nullopt;
        if (!value.has_value()) return absl::InvalidArgumentError("x-toolgate-sanitize is line, text or verbatim");
        mode = std::max(mode.value_or(*value), *value);
      }
      if (const auto found = schema->find("maxLength"); found != schema->end() && found->is_number_integer()) {
        rule.max_characters =
            std::max(rule.max_characters, static_cast<size_t>(std::max<int64_t>(found->get<int64_t>(), 0)));
      }
    }
    rule.action = action.value_or(rule.action);
    rule.mode = mode.value_or(rule.mode);
    return rule;
  }

  const Json& root_;
  FieldPolicy policy_;
  std::map<Applied, size_t> numbers_;
};

absl::StatusOr<FieldPolicy> FieldPolicy::Compile(const Json& schema) { return FieldPolicyCompiler(schema).Run(); }

const size_t* FieldPolicy::Node::Find(std::string_view name) const {
  const auto place =
      std::lower_bound(properties.begin(), properties.end(), name,
                       [](const auto& known, std::string_view wanted) { return ShorterFirst(known.first, wanted); });
  return place != properties.end() && place->first == name ? &place->second : nullptr;
}

absl::Status FieldPolicy::Visit(const Json& arguments, absl::FunctionRef<absl::Status(const Text&)> visit) const {
  return VisitNode(arguments, 0, nullptr, visit);
}

absl::Status FieldPolicy::VisitNode(const Json& value, size_t number, const JsonPlace* place,
                                    absl::FunctionRef<absl::Status(const Text&)> visit) const {
  const Node& node = nodes_[number];
  if (value.is_string()) return visit({place, value.get_ref<const std::string&>(), node.rule});
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
      const size_t* const child = node.Find(key);
      const JsonPlace here = JsonPlace::Member(place, key);
      if (child == nullptr) RETURN_IF_ERROR(visit({&here, key, node.rule, /*is_key=*/true}));
      if (!HoldsText(member)) continue;
      RETURN_IF_ERROR(VisitNode(member, child == nullptr ? node.other : *child, &here, visit));
    }
  } else if (value.is_array()) {
    JsonPlace here = JsonPlace::Item(place, 0);
    for (const Json& item : value.get_ref<const Json::array_t&>()) {
      if (HoldsText(item)) RETURN_IF_ERROR(VisitNode(item, node.items, &here, visit));
      ++here.index;
    }
  }
  return absl::OkStatus();
}

}  // namespace toolgate::security::injection_defence
