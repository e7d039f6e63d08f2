#include "executors/code_graph/index/edge_resolver.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <tuple>

#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/code_graph/index/file_bases.h"
#include "executors/code_graph/index/graph_database.h"
#include "executors/code_graph/index/import_resolver.h"

namespace toolgate::executors::code_graph::index {
namespace {

using storage::sqlite::Cursor;
using Label = SymbolLabel;

constexpr size_t kMaxReach = 5000;     // Files that one file sees through its imports.
constexpr int kImportDepth = 2;        // Of languages whose imports do not pass on what they import.
constexpr size_t kMaxTargets = 8;      // Overloads of one name.
constexpr size_t kMaxSearched = 5000;  // Symbols of one name that are compared one by one.
constexpr size_t kMaxGlobal = 64;      // A name with more symbols is not unique.
constexpr size_t kMinGlobalCall = 3;   // Bytes of a name that is looked for in the whole workspace.
constexpr size_t kMinGlobalName = 4;

std::string_view LastPart(std::string_view scope) {
  const size_t at = scope.find_last_of(".:\\/\"");
  return at == std::string_view::npos ? scope : scope.substr(at + 1);
}

std::string_view Stem(std::string_view name) { return name.substr(0, name.find('.')); }

bool IsMemberLabel(Label label) { return label == Label::kMethod || label == Label::kField; }

bool IsTypeLabel(Label label) {
  return label == Label::kClass || label == Label::kStruct || label == Label::kUnion || label == Label::kInterface ||
         label == Label::kEnum;
}

// Whether `outer` is the qualified name `inner`, or a scope around it.
bool IsAround(std::string_view outer, std::string_view inner) {
  if (outer.empty() || inner.substr(0, outer.size()) != outer) return false;
  if (inner.size() == outer.size()) return true;
  return std::string_view(".:\\/\"").find(inner[outer.size()]) != std::string_view::npos;
}

}  // namespace

struct EdgeResolver::File {
  std::string path;
  std::string stem;
  int64_t folder = 0;
  Language language;
  std::string language_name;
};

struct EdgeResolver::Candidate {
  int64_t id = 0;
  int64_t file = 0;
  int64_t folder = 0;
  Label label = Label::kNone;
  bool file_scope = false;
  LanguageGroup group = LanguageGroup::kOther;
  std::string scope;
  std::string qualified_name;
  std::string stem;  // Of the file's name.
};

// The symbols of one name, by path and place.
struct EdgeResolver::Named {
  std::vector<Candidate> all;
  absl::flat_hash_map<int64_t, std::pair<size_t, size_t>> by_file;  // Ranges of `all`.
};

// The file, and its folder, in which names are mentioned.
struct EdgeResolver::Source {
  int64_t file = 0;
  int64_t folder = 0;
  const Language* language = nullptr;
  const absl::flat_hash_set<int64_t>* reach = nullptr;
  std::string_view scope;
  std::string_view qualified_name;
  const BaseNames* bases = nullptr;  // Of the classes around.
};

// Chooses what one mention means.
class EdgeResolver::Choice {
 public:
  using Candidates = std::vector<const Candidate*>;

  Choice(const Source& source, const Mention& mention, std::string_view name, std::string_view qualifier,
         const Named& named)
      : source_(source), mention_(mention), name_(name), qualifier_(qualifier), named_(named) {}

  Candidates Make() const {
    const bool is_qualified = !qualifier_.empty();
    if (qualifier_ == "super") return Nearest(Gather([&](const Candidate& c) { return IsOfBase(c); }));
    if (is_qualified) {
      Candidates qualified = Gather([&](const Candidate& c) { return MatchesQualifier(c); });
      if (!qualified.empty()) return Nearest(std::move(qualified));
      if (!mention_.is_member) return {};  // Of a class or namespace from elsewhere.
    }
    Candidates all = Gather([&](const Candidate& c) { return FitsUnqualified(c); });
    return Nearest(std::move(all));
  }

 private:
  bool IsVisible(const Candidate& c) const {
    return c.group == source_.language->group && (!c.file_scope || c.file == source_.file) && FitsType(c);
  }

  bool FitsType(const Candidate& c) const {
    switch (mention_.type) {
      case RelationshipType::kExtends:
        return IsTypeLabel(c.label) || c.label == Label::kType ||
               (c.label == Label::kNamespace && (c.group == LanguageGroup::kRuby || c.group == LanguageGroup::kPerl));
      case RelationshipType::kCalls:
        if (c.label == Label::kEnumMember) return c.group == LanguageGroup::kRust;
        if (c.label == Label::kField) return MayCallField(c);
        // `Err(…)` makes no `type Err`.
        if (c.label == Label::kType && c.group == LanguageGroup::kRust) return false;
        return c.label != Label::kEnum && c.label != Label::kNamespace && c.label != Label::kUnion &&
               c.label != Label::kNone;
      default:
        return c.label != Label::kNamespace && c.label != Label::kNone;
    }
  }

  // A pointer to a function in C, an accessor in Ruby. In other languages, a name that is called is mostly a method of
  // another type, unless it is one's own.
  bool MayCallField(const Candidate& c) const {
    if (c.group == LanguageGroup::kPhp) return false;  // That takes parentheses: `($this->name)()`.
    return c.group == LanguageGroup::kC || c.group == LanguageGroup::kRuby || IsInOwnScope(c) || IsOfBase(c);
  }

  bool MatchesQualifier(const Candidate& c) const { return LastPart(c.scope) == qualifier_ || c.stem == qualifier_; }
  bool IsInOwnScope(const Candidate& c) const { return IsAround(c.scope, source_.qualified_name); }
  bool IsOfBase(const Candidate& c) const {
    if (source_.bases == nullptr || c.scope.empty()) return false;
    return source_.bases->contains(LastPart(c.scope)) || source_.bases->contains(c.scope);
  }
  bool IsReached(const Candidate& c) const {
    return source_.reach->contains(c.file) || (source_.language->shares_folder && c.folder == source_.folder);
  }

  // In JavaScript, a function in an object or in another function is seen only from there.
  static bool IsMember(const Candidate& c) {
    return IsMemberLabel(c.label) ||
           (c.group == LanguageGroup::kScript && c.label == Label::kFunction && !c.scope.empty());
  }

  bool FitsUnqualified(const Candidate& c) const {
    const bool is_member = IsMember(c);
    if (!mention_.is_member) return !is_member || IsInOwnScope(c) || IsOfBase(c);
    // A function in a function is no member of it.
    if (c.group == LanguageGroup::kScript && c.file_scope) return false;
    // An extension; a sub, of which only the call says that it is a method.
    const LanguageGroup group = source_.language->group;
    const bool may_be_method =
        source_.language->name == "Kotlin" || group == LanguageGroup::kPerl || group == LanguageGroup::kLua;
    if (may_be_method && c.label == Label::kFunction) return true;
    if (is_member || (c.label == Label::kPrototype && !c.scope.empty())) return true;
    return source_.language->group != LanguageGroup::kC && c.label != Label::kEnumMember &&
           source_.reach->contains(c.file);
  }

  template <typename Fits>
  void AddOfFile(int64_t file, const Fits& fits, Candidates& found) const {
    const auto range = named_.by_file.find(file);
    if (range == named_.by_file.end()) return;
    for (size_t i = range->second.first; i < range->second.second; ++i) {
      if (IsVisible(named_.all[i]) && fits(named_.all[i])) found.push_back(&named_.all[i]);
    }
  }

  // Those that fit; of a name that very many symbols have, only those of this file and of the files it imports.
  template <typename Fits>
  Candidates Gather(const Fits& fits) const {
    Candidates found;
    if (named_.all.size() <= kMaxSearched) {
      for (const Candidate& c : named_.all) {
        if (IsVisible(c) && fits(c)) found.push_back(&c);
      }
      return found;
    }
    AddOfFile(source_.file, fits, found);
    for (const int64_t file : *source_.reach) AddOfFile(file, fits, found);
    // As they stand in `all`.
    std::sort(found.begin(), found.end());
    return found;
  }

  // The first group that has any, by how near they are.
  Candidates Nearest(Candidates found) const {
    for (int rank = 0; rank < kUnreached; ++rank) {
      Candidates near;
      for (const Candidate* c : found) {
        if (RankOf(*c) == rank) near.push_back(c);
      }
      if (!near.empty()) return Narrow(std::move(near));
    }
    const size_t least =
        mention_.type == RelationshipType::kCalls && !mention_.is_member ? kMinGlobalCall : kMinGlobalName;
    if (found.empty() || found.size() > kMaxGlobal || name_.size() < least) return {};
    return Narrow(std::move(found));
  }

  static constexpr int kUnreached = 4;
  int RankOf(const Candidate& c) const {
    if (IsInOwnScope(c)) return 0;
    if (IsOfBase(c)) return 1;
    if (c.file == source_.file) return 2;
    return IsReached(c) ? 3 : kUnreached;
  }

  static bool HaveOneName(const Candidates& found) {
    return std::all_of(found.begin(), found.end(),
                       [&](const Candidate* c) { return c->qualified_name == found.front()->qualified_name; });
  }

  static void DropPrototypes(Candidates& found) {
    std::erase_if(found, [](const Candidate* c) { return c->label == Label::kPrototype; });
  }

  Candidates Narrow(Candidates found) const {
    Candidates definitions = found;
    DropPrototypes(definitions);
    if (!definitions.empty()) found = std::move(definitions);
    if (!HaveOneName(found)) {
      if (mention_.is_member) return {};
      std::erase_if(found, [](const Candidate* c) { return !c->scope.empty(); });
      if (found.empty() || !HaveOneName(found)) return {};
    }
    if (found.front()->label == Label::kPrototype) found = DefinitionsOf(std::move(found));
    if (found.size() > kMaxTargets) found.resize(kMaxTargets);
    return found;
  }

  // The functions that prototypes of one name declare, or those themselves.
  Candidates DefinitionsOf(Candidates prototypes) const {
    if (named_.all.size() > kMaxSearched) return prototypes;
    Candidates definitions;
    for (const Candidate& c : named_.all) {
      const bool is_function = c.label == Label::kFunction || c.label == Label::kMethod;
      if (is_function && IsVisible(c) && c.qualified_name == prototypes.front()->qualified_name) {
        definitions.push_back(&c);
      }
    }
    return definitions.empty() ? prototypes : definitions;
  }

  const Source& source_;
  const Mention& mention_;
  const std::string_view name_;
  const std::string_view qualifier_;
  const Named& named_;
};

EdgeResolver::EdgeResolver(storage::sqlite::Connection& connection, std::function<bool()> may_go_on)
    : connection_(connection), may_go_on_(std::move(may_go_on)) {}

EdgeResolver::~EdgeResolver() = default;

absl::Status EdgeResolver::Check() const {
  return may_go_on_() ? absl::OkStatus() : absl::CancelledError("the service is stopping");
}

absl::Status EdgeResolver::ResolveAll() {
  RETURN_IF_ERROR(connection_.Execute("DELETE FROM edges"));
  absl::flat_hash_set<int64_t> changed;
  RETURN_IF_ERROR(ResolveImports(nullptr, changed));
  RETURN_IF_ERROR(ResolveParents(nullptr, nullptr));
  ASSIGN_OR_RETURN(const std::vector<int64_t> files, AllFiles());
  for (const int64_t file : files) RETURN_IF_ERROR(ResolveFile(file));
  return absl::OkStatus();
}

absl::Status EdgeResolver::ResolveChanges(const GraphWriter& writer) {
  absl::flat_hash_set<int64_t> imports_changed;
  RETURN_IF_ERROR(ResolveImports(writer.paths_changed() ? nullptr : &writer.written_files(), imports_changed));
  for (const auto& [file, before] : writer.former_targets()) {
    if (!writer.written_files().contains(file)) continue;
    ASSIGN_OR_RETURN(const std::vector<int64_t>* after, TargetsOf(file));
    if (*after == before) {
      imports_changed.erase(file);
    } else {
      imports_changed.insert(file);
    }
  }
  RETURN_IF_ERROR(AddImporters(imports_changed));
  absl::flat_hash_set<int64_t> files = writer.written_files();
  files.insert(imports_changed.begin(), imports_changed.end());
  RETURN_IF_ERROR(AddMentioning(writer.changed_names(), files));
  RETURN_IF_ERROR(ResolveParents(&files, &writer.changed_names()));
  for (const int64_t file : files) RETURN_IF_ERROR(ResolveFile(file));
  return absl::OkStatus();
}

// ---- Imports --------------------------------------------------------------------------------------------------------

absl::Status EdgeResolver::ResolveImports(const absl::flat_hash_set<int64_t>* only,
                                          absl::flat_hash_set<int64_t>& changed) {
  if (only != nullptr && only->empty()) return absl::OkStatus();
  std::vector<std::pair<std::string, int64_t>> paths;
  {
    Cursor cursor = connection_.Use("SELECT path, id FROM files");
    while (true) {
      ASSIGN_OR_RETURN(const bool row, cursor.Step());
      if (!row) break;
      paths.emplace_back(cursor.Text(0), cursor.Int(1));
    }
  }
  const ImportResolver resolver(paths);
  struct Import {
    int64_t id, file, target, module;
    std::string name;
    bool is_system, only_if_file;
  };
  for (const auto& [path, file] : paths) {
    if (only != nullptr && !only->contains(file)) continue;
    RETURN_IF_ERROR(Check());
    std::vector<Import> imports;
    {
      Cursor cursor = connection_.Use(
          "SELECT id, coalesce(target, 0), coalesce(module, 0), name, is_system, only_if_file FROM imports "
          "WHERE file = ?");
      cursor.Bind(file);
      while (true) {
        ASSIGN_OR_RETURN(const bool row, cursor.Step());
        if (!row) break;
        imports.push_back({cursor.Int(0), file, cursor.Int(1), cursor.Int(2), std::string(cursor.Text(3)),
                           cursor.Int(4) != 0, cursor.Int(5) != 0});
      }
    }
    if (imports.empty()) continue;
    ASSIGN_OR_RETURN(const File* const of_file, FileOf(file));
    for (const Import& import : imports) {
      const int64_t target = resolver.Resolve(path, of_file->language.group, import.name, import.is_system).value_or(0);
      int64_t module = 0;
      if (target == 0 && !import.only_if_file) {
        ASSIGN_OR_RETURN(module, ModuleId(import.name, of_file->language_name));
      }
      if (target == import.target && module == import.module) continue;
      if (target != import.target) changed.insert(file);
      RETURN_IF_ERROR(connection_.Use("UPDATE imports SET target = nullif(?, 0), module = nullif(?, 0) WHERE id = ?")
                          .Bind(target, module, import.id)
                          .Run());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> EdgeResolver::ModuleId(std::string_view name, std::string_view language) {
  {
    Cursor cursor = connection_.Use("SELECT id FROM modules WHERE name = ? AND language = ?");
    cursor.Bind(name, language);
    ASSIGN_OR_RETURN(const bool row, cursor.Step());
    if (row) return cursor.Int(0);
  }
  RETURN_IF_ERROR(connection_.Use("INSERT INTO modules (name, language) VALUES (?, ?)").Bind(name, language).Run());
  return sqlite3_last_insert_rowid(connection_.db());
}

absl::Status EdgeResolver::AddImporters(absl::flat_hash_set<int64_t>& files) {
  std::deque<int64_t> queue(files.begin(), files.end());
  for (; !queue.empty(); queue.pop_front()) {
    Cursor cursor = connection_.Use("SELECT DISTINCT file FROM imports WHERE target = ?");
    cursor.Bind(queue.front());
    while (true) {
      ASSIGN_OR_RETURN(const bool row, cursor.Step());
      if (!row) break;
      if (files.insert(cursor.Int(0)).second) queue.push_back(cursor.Int(0));
    }
  }
  return absl::OkStatus();
}

absl::Status EdgeResolver::AddMentioning(const absl::flat_hash_set<std::string>& names,
                                         absl::flat_hash_set<int64_t>& files) {
  if (names.empty()) return absl::OkStatus();
  Cursor cursor = connection_.Use("SELECT file, bytes FROM mentions");
  while (true) {
    ASSIGN_OR_RETURN(const bool row, cursor.Step());
    if (!row) return absl::OkStatus();
    if (!files.contains(cursor.Int(0)) && MentionsAny(cursor.Blob(1), names)) files.insert(cursor.Int(0));
  }
}

absl::StatusOr<const std::vector<int64_t>*> EdgeResolver::TargetsOf(int64_t file) {
  std::unique_ptr<std::vector<int64_t>>& targets = targets_[file];
  if (targets != nullptr) return targets.get();
  auto found = std::make_unique<std::vector<int64_t>>();
  Cursor cursor =
      connection_.Use("SELECT DISTINCT target FROM imports WHERE file = ? AND target IS NOT NULL ORDER BY target");
  cursor.Bind(file);
  while (true) {
    ASSIGN_OR_RETURN(const bool row, cursor.Step());
    if (!row) break;
    found->push_back(cursor.Int(0));
  }
  targets = std::move(found);
  return targets.get();
}

absl::StatusOr<absl::flat_hash_set<int64_t>> EdgeResolver::ReachOf(int64_t file, LanguageGroup group) {
  const int depth = group == LanguageGroup::kC ? INT32_MAX : kImportDepth;
  absl::flat_hash_set<int64_t> reach;
  std::vector<int64_t> level = {file};
  for (int at = 0; at < depth && !level.empty(); ++at) {
    std::vector<int64_t> next;
    for (const int64_t from : level) {
      ASSIGN_OR_RETURN(const std::vector<int64_t>* targets, TargetsOf(from));
      for (const int64_t target : *targets) {
        if (target != file && reach.insert(target).second) next.push_back(target);
      }
    }
    if (reach.size() > kMaxReach) break;
    level = std::move(next);
  }
  return reach;
}

// ---- Symbols of other files -----------------------------------------------------------------------------------------

absl::StatusOr<const EdgeResolver::File*> EdgeResolver::FileOf(int64_t file) {
  std::unique_ptr<File>& known = files_[file];
  if (known != nullptr) return known.get();
  Cursor cursor = connection_.Use("SELECT path, name, folder, language FROM files WHERE id = ?");
  cursor.Bind(file);
  ASSIGN_OR_RETURN(const bool row, cursor.Step());
  if (!row) return absl::InternalError("the index lacks a file that it refers to");
  auto found = std::make_unique<File>();
  found->path = cursor.Text(0);
  found->stem = Stem(cursor.Text(1));
  found->folder = cursor.Int(2);
  found->language_name = cursor.Text(3);
  found->language = FindLanguage(found->language_name);
  known = std::move(found);
  return known.get();
}

absl::StatusOr<const EdgeResolver::Named*> EdgeResolver::SymbolsNamed(const std::string& name) {
  std::unique_ptr<Named>& known = named_[name];
  if (known != nullptr) return known.get();
  auto found = std::make_unique<Named>();
  Cursor cursor = connection_.Use(
      "SELECT s.id, s.file, s.label, s.file_scope, s.scope, s.qualified_name, f.folder, f.language, f.name "
      "FROM symbols s JOIN files f ON f.id = s.file WHERE s.name = ? ORDER BY f.path, s.ordinal");
  cursor.Bind(name);
  while (true) {
    ASSIGN_OR_RETURN(const bool row, cursor.Step());
    if (!row) break;
    Candidate candidate;
    candidate.id = cursor.Int(0);
    candidate.file = cursor.Int(1);
    candidate.label = static_cast<Label>(cursor.Int(2));
    candidate.file_scope = cursor.Int(3) != 0;
    candidate.scope = cursor.Text(4);
    candidate.qualified_name = cursor.Text(5);
    candidate.folder = cursor.Int(6);
    candidate.group = FindLanguage(cursor.Text(7)).group;
    candidate.stem = Stem(cursor.Text(8));
    std::pair<size_t, size_t>& range = found->by_file.try_emplace(candidate.file, found->all.size(), 0).first->second;
    found->all.push_back(std::move(candidate));
    range.second = found->all.size();
  }
  known = std::move(found);
  return known.get();
}

absl::StatusOr<std::optional<int64_t>> EdgeResolver::ParentOf(int64_t file, std::string_view scope) {
  ASSIGN_OR_RETURN(const File* const of_file, FileOf(file));
  ASSIGN_OR_RETURN(const Named* const named, SymbolsNamed(std::string(LastPart(scope))));
  if (named->all.size() > kMaxSearched) return std::nullopt;
  std::vector<const Candidate*> found;
  for (const Candidate& c : named->all) {
    // A namespace is in many files, and none of them has it alone.
    const bool fits = c.group == of_file->language.group && !c.file_scope && IsTypeLabel(c.label);
    if (fits && c.qualified_name == scope) found.push_back(&c);
  }
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return found.front()->id;
  ASSIGN_OR_RETURN(const absl::flat_hash_set<int64_t> reach, ReachOf(file, of_file->language.group));
  const auto reached =
      std::find_if(found.begin(), found.end(), [&](const Candidate* c) { return reach.contains(c->file); });
  return reached == found.end() ? found.front()->id : (*reached)->id;
}

absl::Status EdgeResolver::ResolveParents(const absl::flat_hash_set<int64_t>* files,
                                          const absl::flat_hash_set<std::string>* names) {
  struct Outer {
    int64_t id, file, parent;
    std::string scope;
  };
  std::vector<Outer> symbols;
  {
    Cursor cursor = connection_.Use("SELECT id, file, coalesce(parent, 0), scope FROM symbols WHERE outer_scope");
    while (true) {
      ASSIGN_OR_RETURN(const bool row, cursor.Step());
      if (!row) break;
      const std::string_view scope = cursor.Text(3);
      if (files != nullptr && !files->contains(cursor.Int(1)) && !names->contains(ToAbsl(LastPart(scope)))) continue;
      symbols.push_back({cursor.Int(0), cursor.Int(1), cursor.Int(2), std::string(scope)});
    }
  }
  std::map<std::pair<int64_t, std::string>, int64_t> known;
  for (const Outer& symbol : symbols) {
    RETURN_IF_ERROR(Check());
    const auto [entry, added] = known.try_emplace({symbol.file, symbol.scope}, 0);
    if (added) {
      ASSIGN_OR_RETURN(const std::optional<int64_t> parent, ParentOf(symbol.file, symbol.scope));
      entry->second = parent.value_or(0);
    }
    if (entry->second == symbol.parent) continue;
    RETURN_IF_ERROR(
        connection_.Use("UPDATE symbols SET parent = nullif(?, 0) WHERE id = ?").Bind(entry->second, symbol.id).Run());
  }
  return absl::OkStatus();
}

// ---- Mentions -------------------------------------------------------------------------------------------------------

absl::StatusOr<std::vector<int64_t>> EdgeResolver::AllFiles() {
  std::vector<int64_t> files;
  Cursor cursor = connection_.Use("SELECT id FROM files ORDER BY id");
  while (true) {
    ASSIGN_OR_RETURN(const bool row, cursor.Step());
    if (!row) return files;
    files.push_back(cursor.Int(0));
  }
}

absl::Status EdgeResolver::ResolveFile(int64_t file) {
  RETURN_IF_ERROR(Check());
  RETURN_IF_ERROR(connection_.Use("DELETE FROM edges WHERE file = ?").Bind(file).Run());
  MentionList list;
  {
    Cursor cursor = connection_.Use("SELECT bytes FROM mentions WHERE file = ?");
    cursor.Bind(file);
    ASSIGN_OR_RETURN(const bool row, cursor.Step());
    if (!row) return absl::OkStatus();
    ASSIGN_OR_RETURN(list, UnpackMentions(cursor.Blob(0)));
  }
  if (list.mentions.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<Symbol> symbols, SymbolsOf(file));
  ASSIGN_OR_RETURN(const EdgeMap edges, ChooseTargets(file, list, symbols));
  for (const auto& [ends, edge] : edges) {
    const auto& [from, target, type] = ends;
    Cursor cursor =
        connection_.Use("INSERT INTO edges (file, source, target, type, line, count) VALUES (?, ?, ?, ?, ?, ?)");
    cursor.Bind(file, from, target, static_cast<int64_t>(type), edge.line, edge.count);
    RETURN_IF_ERROR(cursor.Run());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<EdgeResolver::Symbol>> EdgeResolver::SymbolsOf(int64_t file) {
  std::vector<Symbol> symbols;
  Cursor cursor = connection_.Use("SELECT id, scope, qualified_name FROM symbols WHERE file = ? ORDER BY ordinal");
  cursor.Bind(file);
  while (true) {
    ASSIGN_OR_RETURN(const bool row, cursor.Step());
    if (!row) return symbols;
    symbols.push_back({cursor.Int(0), std::string(cursor.Text(1)), std::string(cursor.Text(2))});
  }
}

absl::StatusOr<EdgeResolver::EdgeMap> EdgeResolver::ChooseTargets(int64_t file, const MentionList& list,
                                                                  const std::vector<Symbol>& symbols) {
  ASSIGN_OR_RETURN(const File* const of_file, FileOf(file));
  ASSIGN_OR_RETURN(const absl::flat_hash_set<int64_t> reach, ReachOf(file, of_file->language.group));
  std::vector<std::string_view> qualified_names;
  for (const Symbol& symbol : symbols) qualified_names.push_back(symbol.qualified_name);
  for (const Mention& mention : list.mentions) {
    if (mention.source >= static_cast<int>(symbols.size())) return absl::DataLossError("the index mixes up symbols");
  }
  FileBases bases(list, qualified_names);
  EdgeMap edges;
  for (const Mention& mention : list.mentions) {
    const std::string& name = list.names[mention.name];
    ASSIGN_OR_RETURN(const Named* const named, SymbolsNamed(name));
    if (named->all.empty()) continue;
    Source source{file, of_file->folder, &of_file->language, &reach, "", "", nullptr};
    int64_t from = GraphId::Of(GraphId::kFile, file);
    if (mention.source >= 0) {
      const Symbol& symbol = symbols[static_cast<size_t>(mention.source)];
      from = GraphId::Of(GraphId::kSymbol, symbol.id);
      source.scope = symbol.scope;
      source.qualified_name = symbol.qualified_name;
      source.bases = &bases.Of(symbol.qualified_name);
    }
    const std::string_view qualifier =
        mention.qualifier == Mention::kNoName ? std::string_view() : std::string_view(list.names[mention.qualifier]);
    for (const Candidate* target : Choice(source, mention, name, qualifier, *named).Make()) {
      Edge& edge = edges[{from, target->id, mention.type}];
      edge.line = edge.count == 0 ? mention.line : std::min(edge.line, mention.line);
      edge.count += mention.count;
    }
  }
  return edges;
}

}  // namespace toolgate::executors::code_graph::index
