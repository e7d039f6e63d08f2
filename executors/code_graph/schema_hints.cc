#include "executors/code_graph/schema_hints.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/text/cut_text.h"
#include "common/text/edit_distance.h"
#include "executors/code_graph/index/graph_schema.h"

namespace toolgate::executors::code_graph {
namespace {

using cypher::UsedName;
using Kind = UsedName::Kind;
using Names = std::vector<std::string_view>;

constexpr size_t kMaxShownName = 100;

bool Has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names PropertiesOfSchema() { return {"element", "name", "description", "properties", "from", "to", "count"}; }

// Names of all labels or of all types.
Names Elements(std::string_view element) {
  Names names;
  for (const index::SchemaElement& known : index::SchemaElements()) {
    if (known.element == element) names.push_back(known.name);
  }
  if (element == "node") names.push_back("Schema");
  return names;
}

// Properties of the labels or types `of`; of all when there are none, or none that is known.
Names Properties(std::string_view element, const std::vector<std::string>& of) {
  Names some;
  Names all;
  for (const index::SchemaElement& known : index::SchemaElements()) {
    if (known.element != element) continue;
    const bool is_meant = std::find(of.begin(), of.end(), known.name) != of.end();
    for (const std::string_view property : known.properties) {
      if (is_meant && !Has(some, property)) some.push_back(property);
      if (!Has(all, property)) all.push_back(property);
    }
  }
  if (std::find(of.begin(), of.end(), "Schema") != of.end()) return PropertiesOfSchema();
  if (!some.empty()) return some;
  // A type that has no properties at all.
  const Names elements = Elements(element);
  const bool is_known = std::any_of(of.begin(), of.end(), [&](const std::string& name) { return Has(elements, name); });
  if (is_known) return {};
  if (element == "node") {
    for (const std::string_view property : PropertiesOfSchema()) {
      if (!Has(all, property)) all.push_back(property);
    }
  }
  return all;
}

std::string Quoted(std::string_view name) {
  return absl::StrCat("\"", text::CutText(std::string(name), kMaxShownName), "\"");
}

std::string Hint(std::string_view what, const UsedName& used, const Names& known) {
  std::string hint = absl::StrCat("unknown ", ToAbsl(what), " ", Quoted(used.name));
  if (!used.of.empty()) absl::StrAppend(&hint, " of ", absl::StrJoin(used.of, "|").substr(0, kMaxShownName));
  if (const std::string_view near = text::NearestName(used.name, known); !near.empty()) {
    return absl::StrCat(hint, "; did you mean \"", ToAbsl(near), "\"?");
  }
  if (known.empty()) return absl::StrCat(hint, "; there are none");
  return absl::StrCat(hint, "; known: ", absl::StrJoin(known, ", ", [](std::string* out, std::string_view name) {
                        absl::StrAppend(out, ToAbsl(name));
                      }));
}

}  // namespace

std::vector<std::string> SchemaHints(absl::Span<const UsedName> names) {
  std::vector<std::string> hints;
  for (const UsedName& used : names) {
    if (hints.size() >= kMaxHints) break;
    const bool is_of_node = used.kind == Kind::kLabel || used.kind == Kind::kNodeProperty;
    const std::string_view element = is_of_node ? "node" : "relationship";
    const bool is_property = used.kind == Kind::kNodeProperty || used.kind == Kind::kRelationshipProperty;
    const Names known = is_property ? Properties(element, used.of) : Elements(element);
    if (Has(known, used.name)) continue;
    hints.push_back(Hint(is_property ? "property" : is_of_node ? "label" : "relationship type", used, known));
  }
  return hints;
}

}  // namespace toolgate::executors::code_graph
