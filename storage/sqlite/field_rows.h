// Rows of the index over declared fields, in one database.
#ifndef TOOLGATE_STORAGE_SQLITE_FIELD_ROWS_H_
#define TOOLGATE_STORAGE_SQLITE_FIELD_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/declared_fields.h"
#include "storage/index_entries.h"
#include "storage/query_plan.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// Borrows the connection. Remembers keys of fields, so it lives within one set of changes or one query. Used by one
// thread at a time.
class FieldRows {
 public:
  FieldRows(Connection& connection, int64_t workspace) : connection_(connection), workspace_(workspace) {}

  // Erases and adds the index rows of the block in that row. A row that is to be added may be there already.
  absl::Status Change(int64_t block_row, const IndexChange& change);

  // Number of the slice's rows, or `limit` if there are more.
  absl::StatusOr<int64_t> Count(const IndexSlice& slice, int64_t limit);

  // The key of the slice's field; 0 if it has no rows.
  absl::StatusOr<int64_t> FindField(const IndexSlice& slice);

 private:
  absl::StatusOr<int64_t> Find(const std::string& scope, const std::string& name);
  absl::StatusOr<int64_t> Make(const std::string& scope, const std::string& name);

  Connection& connection_;
  const int64_t workspace_;
  absl::flat_hash_map<std::pair<std::string, std::string>, int64_t> keys_;  // By scope and name.
};

// SQL that selects the block rows of a slice, each once if it has several ranges; and with the values' order, for a
// slice of one range or none, a condition on rows `f` of field_values. The second function binds the values of either.
std::string SelectRowsSql(const IndexSlice& slice);
std::string ConditionSql(const IndexSlice& slice);
void BindSlice(Cursor& cursor, int64_t field, const IndexSlice& slice);

// ---- Building -------------------------------------------------------------------------------------------------------

// Whether the index has the rows of all blocks.
absl::StatusOr<bool> HasAllFieldRows(Connection& connection, const DeclaredFields& fields);
// Empties the index if its rows are those of another declaration. Within a transaction.
absl::Status PrepareFieldRows(Connection& connection, const DeclaredFields& fields);
// Adds the rows of up to `limit` blocks that the index lacks. Within a transaction. Returns whether there are more.
absl::StatusOr<bool> AddFieldRows(Connection& connection, const DeclaredFields& fields, int64_t limit);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_FIELD_ROWS_H_
