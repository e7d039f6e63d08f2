// The columns of a block.
#ifndef TOOLGATE_STORAGE_SQLITE_BLOCK_COLUMNS_H_
#define TOOLGATE_STORAGE_SQLITE_BLOCK_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/block.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// Of `blocks b`, in the order in which ReadBlock reads them.
#define BLOCK_COLUMNS                                                                                                \
  "b.id, b.type, b.parent, b.rank, b.version, b.change_id, b.created_by, b.updated_by, b.created_at, b.updated_at, " \
  "b.data"

void ReadBlock(const Cursor& cursor, Block& block);

// In that order, up to `max_bytes` of data. DATA_LOSS if one is not there.
absl::StatusOr<std::vector<Block>> LoadRows(Connection& connection, const std::vector<int64_t>& rows, size_t max_bytes);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_BLOCK_COLUMNS_H_
