#include "security/authorization/argument_permissions.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::security::authorization {
namespace {

// Keywords whose value is data, in which the annotation's name has no meaning.
bool HoldsData(std::string_view keyword) {
  return keyword == "const" || keyword == "enum" || keyword == "default" || keyword == "examples";
}

// Keywords whose value is an object of schemas with names that the author chooses.
bool HoldsNamedSchemas(std::string_view keyword) {
  return keyword == "properties" || keyword == "patternProperties" || keyword == "dependentSchemas" ||
         keyword == "$defs" || keyword == "definitions";
}

// Keywords with further schemas for the same value.
constexpr std::array<const char*, 3> kBranchLists = {"allOf", "anyOf", "oneOf"};
constexpr std::array<const char*, 3> kBranches = {"if", "then", "else"};
// Keywords with schemas for values that the compiler does not distinguish, or with conditions for other schemas.
constexpr std::array<const char*, 8> kNotFollowed = {"patternProperties",
                                                     "unevaluatedProperties",
                                                     "unevaluatedItems",
                                                     "dependentSchemas",
                                                     "contains",
                                                     "propertyNames",
                                                     "not",
                                                     "contentSchema"};

const Json* Member(const Json& schema, const std::string& keyword) {
  if (!schema.is_object()) return nullptr;
  const auto found = schema.find(keyword);
  return found == schema.end() ? nullptr : &*found;
}

absl::Status Misplaced(std::string_view place, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("argument schema, ", ToAbsl(place), ": ", ToAbsl(why)));
}

// Schemas that apply to the same value.
using Applied = std::set<const Json*>;

}  // namespace

class ArgumentPermissionsCompiler {
 public:
  ArgumentPermissionsCompiler(const PermissionTable& table, const Json& root) : table_(table), root_(root) {}

  absl::StatusOr<ArgumentPermissions> Run() && {
    NotePlaces(root_, /*keys_are_names=*/false, "");
    if (annotated_.empty()) return std::move(result_);
    if (!odd_reference_.empty()) {
      return Misplaced(odd_reference_, absl::StrCat("a schema with ", ToAbsl(kPermissionKeyword),
                                                    " can only be followed through references such as #/$defs/Name"));
    }
    Applied top;
    RETURN_IF_ERROR(Expand(root_, top));
    NumberOf(std::move(top));
    for (size_t number = 0; number < schemas_.size(); ++number) RETURN_IF_ERROR(CompileNode(number));
    for (const auto& [schema, place] : annotated_) {
      if (reached_.count(schema) == 0) return NotEnforced(place);
    }
    if (result_.nodes_[0].permissions.any()) {
      return Misplaced("", "the annotation cannot stand on the arguments as a whole; name it under \"permissions\"");
    }
    Prune();
    return std::move(result_);
  }

 private:
  static absl::Status NotEnforced(const std::string& place) {
    return Misplaced(place, absl::StrCat("the annotation would not be enforced here; it may stand in properties, "
                                         "additionalProperties, prefixItems, items and the branches of allOf, anyOf, "
                                         "oneOf, if, then and else"));
  }

  // Finds all annotations and references. `keys_are_names`: `schema` is the value of a keyword that HoldsNamedSchemas.
  void NotePlaces(const Json& schema, bool keys_are_names, const std::string& path) {
    if (schema.is_array()) {
      for (size_t i = 0; i < schema.size(); ++i) NotePlaces(schema[i], false, absl::StrCat(path, "/", i));
    }
    if (!schema.is_object()) return;
    for (const auto& [key, value] : schema.items()) {
      const std::string place = absl::StrCat(path, "/", EscapePointerToken(key));
      if (!keys_are_names && key == kPermissionKeyword) annotated_.emplace(&schema, place);
      if (!keys_are_names && (key == "$ref" || key == "$dynamicRef") &&
          (key == "$dynamicRef" || Target(value) == nullptr)) {
        odd_reference_ = place;
      }
      // Below an $id, references are resolved from elsewhere.
      if (!keys_are_names && key == "$id" && !path.empty()) odd_reference_ = place;
      if (!keys_are_names && HoldsData(key)) continue;
      NotePlaces(value, !keys_are_names && HoldsNamedSchemas(key), place);
    }
  }

  const Json* Target(const Json& reference) const {
    if (!reference.is_string()) return nullptr;
    const std::string& text = reference.get_ref<const std::string&>();
    if (text.empty() || text[0] != '#') return nullptr;
    try {
      const Json::json_pointer path(text.substr(1));
      return root_.contains(path) ? &root_.at(path) : nullptr;
    } catch (const Json::exception&) {  // An anchor, for example.
      return nullptr;
    }
  }

  // Collects `schema` and all schemas that apply to the same value.
  absl::Status Expand(const Json& schema, Applied& out) {
    if (!schema.is_object() || !out.insert(&schema).second) return absl::OkStatus();
    for (const char* keyword : kNotFollowed) {
      const Json* value = Member(schema, keyword);
      if (value == nullptr) continue;
      std::set<const Json*> seen;
      const std::string place = AnnotationWithin(*value, HoldsNamedSchemas(keyword), seen);
      if (!place.empty()) return NotEnforced(place);
    }
    if (const Json* reference = Member(schema, "$ref")) RETURN_IF_ERROR(Expand(*Target(*reference), out));
    for (const char* keyword : kBranchLists) {
      const Json* branches = Member(schema, keyword);
      if (branches == nullptr || !branches->is_array()) continue;
      for (const Json& branch : *branches) RETURN_IF_ERROR(Expand(branch, out));
    }
    for (const char* keyword : kBranches) {
      if (const Json* branch = Member(schema, keyword)) RETURN_IF_ERROR(Expand(*branch, out));
    }
    return absl::OkStatus();
  }

  // Place of an annotation in or below `schema`, or behind its references; "" for none.
  std::string AnnotationWithin(const Json& schema, bool keys_are_names, std::set<const Json*>& seen) const {
    if (!schema.is_structured() || !seen.insert(&schema).second) return "";
    if (const auto found = annotated_.find(&schema); !keys_are_names && found != annotated_.end()) return found->second;
    for (const auto& [key, value] : schema.items()) {
      if (!keys_are_names && schema.is_object() && HoldsData(key)) continue;
      const bool is_reference = !keys_are_names && schema.is_object() && key == "$ref";
      const bool names_below = !keys_are_names && schema.is_object() && HoldsNamedSchemas(key);
      std::string place = AnnotationWithin(is_reference ? *Target(value) : value, names_below, seen);
      if (!place.empty()) return place;
    }
    return "";
  }

  size_t NumberOf(Applied schemas) {
    const auto [row, added] = numbers_.emplace(std::move(schemas), schemas_.size());
    if (added) schemas_.push_back(&row->first);
    return row->second;
  }

  std::optional<size_t> NumberOfSome(Applied schemas) {
    if (schemas.empty()) return std::nullopt;
    return NumberOf(std::move(schemas));
  }

  absl::Status CompileNode(size_t number) {
    const Applied& applied = *schemas_[number];
    ArgumentPermissions::Node node;
    for (const Json* schema : applied) RETURN_IF_ERROR(AddPermission(*schema, node));
    RETURN_IF_ERROR(CompileProperties(applied, node));
    RETURN_IF_ERROR(CompileElements(applied, node));
    result_.nodes_.push_back(std::move(node));
    return absl::OkStatus();
  }

  absl::Status AddPermission(const Json& schema, ArgumentPermissions::Node& node) {
    const auto annotated = annotated_.find(&schema);
    if (annotated == annotated_.end()) return absl::OkStatus();
    reached_.insert(&schema);
    const Json& annotation = schema[std::string(kPermissionKeyword)];
    if (!annotation.is_string()) return Misplaced(annotated->second, "must be one permission's name");
    const absl::StatusOr<PermissionSet> set = table_.ParsePermission(annotation.get_ref<const std::string&>());
    if (!set.ok()) return Misplaced(annotated->second, FromAbsl(set.status().message()));
    node.permissions |= *set;
    return absl::OkStatus();
  }

  absl::Status CompileProperties(const Applied& applied, ArgumentPermissions::Node& node) {
    std::set<std::string> names;
    Applied other;
    for (const Json* schema : applied) {
      if (const Json* properties = Member(*schema, "properties"); properties != nullptr && properties->is_object()) {
        for (const auto& [name, child] : properties->items()) names.insert(name);
      }
      if (const Json* rest = Member(*schema, "additionalProperties")) RETURN_IF_ERROR(Expand(*rest, other));
    }
    for (const std::string& name : names) {
      Applied child;
      for (const Json* schema : applied) {
        const Json* properties = Member(*schema, "properties");
        const Json* own = properties == nullptr ? nullptr : Member(*properties, name);
        // A value that is additional in one schema may be named in another.
        if (own == nullptr) own = Member(*schema, "additionalProperties");
        if (own != nullptr) RETURN_IF_ERROR(Expand(*own, child));
      }
      node.properties[name] = NumberOfSome(std::move(child));
    }
    node.other = NumberOfSome(std::move(other));
    return absl::OkStatus();
  }

  absl::Status CompileElements(const Applied& applied, ArgumentPermissions::Node& node) {
    const auto prefix_of = [](const Json& schema) -> const Json* {
      const Json* prefix = Member(schema, "prefixItems");
      return prefix != nullptr && prefix->is_array() ? prefix : nullptr;
    };
    size_t longest = 0;
    for (const Json* schema : applied) {
      if (const Json* prefix = prefix_of(*schema)) longest = std::max(longest, prefix->size());
    }
    // One more than the longest prefix: stands for all elements behind it.
    for (size_t i = 0; i <= longest; ++i) {
      Applied element;
      for (const Json* schema : applied) {
        const Json* prefix = prefix_of(*schema);
        const Json* own = prefix != nullptr && i < prefix->size() ? &(*prefix)[i] : Member(*schema, "items");
        if (own != nullptr) RETURN_IF_ERROR(Expand(*own, element));
      }
      (i < longest ? node.prefix.emplace_back() : node.items) = NumberOfSome(std::move(element));
    }
    return absl::OkStatus();
  }

  // Removes paths that lead to no annotation, so that a call pays only for places with a permission.
  void Prune() {
    std::vector<ArgumentPermissions::Node>& nodes = result_.nodes_;
    std::vector<bool> leads(nodes.size(), false);
    const auto to_lead = [&](const std::optional<size_t>& child) { return child.has_value() && leads[*child]; };
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < nodes.size(); ++i) {
        const ArgumentPermissions::Node& node = nodes[i];
        if (leads[i]) continue;
        leads[i] = node.permissions.any() || to_lead(node.other) || to_lead(node.items) ||
                   std::any_of(node.prefix.begin(), node.prefix.end(), to_lead) ||
                   std::any_of(node.properties.begin(), node.properties.end(),
                               [&](const auto& row) { return to_lead(row.second); });
        changed |= leads[i];
      }
    }
    const auto cut = [&](std::optional<size_t>& child) {
      if (child.has_value() && !leads[*child]) child.reset();
    };
    for (ArgumentPermissions::Node& node : nodes) {
      for (auto& row : node.properties) cut(row.second);
      for (auto& child : node.prefix) cut(child);
      cut(node.other);
      cut(node.items);
      // A row without a node still keeps its property from counting as an additional one.
      if (!node.other.has_value()) std::erase_if(node.properties, [](const auto& row) { return !row.second; });
    }
  }

  const PermissionTable& table_;
  const Json& root_;
  std::map<const Json*, std::string> annotated_;  // Schemas with the annotation, and its place.
  std::string odd_reference_;  // Place of a reference that leads nowhere or is not followed; "" for none.
  std::set<const Json*> reached_;
  std::map<Applied, size_t> numbers_;
  std::vector<const Applied*> schemas_;  // By number.
  ArgumentPermissions result_;
};

absl::StatusOr<ArgumentPermissions> ArgumentPermissions::Compile(const PermissionTable& table,
                                                                 const Json& argument_schema) {
  return ArgumentPermissionsCompiler(table, argument_schema).Run();
}

PermissionSet ArgumentPermissions::NeedsOf(const Json& arguments) const {
  PermissionSet needs;
  if (!nodes_.empty()) Collect(arguments, 0, needs);
  return needs;
}

void ArgumentPermissions::Collect(const Json& value, size_t number, PermissionSet& needs) const {
  const Node& node = nodes_[number];
  needs |= node.permissions;
  if (value.is_object() && !node.other.has_value()) {
    for (const auto& [name, child] : node.properties) {
      const auto found = value.find(name);
      if (found != value.end()) Collect(*found, *child, needs);
    }
  } else if (value.is_object()) {
    for (auto member = value.begin(); member != value.end(); ++member) {
      const auto row = node.properties.find(member.key());
      const std::optional<size_t>& child = row == node.properties.end() ? node.other : row->second;
      if (child.has_value()) Collect(*member, *child, needs);
    }
  } else if (value.is_array()) {
    if (node.prefix.empty() && !node.items.has_value()) return;
    for (size_t i = 0; i < value.size(); ++i) {
      const std::optional<size_t>& child = i < node.prefix.size() ? node.prefix[i] : node.items;
      if (child.has_value()) Collect(value[i], *child, needs);
    }
  }
}

}  // namespace toolgate::security::authorization
