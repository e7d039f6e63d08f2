// Columns of the table of blocks.
#ifndef TOOLGATE_STORAGE_POSTGRES_BLOCK_COLUMNS_H_
#define TOOLGATE_STORAGE_POSTGRES_BLOCK_COLUMNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/block.h"
#include "storage/block_fields.h"
#include "storage/postgres/result.h"
#include "storage/postgres/session.h"

namespace toolgate::storage::postgres {

// Of rows `b`, in the order in which the functions below read them. A literal, so that statements can be literals.
#define TOOLGATE_BLOCK_COLUMNS                                                                                       \
  "b.id, b.type, b.parent, b.rank, b.version, b.change_id, b.created_by, b.updated_by, b.created_at, b.updated_at, " \
  "b.data"
// Number of them.
inline constexpr int kBlockColumns = 11;

void ReadBlock(const Row& row, Block& block);
// Borrowed from the row.
BlockFields FieldsOf(const Row& row);

// The blocks with these ids, in their order, up to the one with which their data reaches `max_bytes`. Those that do not
// exist are left out.
absl::StatusOr<std::vector<Block>> LoadBlocks(Session& session, const std::vector<std::string>& ids, int64_t max_bytes);

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_BLOCK_COLUMNS_H_
