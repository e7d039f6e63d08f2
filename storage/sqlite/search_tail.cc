#include "storage/sqlite/search_tail.h"

#include "common/status_macros.h"
#include "storage/snapshot_revoked.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr char kSpan[] =
    "SELECT indexed_row, (SELECT coalesce(max(row), 0) FROM blocks) - indexed_row, (SELECT count(*) FROM (SELECT 1 "
    "FROM "
    "search_pending LIMIT ?)) FROM search_state";
// A row that the index has not reached yet may be noted as changed too; it is a new one. Deleted ones have no block.
constexpr char kChangedOfWorkspace[] =
    "SELECT p.row FROM search_pending p CROSS JOIN blocks b ON b.row = p.row WHERE p.row <= ? AND +b.workspace = ? "
    "ORDER BY p.row LIMIT ?";
constexpr char kNewOfWorkspace[] = "SELECT row FROM blocks WHERE row > ? AND +workspace = ? ORDER BY row LIMIT ?";

// Appends what one of the two statements above finds.
absl::Status FindRows(Cursor cursor, int64_t indexed_row, int64_t workspace, std::vector<int64_t>& rows) {
  cursor.Bind(indexed_row, workspace, static_cast<int64_t>(kMaxTailBlocks + 1 - rows.size()));
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return absl::OkStatus();
    rows.push_back(cursor.Int(0));
  }
}

absl::StatusOr<bool> AreShort(Connection& connection, const std::vector<int64_t>& rows) {
  const ConnectionUse use(connection);
  if (!use.granted()) return SnapshotRevoked();
  ValueSizes data_sizes(connection.db(), "blocks", "data");
  int64_t bytes = 0;
  for (const int64_t row : rows) {
    ASSIGN_OR_RETURN(const int64_t size, data_sizes.Of(row));
    bytes += size;
  }
  return bytes <= kMaxTailBytes;
}

}  // namespace

absl::StatusOr<SearchTail> FindSearchTail(Connection& connection, int64_t workspace) {
  SearchTail tail;
  int64_t indexed_row = 0;
  {
    Cursor cursor = connection.Use(kSpan);
    RETURN_IF_ERROR(cursor.Bind(kMaxTailSpan + 1).Step().status());
    indexed_row = cursor.Int(0);
    tail.too_long = cursor.Int(1) > kMaxTailSpan || cursor.Int(2) > kMaxTailSpan;
  }
  if (tail.too_long) return tail;
  RETURN_IF_ERROR(FindRows(connection.Use(kChangedOfWorkspace), indexed_row, workspace, tail.rows));
  RETURN_IF_ERROR(FindRows(connection.Use(kNewOfWorkspace), indexed_row, workspace, tail.rows));
  tail.too_long = tail.rows.size() > kMaxTailBlocks;
  if (!tail.too_long) {
    ASSIGN_OR_RETURN(const bool are_short, AreShort(connection, tail.rows));
    tail.too_long = !are_short;
  }
  return tail;
}

}  // namespace toolgate::storage::sqlite
