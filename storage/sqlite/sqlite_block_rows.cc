#include "storage/sqlite/sqlite_block_rows.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "storage/fault.h"
#include "storage/sqlite/block_columns.h"
#include "storage/sqlite/block_query.h"
#include "storage/sqlite/block_search.h"
#include "storage/sqlite/field_rows.h"
#include "storage/sqlite/id_set.h"
#include "storage/sqlite/writer.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr char kFindBlock[] = "SELECT " BLOCK_COLUMNS " FROM blocks b WHERE b.workspace = ? AND b.id = ?";
constexpr char kFindBlocks[] =
    "SELECT " BLOCK_COLUMNS " FROM json_each(?2) j CROSS JOIN blocks b ON b.workspace = ?1 AND b.id = j.value";
constexpr char kFindPlace[] = "SELECT parent, change_id FROM blocks WHERE workspace = ? AND id = ?";
constexpr char kListChildren[] =
    "SELECT " BLOCK_COLUMNS
    " FROM blocks b WHERE b.workspace = ? AND b.parent = ? AND (b.rank, b.id) > (?, ?) ORDER BY "
    "b.rank, b.id LIMIT ?";
constexpr char kChildRows[] =
    "SELECT c.row, c.id FROM blocks c WHERE c.workspace = ?1 AND c.parent = ?2 ORDER BY c.rank, c.id";
#define WITH_ROWS_BELOW                                                                                                \
  "WITH RECURSIVE below(row, id) AS (SELECT c.row, c.id FROM blocks c WHERE c.workspace = ?1 AND c.parent = ?2 UNION " \
  "SELECT c.row, c.id FROM below JOIN blocks c ON c.workspace = ?1 AND c.parent = below.id) "
constexpr char kRowsBelow[] = WITH_ROWS_BELOW "SELECT row, id FROM below";
constexpr char kListBelow[] =
    WITH_ROWS_BELOW "SELECT " BLOCK_COLUMNS " FROM below CROSS JOIN blocks b ON b.row = below.row";
#undef WITH_ROWS_BELOW
constexpr char kMeasureHeight[] =
    "WITH RECURSIVE below(id, level) AS (SELECT ?2, 1 UNION SELECT c.id, below.level + 1 FROM below JOIN blocks c ON "
    "c.workspace = ?1 AND c.parent = below.id WHERE below.level < ?3) SELECT max(level) FROM below";
constexpr char kLastSibling[] =
    "SELECT rank FROM blocks WHERE workspace = ? AND parent = ? AND id <> ? ORDER BY rank DESC, id DESC LIMIT 1";
constexpr char kSiblingsFrom[] =
    "SELECT rank FROM blocks WHERE workspace = ? AND parent = ? AND id <> ? ORDER BY rank, id LIMIT ? OFFSET ?";
constexpr char kSharesRank[] =
    "SELECT 1 FROM blocks b JOIN blocks o ON o.workspace = b.workspace AND o.parent = b.parent AND o.rank = b.rank AND "
    "o.id <> b.id WHERE b.workspace = ? AND b.id = ? LIMIT 1";
constexpr char kCountBefore[] =
    "SELECT count(*) FROM blocks WHERE workspace = ? AND parent = ? AND (rank, id) < (?, ?)";

constexpr char kInsertBlock[] =
    "INSERT INTO blocks (row, workspace, id, type, parent, rank, version, change_id, created_by, updated_by, "
    "created_at, updated_at, data) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr char kUpdateBlockContent[] =
    "UPDATE blocks SET version = ?, change_id = ?, created_by = ?, updated_by = ?, created_at = ?, updated_at = ?, "
    "data = ? WHERE row = ?";
// Separate, because setting an indexed column rewrites its indexes even if the value stays.
constexpr char kUpdateBlockPlace[] = "UPDATE blocks SET parent = ?, rank = ?, type = ? WHERE row = ?";
constexpr char kEraseBlock[] = "DELETE FROM blocks WHERE row = ?";
constexpr char kFindRow[] = "SELECT row FROM blocks WHERE workspace = ? AND id = ?";
constexpr char kNotePending[] = "INSERT OR IGNORE INTO search_pending (row) VALUES (?)";

}  // namespace

// ---- Reading --------------------------------------------------------------------------------------------------------

template <typename... Values>
absl::Status SqliteBlockRows::Append(const char* sql, std::vector<Block>& blocks, const Values&... values) {
  Cursor cursor = access_.connection().Use(sql);
  cursor.Bind(access_.workspace(), values...);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return absl::OkStatus();
    ReadBlock(cursor, blocks.emplace_back());
  }
}

absl::StatusOr<std::vector<Block>> SqliteBlockRows::Find(Ids ids) {
  std::vector<Block> blocks;
  RETURN_IF_ERROR(ids.size() == 1 ? Append(kFindBlock, blocks, ids.front())
                                  : Append(kFindBlocks, blocks, IdsAsJson(ids)));
  return blocks;
}

absl::StatusOr<std::vector<BlockPlace>> SqliteBlockRows::FindPlaces(Ids ids) {
  std::vector<BlockPlace> places;
  absl::flat_hash_set<std::string> seen;
  for (const std::string_view id : ids) {
    std::string ancestor(id);
    while (!ancestor.empty() && seen.insert(ancestor).second) {
      Cursor cursor = access_.connection().Use(kFindPlace);
      ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), ancestor).Step());
      if (!found) break;
      places.push_back({ancestor, std::string(cursor.Text(0)), std::string(cursor.Text(1))});
      ancestor = places.back().parent_id;
    }
  }
  return places;
}

absl::StatusOr<std::vector<Block>> SqliteBlockRows::ListChildren(std::string_view parent_id, const SiblingPlace& after,
                                                                 int64_t limit) {
  std::vector<Block> blocks;
  RETURN_IF_ERROR(Append(kListChildren, blocks, parent_id, after.rank, after.id, std::max<int64_t>(limit, 0)));
  return blocks;
}

absl::StatusOr<std::vector<Block>> SqliteBlockRows::ListBelow(std::string_view id) {
  std::vector<Block> blocks;
  RETURN_IF_ERROR(Append(kListBelow, blocks, id));
  return blocks;
}

absl::StatusOr<std::vector<Block>> SqliteBlockRows::FindOneChildOfEach(Ids parent_ids) {
  std::vector<Block> blocks;
  for (const std::string_view id : parent_ids)
    RETURN_IF_ERROR(Append(kListChildren, blocks, id, std::string_view(), std::string_view(), int64_t{1}));
  return blocks;
}

absl::Status SqliteBlockRows::VisitSizes(std::string_view id, Below below,
                                         absl::FunctionRef<bool(std::string_view id, int64_t data_bytes)> visit) {
  Cursor cursor = access_.connection().Use(below == Below::kAll ? kRowsBelow : kChildRows);
  cursor.Bind(access_.workspace(), id);
  // Within the use of the connection by the cursor.
  ValueSizes sizes(access_.connection().db(), "blocks", "data");
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return absl::OkStatus();
    ASSIGN_OR_RETURN(const int64_t bytes, sizes.Of(cursor.Int(0)));
    if (!visit(cursor.Text(1), bytes)) return absl::OkStatus();
  }
}

absl::StatusOr<int64_t> SqliteBlockRows::MeasureHeight(std::string_view id, int64_t limit) {
  Cursor cursor = access_.connection().Use(kMeasureHeight);
  RETURN_IF_ERROR(cursor.Bind(access_.workspace(), id, limit).Step().status());
  return cursor.Int(0);
}

absl::StatusOr<Neighbours> SqliteBlockRows::FindNeighbours(std::string_view parent_id, std::optional<int64_t> position,
                                                           std::string_view excluding) {
  Neighbours neighbours;
  if (position.has_value()) {
    const bool first = *position == 0;
    Cursor cursor = access_.connection().Use(kSiblingsFrom);
    cursor.Bind(access_.workspace(), parent_id, excluding, first ? 1 : 2, first ? int64_t{0} : *position - 1);
    ASSIGN_OR_RETURN(bool found, cursor.Step());
    if (found && !first) {
      neighbours.before = cursor.Text(0);
      ASSIGN_OR_RETURN(found, cursor.Step());
      if (!found) return neighbours;
    }
    if (found) neighbours.after = cursor.Text(0);
    if (found || first) return neighbours;
  }
  Cursor cursor = access_.connection().Use(kLastSibling);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), parent_id, excluding).Step());
  if (found) neighbours.before = cursor.Text(0);
  return neighbours;
}

absl::StatusOr<std::vector<std::string>> SqliteBlockRows::FindSharedRanks(Ids ids) {
  std::vector<std::string> shared;
  for (const std::string_view id : ids) {
    Cursor cursor = access_.connection().Use(kSharesRank);
    ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), id).Step());
    if (found) shared.emplace_back(id);
  }
  return shared;
}

absl::StatusOr<int64_t> SqliteBlockRows::CountBefore(const Block& block) {
  Cursor cursor = access_.connection().Use(kCountBefore);
  RETURN_IF_ERROR(cursor.Bind(access_.workspace(), block.parent_id, block.rank, block.id).Step().status());
  return cursor.Int(0);
}

absl::StatusOr<BlockPage> SqliteBlockRows::Query(const BlockQuery& query) {
  return BlockFinder(access_.connection(), access_.workspace(), access_.fields(), query).Find();
}

absl::StatusOr<SearchPage> SqliteBlockRows::Search(const SearchQuery& query) {
  absl::StatusOr<SearchTail> tail = BlockSearch(access_, query).FindTail();
  if (tail.ok() && tail->too_long) {
    RETURN_IF_ERROR(access_.CatchUpSearch());
    tail = BlockSearch(access_, query).FindTail();
    // If it is still too long, the rest was committed meanwhile, and need not be found.
    if (tail.ok() && tail->too_long) tail = SearchTail();
  }
  RETURN_IF_ERROR(tail.status());
  return BlockSearch(access_, query).Run(*tail);
}

// ---- Writing --------------------------------------------------------------------------------------------------------

absl::Status SqliteBlockRows::Write(absl::Span<const BlockWrite> writes) {
  if (writes.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(access_.BeforeChange());
  FieldRows fields(access_.connection(), access_.workspace());
  for (const BlockWrite& write : writes) {
    ASSIGN_OR_RETURN(const int64_t row, write.before == nullptr  ? Insert(*write.after)
                                        : write.after == nullptr ? Erase(*write.before)
                                                                 : Update(*write.before, *write.after));
    if (!write.index.empty()) RETURN_IF_ERROR(fields.Change(row, write.index));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> SqliteBlockRows::Insert(const Block& block) {
  const int64_t row = access_.writer().NextBlockRow();
  Cursor cursor = access_.connection().Use(kInsertBlock);
  cursor.Bind(row, access_.workspace(), block.id, block.type, block.parent_id, block.rank, block.version,
              block.change_id, block.created_by, block.updated_by, absl::ToUnixMicros(block.created_at),
              absl::ToUnixMicros(block.updated_at), block.data);
  RETURN_IF_ERROR(cursor.Run());
  return row;
}

absl::StatusOr<int64_t> SqliteBlockRows::Update(const Block& before, const Block& after) {
  ASSIGN_OR_RETURN(const int64_t row, NotedRow(after.id));
  Connection& connection = access_.connection();
  const bool placed = after.parent_id == before.parent_id && after.rank == before.rank && after.type == before.type;
  if (!placed) {
    RETURN_IF_ERROR(connection.Use(kUpdateBlockPlace).Bind(after.parent_id, after.rank, after.type, row).Run());
  }
  Cursor cursor = connection.Use(kUpdateBlockContent);
  cursor.Bind(after.version, after.change_id, after.created_by, after.updated_by, absl::ToUnixMicros(after.created_at),
              absl::ToUnixMicros(after.updated_at), after.data, row);
  RETURN_IF_ERROR(cursor.Run());
  return row;
}

absl::StatusOr<int64_t> SqliteBlockRows::Erase(const Block& block) {
  ASSIGN_OR_RETURN(const int64_t row, NotedRow(block.id));
  RETURN_IF_ERROR(access_.connection().Use(kEraseBlock).Bind(row).Run());
  return row;
}

absl::StatusOr<int64_t> SqliteBlockRows::NotedRow(std::string_view id) {
  int64_t row = 0;
  {
    Cursor cursor = access_.connection().Use(kFindRow);
    ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), id).Step());
    if (!found) return MarkFault(absl::InternalError(absl::StrCat("no row of block ", ToAbsl(id))));
    row = cursor.Int(0);
  }
  if (row <= access_.writer().indexed_row()) {
    RETURN_IF_ERROR(access_.connection().Use(kNotePending).Bind(row).Run());
  }
  return row;
}

}  // namespace toolgate::storage::sqlite
