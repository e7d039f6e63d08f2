#include "executors/code_graph/index/graph_schema.h"

#include <array>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Label = SymbolLabel;

constexpr std::array<std::string_view, kSymbolLabels> kLabelNames = {
    "",           "Function", "Method", "Class",     "Struct",   "Union",    "Interface", "Enum",
    "EnumMember", "Type",     "Macro",  "Namespace", "Variable", "Constant", "Field",     "Prototype"};

constexpr std::array<std::string_view, kRelationshipTypes> kTypeNames = {
    "CONTAINS", "DEFINES", "INCLUDES", "IMPORTS", "CALLS", "REFERENCES", "EXTENDS"};

const absl::flat_hash_map<std::string_view, Label>& LabelsByKind() {
  static const auto* const labels = new absl::flat_hash_map<std::string_view, Label>{
      {"function", Label::kFunction},
      {"func", Label::kFunction},
      {"subroutine", Label::kFunction},
      {"procedure", Label::kFunction},
      {"generator", Label::kFunction},
      {"rpc", Label::kMethod},
      {"method", Label::kMethod},
      {"methodSpec", Label::kMethod},
      {"singletonMethod", Label::kMethod},
      {"constructor", Label::kMethod},
      {"getter", Label::kMethod},
      {"setter", Label::kMethod},
      {"class", Label::kClass},
      {"object", Label::kClass},
      {"struct", Label::kStruct},
      {"message", Label::kStruct},
      {"union", Label::kUnion},
      {"interface", Label::kInterface},
      {"trait", Label::kInterface},
      {"protocol", Label::kInterface},
      {"service", Label::kInterface},
      {"enum", Label::kEnum},
      {"enumerator", Label::kEnumMember},
      {"enumConstant", Label::kEnumMember},
      {"typedef", Label::kType},
      {"type", Label::kType},
      {"talias", Label::kType},
      {"typealias", Label::kType},
      {"macro", Label::kMacro},
      {"namespace", Label::kNamespace},
      {"package", Label::kNamespace},
      {"module", Label::kNamespace},
      {"variable", Label::kVariable},
      {"var", Label::kVariable},
      {"constant", Label::kConstant},
      {"const", Label::kConstant},
      {"define", Label::kConstant},
      {"delegate", Label::kType},
      {"event", Label::kField},
      {"member", Label::kField},
      {"anonMember", Label::kField},
      {"field", Label::kField},
      {"property", Label::kField},
      {"accessor", Label::kField},
      {"prototype", Label::kPrototype},
  };
  return *labels;
}

bool IsTypeKind(std::string_view kind) {
  return kind == "class" || kind == "struct" || kind == "union" || kind == "interface" || kind == "trait" ||
         kind == "implementation" || kind == "enum" || kind == "object";
}

const std::vector<std::string_view>& SymbolProperties() {
  static const auto* const properties = new std::vector<std::string_view>{
      "name", "kind", "path", "line", "endLine", "signature", "scope", "qualifiedName", "language"};
  return *properties;
}

std::vector<SchemaElement> MakeElements() {
  const std::vector<std::string_view>& of_symbol = SymbolProperties();
  std::vector<SchemaElement> elements = {
      {"node",
       "File",
       "A text file. lines and size count lines and bytes; skipped says why a file has no symbols.",
       {"path", "name", "language", "lines", "size", "skipped"}},
      {"node", "Folder", "A folder with files below it. The top one has the path \"\".", {"path", "name"}},
      {"node",
       "Module",
       "A header, module or package that is included or imported and is no file of the workspace.",
       {"name", "language"}},
      {"node", "Symbol",
       "A definition in a file. kind is universal-ctags' word; most symbols also have one of the labels below.",
       of_symbol},
  };
  const auto add_label = [&](std::string_view name, std::string_view description) {
    elements.push_back({"node", name, description, of_symbol});
  };
  add_label("Function", "A function outside of a class, or one that is bound to a name, such as an arrow function.");
  add_label("Method", "A function of a class, struct or interface.");
  add_label("Class", "A class.");
  add_label("Struct", "A struct or message.");
  add_label("Union", "A union.");
  add_label("Interface", "An interface, trait, protocol or service.");
  add_label("Enum", "An enumeration.");
  add_label("EnumMember", "One value of an enumeration.");
  add_label("Type", "A typedef or alias.");
  add_label("Macro", "A macro.");
  add_label("Namespace", "A namespace, package or module that a file declares.");
  add_label("Variable", "A variable outside of functions.");
  add_label("Constant", "A constant.");
  add_label("Field", "A data member or property.");
  add_label("Prototype", "A declaration of a function whose definition, if there is one, is another symbol.");
  const auto add_type = [&](RelationshipType type, std::string_view description,
                            std::vector<std::string_view> properties, std::vector<std::string_view> from,
                            std::vector<std::string_view> to) {
    elements.push_back(
        {"relationship", TypeName(type), description, std::move(properties), std::move(from), std::move(to)});
  };
  add_type(RelationshipType::kContains, "A folder's files and folders, and a symbol's members.", {},
           {"Folder", "Symbol"}, {"Folder", "File", "Symbol"});
  add_type(RelationshipType::kDefines, "Every symbol of a file, nested ones included.", {}, {"File"}, {"Symbol"});
  add_type(RelationshipType::kIncludes, "#include and its like; name is what the source says.", {"name", "line"},
           {"File"}, {"File", "Module"});
  add_type(RelationshipType::kImports, "An import; name is what the source says.", {"name", "line"}, {"File"},
           {"File", "Module"});
  add_type(RelationshipType::kCalls, "A call by name, from the innermost symbol around it; line is the first of count.",
           {"line", "count"}, {"Symbol", "File"}, {"Symbol"});
  add_type(RelationshipType::kReferences, "A mention that is no call: of a type, variable, field, macro or function.",
           {"line", "count"}, {"Symbol", "File"}, {"Symbol"});
  add_type(RelationshipType::kExtends, "A base class or implemented interface.", {"line", "count"}, {"Symbol"},
           {"Symbol"});
  return elements;
}

}  // namespace

std::string_view LabelName(SymbolLabel label) { return kLabelNames[static_cast<size_t>(label)]; }

std::optional<SymbolLabel> FindSymbolLabel(std::string_view name) {
  for (size_t i = 1; i < kLabelNames.size(); ++i) {
    if (kLabelNames[i] == name) return static_cast<SymbolLabel>(i);
  }
  return std::nullopt;
}

SymbolLabel LabelOf(std::string_view kind, std::string_view scope_kind, std::string_view language) {
  if (kind == "alias" && language == "Ruby") return scope_kind.empty() ? Label::kFunction : Label::kMethod;
  if (kind == "alias") return language == "TypeScript" ? Label::kType : Label::kNone;
  if (kind == "member" && language == "Python") return Label::kMethod;
  const bool is_script = language == "TypeScript" || language == "JavaScript";
  if (kind == "function" && is_script) return Label::kFunction;
  // Outside of every class, what Ruby calls a method is a function.
  if (kind == "method" && scope_kind.empty()) return Label::kFunction;
  const auto found = LabelsByKind().find(kind);
  const Label label = found == LabelsByKind().end() ? Label::kNone : found->second;
  const bool is_of_named_type = language == "Go" && (scope_kind == "type" || scope_kind == "talias");
  if (label == Label::kFunction && (is_of_named_type || IsTypeKind(scope_kind))) return Label::kMethod;
  return label;
}

std::string_view TypeName(RelationshipType type) { return kTypeNames[static_cast<size_t>(type)]; }

std::optional<RelationshipType> FindRelationshipType(std::string_view name) {
  for (size_t i = 0; i < kTypeNames.size(); ++i) {
    if (kTypeNames[i] == name) return static_cast<RelationshipType>(i);
  }
  return std::nullopt;
}

const std::vector<SchemaElement>& SchemaElements() {
  static const auto* const elements = new std::vector<SchemaElement>(MakeElements());
  return *elements;
}

}  // namespace toolgate::executors::code_graph::index
