// Writes files' facts into the graph's database.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_WRITER_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/code_graph/index/file_facts.h"
#include "storage/sqlite/connection.h"

namespace toolgate::executors::code_graph::index {

// A file as it was when it was read. Times are nanoseconds since 1970.
struct FileStamp {
  int64_t size = 0;
  int64_t mtime = 0;
  int64_t ctime = 0;
  int64_t inode = 0;

  bool operator==(const FileStamp&) const = default;
};

struct IndexedFile {
  std::string path;
  FileStamp stamp;
  int64_t checked = 0;  // When it was read.
  std::string digest;   // SHA-256 of its contents; empty when they were not read.
  std::string skipped;  // Why it has no symbols; empty: it is indexed.
  FileFacts facts;
};

// Collects what its writes leave to be done: the edges of files that were written, and of those that mention a name
// whose symbols changed. Works within the transaction of the connection that it borrows. One thread.
class GraphWriter {
 public:
  explicit GraphWriter(storage::sqlite::Connection& connection) : connection_(connection) {}

  // Replaces all that is known of the path. Symbols that are still there keep their ids.
  absl::Status Put(const IndexedFile& file);
  // Notes another stamp for the same contents.
  absl::Status Touch(std::string_view path, const FileStamp& stamp, int64_t checked);
  absl::Status Remove(std::string_view path);
  // Deletes folders without files and modules that nothing imports.
  absl::Status Sweep();

  const absl::flat_hash_set<int64_t>& written_files() const { return written_files_; }
  const absl::flat_hash_set<std::string>& changed_names() const { return changed_names_; }
  // The files that each written file imported before, sorted.
  const absl::flat_hash_map<int64_t, std::vector<int64_t>>& former_targets() const { return former_targets_; }
  // Whether files came or went.
  bool paths_changed() const { return paths_changed_; }
  bool changed() const { return paths_changed_ || !written_files_.empty(); }

 private:
  absl::StatusOr<int64_t> FolderId(std::string_view path);
  absl::StatusOr<int64_t> PutFileRow(const IndexedFile& file);
  // A symbol that stays as it is changes for other files when the language does.
  absl::Status PutSymbols(int64_t file, const FileFacts& facts, bool same_language);
  // Replaces each 0 by an id that no symbol has or had.
  absl::Status GiveIds(std::vector<int64_t>& ids);
  absl::Status PutImports(int64_t file, const FileFacts& facts);
  absl::Status NoteTargets(int64_t file);
  absl::Status DeleteContents(int64_t file);

  storage::sqlite::Connection& connection_;
  absl::flat_hash_map<std::string, int64_t> folders_;
  absl::flat_hash_set<int64_t> written_files_;
  absl::flat_hash_set<std::string> changed_names_;
  absl::flat_hash_map<int64_t, std::vector<int64_t>> former_targets_;
  int64_t last_symbol_ = 0;  // The highest id given so far; 0: not known yet.
  bool paths_changed_ = false;
};

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_WRITER_H_
