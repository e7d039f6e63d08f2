#include "executors/code_graph/index/graph_writer.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/directory/path.h"

namespace toolgate::executors::code_graph::index {
namespace {

using directory::NameOf;
using directory::ParentOf;
using storage::sqlite::Cursor;

// Everything about a symbol that other files' edges may depend on.
using Identity = std::tuple<std::string, std::string, std::string, int64_t, bool>;

Identity IdentityOf(const SymbolFact& symbol) {
  return {symbol.name, symbol.scope, symbol.kind, static_cast<int64_t>(symbol.label), symbol.file_scope};
}

// Ids of a file's symbols before it is written again, in their order, for each identity.
class FormerSymbols {
 public:
  void Add(Identity identity, int64_t id) { ids_[std::move(identity)].push_back(id); }

  // The id that a symbol of that identity keeps; nothing when it is a new one.
  std::optional<int64_t> Take(const Identity& identity) {
    const auto found = ids_.find(identity);
    if (found == ids_.end() || taken_[identity] == found->second.size()) return std::nullopt;
    return found->second[taken_[identity]++];
  }

  // Adds the names of those that were not taken.
  void AddGone(absl::flat_hash_set<std::string>& names) const {
    for (const auto& [identity, ids] : ids_) {
      const auto taken = taken_.find(identity);
      if (taken == taken_.end() || taken->second < ids.size()) names.insert(std::get<0>(identity));
    }
  }

 private:
  absl::flat_hash_map<Identity, std::vector<int64_t>> ids_;
  absl::flat_hash_map<Identity, size_t> taken_;
};

}  // namespace

absl::StatusOr<int64_t> GraphWriter::FolderId(std::string_view path) {
  if (const auto known = folders_.find(ToAbsl(path)); known != folders_.end()) return known->second;
  {
    Cursor cursor = connection_.Use("SELECT id FROM folders WHERE path = ?");
    cursor.Bind(path);
    ASSIGN_OR_RETURN(const bool row, cursor.Step());
    if (row) return folders_[std::string(path)] = cursor.Int(0);
  }
  if (path.empty()) {
    RETURN_IF_ERROR(connection_.Use("INSERT INTO folders (path, name, parent) VALUES ('', '', NULL)").Run());
  } else {
    ASSIGN_OR_RETURN(const int64_t parent, FolderId(ParentOf(path)));
    RETURN_IF_ERROR(connection_.Use("INSERT INTO folders (path, name, parent) VALUES (?, ?, ?)")
                        .Bind(path, directory::NameOf(path), parent)
                        .Run());
  }
  return folders_[std::string(path)] = sqlite3_last_insert_rowid(connection_.db());
}

absl::StatusOr<int64_t> GraphWriter::PutFileRow(const IndexedFile& file) {
  ASSIGN_OR_RETURN(const int64_t folder, FolderId(ParentOf(file.path)));
  Cursor cursor = connection_.Use(
      "INSERT INTO files (path, name, folder, size, mtime, ctime, inode, checked, language, lines, skipped, digest) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET size = excluded.size, "
      "mtime = excluded.mtime, ctime = excluded.ctime, inode = excluded.inode, checked = excluded.checked, "
      "language = excluded.language, lines = excluded.lines, skipped = excluded.skipped, digest = excluded.digest "
      "RETURNING id");
  cursor.Bind(file.path, NameOf(file.path), folder, file.stamp.size, file.stamp.mtime, file.stamp.ctime,
              file.stamp.inode, file.checked, file.facts.language, file.facts.lines, file.skipped);
  cursor.BindBlob(file.digest);
  ASSIGN_OR_RETURN(const bool row, cursor.Step());
  if (!row) return absl::InternalError("a file's row has no id");
  return cursor.Int(0);
}

absl::Status GraphWriter::Put(const IndexedFile& file) {
  bool same_language = false;
  {
    Cursor known = connection_.Use("SELECT language FROM files WHERE path = ?");
    known.Bind(file.path);
    ASSIGN_OR_RETURN(const bool is_known, known.Step());
    if (!is_known) paths_changed_ = true;
    same_language = is_known && known.Text(0) == file.facts.language;
  }
  ASSIGN_OR_RETURN(const int64_t id, PutFileRow(file));
  RETURN_IF_ERROR(PutSymbols(id, file.facts, same_language));
  RETURN_IF_ERROR(PutImports(id, file.facts));
  const std::string mentions = PackMentions(file.facts.mentions);
  RETURN_IF_ERROR(
      connection_.Use("INSERT OR REPLACE INTO mentions (file, bytes) VALUES (?, ?)").Bind(id).BindBlob(mentions).Run());
  written_files_.insert(id);
  return absl::OkStatus();
}

absl::Status GraphWriter::PutSymbols(int64_t file, const FileFacts& facts, bool same_language) {
  FormerSymbols former;
  {
    Cursor cursor =
        connection_.Use("SELECT name, scope, kind, label, file_scope, id FROM symbols WHERE file = ? ORDER BY ordinal");
    cursor.Bind(file);
    while (true) {
      ASSIGN_OR_RETURN(const bool row, cursor.Step());
      if (!row) break;
      former.Add({std::string(cursor.Text(0)), std::string(cursor.Text(1)), std::string(cursor.Text(2)), cursor.Int(3),
                  cursor.Int(4) != 0},
                 cursor.Int(5));
    }
  }
  RETURN_IF_ERROR(connection_.Use("DELETE FROM symbols WHERE file = ?").Bind(file).Run());
  std::vector<int64_t> ids;
  ids.reserve(facts.symbols.size());
  for (const SymbolFact& symbol : facts.symbols) {
    const std::optional<int64_t> kept = former.Take(IdentityOf(symbol));
    if (!kept.has_value() || !same_language) changed_names_.insert(symbol.name);
    ids.push_back(kept.value_or(0));
  }
  former.AddGone(changed_names_);
  RETURN_IF_ERROR(GiveIds(ids));
  for (size_t i = 0; i < ids.size(); ++i) {
    const SymbolFact& symbol = facts.symbols[i];
    const int64_t parent = symbol.parent < 0 ? 0 : ids[static_cast<size_t>(symbol.parent)];
    const bool is_outer = symbol.parent < 0 && !symbol.scope.empty();
    Cursor cursor = connection_.Use(
        "INSERT INTO symbols (id, file, ordinal, name, kind, label, line, end_line, signature, scope, qualified_name, "
        "file_scope, outer_scope, parent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0))");
    cursor.Bind(ids[i], file, static_cast<int64_t>(i), symbol.name, symbol.kind, static_cast<int64_t>(symbol.label),
                symbol.line, symbol.end_line, symbol.signature, symbol.scope, symbol.qualified_name, symbol.file_scope,
                is_outer, parent);
    RETURN_IF_ERROR(cursor.Run());
  }
  return absl::OkStatus();
}

absl::Status GraphWriter::GiveIds(std::vector<int64_t>& ids) {
  if (last_symbol_ == 0) {
    Cursor cursor = connection_.Use("SELECT coalesce(max(id), 0) + 1 FROM symbols");
    ASSIGN_OR_RETURN(const bool row, cursor.Step());
    // Beyond those of this file too, which have been deleted.
    last_symbol_ = row ? cursor.Int(0) : 1;
  }
  for (const int64_t id : ids) last_symbol_ = std::max(last_symbol_, id);
  for (int64_t& id : ids) {
    if (id == 0) id = ++last_symbol_;
  }
  return absl::OkStatus();
}

absl::Status GraphWriter::NoteTargets(int64_t file) {
  std::vector<int64_t>& targets = former_targets_[file];
  Cursor cursor =
      connection_.Use("SELECT DISTINCT target FROM imports WHERE file = ? AND target IS NOT NULL ORDER BY target");
  cursor.Bind(file);
  while (true) {
    ASSIGN_OR_RETURN(const bool row, cursor.Step());
    if (!row) return absl::OkStatus();
    targets.push_back(cursor.Int(0));
  }
}

absl::Status GraphWriter::PutImports(int64_t file, const FileFacts& facts) {
  if (!former_targets_.contains(file)) RETURN_IF_ERROR(NoteTargets(file));
  RETURN_IF_ERROR(connection_.Use("DELETE FROM imports WHERE file = ?").Bind(file).Run());
  for (const ImportFact& import : facts.imports) {
    Cursor cursor = connection_.Use(
        "INSERT INTO imports (file, name, line, is_include, is_system, only_if_file) VALUES (?, ?, ?, ?, ?, ?)");
    cursor.Bind(file, import.name, import.line, import.is_include, import.is_system, import.only_if_file);
    RETURN_IF_ERROR(cursor.Run());
  }
  return absl::OkStatus();
}

absl::Status GraphWriter::Touch(std::string_view path, const FileStamp& stamp, int64_t checked) {
  return connection_.Use("UPDATE files SET size = ?, mtime = ?, ctime = ?, inode = ?, checked = ? WHERE path = ?")
      .Bind(stamp.size, stamp.mtime, stamp.ctime, stamp.inode, checked, path)
      .Run();
}

absl::Status GraphWriter::DeleteContents(int64_t file) {
  {
    Cursor cursor = connection_.Use("SELECT DISTINCT name FROM symbols WHERE file = ?");
    cursor.Bind(file);
    while (true) {
      ASSIGN_OR_RETURN(const bool row, cursor.Step());
      if (!row) break;
      changed_names_.emplace(cursor.Text(0));
    }
  }
  RETURN_IF_ERROR(connection_.Use("DELETE FROM symbols WHERE file = ?").Bind(file).Run());
  RETURN_IF_ERROR(connection_.Use("DELETE FROM imports WHERE file = ?").Bind(file).Run());
  RETURN_IF_ERROR(connection_.Use("DELETE FROM edges WHERE file = ?").Bind(file).Run());
  return connection_.Use("DELETE FROM mentions WHERE file = ?").Bind(file).Run();
}

absl::Status GraphWriter::Remove(std::string_view path) {
  int64_t id = 0;
  {
    Cursor cursor = connection_.Use("SELECT id FROM files WHERE path = ?");
    cursor.Bind(path);
    ASSIGN_OR_RETURN(const bool row, cursor.Step());
    if (!row) return absl::OkStatus();
    id = cursor.Int(0);
  }
  RETURN_IF_ERROR(DeleteContents(id));
  RETURN_IF_ERROR(connection_.Use("DELETE FROM files WHERE id = ?").Bind(id).Run());
  written_files_.erase(id);
  paths_changed_ = true;
  return absl::OkStatus();
}

absl::Status GraphWriter::Sweep() {
  folders_.clear();
  while (true) {
    RETURN_IF_ERROR(connection_
                        .Use("DELETE FROM folders WHERE id NOT IN (SELECT folder FROM files) AND id NOT IN "
                             "(SELECT parent FROM folders WHERE parent IS NOT NULL)")
                        .Run());
    if (sqlite3_changes(connection_.db()) == 0) break;
  }
  return connection_.Use("DELETE FROM modules WHERE id NOT IN (SELECT module FROM imports WHERE module IS NOT NULL)")
      .Run();
}

}  // namespace toolgate::executors::code_graph::index
