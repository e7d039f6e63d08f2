// The file that keeps a workspace's code graph.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_DATABASE_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/sqlite/connection.h"

namespace toolgate::executors::code_graph::index {

// Identifies a node or a relationship across all tables: the table's number above the row's.
struct GraphId {
  enum Table : int64_t {
    kFile = 1,
    kFolder = 2,
    kSymbol = 3,
    kModule = 4,
    kSchema = 5,
    // Relationships.
    kFolderOfFile = 1,
    kFolderOfFolder = 2,
    kMemberOfSymbol = 3,
    kDefinition = 4,
    kImport = 5,
    kEdge = 6,
  };
  static constexpr int kShift = 48;  // All ids stay below 2^53, so that JSON carries them.

  static constexpr int64_t Of(int64_t table, int64_t row) { return (table << kShift) | row; }
  static constexpr int64_t TableOf(int64_t id) { return id >> kShift; }
  static constexpr int64_t RowOf(int64_t id) { return id & ((int64_t{1} << kShift) - 1); }
};

// Derived data: it can be deleted at any time, and is made anew when its schema is another one or it is damaged.
//
//   folders   path, parent folder ("" is the top)
//   files     path, its state when it was read, language; skipped: why it has no symbols
//   symbols   one for each definition; parent: the symbol that it is in
//   imports   by file; target: the file that is meant, module: what is meant when it is no file
//   edges     calls, references, bases: from a symbol or file to a symbol; file: that of the source
//   mentions  PackMentions of each file, from which its edges are made
//   counts    nodes by label, for the planner of queries
//   state     complete: the edges fit the symbols
//
// Created once for a file of that path; connections are made by it. Thread-safe.
class GraphDatabase {
 public:
  // `path` is made with its folder when it does not exist, readable by the service's user alone.
  static absl::StatusOr<std::unique_ptr<GraphDatabase>> Open(std::string path);

  const std::string& path() const { return path_; }

  // A connection that may write; one at a time.
  absl::StatusOr<std::unique_ptr<storage::sqlite::Connection>> OpenToWrite() const;
  // A connection that reads.
  absl::StatusOr<std::unique_ptr<storage::sqlite::Connection>> OpenToRead() const;

  // Deletes the file: everything is indexed again. Connections must be closed.
  absl::Status Reset() const;

 private:
  explicit GraphDatabase(std::string path) : path_(std::move(path)) {}
  absl::Status Prepare() const;

  const std::string path_;
};

// Whether the graph that the connection sees is complete; false while it is made for the first time.
absl::StatusOr<bool> IsComplete(storage::sqlite::Connection& connection);
absl::Status SetComplete(storage::sqlite::Connection& connection, bool complete);

// Brings the table counts up to date.
absl::Status CountNodes(storage::sqlite::Connection& connection);

// Bytes of the database.
absl::StatusOr<int64_t> DatabaseBytes(storage::sqlite::Connection& connection);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_DATABASE_H_
