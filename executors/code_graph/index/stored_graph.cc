#include "executors/code_graph/index/stored_graph.h"

#include <array>
#include <cstddef>

#include "common/status_macros.h"
#include "executors/directory/path.h"

namespace toolgate::executors::code_graph::index {
namespace {

using cypher::Direction;
using cypher::NodeId;
using cypher::RelationshipId;
using cypher::values::List;
using cypher::values::Map;
using cypher::values::Value;
using storage::sqlite::Connection;
using storage::sqlite::Cursor;
using Type = RelationshipType;
using Relationship = cypher::Graph::Relationship;
using Properties = std::vector<std::pair<std::string_view, Value>>;

constexpr size_t kStep = 512;  // Rows that are read at a time.

// A relationship whose id is that of the row behind it in `table`.
Relationship Make(int64_t table, int64_t row, NodeId start, NodeId end, Type type) {
  return {GraphId::Of(table, row), start, end, TypeName(type)};
}

NodeId FileNode(int64_t row) { return GraphId::Of(GraphId::kFile, row); }
NodeId FolderNode(int64_t row) { return GraphId::Of(GraphId::kFolder, row); }
NodeId SymbolNode(int64_t row) { return GraphId::Of(GraphId::kSymbol, row); }

Relationship FolderOfFile(int64_t file, int64_t folder) {
  return Make(GraphId::kFolderOfFile, file, FolderNode(folder), FileNode(file), Type::kContains);
}
Relationship FolderOfFolder(int64_t folder, int64_t parent) {
  return Make(GraphId::kFolderOfFolder, folder, FolderNode(parent), FolderNode(folder), Type::kContains);
}
Relationship MemberOfSymbol(int64_t symbol, int64_t parent) {
  return Make(GraphId::kMemberOfSymbol, symbol, SymbolNode(parent), SymbolNode(symbol), Type::kContains);
}
Relationship Definition(int64_t symbol, int64_t file) {
  return Make(GraphId::kDefinition, symbol, FileNode(file), SymbolNode(symbol), Type::kDefines);
}
// Of a row "id, file, target or 0, module or 0, is_include".
Relationship ImportOf(const Cursor& row) {
  const NodeId end = row.Int(2) != 0 ? FileNode(row.Int(2)) : GraphId::Of(GraphId::kModule, row.Int(3));
  return Make(GraphId::kImport, row.Int(0), FileNode(row.Int(1)), end,
              row.Int(4) != 0 ? Type::kIncludes : Type::kImports);
}
// Of a row "id, source, target, type".
Relationship EdgeOf(const Cursor& row) {
  return Make(GraphId::kEdge, row.Int(0), row.Int(1), SymbolNode(row.Int(2)), static_cast<Type>(row.Int(3)));
}

absl::Status NoSuch(std::string_view what) {
  return absl::NotFoundError(what == "node" ? "the graph has no such node" : "the graph has no such relationship");
}

void Add(std::string_view key, std::string_view text, Properties& properties) {
  if (!text.empty()) properties.emplace_back(key, Value(text));
}

template <typename Pairs>
Map ToMap(const Pairs& pairs) {
  Map map;
  for (const auto& [key, value] : pairs) map.emplace(key, value);
  return map;
}

template <typename Pairs>
Value FindIn(const Pairs& pairs, std::string_view key) {
  for (const auto& [known, value] : pairs) {
    if (known == key) return value;
  }
  return Value();
}

Value ToList(const std::vector<std::string_view>& texts) {
  List list;
  for (const std::string_view text : texts) list.emplace_back(text);
  return Value(std::move(list));
}

// The label of the nodes of a table; empty for that of symbols, which have two.
std::string_view LabelOfTable(int64_t table) {
  switch (table) {
    case GraphId::kFile:
      return "File";
    case GraphId::kFolder:
      return "Folder";
    case GraphId::kModule:
      return "Module";
    case GraphId::kSchema:
      return "Schema";
    default:
      return "";
  }
}

bool IsSymbolLabel(std::string_view label) { return label == "Symbol" || FindSymbolLabel(label).has_value(); }

}  // namespace

// Types that a pattern asks for.
class StoredGraph::TypeSet {
 public:
  explicit TypeSet(absl::Span<const std::string> names) {
    if (names.empty()) has_.fill(true);
    for (const std::string& name : names) {
      const std::optional<Type> type = FindRelationshipType(name);
      if (type.has_value()) has_[static_cast<size_t>(*type)] = true;
    }
  }

  bool Has(Type type) const { return has_[static_cast<size_t>(type)]; }
  bool HasImports() const { return Has(Type::kIncludes) || Has(Type::kImports); }
  bool HasEdges() const { return Has(Type::kCalls) || Has(Type::kReferences) || Has(Type::kExtends); }
  bool Has(std::string_view name) const {
    const std::optional<Type> type = FindRelationshipType(name);
    return type.has_value() && Has(*type);
  }

 private:
  std::array<bool, kRelationshipTypes> has_ = {};
};

absl::StatusOr<std::unique_ptr<StoredGraph>> StoredGraph::Open(const GraphDatabase& database) {
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, database.OpenToRead());
  RETURN_IF_ERROR(connection->Execute("BEGIN"));
  ASSIGN_OR_RETURN(const bool complete, IsComplete(*connection));
  if (!complete) return absl::FailedPreconditionError("the code graph is still made");
  return std::unique_ptr<StoredGraph>(new StoredGraph(std::move(connection)));
}

StoredGraph::~StoredGraph() = default;

// ---- Nodes ----------------------------------------------------------------------------------------------------------

absl::StatusOr<bool> StoredGraph::ScanTable(const char* sql, int64_t table, NodeVisitor visit) const {
  int64_t last = 0;
  while (true) {
    Ids ids;
    {
      Cursor cursor = db().Use(sql);
      cursor.Bind(last);
      while (ids.size() < kStep) {
        ASSIGN_OR_RETURN(const bool row, cursor.Step());
        if (!row) break;
        ids.push_back(cursor.Int(0));
      }
    }
    for (const int64_t id : ids) {
      if (!visit(GraphId::Of(table, id))) return false;
    }
    if (ids.size() < kStep) return true;
    last = ids.back();
  }
}

absl::StatusOr<bool> StoredGraph::ScanSymbols(SymbolLabel label, NodeVisitor visit) const {
  int64_t last = 0;
  while (true) {
    Ids ids;
    {
      Cursor cursor = db().Use("SELECT id FROM symbols WHERE label = ? AND id > ? ORDER BY id");
      cursor.Bind(static_cast<int64_t>(label), last);
      while (ids.size() < kStep) {
        ASSIGN_OR_RETURN(const bool row, cursor.Step());
        if (!row) break;
        ids.push_back(cursor.Int(0));
      }
    }
    for (const int64_t id : ids) {
      if (!visit(SymbolNode(id))) return false;
    }
    if (ids.size() < kStep) return true;
    last = ids.back();
  }
}

absl::Status StoredGraph::ScanNodes(std::string_view label, NodeVisitor visit) const {
  if (const std::optional<SymbolLabel> symbols = FindSymbolLabel(label)) return ScanSymbols(*symbols, visit).status();
  bool goes_on = true;
  const auto scan = [&](std::string_view own, const char* sql, int64_t table) -> absl::Status {
    if (!goes_on || !(label.empty() || label == own)) return absl::OkStatus();
    ASSIGN_OR_RETURN(goes_on, ScanTable(sql, table, visit));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(scan("Folder", "SELECT id FROM folders WHERE id > ? ORDER BY id", GraphId::kFolder));
  RETURN_IF_ERROR(scan("File", "SELECT id FROM files WHERE id > ? ORDER BY id", GraphId::kFile));
  RETURN_IF_ERROR(scan("Module", "SELECT id FROM modules WHERE id > ? ORDER BY id", GraphId::kModule));
  RETURN_IF_ERROR(scan("Symbol", "SELECT id FROM symbols WHERE id > ? ORDER BY id", GraphId::kSymbol));
  const bool wants_schema = goes_on && (label.empty() || label == "Schema");
  for (size_t i = 0; wants_schema && i < SchemaElements().size(); ++i) {
    if (!visit(GraphId::Of(GraphId::kSchema, static_cast<int64_t>(i) + 1))) break;
  }
  return absl::OkStatus();
}

bool StoredGraph::HasIndex(std::string_view label, std::string_view key) const {
  if (label == "Module") return key == "name";
  const bool has_both = label.empty() || label == "File" || label == "Folder" || IsSymbolLabel(label);
  return has_both && (key == "name" || key == "path");
}

absl::StatusOr<bool> StoredGraph::FindRows(const char* sql, int64_t table, SymbolLabel wanted, std::string_view value,
                                           NodeVisitor visit) const {
  Ids ids;
  {
    Cursor cursor = db().Use(sql);
    cursor.Bind(value);
    while (true) {
      ASSIGN_OR_RETURN(const bool row, cursor.Step());
      if (!row) break;
      if (wanted == SymbolLabel::kNone || cursor.Int(1) == static_cast<int64_t>(wanted)) ids.push_back(cursor.Int(0));
    }
  }
  for (const int64_t id : ids) {
    if (!visit(GraphId::Of(table, id))) return false;
  }
  return true;
}

absl::Status StoredGraph::FindNodes(std::string_view label, std::string_view key, const Value& value,
                                    NodeVisitor visit) const {
  if (!value.is_string() || !HasIndex(label, key)) return absl::OkStatus();
  const bool by_name = key == "name";
  const SymbolLabel wanted = FindSymbolLabel(label).value_or(SymbolLabel::kNone);
  bool goes_on = true;
  const auto find = [&](bool is_meant, const char* sql, int64_t table) -> absl::Status {
    if (!goes_on || !(is_meant || label.empty())) return absl::OkStatus();
    ASSIGN_OR_RETURN(goes_on, FindRows(sql, table, wanted, value.string(), visit));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(find(
      label == "Folder",
      by_name ? "SELECT id, 0 FROM folders WHERE name = ? ORDER BY id" : "SELECT id, 0 FROM folders WHERE path = ?",
      GraphId::kFolder));
  RETURN_IF_ERROR(
      find(label == "File",
           by_name ? "SELECT id, 0 FROM files WHERE name = ? ORDER BY id" : "SELECT id, 0 FROM files WHERE path = ?",
           GraphId::kFile));
  if (by_name) {
    RETURN_IF_ERROR(find(label == "Module", "SELECT id, 0 FROM modules WHERE name = ? ORDER BY id", GraphId::kModule));
  }
  RETURN_IF_ERROR(find(IsSymbolLabel(label),
                       by_name ? "SELECT id, label FROM symbols WHERE name = ? ORDER BY id"
                               : "SELECT s.id, s.label FROM files f JOIN symbols s ON s.file = f.id WHERE f.path = ? "
                                 "ORDER BY s.ordinal",
                       GraphId::kSymbol));
  for (size_t i = 0; goes_on && by_name && label.empty() && i < SchemaElements().size(); ++i) {
    if (SchemaElements()[i].name != value.string()) continue;
    goes_on = visit(GraphId::Of(GraphId::kSchema, static_cast<int64_t>(i) + 1));
  }
  return absl::OkStatus();
}

int64_t StoredGraph::EstimateNodes(std::string_view label) const {
  const auto schema = static_cast<int64_t>(SchemaElements().size());
  if (label == "Schema") return schema;
  Cursor cursor = label.empty()
                      ? db().Use("SELECT sum(count) FROM counts WHERE label IN ('File', 'Folder', 'Module', 'Symbol')")
                      : db().Use("SELECT count FROM counts WHERE label = ?");
  if (!label.empty()) cursor.Bind(label);
  const absl::StatusOr<bool> row = cursor.Step();
  const int64_t stored = row.ok() && *row ? cursor.Int(0) : 0;
  return label.empty() ? stored + schema : stored;
}

absl::StatusOr<std::vector<std::string>> StoredGraph::Labels(NodeId node) const {
  const std::string_view label = LabelOfTable(GraphId::TableOf(node));
  ASSIGN_OR_RETURN(const Node* const found, NodeOf(node));
  if (!label.empty()) return std::vector<std::string>{std::string(label)};
  std::vector<std::string> labels = {"Symbol"};
  if (found->label != SymbolLabel::kNone) labels.emplace_back(LabelName(found->label));
  return labels;
}

absl::StatusOr<bool> StoredGraph::HasLabel(NodeId node, std::string_view label) const {
  const std::string_view of_table = LabelOfTable(GraphId::TableOf(node));
  if (!of_table.empty()) return of_table == label;
  if (label == "Symbol") return true;
  const std::optional<SymbolLabel> wanted = FindSymbolLabel(label);
  if (!wanted.has_value()) return false;
  ASSIGN_OR_RETURN(const Node* const found, NodeOf(node));
  return found->label == *wanted;
}

absl::StatusOr<Value> StoredGraph::NodeProperty(NodeId node, std::string_view key) const {
  ASSIGN_OR_RETURN(const Node* const found, NodeOf(node));
  return FindIn(found->properties, key);
}

absl::StatusOr<Map> StoredGraph::NodeProperties(NodeId node) const {
  ASSIGN_OR_RETURN(const Node* const found, NodeOf(node));
  return ToMap(found->properties);
}

absl::StatusOr<const StoredGraph::Node*> StoredGraph::NodeOf(NodeId node) const {
  const auto known = kept_.find(node);
  if (known != kept_.end()) return known->second.get();
  ASSIGN_OR_RETURN(Node found, ReadNode(node));
  if (kept_.size() >= kMaxKept) kept_.clear();
  return kept_.emplace(node, std::make_unique<const Node>(std::move(found))).first->second.get();
}

absl::StatusOr<StoredGraph::Node> StoredGraph::ReadNode(NodeId node) const {
  const int64_t table = GraphId::TableOf(node);
  if (table == GraphId::kSchema) return ReadSchemaNode(GraphId::RowOf(node));
  const char* sql = nullptr;
  switch (table) {
    case GraphId::kFile:
      sql = "SELECT path, name, language, lines, size, skipped FROM files WHERE id = ?";
      break;
    case GraphId::kFolder:
      sql = "SELECT path FROM folders WHERE id = ?";
      break;
    case GraphId::kModule:
      sql = "SELECT name, language FROM modules WHERE id = ?";
      break;
    case GraphId::kSymbol:
      sql =
          "SELECT s.name, s.kind, f.path, s.line, s.end_line, s.signature, s.scope, s.qualified_name, f.language, "
          "s.label FROM symbols s JOIN files f ON f.id = s.file WHERE s.id = ?";
      break;
    default:
      return NoSuch("node");
  }
  Cursor row = db().Use(sql);
  row.Bind(GraphId::RowOf(node));
  ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return NoSuch("node");
  Node result;
  Properties& properties = result.properties;
  switch (table) {
    case GraphId::kFile:
      properties.emplace_back("path", Value(directory::ShownPath(row.Text(0))));
      properties.emplace_back("name", Value(directory::ShownPath(row.Text(1))));
      Add("language", row.Text(2), properties);
      properties.emplace_back("lines", Value(row.Int(3)));
      properties.emplace_back("size", Value(row.Int(4)));
      Add("skipped", row.Text(5), properties);
      break;
    case GraphId::kFolder:
      properties.emplace_back("path", Value(directory::ShownPath(row.Text(0))));
      properties.emplace_back("name", Value(directory::ShownPath(directory::NameOf(row.Text(0)))));
      break;
    case GraphId::kModule:
      properties.emplace_back("name", Value(row.Text(0)));
      Add("language", row.Text(1), properties);
      break;
    default:
      properties.emplace_back("name", Value(row.Text(0)));
      properties.emplace_back("kind", Value(row.Text(1)));
      properties.emplace_back("path", Value(directory::ShownPath(row.Text(2))));
      properties.emplace_back("line", Value(row.Int(3)));
      properties.emplace_back("endLine", Value(row.Int(4)));
      Add("signature", row.Text(5), properties);
      Add("scope", row.Text(6), properties);
      properties.emplace_back("qualifiedName", Value(row.Text(7)));
      Add("language", row.Text(8), properties);
      result.label = static_cast<SymbolLabel>(row.Int(9));
  }
  return result;
}

absl::StatusOr<StoredGraph::Node> StoredGraph::ReadSchemaNode(int64_t row) const {
  if (row < 1 || row > static_cast<int64_t>(SchemaElements().size())) return NoSuch("node");
  const SchemaElement& element = SchemaElements()[static_cast<size_t>(row - 1)];
  Node node;
  node.properties.emplace_back("element", Value(element.element));
  node.properties.emplace_back("name", Value(element.name));
  node.properties.emplace_back("description", Value(element.description));
  node.properties.emplace_back("properties", ToList(element.properties));
  if (!element.from.empty()) node.properties.emplace_back("from", ToList(element.from));
  if (!element.to.empty()) node.properties.emplace_back("to", ToList(element.to));
  ASSIGN_OR_RETURN(const int64_t count, CountOf(element));
  node.properties.emplace_back("count", Value(count));
  return node;
}

absl::StatusOr<int64_t> StoredGraph::CountOf(const SchemaElement& element) const {
  if (element.element == "node") return EstimateNodes(element.name);
  const Type type = FindRelationshipType(element.name).value_or(Type::kContains);
  const char* sql = nullptr;
  switch (type) {
    case Type::kContains:
      sql =
          "SELECT (SELECT count(*) FROM files) + (SELECT count(*) FROM folders WHERE parent IS NOT NULL) + "
          "(SELECT count(*) FROM symbols WHERE parent IS NOT NULL) WHERE ? >= 0";
      break;
    case Type::kDefines:
      sql = "SELECT count(*) FROM symbols WHERE ? >= 0";
      break;
    case Type::kIncludes:
    case Type::kImports:
      sql = "SELECT count(*) FROM imports WHERE is_include = (? = 2) AND (target IS NOT NULL OR module IS NOT NULL)";
      break;
    default:
      sql = "SELECT count(*) FROM edges WHERE type = ?";
  }
  Cursor cursor = db().Use(sql);
  cursor.Bind(static_cast<int64_t>(type));
  ASSIGN_OR_RETURN(const bool row, cursor.Step());
  return row ? cursor.Int(0) : 0;
}

// ---- Relationships --------------------------------------------------------------------------------------------------

absl::Status StoredGraph::AddImports(const char* sql, int64_t row, const TypeSet& types, Relationships& found) const {
  if (!types.HasImports()) return absl::OkStatus();
  Cursor cursor = db().Use(sql);
  cursor.Bind(row);
  while (true) {
    ASSIGN_OR_RETURN(const bool more, cursor.Step());
    if (!more) return absl::OkStatus();
    const Relationship import = ImportOf(cursor);
    if (types.Has(import.type)) found.push_back(import);
  }
}

absl::Status StoredGraph::AddEdges(const char* sql, int64_t key, const TypeSet& types, Relationships& found) const {
  if (!types.HasEdges()) return absl::OkStatus();
  Cursor cursor = db().Use(sql);
  cursor.Bind(key);
  while (true) {
    ASSIGN_OR_RETURN(const bool more, cursor.Step());
    if (!more) return absl::OkStatus();
    if (types.Has(static_cast<Type>(cursor.Int(3)))) found.push_back(EdgeOf(cursor));
  }
}

absl::Status StoredGraph::AddOut(NodeId node, const TypeSet& types, Relationships& found) const {
  const int64_t row = GraphId::RowOf(node);
  const auto add = [&](const char* sql, auto convert) -> absl::Status {
    Cursor cursor = db().Use(sql);
    cursor.Bind(row);
    while (true) {
      ASSIGN_OR_RETURN(const bool more, cursor.Step());
      if (!more) return absl::OkStatus();
      found.push_back(convert(cursor.Int(0), row));
    }
  };
  switch (GraphId::TableOf(node)) {
    case GraphId::kFolder:
      if (!types.Has(Type::kContains)) return absl::OkStatus();
      RETURN_IF_ERROR(add("SELECT id FROM folders WHERE parent = ?", FolderOfFolder));
      return add("SELECT id FROM files WHERE folder = ?", FolderOfFile);
    case GraphId::kFile:
      if (types.Has(Type::kDefines)) {
        RETURN_IF_ERROR(add("SELECT id FROM symbols WHERE file = ? ORDER BY ordinal", Definition));
      }
      RETURN_IF_ERROR(
          AddImports("SELECT id, file, coalesce(target, 0), module, is_include FROM imports "
                     "WHERE file = ? AND (target IS NOT NULL OR module IS NOT NULL)",
                     row, types, found));
      return AddEdges("SELECT id, source, target, type FROM edges WHERE source = ?", node, types, found);
    case GraphId::kSymbol:
      if (types.Has(Type::kContains)) RETURN_IF_ERROR(add("SELECT id FROM symbols WHERE parent = ?", MemberOfSymbol));
      return AddEdges("SELECT id, source, target, type FROM edges WHERE source = ?", node, types, found);
    default:
      return absl::OkStatus();
  }
}

absl::Status StoredGraph::AddIn(NodeId node, const TypeSet& types, Relationships& found) const {
  const int64_t row = GraphId::RowOf(node);
  const auto add = [&](const char* sql, auto convert) -> absl::Status {
    Cursor cursor = db().Use(sql);
    cursor.Bind(row);
    ASSIGN_OR_RETURN(const bool more, cursor.Step());
    if (more && cursor.Int(0) != 0) found.push_back(convert(row, cursor.Int(0)));
    return absl::OkStatus();
  };
  switch (GraphId::TableOf(node)) {
    case GraphId::kFolder:
      return types.Has(Type::kContains) ? add("SELECT parent FROM folders WHERE id = ?", FolderOfFolder)
                                        : absl::OkStatus();
    case GraphId::kFile:
      if (types.Has(Type::kContains)) RETURN_IF_ERROR(add("SELECT folder FROM files WHERE id = ?", FolderOfFile));
      return AddImports("SELECT id, file, target, 0, is_include FROM imports WHERE target = ?", row, types, found);
    case GraphId::kModule:
      return AddImports("SELECT id, file, 0, module, is_include FROM imports WHERE module = ?", row, types, found);
    case GraphId::kSymbol:
      if (types.Has(Type::kDefines)) RETURN_IF_ERROR(add("SELECT file FROM symbols WHERE id = ?", Definition));
      if (types.Has(Type::kContains)) RETURN_IF_ERROR(add("SELECT parent FROM symbols WHERE id = ?", MemberOfSymbol));
      return AddEdges("SELECT id, source, target, type FROM edges WHERE target = ?", row, types, found);
    default:
      return absl::OkStatus();
  }
}

absl::Status StoredGraph::Expand(NodeId node, Direction direction, absl::Span<const std::string> types,
                                 RelationshipVisitor visit) const {
  const TypeSet wanted(types);
  Relationships found;
  if (direction != Direction::kIn) RETURN_IF_ERROR(AddOut(node, wanted, found));
  const size_t outgoing = found.size();
  if (direction != Direction::kOut) RETURN_IF_ERROR(AddIn(node, wanted, found));
  for (size_t i = 0; i < found.size(); ++i) {
    // Its way out has been visited.
    if (direction == Direction::kBoth && i >= outgoing && found[i].start == found[i].end) continue;
    if (!visit(found[i])) break;
  }
  return absl::OkStatus();
}

template <typename ToRelationship>
absl::StatusOr<bool> StoredGraph::ScanRows(const char* sql, const ToRelationship& convert,
                                           RelationshipVisitor visit) const {
  int64_t last = 0;
  while (true) {
    Relationships found;
    {
      Cursor cursor = db().Use(sql);
      cursor.Bind(last);
      while (found.size() < kStep) {
        ASSIGN_OR_RETURN(const bool row, cursor.Step());
        if (!row) break;
        found.push_back(convert(cursor));
        last = cursor.Int(0);
      }
    }
    for (const Relationship& relationship : found) {
      if (!visit(relationship)) return false;
    }
    if (found.size() < kStep) return true;
  }
}

absl::Status StoredGraph::ScanRelationships(absl::Span<const std::string> types, RelationshipVisitor visit) const {
  const TypeSet wanted(types);
  bool goes_on = true;
  const auto only_wanted = [&](const Relationship& relationship) {
    return !wanted.Has(relationship.type) || visit(relationship);
  };
  const auto scan = [&](bool is_wanted, const char* sql, auto convert) -> absl::Status {
    if (!goes_on || !is_wanted) return absl::OkStatus();
    ASSIGN_OR_RETURN(goes_on, ScanRows(sql, convert, only_wanted));
    return absl::OkStatus();
  };
  const bool contains = wanted.Has(Type::kContains);
  RETURN_IF_ERROR(scan(contains, "SELECT id, parent FROM folders WHERE id > ? AND parent IS NOT NULL ORDER BY id",
                       [](const Cursor& row) { return FolderOfFolder(row.Int(0), row.Int(1)); }));
  RETURN_IF_ERROR(scan(contains, "SELECT id, folder FROM files WHERE id > ? ORDER BY id",
                       [](const Cursor& row) { return FolderOfFile(row.Int(0), row.Int(1)); }));
  RETURN_IF_ERROR(scan(contains, "SELECT id, parent FROM symbols WHERE id > ? AND parent IS NOT NULL ORDER BY id",
                       [](const Cursor& row) { return MemberOfSymbol(row.Int(0), row.Int(1)); }));
  RETURN_IF_ERROR(scan(wanted.Has(Type::kDefines), "SELECT id, file FROM symbols WHERE id > ? ORDER BY id",
                       [](const Cursor& row) { return Definition(row.Int(0), row.Int(1)); }));
  RETURN_IF_ERROR(scan(wanted.HasImports(),
                       "SELECT id, file, coalesce(target, 0), module, is_include FROM imports WHERE id > ? AND "
                       "(target IS NOT NULL OR module IS NOT NULL) ORDER BY id",
                       ImportOf));
  return scan(wanted.HasEdges(), "SELECT id, source, target, type FROM edges WHERE id > ? ORDER BY id", EdgeOf);
}

absl::StatusOr<StoredGraph::Edge> StoredGraph::ReadEdge(RelationshipId relationship) const {
  const char* sql = nullptr;
  switch (GraphId::TableOf(relationship)) {
    case GraphId::kFolderOfFile:
      sql = "SELECT id, folder FROM files WHERE id = ?";
      break;
    case GraphId::kFolderOfFolder:
      sql = "SELECT id, parent FROM folders WHERE id = ? AND parent IS NOT NULL";
      break;
    case GraphId::kMemberOfSymbol:
      sql = "SELECT id, parent FROM symbols WHERE id = ? AND parent IS NOT NULL";
      break;
    case GraphId::kDefinition:
      sql = "SELECT id, file FROM symbols WHERE id = ?";
      break;
    case GraphId::kImport:
      sql = "SELECT id, file, coalesce(target, 0), module, is_include, name, line FROM imports WHERE id = ?";
      break;
    case GraphId::kEdge:
      sql = "SELECT id, source, target, type, line, count FROM edges WHERE id = ?";
      break;
    default:
      return NoSuch("relationship");
  }
  Cursor row = db().Use(sql);
  row.Bind(GraphId::RowOf(relationship));
  ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return NoSuch("relationship");
  Edge edge;
  switch (GraphId::TableOf(relationship)) {
    case GraphId::kFolderOfFile:
      edge.relationship = FolderOfFile(row.Int(0), row.Int(1));
      break;
    case GraphId::kFolderOfFolder:
      edge.relationship = FolderOfFolder(row.Int(0), row.Int(1));
      break;
    case GraphId::kMemberOfSymbol:
      edge.relationship = MemberOfSymbol(row.Int(0), row.Int(1));
      break;
    case GraphId::kDefinition:
      edge.relationship = Definition(row.Int(0), row.Int(1));
      break;
    case GraphId::kImport:
      edge.relationship = ImportOf(row);
      edge.properties.emplace_back("name", Value(row.Text(5)));
      edge.properties.emplace_back("line", Value(row.Int(6)));
      break;
    default:
      edge.relationship = EdgeOf(row);
      edge.properties.emplace_back("line", Value(row.Int(4)));
      edge.properties.emplace_back("count", Value(row.Int(5)));
  }
  return edge;
}

absl::StatusOr<Relationship> StoredGraph::GetRelationship(RelationshipId relationship) const {
  ASSIGN_OR_RETURN(const Edge edge, ReadEdge(relationship));
  return edge.relationship;
}

absl::StatusOr<Value> StoredGraph::RelationshipProperty(RelationshipId relationship, std::string_view key) const {
  ASSIGN_OR_RETURN(const Edge edge, ReadEdge(relationship));
  return FindIn(edge.properties, key);
}

absl::StatusOr<Map> StoredGraph::RelationshipProperties(RelationshipId relationship) const {
  ASSIGN_OR_RETURN(const Edge edge, ReadEdge(relationship));
  return ToMap(edge.properties);
}

}  // namespace toolgate::executors::code_graph::index
