// The node labels, relationship types and properties of a code graph.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_SCHEMA_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_SCHEMA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::executors::code_graph::index {

// The label that a symbol has beside "Symbol". Stored by its number: append only.
enum class SymbolLabel : uint8_t {
  kNone,
  kFunction,
  kMethod,
  kClass,
  kStruct,
  kUnion,
  kInterface,
  kEnum,
  kEnumMember,
  kType,
  kMacro,
  kNamespace,
  kVariable,
  kConstant,
  kField,
  kPrototype,
};
inline constexpr int kSymbolLabels = 16;

// Empty for kNone.
std::string_view LabelName(SymbolLabel label);
std::optional<SymbolLabel> FindSymbolLabel(std::string_view name);

// Label for a symbol of universal-ctags' kind `kind` in a scope of kind `scope_kind`.
SymbolLabel LabelOf(std::string_view kind, std::string_view scope_kind, std::string_view language);

// Stored by its number: append only.
enum class RelationshipType : uint8_t { kContains, kDefines, kIncludes, kImports, kCalls, kReferences, kExtends };
inline constexpr int kRelationshipTypes = 7;

std::string_view TypeName(RelationshipType type);
std::optional<RelationshipType> FindRelationshipType(std::string_view name);

// One node label or relationship type, as the nodes with the label "Schema" tell of it.
struct SchemaElement {
  std::string_view element;  // "node" or "relationship".
  std::string_view name;
  std::string_view description;
  std::vector<std::string_view> properties = {};
  std::vector<std::string_view> from = {};  // Labels, of a relationship.
  std::vector<std::string_view> to = {};
};

// In a fixed order.
const std::vector<SchemaElement>& SchemaElements();

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_SCHEMA_H_
