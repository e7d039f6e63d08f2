// A workspace's rows on one connection: what all domains of them share.
#ifndef TOOLGATE_STORAGE_SQLITE_ROW_ACCESS_H_
#define TOOLGATE_STORAGE_SQLITE_ROW_ACCESS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/declared_fields.h"
#include "storage/sqlite/connection.h"
#include "storage/transaction.h"

namespace toolgate::storage::sqlite {

class Writer;

// A workspace's key; 0 if the workspace does not exist.
absl::StatusOr<int64_t> FindWorkspaceKey(Connection& connection, std::string_view id);

// Brings the search index up to date for a search that cannot make up for the difference.
class SearchCatchUp {
 public:
  virtual ~SearchCatchUp() = default;
  // Afterwards the rows may be on another connection, with a newer snapshot.
  virtual absl::Status CatchUpSearch() = 0;
};

// Borrows everything. Used by one thread at a time.
class RowAccess {
 public:
  // For reading. `workspace`: its key; a workspace that does not exist has key 0 and no rows.
  RowAccess(Connection& connection, int64_t workspace, const DeclaredFields& fields, SearchCatchUp& catch_up)
      : connection_(&connection), workspace_(workspace), fields_(fields), catch_up_(catch_up) {}
  // For writing too, in a job of the writer.
  RowAccess(Writer& writer, int64_t workspace, std::string_view workspace_id, const DeclaredFields& fields,
            SearchCatchUp& catch_up);
  RowAccess(const RowAccess&) = delete;
  RowAccess& operator=(const RowAccess&) = delete;

  Connection& connection() { return *connection_; }
  int64_t workspace() const { return workspace_; }
  const DeclaredFields& fields() const { return fields_; }
  absl::Status CatchUpSearch() { return catch_up_.CatchUpSearch(); }
  // Only for writing.
  Writer& writer() { return *writer_; }
  // Called before every change: creates the savepoint of the job, and the workspace's row.
  absl::Status BeforeChange();

  // Goes on with another connection.
  void MoveTo(Connection& connection, int64_t workspace) {
    connection_ = &connection;
    workspace_ = workspace;
  }

 private:
  Connection* connection_;
  int64_t workspace_;
  const DeclaredFields& fields_;
  SearchCatchUp& catch_up_;
  Writer* const writer_ = nullptr;
  const std::string_view workspace_id_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_ROW_ACCESS_H_
