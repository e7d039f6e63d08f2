#include "executors/code_graph/index/graph_database.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/code_graph/index/graph_schema.h"

namespace toolgate::executors::code_graph::index {
namespace {

using storage::sqlite::Connection;

// Raised with every change to the tables or to what they mean.
constexpr int64_t kSchemaVersion = 3;

constexpr char kSchema[] = R"sql(
CREATE TABLE folders (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL, parent INTEGER);
CREATE INDEX folders_name ON folders (name);
CREATE INDEX folders_parent ON folders (parent);
CREATE TABLE files (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL, folder INTEGER NOT NULL,
  size INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL, inode INTEGER NOT NULL,
  checked INTEGER NOT NULL, digest BLOB NOT NULL, language TEXT NOT NULL, lines INTEGER NOT NULL, skipped TEXT NOT NULL);
CREATE INDEX files_folder ON files (folder);
CREATE INDEX files_name ON files (name);
CREATE TABLE symbols (
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
  label INTEGER NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL, signature TEXT NOT NULL,
  scope TEXT NOT NULL, qualified_name TEXT NOT NULL, file_scope INTEGER NOT NULL, parent INTEGER,
  outer_scope INTEGER NOT NULL);
CREATE INDEX symbols_file ON symbols (file, ordinal);
CREATE INDEX symbols_name ON symbols (name);
CREATE INDEX symbols_label ON symbols (label);
CREATE INDEX symbols_parent ON symbols (parent) WHERE parent IS NOT NULL;
CREATE INDEX symbols_outer ON symbols (id) WHERE outer_scope;
CREATE TABLE modules (id INTEGER PRIMARY KEY, name TEXT NOT NULL, language TEXT NOT NULL, UNIQUE (name, language));
CREATE TABLE imports (
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL,
  is_include INTEGER NOT NULL, is_system INTEGER NOT NULL,
  only_if_file INTEGER NOT NULL, target INTEGER, module INTEGER);
CREATE INDEX imports_file ON imports (file);
CREATE INDEX imports_target ON imports (target) WHERE target IS NOT NULL;
CREATE INDEX imports_module ON imports (module) WHERE module IS NOT NULL;
CREATE TABLE edges (
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL,
  type INTEGER NOT NULL, line INTEGER NOT NULL, count INTEGER NOT NULL);
CREATE INDEX edges_file ON edges (file);
CREATE INDEX edges_source ON edges (source);
CREATE INDEX edges_target ON edges (target);
CREATE TABLE mentions (file INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE counts (label TEXT PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE state (complete INTEGER NOT NULL);
INSERT INTO state VALUES (0);
)sql";

absl::StatusOr<int64_t> Pragma(Connection& connection, const char* sql) {
  storage::sqlite::Cursor cursor = connection.Use(sql);
  ASSIGN_OR_RETURN(const bool row, cursor.Step());
  return row ? cursor.Int(0) : 0;
}

absl::Status MakeFolderOf(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (std::filesystem::create_directories(folder, error)) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  }
  if (error) return absl::UnavailableError(absl::StrCat("making ", folder.string(), ": ", error.message()));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<GraphDatabase>> GraphDatabase::Open(std::string path) {
  RETURN_IF_ERROR(MakeFolderOf(path));
  std::unique_ptr<GraphDatabase> database(new GraphDatabase(std::move(path)));
  const absl::Status prepared = database->Prepare();
  // A full disk or another process's lock says nothing about the file.
  if (absl::IsUnavailable(prepared) || absl::IsResourceExhausted(prepared)) return prepared;
  if (!prepared.ok()) {
    RETURN_IF_ERROR(database->Reset());
    RETURN_IF_ERROR(database->Prepare());
  }
  return database;
}

absl::Status GraphDatabase::Prepare() const {
  ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection, OpenToWrite());
  if (chmod(path_.c_str(), S_IRUSR | S_IWUSR) != 0) {
    return absl::UnavailableError(absl::StrCat("chmod ", path_, ": ", std::strerror(errno)));
  }
  ASSIGN_OR_RETURN(const int64_t version, Pragma(*connection, "PRAGMA user_version"));
  if (version == kSchemaVersion) return IsComplete(*connection).status();
  if (version != 0) return absl::FailedPreconditionError("the index has another schema");
  RETURN_IF_ERROR(connection->Execute("BEGIN IMMEDIATE"));
  // Another process may have been faster.
  ASSIGN_OR_RETURN(const int64_t present, Pragma(*connection, "PRAGMA user_version"));
  if (present != 0) return connection->Execute("ROLLBACK");
  RETURN_IF_ERROR(connection->Execute(kSchema));
  RETURN_IF_ERROR(connection->Execute(absl::StrCat("PRAGMA user_version = ", kSchemaVersion).c_str()));
  return connection->Execute("COMMIT");
}

absl::StatusOr<std::unique_ptr<Connection>> GraphDatabase::OpenToWrite() const {
  Connection::Options options;
  options.create = true;
  options.cache_kib = 65'536;
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, Connection::Open(path_, options));
  // A power failure may lose the latest changes, which are then indexed again.
  RETURN_IF_ERROR(connection->Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
  return connection;
}

absl::StatusOr<std::unique_ptr<Connection>> GraphDatabase::OpenToRead() const {
  Connection::Options options;
  options.read_only = true;
  options.cache_kib = 16'384;
  return Connection::Open(path_, options);
}

absl::Status GraphDatabase::Reset() const {
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::error_code error;
    std::filesystem::remove(absl::StrCat(path_, suffix), error);
    if (error) return absl::UnavailableError(absl::StrCat("removing ", path_, suffix, ": ", error.message()));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> IsComplete(Connection& connection) {
  ASSIGN_OR_RETURN(const int64_t complete, Pragma(connection, "SELECT complete FROM state"));
  return complete != 0;
}

absl::Status SetComplete(Connection& connection, bool complete) {
  return connection.Use("UPDATE state SET complete = ?").Bind(complete).Run();
}

absl::Status CountNodes(Connection& connection) {
  RETURN_IF_ERROR(connection.Execute(
      "DELETE FROM counts;"
      "INSERT INTO counts VALUES ('File', (SELECT count(*) FROM files)), ('Folder', (SELECT count(*) FROM folders)),"
      "('Module', (SELECT count(*) FROM modules)), ('Symbol', (SELECT count(*) FROM symbols))"));
  std::vector<std::pair<SymbolLabel, int64_t>> counts;
  {
    storage::sqlite::Cursor cursor = connection.Use("SELECT label, count(*) FROM symbols GROUP BY label");
    while (true) {
      ASSIGN_OR_RETURN(const bool row, cursor.Step());
      if (!row) break;
      counts.emplace_back(static_cast<SymbolLabel>(cursor.Int(0)), cursor.Int(1));
    }
  }
  for (const auto& [label, count] : counts) {
    if (label == SymbolLabel::kNone) continue;
    RETURN_IF_ERROR(connection.Use("INSERT INTO counts VALUES (?, ?)").Bind(LabelName(label), count).Run());
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> DatabaseBytes(Connection& connection) {
  ASSIGN_OR_RETURN(const int64_t pages, Pragma(connection, "PRAGMA page_count"));
  ASSIGN_OR_RETURN(const int64_t size, Pragma(connection, "PRAGMA page_size"));
  return pages * size;
}

}  // namespace toolgate::executors::code_graph::index
