#include "storage/sqlite/block_columns.h"

#include "absl/time/time.h"
#include "common/status_macros.h"
#include "storage/fault.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr char kLoadRow[] = "SELECT " BLOCK_COLUMNS " FROM blocks b WHERE b.row = ?";

}  // namespace

void ReadBlock(const Cursor& cursor, Block& block) {
  block.id = cursor.Text(0);
  block.type = cursor.Text(1);
  block.parent_id = cursor.Text(2);
  block.rank = cursor.Text(3);
  block.version = cursor.Int(4);
  block.change_id = cursor.Text(5);
  block.created_by = cursor.Text(6);
  block.updated_by = cursor.Text(7);
  block.created_at = absl::FromUnixMicros(cursor.Int(8));
  block.updated_at = absl::FromUnixMicros(cursor.Int(9));
  block.data = cursor.Text(10);
}

absl::StatusOr<std::vector<Block>> LoadRows(Connection& connection, const std::vector<int64_t>& rows,
                                            size_t max_bytes) {
  std::vector<Block> blocks;
  size_t bytes = 0;
  for (const int64_t row : rows) {
    if (bytes >= max_bytes) break;
    Cursor cursor = connection.Use(kLoadRow);
    ASSIGN_OR_RETURN(const bool found, cursor.Bind(row).Step());
    if (!found) return MarkFault(absl::DataLossError("an index names a block row that is not there"));
    ReadBlock(cursor, blocks.emplace_back());
    bytes += blocks.back().data.size();
  }
  return blocks;
}

}  // namespace toolgate::storage::sqlite
