#include "storage/postgres/block_columns.h"

#include "absl/time/time.h"
#include "common/status_macros.h"

namespace toolgate::storage::postgres {
namespace {

constexpr char kLoadBlocks[] =
    "SELECT " TOOLGATE_BLOCK_COLUMNS
    " FROM (SELECT s.*, k.place, sum(octet_length(s.data)) OVER (ORDER BY k.place) - octet_length(s.data) AS before "
    "FROM unnest($2::bytea[]) WITH ORDINALITY AS k(id, place) JOIN toolgate.blocks s ON s.workspace = $1 AND s.id = "
    "k.id) AS b WHERE b.before < $3 ORDER BY b.place";

}  // namespace

void ReadBlock(const Row& row, Block& block) {
  block.id = row.String(0);
  block.type = row.String(1);
  block.parent_id = row.String(2);
  block.rank = row.String(3);
  block.version = row.Int(4);
  block.change_id = row.String(5);
  block.created_by = row.String(6);
  block.updated_by = row.String(7);
  block.created_at = absl::FromUnixMicros(row.Int(8));
  block.updated_at = absl::FromUnixMicros(row.Int(9));
  block.data = row.String(10);
}

BlockFields FieldsOf(const Row& row) {
  BlockFields fields;
  fields.type = row.Bytes(1);
  fields.parent_id = row.Bytes(2);
  fields.rank = row.Bytes(3);
  fields.created_by = row.Bytes(6);
  fields.updated_by = row.Bytes(7);
  fields.created_at_us = row.Int(8);
  fields.updated_at_us = row.Int(9);
  fields.data = row.Bytes(10);
  return fields;
}

absl::StatusOr<std::vector<Block>> LoadBlocks(Session& session, const std::vector<std::string>& ids,
                                              int64_t max_bytes) {
  std::vector<Block> blocks;
  if (ids.empty()) return blocks;
  const Params params = Params::Of(session.workspace(), ids, max_bytes);
  RETURN_IF_ERROR(session.Stream(kLoadBlocks, params, [&](const Row& row) {
    ReadBlock(row, blocks.emplace_back());
    return absl::OkStatus();
  }));
  return blocks;
}

}  // namespace toolgate::storage::postgres
